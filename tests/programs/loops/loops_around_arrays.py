"""Loops stand around array code: range, zip, enumerate, break and continue, nesting, else."""
import numpy as np
from show import repeat, show


def horner(coefficients, x):
    result = np.zeros_like(x)
    for c in coefficients:
        result = result * x + c
    return result


def skipping(x, limit):
    total = np.zeros_like(x)
    for i in range(1000):
        if i % 3 == 0:
            continue
        if i > limit:
            break
        total += x / i
    else:
        total -= 1
    return total, i


def nested(a):
    out = np.empty((3, 4, len(a)))
    for i in range(3):
        for j in range(4):
            out[i, j] = a * i - j
    return out


def rows(matrix):
    return [row.sum() * k for k, row in enumerate(matrix)], {k: v.max() for k, v in zip("abc", matrix)}


def long_loop(x, n):
    for i in range(n):
        x = x * 0.999 + i % 7
    return x


x = np.linspace(-1, 1, 501)
show("horner", repeat(horner, [1, -2, 3, 0.5, -0.25], x))
for limit in (5, 50, 2000):
    show(f"skipping {limit}", repeat(skipping, x, limit, times=3))
show("nested", repeat(nested, x))
listed, mapped = repeat(rows, np.arange(12.0).reshape(3, 4))
show("rows", listed)
print(mapped)
for n in (0, 1, 2, 10, 3000):
    show(f"long {n}", repeat(long_loop, x, n, times=3))
