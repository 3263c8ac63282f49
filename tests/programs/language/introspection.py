"""A program asks about itself: frames, locals, tracing, names, pickling and garbage collection."""
import gc
import inspect
import pickle
import sys
import types
import weakref

import numpy as np
from show import show


def locals_inside(a):
    b = a + 1
    names = sorted(locals())
    c = b * 2
    return names, sorted(locals()), c.sum()


def who_called(a):
    frame = sys._getframe(1)
    return a * frame.f_lineno, frame.f_code.co_name


def caller(a):
    first = who_called(a)
    second = who_called(a)
    return first, second


def traced(a):
    b = a * 2
    c = b + 1
    return c


for _ in range(12):
    result = locals_inside(np.arange(3.0)), caller(np.ones(2))
print(result)
lines = []


def tracer(frame, event, arg):
    if frame.f_code is traced.__code__:
        lines.append((event, frame.f_lineno - traced.__code__.co_firstlineno))
    return tracer


for _ in range(12):
    traced(np.arange(3.0))
sys.settrace(tracer)
traced(np.arange(3.0))
sys.settrace(None)
print(lines)
print(inspect.signature(traced), traced.__name__, type(traced).__name__, pickle.loads(pickle.dumps(traced)) is traced)
print(inspect.getsource(traced))


class Array(np.ndarray):
    pass


def keeps_nothing(a):
    return (a * 2).sum()


for _ in range(12):
    a = np.arange(4.0).view(Array)
    reference = weakref.ref(a)
    show("sum", float(keeps_nothing(a)))
    del a
    gc.collect()
    print("alive" if reference() is not None else "collected")
before = sys.getrefcount(lines)
x = np.arange(5.0)
for _ in range(20):
    traced(x)
print(sys.getrefcount(x), sys.getrefcount(lines) - before)


# Methods of slots and of C functions are of other classes than methods of Python functions.
class Plain:
    def method(self):
        return self


def classes(plain, x):
    kinds = [type(method).__name__ for method in (plain.__eq__, plain.method, [].append, {}.get, (1).__add__, "".join, x.sum)]
    return kinds, isinstance(plain.__eq__, types.MethodType), hasattr(plain.__hash__, "__func__"), x + 1


def kept(plain, x):
    y = x + 1
    return [plain.__eq__, plain.method, [].append, {}.__len__], y


def added(plain, x):
    try:
        return plain.__eq__ + 1
    except TypeError as error:
        return str(error), x + 1


for _ in range(6):
    for function in (classes, added):
        print(function(Plain(), np.arange(3.0)))
    for method in kept(Plain(), np.arange(3.0))[0]:
        print(type(method), method.__name__, method.__qualname__, method.__self__ is not None)
