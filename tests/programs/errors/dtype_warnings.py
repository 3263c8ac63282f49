"""Warnings of dtypes that are named by an abstract class: how many, and at which lines."""
import warnings

import numpy as np

warnings.simplefilter("always")


def zeros(a):
    return np.zeros(2, np.integer).dtype, a.sum()


def cast(a):
    return a.astype(np.floating).dtype, a + 1


def summed(a):
    return a.sum(dtype=np.inexact), np.dtype(np.complexfloating), a + 1


for _ in range(6):
    for function in (zeros, cast, summed):
        with warnings.catch_warnings(record=True) as caught:
            print(function(np.ones(2)))
        print([(str(warning.message)[:60], warning.lineno, warning.filename[-17:]) for warning in caught])
