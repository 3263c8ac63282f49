"""Writes to lists, dicts, sets, objects, globals and cells keep their order and their aliases."""
import copy

import numpy as np

from show import repeat, show

# Writes to lists, dicts, sets, objects, globals and cells: order, identity, aliases.
a = np.arange(6.0).reshape(2, 3)


# The very dict that came in goes out, with a key less and a key more.
def rework(table):
    old = table.pop("x")
    table["y"] = old * 2.0 + 1.0
    table["z"] = table["y"] - old
    return table


for _ in range(6):
    table = {"x": a, "w": 3}
    result = rework(table)
    assert result is table
show("table", [list(table), table["y"], table["z"]])


def grow(items, b):
    nothing = items.append(b * 2.0 + 1.0)
    items.extend([b - 1.0, 7])
    return nothing


items = []
for k in range(20):
    assert grow(items, a + k) is None
show("items", [len(items), items[0], items[-2], items[-1]])


def last_two(items, b):
    items.append(items[-1] * 2.0 + b)
    items.append(items[-1] + items[-2])
    return items[-1]


history = [a]
for _ in range(5):
    show("last", last_two(history, a))
print(len(history))


def rotate(items, b):
    first = items.pop(0)
    items.insert(1, first + b * 2.0)
    items[0], items[-1] = items[-1], items[0]
    items.reverse()
    del items[-1]
    return len(items)


for _ in range(4):
    ring = [a, a * 2.0, a * 3.0, 4.0]
    alias = ring
    print(rotate(ring, a), alias is ring)
show("ring", ring)


# Two names for one object: what is written through one is read through the other.
class Box:
    def __init__(self, value):
        self.value = value


def write_and_read(one, other, b):
    one.value = b * 2.0 + 1.0
    return other.value * 2.0


box, other = Box(a), Box(a * 5.0)
for first, second in [(box, other), (box, box), (other, box), (box, other), (other, other)] * 3:
    show("alias", write_and_read(first, second, a))
show("boxes", [box.value, other.value])


def lists_that_alias(one, other, b):
    one.append(b * 2.0 + 1.0)
    return len(other)


for _ in range(4):
    x, y = [], []
    print(lists_that_alias(x, y, a), lists_that_alias(x, x, a), lists_that_alias(y, x, a))


# [[None] * 3] * 3 shares its rows.
def shared_rows(b):
    grid = [[None] * 3] * 3
    grid[0][1] = b * 2.0 + 1.0
    return grid


grid = repeat(shared_rows, a)
print(grid[0] is grid[1] is grid[2], grid[2][1] is grid[0][1])


# Attributes rewritten from one another, objects that point at each other, objects that nobody keeps.
class Node:
    def __init__(self, value, parent=None):
        self.value, self.parent, self.children = value, parent, []

    def add(self, value):
        child = Node(value, self)
        self.children.append(child)
        return child


def family(b):
    root = Node(b)
    left, right = root.add(b * 2.0), root.add(b + 1.0)
    left.value, right.value = right.value, left.value + right.value
    root.total = left.value + right.value
    return root


root = repeat(family, a)
print(root.children[0].parent is root, list(vars(root)), len(root.children))
show("root", [root.total, *[child.value for child in root.children]])


def unused_objects(b):
    nodes = [Node(b * k) for k in range(4)]
    return sum(node.value for node in nodes)


show("unused", repeat(unused_objects, a))


# Deleting attributes; hasattr afterwards; a class with its own __delattr__.
class Noisy(Box):
    log = []

    def __delattr__(self, name):
        Noisy.log.append(name)
        object.__delattr__(self, name)


def forget(box, b):
    before = hasattr(box, "value")
    del box.value
    box.other = b * 2.0 + 1.0
    return before, hasattr(box, "value"), getattr(box, "value", None)


for cls in (Box, Noisy):
    for _ in range(4):
        victim = cls(a)
        print(forget(victim, a), list(vars(victim)))
print(Noisy.log)

# Globals: of this module and of another, from here and from an inlined callee.
COUNT, TOTAL = 0, np.zeros(3)


def bump(b):
    global COUNT, TOTAL
    COUNT += 1
    TOTAL = TOTAL + b.sum(axis=0) * 2.0


def bump_twice(b):
    bump(b)
    seen = COUNT
    bump(b + 1.0)
    return seen, TOTAL


for _ in range(6):
    show("globals", bump_twice(a))
print(COUNT)

module = type(copy)("module")
exec("import numpy as np\nSTATE = np.ones(3)\n"
     "def step(b):\n    global STATE, NAME\n    STATE = STATE * 2.0 + b\n    NAME = 'set'\n", module.__dict__)


def other_module(b):
    module.step(b)
    module.extra = module.STATE + 1.0
    return module.STATE


for _ in range(4):
    show("other module", other_module(np.arange(3.0)))
print(module.NAME, module.extra)


# Cells: a counter's, one that two closures share, one that is deleted.
def make_pair():
    total, calls = np.zeros(3), 0

    def add(b):
        nonlocal total, calls
        total = total + b * 2.0
        calls += 1
        return calls

    def get():
        return total, calls
    return add, get


add, get = make_pair()
for k in range(5):
    print(add(np.arange(3.0) + k))
show("cells", get())


def both(add, get, b):
    add(b)
    middle = get()[0]
    add(middle)
    return middle + get()[0]


for _ in range(3):
    show("both", both(add, get, np.ones(3)))
show("cells", get())


# Sets, dicts with keys of several kinds, deepcopy of a global container, id as a key.
SEEN, MEMO, CONFIG = set(), {}, {"steps": [1, 2], "scale": 3.0}


def remember(k, b):
    SEEN.add(k)
    MEMO[k, "y"] = b * k + 1.0
    MEMO[k] = MEMO[k, "y"] * 2.0
    return MEMO.get((k, "z"), 5.0), k in MEMO


for k in (3, 1, 3, 2, 1):
    print(remember(k, a))
print(sorted(SEEN), list(MEMO))


def copied(b):
    mine = copy.deepcopy(CONFIG)
    mine["steps"].append(3)
    mine["scale"] *= 2.0
    return b * mine["scale"] + len(mine["steps"])


show("copied", repeat(copied, a))
print(CONFIG)


def by_identity(items, b):
    return {id(items): b * 2.0 + 1.0}[id(items)]


show("id", repeat(by_identity, [1], a))


# What is made is made once: the same array in two places is one array.
def same_in_two_places(b):
    c = b * 2.0 + 1.0
    holder = Box(c)
    return holder, [c, c], {"c": c}


holder, pair, named = repeat(same_in_two_places, a)
print(holder.value is pair[0] is pair[1] is named["c"])


# A key that is deleted and read raises, and everything before it has happened.
def deletes_then_reads(table, b):
    table["kept"] = b * 2.0 + 1.0
    del table["x"]
    return table["x"] + b


for _ in range(6):
    table = {"x": a}
    try:
        deletes_then_reads(table, a)
    except KeyError as error:
        print("KeyError", error, list(table))


# Lists, dicts, attributes and globals written between array operations, in the program's order.
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
