"""Axes of size 1, empty slices, ones and zeros have NumPy's strides; no later loop hides a warning."""
# test: compiled
import warnings

import numpy as np
from show import repeat, show

warnings.simplefilter("always")


def strides(a):
    results = (a[:, None, :] * 2.0, a[None] + a, np.expand_dims(a, 0), a[:, 5:1:-1],
               a[:, None].astype(np.float32), np.ones(a.shape[::-1]).T * 2, a.T + np.ones(a.T.shape))
    return [(r.strides, r) for r in results]


def hidden(a):
    return np.tanh(1.0 / a)


def unused(a, b):
    a // b
    np.tanh(1.0 / b)
    return a + b


for source in (np.arange(20.0).reshape(5, 4), np.ones((5, 1)), np.zeros((5, 4), bool)):
    for array in (source, np.asfortranarray(source), source[::-1]):
        show("strides", repeat(strides, array, times=4))
integers = np.arange(6)
for _ in range(4):
    show("hidden", hidden(np.arange(5.0)))
    show("unused", unused(integers, integers))
