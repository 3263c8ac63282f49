"""OrderedDict is made, moved, popped from both ends, iterated while it changes, and used as an LRU cache."""
import collections

import numpy as np

TABLE = collections.OrderedDict([("x", np.arange(3.0)), ("y", np.ones(3))])


class Cache:
    def __init__(self, size):
        self.size = size
        self.items = collections.OrderedDict()
        self.hits = 0

    def get(self, key, a):
        if key in self.items:
            self.items.move_to_end(key)
            self.hits += 1
            return self.items[key]
        value = np.sqrt(a + key)
        self.items[key] = value
        if len(self.items) > self.size:
            self.items.popitem(last=False)
        return value


class Parts:
    def __init__(self):
        self.parts = collections.OrderedDict()

    def add(self, name, part):
        self.parts[name] = part
        return self

    def __call__(self, a):
        for name, part in self.parts.items():
            a = part(a) * len(name)
        for part in reversed(self.parts.values()):
            a = part(a)
        return a


def made_inside(a):
    d = collections.OrderedDict()
    d["a"] = a
    d["b"] = a * 2.0
    d["c"] = a + 1.0
    d.move_to_end("a")
    d.move_to_end("c", last=False)
    first = next(iter(d))
    k, v = d.popitem(last=False)
    d["b"] = v + 3.0
    return d, first, k, list(d), [x.sum() for x in d.values()], len(d), "a" in d


def from_pairs(a):
    d = collections.OrderedDict([("x", a), ("y", 2)], z=a * 3.0)
    e = collections.OrderedDict({"q": a})
    e.update(d)
    e.setdefault("r", 5.0)
    e.pop("y")
    return dict(e), {**d}, list(reversed(e)), list(reversed(e.items()))[0][0], bool(e), e.get("nope", a)


def reads(a):
    total = a
    for k, v in TABLE.items():
        total = total + v * len(k)
    for k in TABLE:
        total = total - TABLE[k]
    return total, list(TABLE), len(TABLE)


def changes(a):
    TABLE["z"] = a
    TABLE["x"] = a * 2.0
    TABLE.move_to_end("x")
    TABLE.move_to_end("y", False)
    last = TABLE.popitem()
    TABLE["x"] = last[1] + 1.0
    return list(TABLE), last[0]


def moves(a):
    TABLE.move_to_end("x")
    TABLE.move_to_end(next(iter(TABLE)))
    del TABLE["y"]
    TABLE["y"] = a
    return list(TABLE), [v.sum() for v in TABLE.values()]


def moved_while_iterated(a):
    d = collections.OrderedDict(x=1, y=2, z=3)
    total = 0
    for k in d:
        total = total + d[k]
        if k == "y":
            d.move_to_end("x")
    return a * total


def replaced_while_iterated(a):
    d = {"x": 1, "y": 2, "z": 3}
    seen = []
    for k in d:
        seen.append(k)
        if k == "x" and len(seen) < 3:
            del d["y"]
            d["y"] = 5
    return a * len(seen), seen


def missing(a):
    d = collections.OrderedDict(x=a)
    try:
        d.move_to_end("y")
    except KeyError as error:
        return a, error.args
    return a


def empty(a):
    d = collections.OrderedDict()
    try:
        d.popitem()
    except KeyError as error:
        return a + 1.0, str(error)
    return a


def compares(a):
    x = collections.OrderedDict(a=1, b=2)
    y = collections.OrderedDict(b=2, a=1)
    return a + 1.0, x == y, x == dict(y), x != y


class Upper(collections.OrderedDict):
    def __setitem__(self, key, value):
        super().__setitem__(key.upper(), value)


def subclass(a):
    d = Upper()
    d["x"] = a
    d["y"] = a + 1.0
    d.move_to_end("X")
    return list(d), [v.sum() for v in d.values()]


def by_methods_of_dict(a):
    """dict's own methods know nothing of the order."""
    d = collections.OrderedDict(x=a, y=a + 1.0)
    d.move_to_end("x")
    return list(d), list(dict.keys(d)), [v.sum() for v in dict.values(d)], dict.__getitem__(d, "x")


SEEN = {3, 5, 17, 1}
NAMES = {"x", "y"}


def existing_sets(a, i):
    """Their members and order depend on all that was done to them."""
    total = a * len(SEEN) + (5 in SEEN) - (i in SEEN) + sum(SEEN)
    for member in SEEN:
        total = total * 2.0 + member
    SEEN.add(i)
    return total, sorted(SEEN) if i in (1, 3) else len(SEEN), "x" in NAMES, bool(NAMES), i in SEEN


def sets_of_other_containers(a):
    d = {17: 0, 1: 0, 2: 0, 3: 0, 4: 0}
    o = collections.OrderedDict(d)
    s = set(d)
    return (a + 1.0, list(s), list(set(s)), list(set(d.keys())), list({k for k in d}), list(set(o)), list({*d}), list({*s, 40}),
            list(set([17, 1, 2, 3, 4])), s, set(frozenset((17, 1, 2, 3, 4))), sorted({k * 3 for k in d}))


def show(function, *args):
    try:
        print(function.__name__, function(*args))
    except Exception as error:
        print(function.__name__, type(error).__name__, error)


cache = Cache(3)
parts = Parts().add("double", lambda a: a * 2.0).add("shift", lambda a: a + 1.0)
for i in range(6):
    a = np.arange(3.0) + i
    for function in (made_inside, from_pairs, reads, changes, moves, moved_while_iterated, replaced_while_iterated,
                     missing, empty, compares, subclass, by_methods_of_dict, sets_of_other_containers, parts):
        show(function if function is not parts else parts.__call__, a)
    for number in (1, i + 20, 3):
        show(existing_sets, a, number)
    if i == 2:
        SEEN.discard(17)
    for key in (i, i % 2, 7, i % 3):
        show(cache.get, key, a)
    print(list(cache.items), cache.hits)
    if i == 3:
        TABLE.move_to_end("y", last=False)
        parts.parts.move_to_end("double")
    if i == 4:
        parts.add("third", np.negative)
print(TABLE)
