"""clip, maximum and fmin choose the zero that NumPy chooses of two equal ones, and fills overflow."""
# test: numpy2
import warnings

import numpy as np


def clipped(a, low, high):
    return np.clip(a, low, high), a.clip(high, low), np.clip(a * 2, low, high) + 0


def chosen(a, b):
    return np.fmin(a, b), np.fmax(b, a), np.minimum(a, b), np.maximum(b, a)


def full(a, number):
    return np.full_like(a, number), np.full(3, number, a.dtype)


signs = np.array([0.0, -0.0] * 5 + [1.0, -1.0, np.nan])
for dtype in "efd":
    a = signs.astype(dtype)
    for low in (0.0, -0.0):
        for high in (0.0, -0.0):
            for _ in range(2):
                results = clipped(a, low, high), clipped(a, np.full(a.shape, low, dtype), np.full(a.shape, high, dtype))
            print(dtype, low, high, *(r.tolist() for pair in results for r in pair))
    for n in (1, 2, 3, 9, 13):
        for _ in range(2):
            results = chosen(a[:n], a[:n][::-1]), chosen(a[:n], a[1]), chosen(a[:n].reshape(1, n), a[:1])
        print(dtype, n, *(r.tolist() for group in results for r in group))
for dtype in "efdFD":
    a = np.ones(3, dtype)
    for number in (1.5, 65504.0, 65520.0, 1e39, -1e300, float("inf"), 7):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for _ in range(2):
                results = full(a, number)
        print(dtype, number, *(r.tolist() for r in results), [str(one.message) for one in caught])
