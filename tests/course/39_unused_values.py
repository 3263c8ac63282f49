"""Values that nobody uses: NumPy computes them all the same, and warns of them."""
import numpy as np

from show import show


def beside_a_reduction(x):
    kept = [part * 2 for part in (np.min(x + x, axis=0), x)][0]
    return x, kept


def warns(x):
    x / (x - x)
    return x.sum(axis=0) + 1.0


for shape in ((13, 4), (4, 13), (5, 1)):
    values = np.random.default_rng(1).normal(size=shape)
    for _ in range(4):
        results = beside_a_reduction(values), beside_a_reduction(values.T), warns(values)
    show("results", list(results))
