"""A mask has its array's sizes, which other expressions give once they vary."""
import numpy as np
from show import show


def cleaned(x, y):
    return np.nan_to_num(x), np.nan_to_num(np.arctan(y) * x)


def stored(x, y):
    fresh = np.zeros(x.shape[0] * 2 - x.shape[0]) + 1
    fresh[y > 0] = 7
    np.copyto(fresh, -3, where=x < 0)
    return fresh


def rows(x, y):
    fresh = np.ones((y.shape[0], 2))
    fresh[x < 0] = 5
    fresh[y > x] += 1
    return fresh


random = np.random.RandomState(5)
for size in (5, 5, 7, 5, 1, 1, 0, 13, 5, 6, 1):
    x, y = random.standard_normal((2, size))
    x[size // 2:size // 2 + 1] = np.nan
    show(f"cleaned {size}", cleaned(x, y))
    show(f"stored {size}", stored(x, y))
    show(f"rows {size}", rows(x, y))
