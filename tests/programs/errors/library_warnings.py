"""Functions warn by Python's means when a size comes that they were not traced with: once, and in place."""
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
