"""Ufuncs take `where` and `out`, and functions change an array through indices or masks."""
import warnings

import numpy as np


def safe_divide(a, b):
    return np.divide(a, b, out=np.zeros_like(a), where=b != 0)


def logs(x):
    out = np.full_like(x, -1.0)
    np.log(x, out=out, where=x > 0)
    np.sqrt(x, out, where=x >= 0)
    return out * 2


def into(a, out, mask):
    np.add(a, 1, out=out, where=mask)
    np.multiply(out, 2.0, out=out, where=~mask)
    return out


def small_ints(a, b, out):
    np.floor_divide(a, b, out=out, where=b > 0)
    return np.add(a, b, where=np.array([True, False, True, True]), out=a)


def rows(a, keep):
    out = a.copy()
    np.negative(a, out=out, where=keep[:, None])
    return np.maximum(out, 0, out=out, where=False)


def changed(a, v):
    np.put(a, [0, 5], v[:2])
    a.put([1, 2], 7.0, mode="clip")
    np.putmask(a, a > 6, 0.5)
    np.place(a, a < 0.25, [9.0, 8.0])
    np.put_along_axis(a, np.argmin(a, axis=1)[:, None], 99.0, axis=1)
    v.partition(2)
    return a + 1, v[:2].sum()


def warns(a, b):
    return np.divide(a, b, out=np.ones_like(a), where=a > 1)


with warnings.catch_warnings():
    warnings.simplefilter("error")
    for turn in range(3):
        a = np.linspace(-2, 3, 12).reshape(3, 4)
        b = np.round(a)
        print(safe_divide(a, b))
        print(safe_divide(a.astype("f"), b.astype("f")).dtype)
        print(logs(np.array([-1.0, 0.0, 2.0, 4.0])))
        print(into(np.arange(4.0), np.zeros(4), np.array([True, False, True, False])))
        print(into(np.arange(4), np.zeros(4), np.array([[True], [False]])[:, 0].repeat(2)))
        print(small_ints(np.arange(4), np.array([0, 1, 0, 2]), np.full(4, -5)))
        print(rows(a, np.array([True, False, True])))
        print(rows(a.T.copy().T, np.array([True, False, True])))
        print(changed(a.copy(), np.array([5.0, 1.0, 3.0, 2.0])))
        for x in (np.array([2.0, 3.0]), np.array([2.0, 0.0])):
            try:
                print(warns(np.array([1.5, 4.0]), x))
            except RuntimeWarning as warning:
                print("warned", warning)
        for wrong in (lambda: np.add(a, 1, out=np.zeros(3), where=a > 0), lambda: np.add(a, 1.5, out=np.zeros(a.shape, int), where=a > 0)):
            try:
                wrong()
            except (ValueError, TypeError) as error:
                print(type(error).__name__, error)
