"""A return, break or raise in a loop over single elements leaves with the value, not with the loop's iterator."""
import numpy as np


def first_above(items, bound):
    for v in items:
        if v > bound:
            return v
    return "none"


def place_above(items, bound):
    for i, v in enumerate(items):
        if v > bound:
            return i, v
    return "none"


def pair_above(items, others, bound):
    for v, w in zip(items, others):
        for k in range(3):
            if v + k > bound:
                return w
    return "none"


def nested(rows, bound):
    for row in rows:
        for v in row:
            if v > bound:
                return v
            if v < 0:
                break
        else:
            continue
        return "negative"
    return "none"


def value_of(pairs, key):
    for k, v in pairs:
        if k == key:
            return v
    raise KeyError(key)


def product(items, bound):
    for v in items:
        if v > bound:
            return v * 2 + 1
    return -1


for _ in range(3):
    for bound in (0, 1, 4, 70, 900):
        for items in ([1, 2, 5, 80], np.arange(1.0, 90.0), list(range(200)), range(300)):
            print(bound, first_above(items, bound), place_above(items, bound), product(items, bound),
                  pair_above(items, [3.5] * 400, bound))
        print(nested([[1, 2], [3, -1, 5], [9]], bound), nested(np.arange(12).reshape(3, 4), bound))
    print(value_of([(1, 1), (3, 2), (5, 7)], 5), value_of([("x", 1), ("y", 2)], "y"))
    try:
        value_of([(1, 2)] * 50, 3)
    except KeyError as error:
        print("KeyError", error)
