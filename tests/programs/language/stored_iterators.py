"""Attributes, closures and containers keep iterators, which go on from one call to the next."""
import numpy as np


class Feed:
    def __init__(self, items):
        self.items = items
        self.source = iter(items)
        self.rounds = 0

    def step(self, a):
        try:
            item = next(self.source)
        except StopIteration:
            self.source = iter(self.items)
            self.rounds += 1
            item = next(self.source)
        return a * item


def train(feed, a, steps):
    for _ in range(steps):
        a = a + feed.step(a) * 0.1
    return a


def with_default(source, a):
    return a + next(source, -1.0), next(source, None)


def rest_of(source, a):
    total = np.zeros_like(a)
    for item in source:
        total = total + a * item
    return total


def pairs(source, a):
    """zip takes from one iterator twice."""
    return [a * x + y for x, y in zip(source, source)]


def growing(items, source, a):
    """A list iterator goes on into what is appended, until it has come to the end."""
    items.append(a.sum())
    return next(source, "end")


def two_names(first, second, a):
    return a * next(first) + next(second)


a = np.arange(3.0)
feed = Feed([1.0, 2.0, 3.0])
for _ in range(4):
    print(train(feed, a, 2), feed.rounds)
source = iter((5.0, 6.0, 7.0))
for _ in range(4):
    print(with_default(source, a))
for items in ([1.0, 2.0, 4.0], (1.0, 2.0), []):
    source = iter(items)
    next(source, None)
    print(rest_of(source, a), next(source, "gone"))
source = iter([1.0, 2.0, 3.0, 4.0, 5.0])
print(pairs(source, a), next(source, "gone"))
items = [1.0]
source = iter(items)
for _ in range(4):
    print(growing(items, source, a), len(items))
for _ in range(2):
    items.pop()
print([growing(items, source, a) for _ in range(3)])
one, other = iter([1, 2, 3, 4, 5, 6, 7, 8]), iter([10, 20, 30])
print(two_names(one, other, a), two_names(one, one, a), two_names(one, other, a), next(one))
