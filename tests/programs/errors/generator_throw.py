"""generator.throw raises where the generator waits, and what the generator handles is its own affair."""
import contextlib

import numpy as np

# generator.throw: the generator handles the exception where it waits, and what it handles is its own affair.
told = []


def averages(start):
    """Yields running sums; a ValueError starts again, a KeyError ends it with a result."""
    total = start
    try:
        while True:
            try:
                got = yield total
            except ValueError as error:
                told.append(f"again: {error}")
                total = start
                continue
            total = total + got
    except KeyError as error:
        told.append(f"end: {error}")
        return total * 2.0
    finally:
        told.append("left")


def started_again(x):
    sums = averages(x)
    next(sums)
    a = sums.send(x)
    b = sums.throw(ValueError("by an object"))
    c = sums.send(x * 3.0)
    d = sums.throw(ValueError)
    e = sums.throw(ValueError, ValueError("with both"))
    try:
        sums.throw(KeyError("enough"))
    except StopIteration as stop:
        return a, b, c, d, e, stop.value


def not_handled(x):
    sums = averages(x)
    next(sums)
    try:
        sums.throw(TypeError("nobody's"))
    except TypeError as error:
        told.append(str(error))
    return next(sums, "it has ended"), x + 1.0


def not_started(x):
    sums = averages(x)
    try:
        sums.throw(ValueError("too early"))
    except ValueError as error:
        told.append(str(error))
    return next(sums, "it has ended"), x * 2.0


def ended(x):
    sums = averages(x)
    next(sums)
    try:
        sums.throw(KeyError("1"))
    except StopIteration:
        pass
    try:
        sums.throw(KeyError("2"))
    except KeyError as error:
        return str(error), x - 1.0


def replaces(x):
    try:
        yield x
    except ValueError as error:
        raise RuntimeError("instead") from error


def replaced(x):
    generator = replaces(x)
    y = next(generator)
    try:
        generator.throw(ValueError("first"))
    except RuntimeError as error:
        return str(error), y * 2.0


def outer(x):
    try:
        yield from averages(x)
    except TypeError as error:
        told.append(f"outer: {error}")
        yield x * 5.0


def delegated(x):
    generator = outer(x)
    next(generator)
    a = generator.throw(ValueError("inner"))
    return a, generator.throw(TypeError("outer"))


def stops(x):
    generator = averages(x)
    next(generator)
    try:
        generator.throw(StopIteration("no"))
    except RuntimeError as error:
        return str(error), x * 2.0


def yields_while_handling(x):
    try:
        raise ValueError("inner")
    except ValueError:
        yield x * 2.0
    yield x


def nothing_to_raise(x):
    """The exception that a generator handles is none of its caller's."""
    generator = yields_while_handling(x)
    y = next(generator)
    try:
        raise
    except RuntimeError as error:
        said = str(error)
    except ValueError:
        said = "the generator's"
    return said, y, next(generator)


def handled_outside(x):
    said = []
    try:
        raise KeyError("outer")
    except KeyError:
        for y in yields_while_handling(x):
            try:
                raise
            except Exception as error:
                said.append(type(error).__name__)
    return said, y


@contextlib.contextmanager
def forgiving(x):
    try:
        yield x * 2.0
    except ZeroDivisionError as error:
        told.append(f"forgiven: {error}")
    else:
        told.append("nothing to forgive")
    finally:
        told.append("done")


def managed(x, divisor):
    y = x
    with forgiving(x) as z:
        y = z + 1 // divisor
    return y + 1.0


def strict(x):
    try:
        with forgiving(x) as z:
            x = z + 1.0
            raise LookupError("not forgiven")
    except LookupError as error:
        return str(error), x


PROGRAMS = [started_again, not_handled, not_started, ended, replaced, delegated, stops, nothing_to_raise, handled_outside,
            lambda x: managed(x, 1), lambda x: managed(x, 0), strict]
for turn in range(4):
    for program in PROGRAMS:
        print(program.__name__, program(np.arange(4.0) + turn), told)
        told.clear()


# Generators that are made, and that exceptions are thrown into, in one stretch of array code.
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


def stops_inside(x):
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
def forgiving_inside(kind, found):
    found.append("in")
    try:
        yield found
    except kind as error:
        found.append(type(error).__name__)
    else:
        found.append("fine")
    finally:
        found.append("out")


def managed_inside(x, error):
    found = []
    try:
        with forgiving_inside(LookupError, found) as inner:
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
    for function in (before_the_start, after_the_end, stops_inside, into_itself, closes_itself):
        print(function.__name__, function(x))
    for error in (None, KeyError, IndexError, OverflowError, ArithmeticError):
        print(managed_inside(x, error))
print(steps)
