"""NumPy refuses or warns about writes that stand between writes that it carries out."""
import warnings

import numpy as np
from show import show


def attempt(function, *args):
    try:
        return function(*args)
    except Exception as error:
        print(type(error).__name__, error)
        return None


def half_done(a, b):
    a[0] = a[1] + 1
    a[1:3] += 2
    b[0] = a
    a[:] = 0


def other_shape(a, b):
    a[:2] = 1.0
    a[1:] = b
    a[:2] = 2.0


def other_kind(a):
    a += 1
    a /= 2
    return a


def log_of(a, b):
    b += 1
    b[1:] = np.log(a)[1:]
    b *= 2
    return b


def overflow(a):
    a *= 1e200
    a[0] = a[1] * a[2]
    return a


def small(a):
    a[0] = 300
    return a


def finally_written(a):
    try:
        a += 1
        a[10] = 5
        a += 10
    except IndexError as error:
        a[0] = -1
        return str(error)
    finally:
        a[1] = -2


frozen = np.arange(5.0)
frozen.flags.writeable = False
for _ in range(6):
    a = np.arange(5.0)
    attempt(half_done, a, frozen)
    attempt(half_done, a, a)
    attempt(other_shape, a, np.zeros(3))
    attempt(other_shape, a, np.zeros(4))
    show("a", a)
    i = np.arange(4)
    attempt(other_kind, i)
    attempt(other_kind, i * 1.0)
    show("i", i)
    attempt(small, np.zeros(3, dtype="i2"))
    print(attempt(finally_written, a))
    show("a", a)
for k in range(6):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        b = np.ones(4)
        show("log", log_of(np.array([0.0, 1.0, float(k), 2.0]), b))
        show("overflow", overflow(np.array([1.0, 1e120 * k, 1e30])))
    print([(w.category.__name__, str(w.message), w.lineno) for w in caught])
with np.errstate(all="raise"):
    for k in (1, 1, 1, 0, 1, 0):
        b = np.ones(4)
        attempt(log_of, np.array([1.0, 1.0, float(k), 2.0]), b)
        show("b", b)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    bytes_ = np.zeros(3, dtype="u1")
    for _ in range(6):
        attempt(small, bytes_)
    show("bytes", bytes_)
