"""Lists and tuples are read and written at indices that differ from call to call."""
import weakref

import numpy as np

from changes import watch
from show import show


# errors[i] = ... in a loop: a list's item is stored at a place that differs from call to call.
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
watcher = weakref.ref(items[9], lambda ref: print("the tenth is gone"))
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


# Lists and tuples read at indices that change: arrays, numbers and other things, in loops and across calls.
a = np.arange(4.0)
items = [a, a * 2, a * 3, 5.0, "x", 2]
things = (1.0, 2.0, 3.0, a)
index = 0


def put(value):
    def change():
        global index
        index = value
    return change


def picks():
    try:
        return a + items[index], items[index - 1] is None, things[index - 4] * 2.0, items[index + 1] * 1.0
    except Exception as error:
        return type(error).__name__, str(error)


watch("picks", picks, *map(put, (1, 2, 3, 1, 0, 4, 5, 6, -1, -6, -7, 2 ** 70, True, 1)))

row = [a + k for k in range(20)]


def updates():
    total = a * 0
    for i in range(20):
        x = row[i]
        total = total + x * (i + 1)
        row[i] = x + 1
    return total, len(row)


def stencil():
    total = a * 0
    for i in range(1, 19):
        total = total + row[i - 1] - row[i + 1]
    return total, total.dtype


watch("updates", updates, lambda: row.__setitem__(3, 2.0), lambda: row.__setitem__(3, a.astype("f4")))
watch("stencil", stencil, lambda: row.__setitem__(3, 2.0), lambda: row.append(a))


# One item by two indices, and items that are written in place.
def scales(first, second):
    one, two = row[first], row[second]
    one *= 0.5
    return one is two, two + 1.0


for _ in range(3):
    for first, second in ((4, 5), (4, 4), (6, 5), (6, 6), (7, 8)):
        same, value = scales(first, second)
        print("scales", first, second, same, value.tolist())


# Objects at changing places, which change.
class Layer:
    def __init__(self, k):
        self.weight, self.calls = a * k + 1.0, 0

    def __call__(self, x):
        self.calls += 1
        return x * self.weight + 0.5


class Net:
    def __init__(self):
        self.layers = [Layer(k) for k in range(20)]
        self.cache = tuple(layer.weight for layer in self.layers)

    def run(self, x, order):
        for k in order:
            x = self.layers[k](x) * 0.1
            x = x + self.cache[k]
        return x


net = Net()
for turn in range(4):
    print("net", net.run(a, range(20)).tolist(), net.run(a, range(19, -1, -1)).tolist())
print([layer.calls for layer in net.layers][:5])


# Dynamic programming over a list of rows; the list grows.
def table(n):
    rows = [a]
    for k in range(1, n):
        rows.append(np.maximum(rows[k - 1] * 0.5, rows[k // 2]) + 1.0)
    return rows[-1], len(rows)


for n in (3, 30, 60):
    last, length = table(n)
    print("table", length, last.tolist())


# What was read and then dropped, at a place that moves on, must still be there to be read.
history = [None] * 8
tick = 0


def inserts(x):
    history[-1] = history[tick + 1]
    history.insert(-1, x)
    history.pop()
    return x * 2 + 1


def reads_and_drops(x, names, at):
    kept = [names[at], x]
    kept.pop(0)
    names.pop()
    return kept[0] * 2


def count_up(x):
    global tick
    tick += 1
    return inserts(x)


for i in range(12):
    try:
        print(i, count_up(np.ones(3) * i))
    except IndexError as error:
        print(i, error)
    print([item is None for item in history], len(history))
for i in range(12):
    try:
        print(reads_and_drops(np.ones(2) * i, ["a", 1.5, "c"], i % 5))
    except IndexError as error:
        print(i, error)
