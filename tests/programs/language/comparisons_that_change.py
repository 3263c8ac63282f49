"""Comparisons that change the list, deque, dict or heap whose items are compared, or look at it."""
import collections
import heapq

import numpy as np
from show import attempt

A = np.arange(3.0)


class Item:
    """Does something to `container` at its n-th comparison."""

    def __init__(self, value, container, at=0, act=None, log=None):
        self.value, self.container, self.at, self.act, self.log = value, container, at, act, log

    def compared(self):
        if self.log is not None:
            self.log.append([item.value for item in self.container])
        self.at -= 1
        if self.at == 0 and self.act is not None:
            self.act(self.container)

    def __eq__(self, other):
        self.compared()
        return isinstance(other, Item) and self.value == other.value

    __hash__ = None

    def __lt__(self, other):
        self.compared()
        return self.value < other.value

    def __repr__(self):
        return f"Item({self.value})"


def pop(container):
    container.pop()


def append(container):
    container.append(5)


def clear(container):
    container.clear()


def fail(container):
    raise ValueError("comparison")


def tried(function, *args):
    try:
        return function(*args)
    except (RuntimeError, ValueError, IndexError) as error:
        return type(error).__name__, str(error)


def values(container):
    return [getattr(item, "value", item) for item in container]


def searched(a, kind, act, at):
    seen = []
    for search in (lambda c, x: x in c, lambda c, x: c.count(x), lambda c, x: c.index(x), lambda c, x: c.remove(x),
                   lambda c, x: c == kind([x, x, x]), lambda c, x: c < kind([x, x, x])):
        container = kind()
        container.extend(Item(n, container, at, act) for n in range(4))
        seen.append((tried(search, container, Item(2, container)), values(container)))
    return seen, a.sum()


def compared_dicts(a):
    table = {}
    for name in "abc":
        table[name] = Item(1, table, 1, lambda container: container.pop("c", None))
    return tried(lambda: table == {"a": Item(1, []), "b": Item(1, []), "c": Item(1, [])}), list(table), a.sum()


def heaps(a, act, at, looks):
    seen = []
    for use in (lambda h: heapq.heappush(h, Item(0, h, at, act, log)), heapq.heappop, heapq.heapify,
                lambda h: heapq.heapreplace(h, Item(9, h)), lambda h: heapq.heappushpop(h, Item(9, h))):
        heap, log = [], [] if looks else None
        heap.extend(Item(n, heap, at, act, log) for n in (1, 3, 2, 7, 4, 5))
        result = tried(use, heap)
        seen.append((getattr(result, "value", result), values(heap), log))
    return seen, a.sum()


for kind in (list, collections.deque):
    for act in (None, pop, append, clear, fail):
        for at in (1, 2):
            attempt(f"{kind.__name__} {at}", searched, A, kind, act, at)
attempt("dicts", compared_dicts, A)
for act in (None, pop, append, clear, fail):
    for at in (1, 2):
        for looks in (False, True):
            attempt(f"heap {at}", heaps, A, act, at, looks)
