"""Sums add in NumPy's order whatever the length, the rows, and what computes the terms."""
# test: numpy2
import hashlib

import numpy as np


def digest(array):
    return hashlib.sha1(np.ascontiguousarray(array).tobytes()).hexdigest()[:12]


def terms(n, dtype, seed):
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(n) * np.exp2(rng.integers(-20, 20, n))).astype(dtype)


def whole(a):
    return a.sum(), (a * a - a).sum()


def rows(a):
    return a.sum(axis=1), (a * 0.1 + a).sum(axis=-1, keepdims=True), a.mean(axis=1), a.var(axis=1)


def columns(a):
    return a.sum(axis=0), (a - a * a).sum(axis=0)


for dtype in ("float64", "float32"):
    sums = []
    for n in [1, 2, 7, 8, 9, 15, 16, 100, 127, 128, 129, 136, 200, 256, 257, 1000, 1024, 2048, 2049,
              4095, 4096, 6000, 8191, 8192, 8193, 10_000, 16_384, 50_001]:
        sums.extend(whole(terms(n, dtype, n)))
    print(dtype, digest(np.array(sums)))
    for shape in [(1, 300), (3, 5), (40, 8), (17, 64), (9, 100), (12, 128), (33, 129), (5, 768),
                  (6, 1000), (7, 1024), (3, 2500), (4, 5000), (2, 9000), (3, 20_000)]:
        matrix = terms(shape[0] * shape[1], dtype, shape[1]).reshape(shape)
        print(dtype, shape, *map(digest, rows(matrix)), *map(digest, rows(matrix[:, ::-1])),
              *map(digest, rows(matrix[:, 1:])), *map(digest, columns(matrix)))
        print(*map(digest, rows(np.asfortranarray(matrix))), *map(digest, columns(matrix.T)))
    cube = terms(6 * 50 * 40, dtype, 3).reshape(6, 50, 40)
    print(*(digest(rows(part)[1]) for part in (cube, cube[:, 1:], cube.transpose(1, 0, 2))))

huge = np.full(1000, 1e308)
with np.errstate(over="ignore", invalid="ignore"):
    print(whole(huge), whole(-huge), whole(np.array([np.inf, 1.0, -np.inf] * 50)))
print(whole(np.full(300, -0.0)), np.signbit(np.full(9, -0.0).sum()))
