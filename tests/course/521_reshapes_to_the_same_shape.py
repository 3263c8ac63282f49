"""Reshapes to the shape that an array has keep its strides, those of axes with no or one element too, where sizes vary."""
import numpy as np


def same(x):
    y = x * 2
    return y, x.reshape(x.shape), y.reshape(y.shape), x.reshape(len(x)), x.reshape(-1)


def rolled(x):
    y = x * 2
    return y, np.roll(x, 0), np.roll(x, 1), np.roll(y, -1)


def rows(x):
    y = x + 1
    return x.reshape(x.shape), y.reshape(y.shape), x.T.reshape(x.T.shape), y.reshape(x.shape[0], x.shape[1]), np.roll(x, 1)


def shown(arrays):
    print([(a.shape, a.strides, a.flags.owndata, a.tolist()) for a in arrays])


base = np.arange(60.0).reshape(6, 10)
for n in (5, 5, 3, 1, 0, 0, 1, 8):
    for dtype in (np.float64, np.float32, bool):
        for x in (np.ones(n, dtype), np.arange(3.0 * n)[::3].astype(dtype), np.arange(3 * n).astype(dtype)[::3]):
            shown(same(x))
            shown(rolled(x))
    m = min(n, 6)
    for x in (base[:m, :4], base[::2, :max(n, 1)], base[:max(m, 1), ::3], base[:1, :n + 1], base.T[:n + 1, :1]):
        shown(rows(x))
