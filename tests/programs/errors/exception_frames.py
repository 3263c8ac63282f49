"""A handled exception keeps its frame, and what a function's end no longer names does not live on there."""
import gc

import numpy as np

gc.disable()  # a cycle would stay
log = []


class Watched:
    def __del__(self):
        log.append("dead")


class Mine(Exception):
    pass


def fail(kind, *args):
    raise kind(*args)


def handled(x, kind, *args):
    watched = Watched()
    try:
        fail(kind, *args)
    except Exception as error:
        log.append(type(error).__name__)
    return x * np.mean(x)


def cleared(x, kind, *args):
    watched, kept = Watched(), None
    try:
        fail(kind, *args)
    except kind as error:
        kept = error
        log.append(len(kept.args))
    y = x * 2.0 + 1.0
    kept = None
    return y * 3.0


def grouped(x):
    watched = Watched()
    try:
        fail(ExceptionGroup, "two", [ValueError(1), TypeError(2)])
    except* ValueError as group:
        log.append(len(group.exceptions))
    return x * 2.0


def outer(x):
    watched = Watched()
    try:
        grouped(x)
    except ExceptionGroup as rest:
        log.append(str(rest))
    return x * 2.0 + 1.0


def suspended(values):
    try:
        yield values
    finally:
        log.append("closed")


def with_generator(x):
    generator = suspended(x)
    next(generator)
    try:
        fail(ExceptionGroup, "one", [TypeError(2)])
    except ExceptionGroup as rest:
        log.append("caught")
    return x - 1.0, x.sum()


def seen(x):
    first = locals()
    x = x * 2.0
    return sorted(first), x


X = np.arange(5.0)
CALLS = [(handled, ValueError, 1), (handled, Mine, 2), (handled, ExceptionGroup, "g", [OSError()]),
         (cleared, KeyError, 3), (cleared, ExceptionGroup, "g", [OSError()]), (outer,),
         (with_generator,), (seen,)]
for function, *args in CALLS:
    for _ in range(8):
        log.clear()
        result = function(X, *args)
    print(function.__name__, log, result)
