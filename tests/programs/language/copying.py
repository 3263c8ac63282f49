"""copy.copy and copy.deepcopy of arrays and their containers keep shared what is shared, and nothing else."""
import copy

import numpy as np


def show(name, value):
    print(name, value)


def shallow(x):
    y = copy.copy(x)
    y[0] = -1.0
    return y, x


def deep(x):
    y = copy.deepcopy(x)
    y += 1.0
    return y, x


def memory_order(x):
    a, b = copy.copy(x.T), copy.deepcopy(x.T)
    return a.strides, b.strides, a.flags.f_contiguous, a.base is None, b * 2.0


def state(x):
    old = {"x": x, "history": [1, 2.5, "three"], "pair": (x, None), "frozen": (1, (2, 3))}
    new = copy.deepcopy(old)
    new["x"][0] = 7.0
    new["history"].append(x * 2.0)
    return old, new, new["pair"][0] is new["x"], new["frozen"] is old["frozen"], new["history"][0] is old["history"][0]


def existing(board, x):
    after = copy.deepcopy(board)
    after["rows"][0][1] = x.sum()
    after["grid"] *= 2.0
    return after


def shared(x):
    row = [x, x + 1.0]
    rows = copy.deepcopy([row, row, (row, x)])
    rows[0].append("once")
    return rows, rows[0] is rows[1], rows[2][0] is rows[0], rows[2][1] is rows[0][0], len(row)


def cyclic(x):
    ring = [x]
    ring.append((ring, 1))
    other = copy.deepcopy(ring)
    return other[1][0] is other, other is ring, other[0] is ring[0], other[0] * 2.0


def scalars(x):
    best = {"cost": x.mean(), "step": 3, "done": x.sum() > 0}
    found = copy.deepcopy(best)
    return type(found["cost"]), found["cost"] + 1.0, found["done"], copy.copy(best["cost"])


def shallow_containers(x):
    items, table, pair = [x, [1]], {"a": x, "b": {}}, (x, [2])
    a, b, c = copy.copy(items), copy.copy(table), copy.copy(pair)
    a[1].append(x.max())
    b["b"]["new"] = x * 3.0
    a.append(0)
    return items, table, c is pair, a, a[0] is x


class Point:
    def __init__(self, at):
        self.at = at

    def __deepcopy__(self, memo):
        print("a point is copied", len(memo) > 0)
        return Point(copy.deepcopy(self.at, memo))


def of_objects(x):
    points = [Point(x), Point(x)]
    others = copy.deepcopy(points)
    return others[0].at is others[1].at, others[0].at * 2.0, others[0].at is x


class Rows(list):
    pass


def of_subclasses(x):
    rows = copy.deepcopy(Rows([x, 1]))
    return type(rows), rows[0] * 2.0, copy.deepcopy({1, 2}), copy.deepcopy(np.array([1, [x[0]]], object))


def with_memo(x):
    memo = {}
    y = copy.deepcopy([x, x], memo)
    return y[0] is y[1], len(memo) > 1, memo[id(x)] is y[0]


class Failing:
    def __deepcopy__(self, memo):
        raise ValueError("no copy of this")


def failing(x):
    out = [x * 2.0]
    try:
        copy.deepcopy([x, Failing()])
    except ValueError as error:
        out.append(str(error))
    return out


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    y = copy.deepcopy(x)
    y[0] = 5.0
    return y, x, copy.copy(x).flags.writeable


def of_keys(x):
    return copy.deepcopy({(1, "a"): x, None: 2, 3.5: [x]})


base = np.linspace(0.0, 1.0, 6)
PROGRAMS = [(f, lambda: (base.copy(),)) for f in (
    shallow, deep, state, shared, cyclic, scalars, shallow_containers, of_objects, of_subclasses, with_memo, failing, read_only,
    of_keys)]
PROGRAMS += [(memory_order, lambda: (base.copy().reshape(2, 3),)),
             (memory_order, lambda: (np.ones((3, 4))[:, ::2],)),
             (existing, lambda: ({"rows": [[1, 2], [3, 4]], "grid": base.copy()}, base))]

for _ in range(4):
    for function, arguments in PROGRAMS:
        given = arguments()
        show(function.__name__, function(*given))
        show("  its arguments", given)


# A program may change what the library goes by, at any time.
def plain(x):
    return copy.deepcopy([x, 1, (2, "b")])


def loud(items, memo):
    print("a list is copied")
    return ["copied"] + items


for turn in range(6):
    if turn == 3:
        kept = copy._deepcopy_dispatch[list]
        copy._deepcopy_dispatch[list] = loud
    show("plain", plain(base))
copy._deepcopy_dispatch[list] = kept
show("plain", plain(base))
kept, copy.deepcopy = copy.deepcopy, lambda x: ("mine", x)
show("plain", plain(base))
copy.deepcopy = kept
show("plain", plain(base))


# Copies go when CPython's would.
class Noisy:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("gone:", self.name)


def keeps(x, owner):
    holder = [x, (owner.name, 1)]
    other = copy.deepcopy(holder)
    del holder
    return other[0] + 1.0, other[1] is not None


for turn in range(4):
    show("keeps", keeps(base, Noisy(turn)))
