"""What c_api_test.c calls."""
import numpy as np


def echo(x):
    return x


def doubled(a):
    return np.add(a, a)


def apply(f):
    return f(1, 2)


def forever():
    n = 0
    while True:
        n += 1


def fails():
    return 1 / 0


def scaled(scale):
    return scale(21, factor=2)
