"""Slices of lists are stored and deleted; dicts are joined, popped, reversed and compared."""
import collections

import numpy as np

from show import show

a = np.arange(4.0)


def attempt(name, function, *args, times=5):
    for k in range(times):
        try:
            show(name, function(a + k, *args))
        except Exception as error:
            print(name, type(error).__name__, error)


def slices(x):
    items = [1, 2, 3, 4, 5, 6]
    items[1:3] = [x, x * 2.0, 7]
    del items[-2:]
    items[0:0] = (8,)
    items[4:2] = [9]
    del items[::3]
    whole = [1, 2, 3]
    whole[:] = whole[::-1]
    del whole[::-2]
    return items, whole


def removed(x):
    items = [3, 1, 2, 1]
    items.remove(1)
    return x * items.count(1), items, (1, 2, 1).count(1), [x][0] is x


class Held:
    def __init__(self):
        self.items = [1.0, 2.0, 3.0, 4.0]
        self.table = {"p": 1.0, "q": 2.0, "r": 3.0}


HELD = Held()


def change(x):
    held = HELD
    held.items[1:3] = [x * 2.0]
    held.items.append(len(held.items))
    del held.items[0:1]
    key, value = held.table.popitem()
    held.table |= {"p": x.sum(), key + "'": value}
    return x + held.items[-1], held.table | {"z": 1}


def merged(x):
    table = {"p": x} | {"q": x * 2.0, "p": 3}
    table |= {"r": 1}
    other = dict(table)
    other.clear()
    return table, other, list(reversed({"m": 1, "n": 2})), {"p": 1, "q": (1, 2)} == {"q": (1, 2), "p": 1.0}, {
        "p": 1} != {"p": 2}, {"p": 1} == {"q": 1}, {} == {}


def backwards(x):
    items = [1, 2, 3]
    seen = []
    for item in reversed(items):
        seen.append(item)
        items[0] = 7
        if item == 3:
            items.pop()
    return x * sum(seen), seen


for f in (slices, removed, merged, backwards):
    attempt(f.__name__, f)
for k in range(5):
    show("change", change(a + k))
    print([item.tolist() if isinstance(item, np.ndarray) else item for item in HELD.items], list(HELD.table))
attempt("not there", lambda x: (x * 2.0, [1].remove(2)))
attempt("nothing", lambda x: (x * 2.0, {}.popitem()))


def caught(x):
    said = []
    for act in (lambda: [1].remove(2), lambda: {}.popitem()):
        try:
            act()
        except (ValueError, KeyError) as error:
            said.append((type(error).__name__, str(error)))
    return x * 2.0, said


def grows(x):
    table = {"p": 1}
    for key in reversed(table):
        table["q"] = x
    return table


attempt("caught", caught)
attempt("grows", grows)
attempt("slice of a constant step", lambda x: (x, slice(1, 7, 2).start, slice(1, 7, 2).step, slice(3).start))


# Keys that are stored and deleted again, of dicts that had them before or had not.
def deletes(table, x, stop):
    table["a"] = x * 2
    if stop:
        return
    del table["a"]


def pops(table, x, stop):
    table.update(a=x * 2)
    return None if stop else table.pop("a").sum()


def moves(table, x, stop):
    table["a"] = x
    del table["a"]
    table["a"] = x * 3 if stop else x


def nested(table, x, stop):
    table.setdefault("in", {})["a"] = x * 2
    if not stop:
        del table["in"]["a"]


class Table(dict):
    pass


def called_with(function, tables, stop):
    for table in tables:
        result = function(table, np.arange(3.0), stop)
        print(function.__name__, result, repr(dict(table)))


for kind in (dict, Table, collections.OrderedDict, lambda **items: collections.defaultdict(list, **items)):
    for function in (deletes, pops, moves, nested):
        for stop in (False, True, False):
            called_with(function, [kind() for _ in range(20)], stop)
            called_with(function, [kind(a=1, z=2), kind(z=2, a=1), kind(**{"in": kind(a=3)}), kind()], stop)
