"""sum, max, reduce, extend and update use an item before they ask for the next one."""
import collections
import functools
import operator

import numpy as np

LOG = []


class Number:
    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        LOG.append(("add", self.value))
        return Number(self.value + (other.value if isinstance(other, Number) else other))

    __radd__ = __add__

    def __lt__(self, other):
        LOG.append(("less", self.value))
        return self.value < other.value


def numbers():
    for n in (3, 1, 2):
        LOG.append(("made", n))
        yield Number(n)


def logged(function):
    def wrapper(a):
        LOG.clear()
        return function(a), list(LOG), a + 1
    return wrapper


def key(number):
    LOG.append(("key", number.value))
    return number.value


added = logged(lambda a: sum(numbers()).value)
greatest = logged(lambda a: max(numbers(), key=key).value)
least = logged(lambda a: min(numbers()).value)
reduced = logged(lambda a: functools.reduce(operator.add, numbers()).value)
ordered = logged(lambda a: [n.value for n in sorted(numbers(), key=key)])


def stops_short(a):
    items, queue, table = [a], collections.deque([1]), {}

    def pairs():
        yield "p", a.ndim
        yield "q", len(items) + len(queue) + len(table)
        raise KeyError("z")
    for take in (items.extend, queue.extend, table.update):
        try:
            take(pairs())
        except KeyError as error:
            queue.append(str(error))
    return items, queue, table, a * 2


def looks_at_itself(a):
    items = [a.sum(), 1]
    items.extend(len(items) for _ in range(3))
    items += (len(items) for _ in range(2))
    items[1:2] = (len(items) + n for n in range(2))
    return items, a + 1


def itself(a):
    items = [a, 2]
    items.extend(items)
    items += items
    return items, a * 2


def largest_of_floats(a):
    return max(float(x) for x in a), min(x.sum() for x in (a, a - 1)), sum(a), sum([a, a], start=a)


def logged_items(*items):
    for item in items:
        LOG.append(item)
        yield item


@logged
def largest_of_mixed(a):
    try:
        return max(logged_items(1, "a", 2))
    except TypeError as error:
        return str(error)


@logged
def smallest_pair(a):
    return min(logged_items((2, "b"), (1, "c"), (1, "a"))), max(logged_items((2.0, 1), (2.0, 3)))


@logged
def smallest_of_mixed_pairs(a):
    try:
        return min(logged_items((1, "b"), (1, 2), (1, "a")))
    except TypeError as error:
        return str(error)


class Shrinks:
    def __init__(self, items):
        self.items = items

    def __lt__(self, other):
        self.items.pop()
        return False


def least_of_shrinking(a):
    items = []
    items += [Shrinks(items) for _ in range(5)]
    min(items)
    return len(items), a + 1


def sets_stop(a):
    seen = []
    for ask in ({1, 7}.isdisjoint, {1, 2}.issuperset, frozenset({1}).isdisjoint, {9}.issubset, {2}.intersection):
        items = iter([1, 2, 3, 4])
        seen.append((ask(items), tuple(items)))
        seen.append(ask([1, 2, 3, 4]))
        seen.append(ask({1: 2, 3: 4}.keys()))
    return seen, a + 1


a = np.arange(3.0)
for _ in range(3):
    for function in (largest_of_mixed, smallest_pair, smallest_of_mixed_pairs, least_of_shrinking, sets_stop):
        print(function(a))
for _ in range(3):
    for function in (added, greatest, least, reduced, ordered, stops_short, looks_at_itself, itself, largest_of_floats):
        print(function(a))
