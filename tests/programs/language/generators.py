"""Generators hold array code, are made and consumed in it, are sent values and thrown exceptions, or leave it."""
import itertools

import numpy as np

from show import repeat, show

# Generators that are made and consumed in array code, and those that leave it.
a = np.arange(4.0)


def powers(b, log=None):
    value = b
    k = 0
    while True:
        if log is not None:
            log.append(k)
        yield value
        value = value * b + 1.0
        k += 1


# An endless generator zipped with range(3) is consumed lazily, item by item.
def zipped(b, log):
    total = b * 0.0
    for value, k in zip(powers(b, log), range(3)):
        total = total + value * k
    return total


log = []
show("zipped", [zipped(a, log) for _ in range(5)])
print(log)


# Advanced once inside and then returned: it goes on from its second step, with its locals.
def advanced(b):
    g = powers(b)
    first = next(g)
    return g, first * 2.0 + 1.0


for _ in range(4):
    g, first = advanced(a)
show("advanced", [first, next(g), next(g)])


def exhausted(b):
    g = (b * k for k in range(2))
    return g, sum(g) + 1.0


for _ in range(4):
    g, total = exhausted(a)
show("exhausted", total)
try:
    next(g)
except StopIteration:
    print("StopIteration")


# Started before the call: it goes on where it is.
def takes_started(g, b):
    return next(g) * 2.0 + b


g = powers(a)
next(g)
for _ in range(4):
    show("started", takes_started(g, a))


# yield from, in zip; the value of a return statement; send.
def inner(b):
    received = yield b
    yield b * 2.0 + (0.0 if received is None else received)
    return b * 3.0


def outer(b):
    result = yield from inner(b)
    yield result + 1.0


def delegated(b):
    return [x * y for x, y in zip(outer(b), outer(b + 1.0))]


for _ in range(4):
    parts = delegated(a)
show("yield from", parts)


def zip_longest(*iterables, fill=None):
    iterators = [iter(i) for i in iterables]
    while True:
        row, live = [], 0
        for number, iterator in enumerate(iterators):
            try:
                row.append(next(iterator))
                live += 1
            except StopIteration:
                iterators[number] = iter(())
                row.append(fill)
        if not live:
            return
        yield tuple(row)


def longest(b):
    return [x * (2.0 if y is None else y) for x, y in zip_longest((b, b + 1.0, b + 2.0), (3.0, 4.0))]


for _ in range(4):
    parts = longest(a)
show("zip_longest", parts)


# finally clauses and with statements in a generator; closing; an exception from inside.
def careful(b, log):
    try:
        yield b * 2.0
        yield b * 3.0
    finally:
        log.append("closed")


def stops_early(b):
    log = []
    for c in careful(b, log):
        break
    total = c + 1.0
    del c
    return total, log


for _ in range(3):
    show("early", stops_early(a)[0])


def failing(b):
    yield b * 2.0
    raise ValueError("spent")


def catches(b):
    total = b
    try:
        for c in failing(b):
            total = total + c
    except ValueError as error:
        total = total * 2.0
        message = str(error)
    return total, message


for _ in range(4):
    caught = catches(a)
show("failing", caught)


# A generator that changes what is outside of it, in step with its consumer.
def interleaved(b):
    log = []

    def produce():
        for k in range(3):
            log.append(f"make {k}")
            yield b * k
        log.append("end")

    total = b * 0.0
    for c in produce():
        log.append("use")
        total = total + c
    return total, log


for _ in range(4):
    total, log = interleaved(a)
show("interleaved", total)
print(log)


class Countdown:
    def __init__(self, n, b):
        self.n, self.b = n, b

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.b * self.n


def own_iterator(b):
    return sum(Countdown(4, b)), list(Countdown(2, b)), max(k for k in range(5))


for _ in range(4):
    result = own_iterator(a)
show("own iterator", result)


def tools(b):
    parts = [b * k for k in itertools.islice(itertools.count(1), 3)]
    total = sum(itertools.chain(parts, (b,)))
    for x, y in itertools.product((1.0, 2.0), repeat(lambda: (3.0,), times=1)):
        total = total * x + y
    running = list(itertools.accumulate((b, b * 2.0, b * 3.0)))
    return total, running[-1], dict(enumerate("ab", 1))


for _ in range(4):
    result = tools(a)
show("itertools", list(result))
r = range(3)


def ranges(b):
    twice = range(2, 5)
    total = b * 0.0
    for k in twice:
        total = total + k
    for k in twice:
        total = total * k
    for k in reversed(range(3)):
        total = total - k
    return total, twice, len(twice), twice[1], 3 in twice


for _ in range(4):
    result = ranges(a)
show("ranges", list(result))


# Generators, comprehensions, send and throw, with array code between the yields.
def relaxation(u):
    while True:
        u = 0.5 * u + 0.25 * (np.roll(u, 1) + np.roll(u, -1))
        received = yield u
        if received is not None:
            u = u + received


def batches(a, size):
    for start in range(0, len(a), size):
        batch = a[start:start + size]
        yield (batch - batch.mean()) / (batch.std() + 1e-9)


def delegating(a):
    first = yield from batches(a, 4)
    yield first
    yield a.sum()


steps = relaxation(np.arange(8.0))
for k in range(12):
    show(f"step {k}", next(steps))
show("sent", steps.send(np.ones(8)))
try:
    steps.throw(ValueError("stop"))
except ValueError as error:
    print("thrown", error)
for _ in range(3):
    show("batches", list(batches(np.arange(10.0) ** 2, 4)))
show("delegating", list(delegating(np.arange(9.0))))
for _ in range(6):
    show("comprehension", [x * 2 + k for k, x in enumerate(np.arange(6.0).reshape(3, 2))])
    show("generator", sum(row.sum() ** 2 for row in np.arange(12.0).reshape(4, 3)))
    print({k: (np.arange(3) * k).tolist() for k in range(3)}, sorted({float(x) for x in np.sin(np.arange(4))}))
