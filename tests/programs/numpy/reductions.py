"""Reductions run over every choice of axes, with and without keepdims, in several dtypes and layouts."""
# test: compiled cuda numpy2
import numpy as np
from show import repeat, show


def reductions(a, axis, keepdims):
    return (a.sum(axis=axis, keepdims=keepdims), a.mean(axis=axis, keepdims=keepdims),
            a.max(axis=axis, keepdims=keepdims), a.min(axis=axis, keepdims=keepdims),
            np.prod(a, axis=axis, keepdims=keepdims), (a > 0.5).any(axis=axis, keepdims=keepdims),
            (a > -9).all(axis=axis, keepdims=keepdims))


def spread(a, axis):
    return a.std(axis=axis), a.var(axis=axis, ddof=1), np.ptp(a, axis=axis)


def arguments(a):
    return a.argmax(), a.argmin(axis=0), np.argmax(a, axis=-1)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


rng = np.random.default_rng(0)
block = rng.normal(size=(6, 50, 33))
for axis in (None, 0, 1, 2, -1, (0, 1), (1, 2), (0, 2), (0, 1, 2)):
    for keepdims in (False, True):
        show(f"{axis} {keepdims}", repeat(reductions, block, axis, keepdims, times=5))
for axis in (None, 0, 2):
    show(f"spread {axis}", repeat(spread, block, axis, times=5))
for dtype in ("f4", "i4", "u1", "?", "c16"):
    show(dtype, repeat(lambda a: (a.sum(), a.sum(axis=0), a.mean()), (block[0] * 10).astype(dtype), times=5))
show("transposed", repeat(lambda a: (a.sum(axis=0), a.sum(), a.max(axis=1)), block[0].T, times=5))
show("strided", repeat(lambda a: (a.sum(axis=0), a.sum(), a.mean(axis=1)), block[0][::2, ::-3], times=5))
show("arguments", repeat(arguments, block[0], times=5))
show("softmax", repeat(softmax, block))
for n in (1, 7, 8, 9, 127, 128, 129, 1000, 100_003):
    show(f"sum of {n}", repeat(np.sum, rng.normal(size=n).astype("f4"), times=5))
show("dot", repeat(lambda a: (a @ a.T, np.dot(a[0], a[1]), np.einsum("ij->j", a)), block[0], times=5))
show("cumulative", repeat(lambda a: (a.cumsum(axis=1), np.cumprod(a[0] / 9)), block[0], times=5))
