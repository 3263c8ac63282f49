"""Polynomials are multiplied and have zeros, and casts follow an order and a rule."""
import numpy as np
import warnings

warnings.simplefilter("always")


def describe(x, *others):
    base = x.base
    return (x.dtype.str, x.shape, x.strides, x.tolist(), [bool(f) for f in (x.flags.c_contiguous, x.flags.f_contiguous, x.flags.owndata)],
            [x is o for o in others], [base is o for o in others], None if base is None else base.shape)


def curve(zeros, factor):
    p = np.poly(zeros)
    return p * 2, np.polymul(p, factor) + 1, np.polymul(factor, [1, 2.5])


for dtype in (float, np.float32, np.float16, int, np.uint8, complex, bool):
    for zeros in ([1, 2], [3], [0, 0, 1, 5], []):
        for factor in ([1, 2, 3], [0, 0, 2], [0], []):
            for _ in range(2):
                try:
                    print(*map(describe, curve(np.array(zeros, dtype), np.array(factor, dtype))))
                except Exception as error:
                    print(type(error).__name__, error)


def laid(a, dtype):
    f = a.astype(dtype, order="F")
    c = a.astype(dtype, order="C")
    same = a.astype(a.dtype, order="C", copy=False)
    return f, c, f.T + 1, c * f, same, a.astype(a.dtype, "F", copy=False), a.astype(dtype, "A")


for a in (np.arange(6).reshape(2, 3), np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.arange(24.0).reshape(2, 3, 4)[:, ::2], np.ones((3, 1), "f4"), np.arange(3.0), np.zeros((0, 2)), np.array(2.5), np.array([[1 + 2j]])):
    for dtype in (float, np.int8, np.float32, bool, complex):
        for _ in range(2):
            print(*(describe(r, a) for r in laid(a, dtype)))


def safely(a, dtype, casting):
    return a.astype(dtype, casting=casting) + 1


for dtype in (np.int8, float, np.float32, complex):
    for casting in ("no", "equiv", "safe", "same_kind", "unsafe"):
        for a in (np.arange(3.0), np.arange(3), np.array(3), np.array([2.5, 1e300])):
            for _ in range(2):
                try:
                    print(describe(safely(a, dtype, casting)))
                except TypeError as error:
                    print(error)
