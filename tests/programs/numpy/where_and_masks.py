"""Conditions select elements: where, clip, boolean masks, minimum and maximum with NaNs and signed zeros."""
# test: compiled cuda numpy2
import numpy as np
from show import repeat, show


def piecewise(x):
    return np.where(x < 0, -x, np.where(x > 1, x * x, 0.5 * x))


def masks(x, y):
    both = (x > 0) & (y < 0.5)
    either = (x > 0) | ~(y < 0.5)
    return both, either, both ^ either, np.logical_and(x, y), np.logical_not(both), x[both], y[either].sum()


def assign(x):
    out = x.copy()
    out[x < 0] = 0.0
    out[x > 2] *= 0.5
    return out


def extremes(a, b):
    return np.minimum(a, b), np.maximum(a, b), np.fmin(a, b), np.fmax(a, b), np.clip(a, -1, b)


x = np.linspace(-3, 3, 1001)
show("piecewise", repeat(piecewise, x))
show("masks", repeat(masks, x, np.cos(x)))
show("assign", repeat(assign, x))
special = np.array([np.nan, 1.0, -0.0, 0.0, np.inf, -np.inf, 2.0])
show("extremes", repeat(extremes, special, special[::-1].copy()))
show("tests", repeat(lambda a: (np.isnan(a), np.isinf(a), np.isfinite(a), np.signbit(a), a == a, a != a), special))
show("scalars", repeat(lambda a: np.where(a > 0, 1, 2.5), special))
show("dtype", repeat(lambda a: np.where(a > 0, np.float32(1), a.astype("f4")), special))
show("nonzero", repeat(lambda a: np.nonzero(a > 0), special))
