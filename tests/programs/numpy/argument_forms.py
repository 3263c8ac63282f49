"""Array functions take rare forms: lists of axes, arrays of rank 0, no axis, lists, single numbers."""
import numpy as np
from show import show

rng = np.random.default_rng(11)


def axes(t):
    return np.moveaxis(t, [0, 1], [1, 2]) * 2, np.moveaxis(t, (0, -1), [-1, 0]).shape, np.any(t > 1, axis=()), np.all(t > -9, axis=(0, 2))


def rank_0(q):
    return np.sum(q), q.mean(), np.max(q), q.any(), np.argmax(q), np.median(q), q.sum() + np.ptp(q), np.cumsum(q)


def lists(v):
    return np.trapz(v, [0, 1, 2, 3, 4, 6]), np.histogram(v, bins=[-1, 0, 0.5, 1]), np.average(v, weights=[1, 2, 3, 4, 5, 6])


def masked(a, m):
    return np.any(a > 0, axis=0, where=m), (a > 1).all(where=m), np.sum(a, where=m), a.max(axis=1, where=m, initial=-9)


def counts(a):
    """Integers that arrays compute, as single numbers: a count less one, a remainder, a negative one."""
    positive = (a > 0).sum()
    return a.sum() / (positive - 1), positive % 4, -positive, positive // 3 + a[0], positive ** 2, a.sum() ** 2, abs(positive - 30)


def overflowing(i):
    return i.sum() * 2 + 1, i.sum() - 1


for _ in range(4):
    a, t = rng.standard_normal((4, 6)), rng.standard_normal((2, 3, 4))
    show("axes", axes(t))
    show("rank 0", rank_0(np.array(rng.random())))
    show("lists", lists(rng.standard_normal(6)))
    show("masked", masked(a, a < 1))
    show("counts", counts(a))
    show("overflowing", overflowing(np.array([2**61, 2**61, 2**61]) + 5))
