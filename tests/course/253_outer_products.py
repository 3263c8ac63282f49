# np.outer of vectors of many kinds, alone and as a part of what is computed.
import zlib

import numpy as np


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
