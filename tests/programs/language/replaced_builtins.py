"""A function or a callable object replaces builtins and library functions before anything runs often."""
import bisect
import builtins
import functools
import heapq
import itertools
import operator

import numpy as np

A = np.arange(6.0)
genuine = {name: getattr(builtins, name) for name in ("abs", "len", "max", "sum", "repr", "ascii", "format")}


class Fixed:
    """Gives the same to all who call, and counts them."""

    def __init__(self, value):
        self.value, self.calls = value, 0

    def __call__(self, *arguments):
        self.calls += 1
        return self.value


class Pair:
    def __init__(self, *arguments):
        self.arguments = arguments

    def __call__(self, *more):
        return 100.0


def replaced_length(values):
    return 2


def in_arrays(a, k):
    return a * abs(-k) + max(k, 3) + sum([1, 2])


def in_queues(a, k):
    heap = [5, 3, 8]
    heapq.heapify(heap)
    heapq.heappush(heap, k)
    return a * bisect.bisect([1, 2, 3, 4, 5], 4) + heapq.heappop(heap) + len(heap)


def in_library(a, k):
    pairs = sum(itertools.accumulate([k, 2]), 0)
    return a + pairs + operator.itemgetter(1)([k, 7]) + functools.reduce(operator.add, [k, 1])


def in_elements(a):
    total = 0.0
    for i in range(6):
        total += abs(a[i]) + max(i, 2) + len(a)
    return total


def in_text(a, k):
    total = a.sum() + k
    return f"{total!r} {total:.2f} {total!a}", repr(total), format(total), "%r" % float(total)


def run(title):
    for k in range(40):
        text = in_text(A, k)
        results = in_arrays(A, k), in_queues(A, k), in_library(A, k), in_elements(A)
    print(title, *(np.sum(r) for r in results), text)


replacements = ("abs", 9.0), ("max", 0.5), ("sum", 11), ("repr", "R"), ("ascii", "A"), ("format", "F")
fixed = {name: Fixed(value) for name, value in replacements}
for name, function in fixed.items():
    setattr(builtins, name, function)
builtins.len = replaced_length
library = itertools.accumulate, operator.itemgetter, functools.reduce
itertools.accumulate, operator.itemgetter, functools.reduce = Fixed([1]), Pair, Fixed(-1)
run("replaced")
for name, function in genuine.items():
    setattr(builtins, name, function)
print({name: function.calls for name, function in fixed.items()}, itertools.accumulate.calls, functools.reduce.calls)
run("genuine builtins")
itertools.accumulate, operator.itemgetter, functools.reduce = library
run("genuine library")
