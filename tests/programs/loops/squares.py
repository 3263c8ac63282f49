"""Squares by ** in loops: the C library's power, which is not always the rounded product."""
import zlib

import numpy as np

random = np.random.default_rng(5)


def squares(out, a):
    for i in range(len(a)):
        out[i] = a[i] ** 2


def sum_of_squares(numbers):
    total = 0.0
    for x in numbers:
        if x < 1e150:
            total += (x - 0.5) ** 2
    return total


def near_middles(count):
    """Numbers whose squares lie near the middle of two doubles."""
    found = []
    for significand in random.integers(2 ** 52, 2 ** 53, 40 * count).tolist():
        square = significand * significand
        unit = 1 << (square.bit_length() - 53)
        if abs(square % unit - unit // 2) * 40 < unit:
            found.append(float(significand))
    return np.array(found)


def show(name, a):
    out = np.zeros(len(a))
    squares(out, a)
    products = int((out != a * a).sum())
    print(name, len(a), zlib.crc32(out.tobytes()), products, sum_of_squares(a.tolist()).hex())


for _ in range(3):
    show("middles", near_middles(3000))
    show("uniform", random.uniform(-2, 2, 40000))
    show("wide", 10.0 ** random.uniform(-150, 150, 20000))
    show("tiny", 10.0 ** random.uniform(-170, -130, 2000))
    show("special", np.array([0.0, -0.0, 1.0, -1.0, 3e-162, 1e-154, 1.5e154, -1.3e154, 5e-324]))
