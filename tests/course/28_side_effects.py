"""Lists, dicts, attributes and globals written between array operations, in the program's order."""
import numpy as np
from show import show


class Log:
    def __init__(self):
        self.entries = []
        self.total = 0.0
        self.best = None


def record(log, a):
    b = a * 2
    log.entries.append(b.sum())
    log.total += b.mean()
    if log.best is None or b.max() > log.best.max():
        log.best = b
    return b - 1


def fill(table, key, a):
    table[key] = a + len(table)
    table.setdefault("order", []).append(key)
    del_key = key - 3
    if del_key in table:
        del table[del_key]
    return table.get(key - 1)


log = Log()
table = {}
for k in range(12):
    record(log, np.arange(4.0) - k % 5)
    fill(table, k, np.arange(2.0))
show("entries", log.entries)
show("total", log.total)
show("best", log.best)
print({k: v if isinstance(v, list) else v.tolist() for k, v in table.items()})


def swap(pair, a):
    pair[0], pair[1] = pair[1] + a, pair[0] * 2
    return pair


pair = [np.zeros(2), np.ones(2)]
for _ in range(12):
    assert swap(pair, np.array([0.5, -0.5])) is pair
show("pair", pair)


class Loud:
    def __init__(self, value):
        self.value = value

    def __getattr__(self, name):
        print("looking for", name)
        return 3.0

    def __del__(self):
        print("gone", self.value)


def loud(a, k):
    thing = Loud(k)
    return a * thing.value + thing.missing


for k in range(5):
    show("loud", loud(np.ones(2), k))
