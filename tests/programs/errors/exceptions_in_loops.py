"""try, finally and with stand in captured loops: the right handlers run in the right order with the right values."""
import contextlib
import sys
import traceback

import numpy as np
from show import show


class Managed:
    def __init__(self, name, swallow=()):
        self.name, self.swallow = name, swallow

    def __enter__(self):
        print("enter", self.name)
        return self

    def __exit__(self, kind, error, trace):
        print("exit", self.name, kind and kind.__name__, error)
        return kind is not None and issubclass(kind, self.swallow)


def loop(a, bad):
    done = []
    for k in range(6):
        b = a + k
        try:
            if k == bad:
                b = b + np.ones(len(a) + 1)
            c = b * 2
        except ValueError as error:
            done.append(str(error))
            continue
        else:
            done.append(float(c.sum()))
        finally:
            done.append("finally")
        if k == 4:
            break
    else:
        done.append("no break")
    return done


for bad in (-1, 0, 3, 4, 5):
    for _ in range(3):
        print(loop(np.arange(3.0), bad))


def nested(a, k):
    with Managed("outer", (KeyError,)), Managed("inner"):
        b = a[k] * 2
        with contextlib.suppress(ZeroDivisionError):
            c = b / (int(k) - 1)
            raise KeyError(float(c))
        return b * 3
    return "swallowed"


for k in (0, 1, 2, 7):
    try:
        show(f"nested {k}", nested(np.arange(3.0), k))
    except IndexError as error:
        print("IndexError", error)


def swaps(a):
    try:
        try:
            return a + np.ones(99)
        except ValueError as first:
            b = a * 2
            raise TypeError(float(b.sum())) from first
    except TypeError as second:
        c = a + 1
        print(second, repr(second.__cause__), second.__context__ is second.__cause__)
        try:
            raise
        finally:
            print("current", sys.exc_info()[1] is second, float(c.sum()))


for _ in range(4):
    try:
        swaps(np.ones(3))
    except TypeError:
        traceback.print_exc()
    print(sys.exc_info())


def returns_from_finally(a):
    for k in range(3):
        try:
            b = a * k
            raise RuntimeError(k)
        finally:
            if k == 1:
                return b + 1
            continue


show("from finally", [returns_from_finally(np.ones(2)) for _ in range(3)])


def groups(a):
    b = a * 2
    try:
        raise ExceptionGroup("g", [ValueError(float(b[0])), KeyError(float(b[1]))])
    except* ValueError as group:
        c = b + 1
        print("values", group.exceptions, c[0])
    except* KeyError as group:
        print("keys", group.exceptions, c[1])
    return c


for _ in range(3):
    show("groups", groups(np.arange(1.0, 4.0)))


def unbound(a, k):
    b = a * k
    if k > 2:
        c = b + 1
    del b
    return c


for k in (3, 3, 1, 3):
    try:
        show("bound", unbound(np.ones(2), k))
    except UnboundLocalError as error:
        print(error)


def raises_in_expression(a, k):
    b = a * 2
    c = b + 1
    raise IndexError(f"k is {k}, sum {c.sum()}")


def locals_of(function, *args):
    try:
        function(*args)
    except Exception as error:
        trace = error.__traceback__
        while trace.tb_next:
            trace = trace.tb_next
        return [(name, repr(value)) for name, value in trace.tb_frame.f_locals.items()]


def reassigns(a, k):
    b = a * 2
    b = b + 1
    k = k + 1
    a = b
    return b[k]


def asserts(a, k):
    b = a * 2
    total = b.sum()
    assert k < 0, "negative"
    return total


def divides(a, k):
    b = a * 2
    scaled = b + k
    return k / (k - 3) + scaled


def misfits(a, k):
    b = a * 2
    c = b + 1
    return np.matmul(a, np.ones((k, 2)))


for function in (raises_in_expression, reassigns, asserts, divides, misfits):
    for k in (3, 3, 3, 3):
        print(function.__name__, locals_of(function, np.ones(2), k))
