"""np.outer and ufunc.outer stand alone and fused with what is around them."""
import zlib

import numpy as np

from show import show


# ufunc.outer: the ufunc of each element of the one array with each of the other, fused with what is around it.
def shortest(path):
    for k in range(len(path)):
        path[:] = np.minimum(path[:], np.add.outer(path[:, k], path[k, :]))
    return path


def table(a, b):
    return np.add.outer(a, b) * 2, np.subtract.outer(b, a).sum(axis=0), np.greater.outer(a, b).mean(), np.multiply.outer(a, b).T - 1


def of_more_axes(m, v):
    return np.multiply.outer(m, v)[1], np.maximum.outer(v, m).shape, np.arctan2.outer(m[0], m[:, 1]) + 0.5, np.logaddexp.outer(m, m).max()


def with_keywords(a, b, out, mask):
    given = np.add.outer(a, b, out=out)
    np.multiply.outer(a, b, out=out, where=mask)
    return given is out, out, np.add.outer(a, b, dtype="f4") * 2, np.true_divide.outer(a, b, order="F").flags.f_contiguous


def of_others(a):
    return np.add.outer(a, 3), np.add.outer([1, 2], a), np.add.outer(2.5, a) + a, np.power.outer(a, [0, 1, 2]), np.add.outer(a[:0], a).shape


def of_types(a, i, h, z):
    return np.add.outer(i, a), np.multiply.outer(h, i) + h[0], np.add.outer(z, a) * 2, np.bitwise_xor.outer(i, i[:2]) | 1


def failing(a):
    try:
        return np.add.outer(a, a, out=np.zeros((2, 2)))
    except ValueError as error:
        return str(error)


rng = np.random.default_rng(5)
a, b = rng.random(6), rng.random(4) + 0.5
for _ in range(4):
    show("table", table(a, b))
    show("more axes", of_more_axes(rng.random((3, 4)), a[::-2]))
    show("keywords", with_keywords(a, b, np.zeros((6, 4)), rng.random((6, 4)) > 0.5))
    show("others", of_others(a))
    show("types", of_types(a, np.arange(5), a.astype("f2"), a[:3] + 1j * b[:3]))
    show("failing", failing(a))
    show("paths", (shortest((rng.random((20, 20)) * 100).astype(np.int32)), shortest(rng.random((30, 30))).sum()))


# np.outer of vectors of many kinds, alone and as a part of what is computed.
def show(*results):
    print([(r.shape, str(r.dtype), r.strides, zlib.crc32(np.ascontiguousarray(r).tobytes())) for r in results])


def products(a, b):
    return np.outer(a, b), np.outer(a, b) + 1, np.outer(a * 2, b[::-1]) - np.outer(b, a).T, np.outer(a[::2], b)


def update(m, f, row):
    m = m * 1.0
    m[1:] -= np.outer(f, row)
    return m, np.outer(f, row).sum(axis=0)


def others(a, m):
    return np.outer(a, m) * 2, np.outer(m, a), np.outer(a, 3.0), np.outer([1, 2, 1], a), np.outer(a, [1.5])


rng = np.random.default_rng(2)
for n in (1, 4, 60):
    for first in (np.float64, np.float32, np.int64, np.int32, np.uint8, np.bool_, np.complex128):
        for second in (np.float64, np.float32, np.int16):
            a, b = (rng.standard_normal(n) * 9).astype(first), (rng.standard_normal(n) * 9).astype(second)
            for repeat in range(3):
                if first is not np.complex128 or n > 2:
                    show(*products(a, b)) if first is not np.bool_ else show(np.outer(a, b))
m = rng.standard_normal((9, 7))
for repeat in range(3):
    show(*update(m, m[1:, 0], m[0]))
    show(*others(m[0], m))
    try:
        np.outer(m[0], np.ones(3), out=np.zeros((2, 2)))
    except ValueError as error:
        print(error)
    print(type(np.outer(np.matrix([1, 2]), m[0])))
