"""Reductions, new axes and copies of NumPy's scalars, and what is filled with them, are those of arrays of one element.

Every kind of scalar, with sums, extrema, statistics and truths of it; sentinels beside numbers.
"""
# test: numpy2
import numpy as np

MISSING = object()


def reduced(x):
    return (x.sum(), x.prod(), x.max(), x.min(), x.mean(), np.sum(x), np.max(x), np.all(x), x.any(), np.mean(x))


def spread(x):
    return x.var(), x.std(), np.var(x), np.std(x), np.ptp(x)


def widened(x, y):
    return x[..., None] * y, x[None] + y[:1], x[..., None].shape, x[...].ndim


def of_reductions(y):
    return reduced(y.sum()), reduced(y.max()), spread(y.mean()), widened(y.min(), y)


def copied(y):
    a = np.array(y)
    b = np.array(y, copy=True) if y.ndim else np.array(y)
    np.negative(a, out=a) if a.dtype.kind in "fci" else np.logical_not(a, out=a, casting="unsafe")
    return a, b, y, np.shares_memory(a, y), a.flags.f_contiguous, a.flags.c_contiguous


def filled(y, value):
    out = np.empty_like(y)
    out.fill(value)
    other = np.ones_like(y)
    other.fill(y.sum())
    return out, other


def argument(y, scale=MISSING, name=MISSING):
    if scale is MISSING:
        scale = 2.0
    return y * scale, name is MISSING, y.sum() is MISSING, (y > 0).all() is not MISSING, y is MISSING


def show(*results):
    for result in results:
        if isinstance(result, tuple):
            show(*result)
        elif isinstance(result, np.ndarray):
            print(type(result).__name__, result.dtype, result.shape, result.strides, result.tobytes().hex())
        else:
            print(type(result).__name__, repr(result))


for dtype in (np.float64, np.float32, np.float16, np.complex128, np.int64, np.int8, np.uint8, np.bool_):
    y = (np.arange(6) % 4 + 1).astype(dtype).reshape(2, 3)
    if dtype is not np.bool_:
        for _ in range(3):
            show(of_reductions(y), filled(y, y.max()))
    for x in (y, y.T, y[::-1], y[:, ::2], np.asfortranarray(y), y[:0], y[0, 0] + np.zeros((), dtype)):
        for _ in range(3):
            show(copied(x.copy()) if dtype is np.bool_ and x.ndim == 0 else copied(+x if dtype is not np.bool_ else x | x))
    for scale in (MISSING, 2, 0.5, y.max(), "x"):
        for _ in range(3):
            try:
                show(argument(y, scale), argument(y, name=scale))
            except TypeError as error:
                print(type(error).__name__, error)
