"""sum, min, max and sort refuse some values, and leave things behind when they fail."""
import numpy as np


def show(function, *args):
    for _ in range(3):
        try:
            print(function.__name__, function(*args))
        except Exception as error:
            print(function.__name__, type(error).__name__, error)


def summed(x, items, start):
    return x + 1, sum(items, start), sum(items, start=start)


def largest(x, items):
    return x + 1, max(*items, default=3), min(items, default=4)


def largest_of(x, items):
    return x + 1, max(items, default=x.size), min(items, default=None, key=None)


def sorted_in_place(x, items):
    items = list(items)
    try:
        items.sort()
    except TypeError as error:
        return x + 1, items, str(error)
    return x + 1, items


def sorted_by(x, items, refused):
    items = list(items)
    seen = []

    def key(item):
        seen.append(len(items))
        if item == refused:
            raise ValueError(f"no {item}")
        return -item

    try:
        items.sort(key=key)
    except ValueError as error:
        return x + 1, items, seen, str(error)
    return x + 1, items, seen


def changed_while_sorted(x):
    items = [3, 1, 2]

    def key(item):
        items.append(item)
        return item

    try:
        items.sort(key=key)
    except ValueError as error:
        return x + 1, items, str(error)


def equal_keys(x):
    made = {}
    made[1] = x.sum()
    made[True] = 2
    made[1.0] = 3
    merged = {**{True: 1}, **{1: x.size}} | {1.0: 4}
    return list(made.items()), list(merged.items()), {1, True, 1.0}, dict([(1.0, 2), (True, 3)])


def into_existing(table, x):
    table[True] = x.sum()
    table[2.0] = table.pop(3.0, None)
    return list(table.items())


x = np.arange(3)
for items, start in ((["a", "b"], ""), ([b"a"], b""), ([(1,), (2,)], ()), ([[1], [2]], []), ([True, 2.5], 0), ([x, x], 1), ([], "none"), ([0.1] * 10, 0.0), (["a"], 0)):
    show(summed, x, items, start)
for items in ((1, 2), [3, 1], (2.5, True), ()):
    show(largest, x, items)
    show(largest_of, x, items)
for items in ((3, 1, "a", 2), (2, 1), (3, None, 1), ("b", "a"), ((1, x), (0, x)), ((1, 2), (1, "a"))):
    show(sorted_in_place, x, items)
for refused in (1, 2, 5):
    show(sorted_by, x, (2, 3, 1), refused)
show(changed_while_sorted, x)
show(equal_keys, x)
for table in ({1: 0, 2: 1, 3: 3}, {True: 0}, {2: 5, 3.0: 6, 1.0: 7}):
    show(into_existing, table, x)
