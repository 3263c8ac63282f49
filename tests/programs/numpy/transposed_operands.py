"""Transposed, reversed and strided operands, masks and complex numbers keep the bits of each element."""
# test: not-sanitized
import zlib

import numpy as np


def show(name, *results):
    for r in results:
        r = np.asarray(r)
        print(name, r.shape, r.dtype, r.strides, zlib.crc32(np.ascontiguousarray(r).tobytes()))


def transposed(a, b):
    return a + b.T * 0.5, (a - b.T) / (a.T + 3.0), np.where(a > b.T, a, b.T)


def rank3(c):
    return c.transpose(0, 2, 1) * 2.0 + np.ascontiguousarray(c.transpose(0, 2, 1)), c.T - 1.0


def steps(v):
    return v[::-1] + v, v[::2] * 2.0, v[::3] - 1.0, v[1::4] + v[::4][:v[1::4].size], v[::5] * v[::-5]


def inside(g):
    return g[1:-1, 1:-1] * 4.0 - g[:-2, 1:-1] - g[2:, 1:-1] - g[1:-1, :-2] - g[1:-1, 2:]


def masks(a, b):
    return (a < b) & (a > 0.2), np.clip(np.abs(a - 0.5), 0.1, 0.4), np.isnan(a) | (a == b) | ~(a >= b)


def turned(a, b):
    z = a + 1j * b
    return z * z.conj() - z / (z + 2.0), np.abs(z), z.T + z


def in_place(a):
    out = a * 1.0
    out += a.T
    out *= 0.5
    return out


rng = np.random.default_rng(5)
for dtype in (np.float64, np.float32):
    for n in (5, 16, 19, 37, 100, 300):
        a, b = (rng.uniform(0.1, 1.0, (n, n)).astype(dtype) for _ in range(2))
        c = rng.uniform(0.1, 1.0, (3, n, n + 2)).astype(dtype)
        for repeat in range(3):
            show("transposed", *transposed(a, b))
            show("rank3", *rank3(c))
            show("steps", *steps(a.ravel()[:n * n - n % 2]))
            show("inside", inside(a))
            show("masks", *masks(a, b))
            show("in_place", in_place(a))
            if n > 5:
                show("turned", *turned(a, b))
for dtype in (np.int8, np.uint16, np.int32, np.bool_):
    a, b = (rng.integers(0, 100, (70, 70)).astype(dtype) for _ in range(2))
    for repeat in range(3):
        show("integers", a ^ b.T, a.T | b, (a < b.T).sum(), np.where(a.T > b, a, b))
