"""Reductions run over what a mask selects, whose number of elements is known at run time only."""
import warnings

import numpy as np
from show import show

warnings.simplefilter("always")
rng = np.random.default_rng(8)


def repeated(name, function, *args):
    for _ in range(4):
        try:
            show(name, function(*args))
        except (IndexError, ValueError, TypeError) as error:
            print(name, type(error).__name__, error)


# One number each, of arrays of any rank and layout and of what is computed of their elements.
def moments(x, mask):
    chosen = x[mask]
    return (x[mask].sum() * 2, np.mean(x[mask]) + x, chosen.std(), np.var(chosen, ddof=1), chosen.max() - chosen.min(),
            (chosen * 2 - 1).sum(), (-x[mask]).prod(), np.any(x[mask]), x[mask].all(), np.median(x[mask] + 1.5),
            x[mask].sum(axis=0), x[mask].mean(dtype=np.float32), np.amax(chosen))


# One row each.
def centres(points, labels, count):
    found = np.zeros((count, points.shape[1]))
    for label in range(count):
        found[label] = points[labels == label].mean(axis=0)
    return found * 1, points[labels > 0].sum(0) - points[labels > 0].sum(), points[:, :2][labels == 1].max(axis=0)


def shifted(points, labels):
    return (points[labels == 1] * 2).mean(axis=0), (points * 2)[labels == 1].sum(axis=0), points.copy()[labels == 1].sum(0)


whole = np.arange(60.0).reshape(5, 12) / 7 - 3
for x in (whole, whole.T, whole[::2, ::-3], np.asfortranarray(whole), whole.astype("f4"), whole.astype("i2"),
          np.arange(30.0) * 0.1, whole.reshape(5, 3, 4).transpose(2, 0, 1)):
    for mask in (x > 0, x < -2.5, x == x, x != x, x > 4.4):
        repeated("moments", lambda: list(moments(x, mask)))
for points in (rng.normal(size=(40, 3)), np.asfortranarray(rng.normal(size=(40, 3))), rng.normal(size=(80, 6))[::2, ::2],
               rng.normal(size=(40, 1)), np.asfortranarray(rng.normal(size=(40, 1)))):
    labels = rng.integers(0, 3, 40)
    repeated("centres", lambda: list(centres(points, labels, 3)))
    repeated("shifted", lambda: list(shifted(points, labels)))
    repeated("empty", lambda: list(centres(points, labels, 4)))


# A mask with an axis more, or that does not fit; and an array that is written meanwhile.
def column(x, mask):
    return x[mask[:, None]].sum(axis=0) * 2, x[mask[:, None]].mean()


def updated(x, mask):
    before = x[mask].sum()
    x[mask] += 1
    x *= 2
    return before, x[mask].sum() - x[~mask].max()


repeated("column", lambda: list(column(np.arange(5.0).reshape(5, 1), np.arange(5) > 2)))
repeated("misfit", lambda: list(column(np.arange(5.0).reshape(5, 1), np.arange(4) > 2)))
x = np.arange(8.0)
repeated("updated", lambda: list(updated(x, np.arange(8) % 3 == 0)))
with np.errstate(over="raise"):
    try:
        for _ in range(4):
            show("overflow", moments(np.full(4, 1e200), np.arange(4) > 1)[6])
    except FloatingPointError as error:
        print("overflow", error)


# Where the selection itself is wanted, it is an array as ever.
def kept(x, mask):
    chosen = x[mask]
    return chosen, chosen.sum(), len(chosen), chosen.argmax(), chosen[0], chosen.mean(keepdims=True)


repeated("kept", lambda: list(kept(np.arange(6.0), np.arange(6) % 2 == 1)))
