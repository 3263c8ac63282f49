"""A loop over an array's elements finds what the array holds when it gets there."""
import numpy as np


def scale(x):
    for v in x:
        x *= v
    return x


def shift(x):
    seen = []
    for i, v in enumerate(x):
        seen.append(v)
        x[i + 1:] += v
    return x, seen


def pairs(x, y):
    total = 0.0
    for a, b in zip(x, y):
        y -= a
        total += b
    return total, y


def rows(x):
    """Rows are views."""
    for row in x:
        x += row.sum()
        row[0] = 0
    return x


def printed(x):
    for v in x:
        x -= 1
        print("v", v)
    return x


def two(x):
    items = iter(x)
    first = next(items)
    x += 10
    return first, next(items), list(items)


for repeat in range(3):
    print(scale(np.array([2.0, 0.5, 3.0])), shift(np.arange(4)), pairs(np.arange(3.0), np.ones(3)))
    print(rows(np.arange(6.0).reshape(3, 2)), printed(np.arange(3)), two(np.arange(4)))
