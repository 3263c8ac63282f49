# errors[i] = ... in a loop: a list's item is stored at a place that differs from call to call.
import weakref

import numpy as np
from show import show


def keep(values, errors, history, i):
    values = values * 0.9 + i
    history[i % 3] = values
    errors[i] = float(values.sum())
    return values


def from_the_end(values, items, i):
    items[-i] = values + 1
    items[i - 1] = values * 2
    return values * i


def read_and_add(values, totals, i):
    totals[i] += values.sum()
    totals[i] = totals[i] * 2
    return totals[i], values - i


def read_others(values, totals, i):
    totals[i] = values.sum()
    return totals[i - 1], totals[0], len(totals), values + i


def swap(values, items, i, j):
    items[i], items[j] = items[j], items[i]
    items.append(values * 2 + i)
    return values + j


def two_names(a, b, values, i):
    a[i] = values * 2
    b[i + 1] = values * 3
    return values + 1


def loop(values, count):
    sums = [None] * count
    for i in range(count):
        values = values * 0.5 + 1
        sums[i] = values.sum()
        sums[i - 1] = values.max()
    return sums


def fill(values, grid, i):
    for j in range(len(grid[0])):
        grid[i][j] = values * j + i
    return values - i


def attempt(values, items, i):
    try:
        items[i] = values * 2
    except IndexError as error:
        return f"{error} at {error.__traceback__.tb_lineno}"
    return values + i


class Loud:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("end of", self.name)


def replace(values, items, i):
    values = values + 1
    items[i] = values
    print("stored", i)
    return values


values = np.arange(5.0)
errors, history = [0.0] * 40, [None] * 3
for i in range(40):
    values = keep(values, errors, history, i)
show("keep", [values, errors[::7], history])

items = [None] * 12
for i in range(1, 13):
    values = from_the_end(values, items, i)
show("from_the_end", items)

totals = [1.5] * 12
for i in range(12):
    show("read_and_add", read_and_add(values, totals, i))
for i in range(12):
    show("read_others", read_others(values, totals, i))
show("totals", totals)

items = [values + k for k in range(8)]
for i in range(8):
    swap(values, items, i, 7 - i)
show("swap", items)

one = [None] * 20
for i in range(12):
    two_names(one, one, values, i)
show("one list", one)
other = [None] * 20
for i in range(12):
    two_names(one, other, values, i)
show("two lists", [one, other])

show("loop", loop(values, 60))
show("loop again", loop(values, 3000)[-3:])
grid = [[None] * 3 for _ in range(15)]
for i in range(15):
    fill(values, grid, i)
show("grid", grid)
shared = [[None] * 3] * 15
for i in range(15):
    fill(values, shared, i)
show("shared", shared)

items = [None] * 9
for i in range(-12, 12):
    show(f"attempt {i}", attempt(values, items, i))

items = [0.0] * 10 + [Loud("the eleventh"), 1, Loud("the thirteenth")] + [None] * 5
for i in range(len(items)):
    replace(values, items, i)

items = [np.zeros(3) for _ in range(12)]
watch = weakref.ref(items[9], lambda ref: print("the tenth is gone"))
for i in range(12):
    replace(values, items, i)


class Items(list):
    def __setitem__(self, place, item):
        print("set", place)
        super().__setitem__(place, item)


items = Items([None] * 8)
for i in range(8):
    replace(values, items, i)
show("items", list(items))
