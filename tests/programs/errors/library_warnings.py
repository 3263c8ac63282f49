"""Functions warn by Python's means when a size or a value comes that they were not traced with: once, and in place."""
import warnings
import numpy as np


def average(x): return np.average(x, axis=0)
def covariance(x): return np.cov(x.reshape(-1))
def later(x): return np.average(x * 2, axis=0) + 1
def padded(x): return np.pad(x, 1, mode="mean")
def of_mean(x): return x.mean(axis=0) - np.median(x)


warnings.showwarning = lambda message, category, filename, line, *rest: print("  ", category.__name__, message)
warnings.simplefilter("always")
for function in average, covariance, later, padded, of_mean:
    for shape in (5, 4), (5, 4), (6, 3), (7, 9), (0, 3), (0, 3), (5, 4), (0, 2), (4, 4):
        try:
            made = function(np.ones(shape))
            print(function.__name__, shape, made.shape, np.ravel(made)[:2])
        except Exception as error:
            print(function.__name__, shape, type(error).__name__, error)


# NumPy 1.24: bounds that are no numbers, and ints that the elements' dtype does not hold.
def clipped(a, b, c): return (a - np.clip(c, (b * 2).sum(), -0.25) + 1.0).sum()
def reduced(a, first): return np.add.reduce(a, initial=first) + (a * 2.5).sum()
def greatest(a, first): return (a * 2.5).sum() + a.max(initial=first)


warnings.showwarning = lambda message, category, filename, line, *rest: print("  ", line, category.__name__, message)
for dtype in "f8", "c8", "f4":
    infinite = np.array([1.0, np.inf, 3, -np.inf]).astype(dtype)
    for _ in range(4):
        with np.errstate(all="ignore"):
            print(dtype, clipped(np.ones(4), infinite, np.arange(4, dtype=np.uint32)))
for function in reduced, greatest:
    for first in 7, 7, 7, 9, -1, -1, 300, 7:
        try:
            print(function.__name__, first, function(np.arange(200).astype(np.uint8), first))
        except Exception as error:
            print(function.__name__, first, type(error).__name__, error)
