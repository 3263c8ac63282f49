"""NumPy itself calls functions inside captured code: outputs by position, memory orders, logical operators."""
import numpy as np
from show import repeat, show


# An output that is given by position is written once, whatever its rank and its overlaps.
def doubles(x):
    view = x[...]
    np.multiply(x, 2, view)
    np.add(view, 1, x)
    return x, view


for make in (lambda: np.array([-1.5, 7.0], "f4")[::-1][1:].reshape(()), lambda: np.array(3.0),
             lambda: np.arange(4.0), lambda: np.arange(6).reshape(2, 3).T):
    for _ in range(4):
        show("doubles", list(doubles(make())))


# Results in the order of what they are like; one result in two places of a list.
def alike(x):
    items = [x * 2.0, np.zeros_like(x), 3]
    items[0] = np.zeros_like(x)
    return items, np.full_like(x.copy(), 3), np.zeros_like(x.copy()), np.empty_like(x.T.copy()) > np.inf


def scaled_copies(x):
    positive = (x > 0).sum()
    return x.copy() * positive, x.T.copy() * positive, np.copy(x) * positive, x.astype("i2") * positive


for x in (np.arange(20, dtype="i1").reshape(5, 4) - 6, np.asfortranarray(np.arange(20.0).reshape(5, 4)),
          np.arange(24, dtype="i1").reshape(2, 3, 4).T - 5):
    show("alike", list(repeat(alike, x)))
    show("copies", list(repeat(scaled_copies, x)))


# Logical operators take the truth of each operand by itself where their dtypes differ.
def logical(x, s):
    return np.logical_or(x, s), np.logical_and(s, x), np.logical_xor(x, s), np.logical_and(x, x.sum() * 1e-9)


plane = np.ones((4, 1, 13), bool).transpose(2, 1, 0)
for x in (plane, plane.astype("i4"), plane.astype("f4"), plane[:, :, ::2]):
    for s in (np.float32(0.3), 1e-10, np.float64(2), 1, True, np.int8(1), np.float64("nan"), 1e-320,
              np.zeros(x.shape[2], "f4"), np.full(x.shape, 1e-300)):
        show("logical", list(logical(x, s)))
