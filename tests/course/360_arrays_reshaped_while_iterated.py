"""A loop over an array asks it for one item after the other: what the loop does to its shape counts."""
import numpy as np


def shapes(a, change):
    seen = []
    for item in a:
        seen.append((np.shape(item + 1), float(np.sum(item))))
        if len(seen) > 5:
            break
        change(a)
    return seen


def flatten(a):
    a.shape = (-1,)


def halve(a):
    a.shape = (2, -1)


def view_as_int16(a):
    a.dtype = np.int16


def keep(a):
    a[-1] = 7


def rows(a):
    total = 0
    for number, row in enumerate(a):
        total = total + row * number
        print(number, row, end=" ")
    return total


for change in (flatten, halve, view_as_int16, keep):
    for _ in range(3):
        print(change.__name__, shapes(np.arange(24).reshape(4, 3, 2), change))
for _ in range(3):
    print(rows(np.arange(12.0).reshape(4, 3)))
    kept = iter(np.arange(6).reshape(3, 2))
    print(next(kept), type(kept).__name__, list(kept))
