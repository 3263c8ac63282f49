"""Generators that are made, and that exceptions are thrown into, in one stretch of array code."""
import contextlib

import numpy as np


def running(start):
    total = start
    while True:
        try:
            total = total + (yield total)
        except ValueError as error:
            total = error.args[0] * total if error.args else -total
        except KeyError:
            return total
        finally:
            steps.append(total.sum())


steps = []


def driven(x, thrown):
    source = running(x)
    seen = [next(source), source.send(x * 2.0)]
    try:
        seen.append(source.throw(thrown))
        seen.append(source.send(x))
    except StopIteration as stop:
        seen.append(("stopped", stop.value))
    except TypeError as error:
        seen.append(str(error))
    try:
        seen.append(source.send(0.0))
    except StopIteration as stop:
        seen.append(("over", stop.value))
    return seen


def before_the_start(x):
    source = running(x)
    try:
        source.throw(ValueError("too early"))
    except ValueError as error:
        return x + 1.0, str(error), next(source, "over")


def after_the_end(x):
    source = (row for row in (x, x))
    list(source)
    try:
        source.throw(KeyError("too late"))
    except KeyError as error:
        return x + 1.0, error.args


def delegating(x):
    try:
        got = yield from running(x)
        yield "returned", got
    except TypeError:
        yield x - 1.0


def through_yield_from(x, thrown):
    source = delegating(x)
    next(source)
    return source.throw(thrown)


def stops(x):
    def waits():
        yield x

    source = waits()
    next(source)
    try:
        source.throw(StopIteration(1))
    except RuntimeError as error:
        return x + 1.0, str(error)


def into_itself(x):
    def throws():
        yield x
        source.throw(ValueError("inside"))

    source = throws()
    try:
        return [v for v in source]
    except ValueError as error:
        return x + 1.0, str(error)


def closes_itself(x):
    def closes():
        yield x
        source.close()

    source = closes()
    try:
        return [v for v in source]
    except ValueError as error:
        return x + 1.0, str(error)


@contextlib.contextmanager
def forgiving(kind, found):
    found.append("in")
    try:
        yield found
    except kind as error:
        found.append(type(error).__name__)
    else:
        found.append("fine")
    finally:
        found.append("out")


def managed(x, error):
    found = []
    try:
        with forgiving(LookupError, found) as inner:
            x = x * 2.0
            if error is not None:
                raise error("thrown")
            x = x + 1.0
    except ArithmeticError as other:
        found.append(str(other))
    return x, found, inner is found


x = np.arange(3.0)
for _ in range(3):
    for thrown in (ValueError, ValueError(3.0), KeyError("end"), TypeError("not handled")):
        print(driven(x, thrown))
    for thrown in (KeyError, TypeError("delegated"), ValueError(2.0)):
        print(through_yield_from(x, thrown))
    for function in (before_the_start, after_the_end, stops, into_itself, closes_itself):
        print(function.__name__, function(x))
    for error in (None, KeyError, IndexError, OverflowError, ArithmeticError):
        print(managed(x, error))
print(steps)
