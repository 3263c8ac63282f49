"""Sorts of values that are not constants make the comparisons that the list's sort makes, in its order."""
# test: numpy2
import numpy as np

from show import repeat


class Key:
    def __init__(self, value, seen):
        self.value = value
        self.seen = seen

    def __lt__(self, other):
        self.seen.append((self.value, other.value))
        return self.value < other.value


def order(a):
    b = a * 2.0
    values = [float(b[i]) for i in range(len(b))]
    return sorted(values), sorted(values, reverse=True), sorted(values, key=lambda v: -abs(v)), float(b.sum())


def comparisons(a):
    b = a + 1.0
    seen = []
    keys = [Key(float(b[i]), seen) for i in range(len(b))]
    keys.sort()
    return [key.value for key in keys], seen


def pairs(a):
    b = a * 0.5
    rows = [(float(b[i]) // 1.0, i) for i in range(len(b))]
    rows.sort(key=lambda row: row[0])
    return rows, float(b.max())


nan = float("nan")
for values in ([1], [2, 1], [1, 2, 3, 4], [4, 3, 2, 1], [2, 2, 2, 2], [3, 3, 2, 2, 1, 1], [1, 1, 2, 2, 1, 1],
               [3, 3, 2, 2, 1, 1, 5, 6, 7, 0], [5, 4, 4, 4, 3, 3, 2, 9, 1, 9], [2, 2, 3, 1, 2, 0, 2],
               [1, nan, 2, 0, nan, -1], [nan, nan, 1, 0], [9, 8, 8, nan, 7, 7, 6], [*range(40, 0, -1), *range(30)],
               [7] * 30 + [6] * 20 + [8] * 13):
    a = np.array(values, dtype=float)
    for function in (order, comparisons, pairs):
        print(values, function.__name__, repeat(function, a))
