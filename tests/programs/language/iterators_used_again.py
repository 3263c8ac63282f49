"""What iterators give after their end, after an error, and while what they go through changes."""
import collections
import itertools

import numpy as np
from show import attempt

A = np.arange(3.0)


def values_of(a, make):
    table, seen = make(a=1, b=2, c=3), []
    for key, value in table.items():
        seen.append((key, value))
        table["b"] = table["c"] = 20 + value
    for value in table.values():
        seen.append(value)
        table["c"] = 5
    for key, value in reversed(table.items()):
        seen.append((key, value))
        table["a"] = 7
    steps = iter(table.values())
    seen.append(next(steps))
    table["b"] = "new"
    seen.append(next(steps))
    return seen, a.sum()


def existing_values(a, table):
    for key, value in table.items():
        for other in table:
            if other != key:
                table[other] = table[other] - 0.5 * value
    return dict(table), a.sum()


def moved(a):
    table = {"a": 1}
    for key in table:
        table[key] = table.pop(key)
    return table, a.sum()


def moved_behind(a):
    table, seen = {"a": 1, "b": 2, "c": 3}, []
    for key in reversed(table):
        seen.append(key)
        table["a"] = table.pop("a")
    return seen, table, a.sum()


def after_the_end(a):
    table, members, things, queue = {"a": 1}, {1, 2}, [1, 2], collections.deque([1])
    steps = [iter(table), iter(table.items()), iter(members), iter(things), reversed(things), iter((1, 2)),
             enumerate(things), map(str, things), filter(None, things), zip(things),
             itertools.accumulate(things), itertools.chain(things), itertools.islice(things, 9)]
    taken = [list(step) for step in steps]
    taken.append(list(queue))
    table["b"] = 2
    members.update(range(3, 40))
    things.append(3)
    taken.append([next(step, "end") for step in steps])
    again = iter(things)
    total = sum(again)
    things.append(100)
    for item in again:
        total += item
    return taken, total, a.sum()


def check(value):
    if value == 0:
        raise ValueError("zero")
    return value


def fails_at(values, at):
    for number, value in enumerate(values):
        if number == at:
            raise ValueError("there")
        yield value


class Steps:
    """An iterator that raises once and goes on."""

    def __init__(self, values):
        self.values = list(values)

    def __iter__(self):
        return self

    def __next__(self):
        if not self.values:
            raise StopIteration
        value = self.values.pop(0)
        if value == "error":
            raise ValueError(value)
        return value


class NotIterable:
    def __iter__(self):
        raise ValueError("no iterator")


def used_again(a, make):
    steps, seen = make(), []
    for _ in range(5):
        try:
            item = next(steps, "end")
            seen.append(item[0] if isinstance(item, tuple) else item)
        except ValueError as error:
            seen.append(str(error))
    return seen, a.sum()


MAKERS = [lambda: itertools.takewhile(check, [1, 0, 2]), lambda: itertools.dropwhile(check, [1, 0, 2, 3]),
          lambda: itertools.filterfalse(check, [1, 0, 2]), lambda: itertools.groupby([1, 0, 2], check),
          lambda: itertools.compress([1, 2, 3, 4], Steps([1, "error", 1])),
          lambda: itertools.cycle(Steps([1, "error", 2])), lambda: itertools.pairwise(Steps([1, 2, "error", 3, 4])),
          lambda: itertools.chain.from_iterable([Steps([1, "error", 2]), [3]]),
          lambda: itertools.chain(Steps([1, "error", 2]), [3]), lambda: itertools.chain([1], NotIterable(), [2]),
          lambda: itertools.islice(Steps([1, "error", 2, 3]), 4),
          lambda: itertools.zip_longest(Steps([1, "error", 2]), [4, 5, 6]),
          lambda: map(check, [1, 0, 2]), lambda: filter(check, [1, 0, 2]), lambda: zip(Steps([1, "error", 2])),
          lambda: enumerate(Steps([1, "error", 2])), lambda: itertools.accumulate(Steps([1, "error", 2])),
          lambda: itertools.starmap(check, [(1,), (0,), (2,)]), lambda: fails_at([1, 2, 3], 1)]


def arguments(a):
    seen = [list(itertools.accumulate([1, 2, 3], initial=None)), list(itertools.accumulate([1, 2], None)),
            next(itertools.count(True)), next(itertools.count(2.5)), list(itertools.islice([1, 2], None)),
            list(itertools.islice([1, 2, 3], None, None, None))]
    for make in (lambda: list(itertools.combinations([1, 2, 3], None)),
                 lambda: list(zip([1], itertools.repeat(5, None))),
                 lambda: list(itertools.product([1, 2], repeat=None)), lambda: next(itertools.count("a"))):
        try:
            seen.append(make())
        except TypeError as error:
            seen.append(str(error))
    return seen, a.sum()


for kind in (dict, collections.OrderedDict, collections.Counter,
             lambda **items: collections.defaultdict(int, items)):
    attempt("values_of", values_of, A, kind)
for scale in (1.0, 2.0):
    attempt("existing", existing_values, A, {"w": A * scale, "b": A + scale, "c": A - 1})
    attempt("existing", existing_values, A, {"w": scale, "b": 3.0})
for function in (moved, moved_behind, after_the_end, arguments):
    attempt(function.__name__, function, A)
for number, maker in enumerate(MAKERS):
    attempt(f"again {number}", used_again, A, maker)
