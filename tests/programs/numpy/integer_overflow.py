"""Integers wrap around as NumPy's do, unsigned subtraction and extreme values included."""
# test: compiled cuda
import numpy as np
from show import repeat, show


def wrap(a, b):
    return a + b, a - b, a * b, -a


for name in ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]:
    limits = np.iinfo(name)
    a = np.array([limits.min, limits.max, limits.max - 1, 1, 0], dtype=name)
    b = np.array([limits.max, limits.max, 2, limits.min, 3], dtype=name)
    show(name, repeat(wrap, a, b))


def floor_and_remainder(a, b):
    return a // b, a % b, np.divmod(a, b), np.fmod(a, b)


values = np.array([-7, -6, -1, 0, 1, 6, 7])
show("signed", repeat(floor_and_remainder, values, np.array([3, -3, 2, -2, 5, -5, 7])))
show("floats", repeat(floor_and_remainder, values * 1.5, np.array([2.0, -2.0, 0.7, -0.7, 1.0, 3.5, -9.0])))


def size_of_negated(a):
    return abs(-a), np.abs(np.negative(a)), abs(abs(-a))


for kind in ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8"):
    limits = np.iinfo(kind)
    show(f"size of negated {kind}", repeat(size_of_negated, np.array([0, 1, 7, limits.max, limits.min], kind)))
