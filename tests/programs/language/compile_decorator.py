"""A caller sees no change, between one call and the next, in functions marked by dynacc.compile."""
import sys
import threading
import traceback

import numpy as np

try:
    from dynacc import compile
except ImportError:

    def compile(function):
        return function


x = np.arange(6.0)


@compile
def scale(a, b):
    return a * b + 1.0


for _ in range(4):
    r = scale(x, x)
print(r, scale(a=x, b=x)[5], scale(x, b=2.0), scale(*[x, 3]), scale(**{"a": x, "b": -1})[1])
for arguments in ((), (x,), (x, x, x)):
    try:
        scale(*arguments)
    except TypeError as error:
        print(error)
for bad in (np.ones(4), "text", None):
    try:
        scale(x, bad)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        print(type(error).__name__, str(error)[:60], [f.name for f in frames], frames[-1].line)
print(scale(x, x), scale(x.astype("f4"), np.float32(2)).dtype, scale(2.0, 3.0), scale(np.ones((2, 6)), x).shape)


def other(a, b):
    return a - b


plain = getattr(scale, "__wrapped__", scale)
kept = plain.__code__
plain.__code__ = other.__code__
print(scale(x, x))
plain.__code__ = kept
print(scale(x, x)[2])

FACTOR = 2.0


@compile
def by_global(a, b):
    return (a + b) * FACTOR


for _ in range(3):
    by_global(x, x)
print(by_global(x, x)[3])
FACTOR = 5.0
print(by_global(x, x)[3], by_global(x, x[:3].repeat(2))[3])


@compile
def with_default(a, b=2.0):
    return a * b


print(with_default(x)[2], with_default(x, 4.0)[2])
getattr(with_default, "__wrapped__", with_default).__defaults__ = (3.0,)
print(with_default(x)[2])

events = []


def watch(frame, event, argument):
    if frame.f_code.co_name == "scale":
        events.append((event, frame.f_lineno - frame.f_code.co_firstlineno))
    return watch


sys.settrace(watch)
scale(x, x)
sys.settrace(None)
print(events)


@compile
def writes(a, b):
    a[1:] += b[:-1]
    return a.sum()


y = np.ones(6)
print([writes(y, x) for _ in range(4)], y)


@compile
def keeps(a, seen):
    seen.append(a.shape)
    return a + 1


seen = []
print([keeps(x[:k], seen).sum() for k in (2, 2, 3, 2)], seen)


class Model:
    def __init__(self, w):
        self.w = w

    @compile
    def __call__(self, a):
        return a @ self.w + 1.0


model = Model(np.eye(6))
for _ in range(3):
    r = model(x)
model.w = model.w * 2
print(r, model(x), Model(np.ones((6, 2)))(x))

results = []
threads = [threading.Thread(target=lambda k=k: results.append((k, [scale(x, float(k)).sum() for _ in range(50)])))
           for k in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print([(k, set(v)) for k, v in sorted(results)])

a, b = np.ones(3), np.zeros(3)
with np.errstate(divide="raise"):

    @compile
    def divide(a, b):
        return a / b

    for divisor in (a, a, a, b, a):
        try:
            print(divide(a, divisor))
        except FloatingPointError as error:
            print(error)
