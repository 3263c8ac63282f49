"""Functions with loops handle exceptions: finally, with, re-raise, causes, tracebacks."""
import contextlib
import sys
import traceback

import numpy as np

x = np.linspace(0.0, 1.0, 200)


def show(error):
    while error is not None:
        frames = [(f.name, f.lineno) for f in traceback.extract_tb(error.__traceback__)]
        print("  ", type(error).__name__, error, frames, error.__suppress_context__)
        error = error.__cause__ or error.__context__


class Guard:
    def __init__(self, swallow):
        self.swallow = swallow
        self.seen = []

    def __enter__(self):
        return self

    def __exit__(self, kind, value, tb):
        self.seen.append((kind and kind.__name__, str(value), tb is not None))
        return self.swallow


@contextlib.contextmanager
def managed(log):
    log.append("in")
    try:
        yield
    except KeyError as error:
        log.append(repr(error))
    finally:
        log.append("out")


def fail(n):
    if n % 2:
        raise ValueError(n)
    return x * n


def in_loop(v):
    caught = 0
    for n in range(10):
        try:
            v = np.sqrt(v * v + fail(n)) * 0.5
        except ValueError as error:
            caught += error.args[0]
            v = v + 1.0
        else:
            v = v - 0.25
        finally:
            v = v * 1.5
    return caught, v.sum()


print(in_loop(x), in_loop(x + 1.0))


def with_blocks(v, swallow):
    guard = Guard(swallow)
    log = []
    for n in range(8):
        with guard, managed(log):
            v = v * 0.5 + x
            if n == 3:
                raise KeyError("three")
            if n == 5:
                raise ValueError("five")
            if n == 6:
                continue
            if n == 7:
                break
            v = v - 0.125
        v = v + 1.0
    return v.sum(), guard.seen, log


print(with_blocks(x, True))
try:
    with_blocks(x, False)
except ValueError as error:
    show(error)


def chains(kind, v):
    w = np.sin(v) + v
    try:
        try:
            w = w * 2.0 + x
            raise KeyError("first")
        except KeyError as error:
            w = w - 1.0
            if kind == "again":
                raise
            if kind == "cause":
                raise TypeError("second") from error
            if kind == "none":
                raise TypeError("second") from None
            if kind == "class":
                raise TypeError from OverflowError
            if kind == "bad cause":
                raise TypeError from 3
            if kind == "no exception":
                raise 3
            if kind == "catch nothing":
                try:
                    raise OSError("inner")
                except 7:
                    pass
            raise RuntimeError("context")
        finally:
            w = w * 0.5
            print("   finally", sys.exc_info()[0], w.sum())
    except (OverflowError, ZeroDivisionError):
        print("never")
    return w


for kind in ["again", "cause", "none", "class", "bad cause", "no exception", "catch nothing", ""]:
    print(kind)
    try:
        chains(kind, x)
    except Exception as error:
        show(error)
print(sys.exc_info())


def bare_raise(v):
    v = v * 2.0 + 1.0
    raise


try:
    bare_raise(x)
except RuntimeError as error:
    show(error)
try:
    raise KeyError("outer")
except KeyError:
    try:
        bare_raise(x)
    except KeyError as error:
        show(error)


def states(v):
    seen = []
    for n in range(6):
        try:
            v = v * 0.5 + n
            try:
                v = v + [1, 2, 3][n]
            except IndexError:
                seen.append(sys.exc_info()[0].__name__)
                try:
                    raise OSError(n)
                except OSError:
                    seen.append((sys.exc_info()[0].__name__, str(sys.exc_info()[1].__context__)))
                seen.append(sys.exc_info()[0].__name__)
                raise
        except IndexError as error:
            seen.append(len(traceback.extract_tb(error.__traceback__)))
        seen.append(sys.exc_info()[0])
    return seen, v.sum()


print(states(x))


def returns(v, n):
    for i in range(n):
        try:
            v = v + x * i
            if i == 3:
                return "try", v.sum()
            if i == 2:
                raise ValueError
        except ValueError:
            if n == 3:
                return "except", v.sum()
        finally:
            v = v - 0.5
            if n == 2 and i == 1:
                return "finally", v.sum()
    return "end", v.sum()


print([returns(x, n) for n in (1, 2, 3, 9)])


def deletes(v):
    for i in range(4):
        try:
            v = v * 2.0
            raise ValueError(i)
        except ValueError as error:
            kept = error
    try:
        error
    except UnboundLocalError as unbound:
        return str(unbound), kept, v.sum()


print(deletes(x))


def shapes(v):
    good = bad = 0
    for i in range(1, 7):
        try:
            v = v + np.ones(i * 100 if i % 2 else 200)
            good += 1
        except ValueError as error:
            bad += 1
            text = str(error)
    return good, bad, text, v.sum()


print(shapes(x))


def groups(v):
    out = []
    for i in range(3):
        try:
            v = v + 1.0
            raise ExceptionGroup("g", [ValueError(i), TypeError(i)])
        except* ValueError as group:
            out.append(repr(group.exceptions))
        except* TypeError as group:
            out.append(repr(group.exceptions))
    return out, v.sum()


print(groups(x))


def uncaught(v):
    for i in range(5):
        try:
            v = v * 0.5 + i
            v[i + 198] = 0.0
        except ValueError:
            print("never")
        finally:
            v = v + 1.0


uncaught(x.copy())
