"""Every row of polyfills.def and library.def, captured: no break, and the value that the C function gives.

usage: dynacc-python polyfills_test.py SOURCE_ROOT
"""
import bisect
import contextlib
import copy
import functools
import heapq
import itertools
import operator
import pathlib
import re
import sys
import unittest
import unittest.mock

import numpy as np

import dynacc

ROOT = pathlib.Path(sys.argv.pop(1))
ARRAY = np.arange(1.0, 7.0)


def heap_after(change, start=(1, 4, 2)):
    def function(a):
        heap = list(start)
        return a * 2.0, change(heap), heap
    return function


def in_place(change):
    def function(a):
        table = {"p": 1, "q": 2}
        change(table)
        return a * 2.0, table
    return function


def of_two(function):
    return lambda a: (a * 2.0, function(6, 3), function(3, 3))


def of_one(function):
    return lambda a: (a * 2.0, function(6), function(0))


def updates(function):
    def run(a):
        b = a.copy()
        return function(b, 2.0) is b, b
    return run


ROWS = {
    "_heapq.heappush": heap_after(lambda heap: heapq.heappush(heap, 0)),
    "_heapq.heappop": heap_after(lambda heap: heapq.heappop(heap)),
    "_heapq.heapreplace": heap_after(lambda heap: heapq.heapreplace(heap, 3)),
    "_heapq.heappushpop": heap_after(lambda heap: heapq.heappushpop(heap, 3)),
    "_heapq.heapify": heap_after(lambda heap: heapq.heapify(heap), (5, 4, 3, 2, 1)),
    "_bisect.bisect_right": lambda a: a * bisect.bisect_right([1, 2, 2, 3], 2),
    "_bisect.bisect_left": lambda a: a * bisect.bisect_left([1, 2, 2, 3], 2),
    "_bisect.insort_right": heap_after(lambda items: bisect.insort_right(items, 2.0), (1, 2, 3)),
    "_bisect.insort_left": heap_after(lambda items: bisect.insort_left(items, 2.0), (1, 2, 3)),
    "itertools.chain.from_iterable": lambda a: sum(itertools.chain.from_iterable([[a, a], [a * 2.0]])),
    "itertools.pairwise": lambda a: [p * q for p, q in itertools.pairwise((a, a + 1.0, a * 2.0))],
    "itertools.takewhile": lambda a: [a * k for k in itertools.takewhile(lambda k: k < 3, (1, 2, 3, 1))],
    "itertools.dropwhile": lambda a: [a * k for k in itertools.dropwhile(lambda k: k < 3, (1, 2, 3, 1))],
    "itertools.filterfalse": lambda a: [a * k for k in itertools.filterfalse(lambda k: k < 3, (1, 2, 3, 1))],
    "itertools.compress": lambda a: list(itertools.compress((a, a * 2.0, 3.0), (1, 0, 1))),
    "itertools.cycle": lambda a: [p * k for p, k in zip((a,) * 5, itertools.cycle((2.0, 3.0)))],
    "itertools.permutations": lambda a: [a * p + q for p, q in itertools.permutations((1.0, 2.0, 3.0), 2)],
    "itertools.combinations_with_replacement":
        lambda a: [a * p + q for p, q in itertools.combinations_with_replacement((1.0, 2.0), 2)],
    "itertools.groupby": lambda a: [(k, sum(p * a for p in group)) for k, group in itertools.groupby((1, 1, 2))],
    "_operator.lt": of_two(operator.lt),
    "_operator.le": of_two(operator.le),
    "_operator.eq": of_two(operator.eq),
    "_operator.ne": of_two(operator.ne),
    "_operator.ge": of_two(operator.ge),
    "_operator.gt": of_two(operator.gt),
    "_operator.and_": of_two(operator.and_),
    "_operator.or_": of_two(operator.or_),
    "_operator.xor": of_two(operator.xor),
    "_operator.lshift": of_two(operator.lshift),
    "_operator.rshift": of_two(operator.rshift),
    "_operator.invert": of_one(operator.invert),
    "_operator.pos": of_one(operator.pos),
    "_operator.abs": lambda a: operator.abs(a - 3.0),
    "_operator.not_": of_one(operator.not_),
    "_operator.truth": of_one(operator.truth),
    "_operator.is_": lambda a: (a * 2.0, operator.is_(a, a), operator.is_(a, None)),
    "_operator.is_not": lambda a: (a * 2.0, operator.is_not(a, a), operator.is_not(a, None)),
    "_operator.contains": lambda a: (a * 2.0, operator.contains([1, 2], 2), operator.contains([1, 2], 3)),
    "_operator.setitem": in_place(lambda table: operator.setitem(table, "r", 3)),
    "_operator.delitem": in_place(lambda table: operator.delitem(table, "p")),
    "_operator.iadd": updates(operator.iadd),
    "_operator.isub": updates(operator.isub),
    "_operator.imul": updates(operator.imul),
    "_operator.itruediv": updates(operator.itruediv),
    "_operator.ifloordiv": updates(operator.ifloordiv),
    "_operator.imod": updates(operator.imod),
    "_operator.ipow": updates(operator.ipow),
    "_operator.iand": of_two(operator.iand),
    "_operator.ior": of_two(operator.ior),
    "_operator.ixor": of_two(operator.ixor),
    "dict.fromkeys": lambda a: (a * 2.0, dict.fromkeys(("p", "q"), 1.0)),
    "numpy.ndarray.__copy__": lambda a: np.ndarray.__copy__(a) * 2.0,
    "numpy.generic.__copy__": lambda a: (a * 2.0, np.generic.__copy__(a.sum())),
}


class Manager:
    def __enter__(self):
        return 2.0

    def __exit__(self, *error):
        return False


def stacked(a):
    with contextlib.ExitStack() as stack:
        return a * stack.enter_context(Manager())


# Python functions of the library, by their qualified names (library.def).
LIBRARY = {
    "ExitStack.__exit__": stacked,
}


@functools.singledispatch
def doubled(value):
    return value


@doubled.register(np.ndarray)
def _(value):
    return value * 2.0


# Those that need more than a function in their place.
HANDLED = {
    "copy.deepcopy": lambda a: copy.deepcopy([a, 1.0])[0] * 2.0,
    "functools.singledispatch": lambda a: doubled(a) + doubled(1.0),
}


def described(value):
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tobytes()
    if isinstance(value, (tuple, list)):
        return type(value), [described(item) for item in value]
    return type(value), repr(value)


class StandIns(unittest.TestCase):
    def test_every_row(self):
        text = (ROOT / "frontend/polyfills/polyfills.def").read_text()
        self.assertEqual(set(re.findall(r'^DYNACC_POLYFILL\("([\w.]+)"', text, re.M)), set(ROWS))
        self.check(ROWS)

    def test_every_row_of_the_library(self):
        text = (ROOT / "frontend/tracer/builtins/library.def").read_text()
        self.assertEqual(set(re.findall(r'^DYNACC_LIBRARY_POLYFILL\("[^"]*", "([^"]*)"', text, re.M)), set(LIBRARY))
        self.check(LIBRARY)

    def test_handled_functions(self):
        self.check(HANDLED)

    def test_deepcopy_by_a_set_of_classes(self):  # which copy.py has from CPython 3.14 on
        classes = {type(None), int, float, bool, complex, bytes, str, type, range}
        rows = {"list": lambda a: copy.deepcopy([a, 1.0, ("p", None)])[0] * 2.0,
                "tuple": lambda a: (a * 2.0, copy.deepcopy(((1, int), (2.5, [a])))),
                "dict": lambda a: (a * 2.0, list(copy.deepcopy({"p": a, 3: [1]}).values()))}
        with unittest.mock.patch.object(copy, "_atomic_types", classes, create=True):
            self.check(rows)

    def test_copy_by_sets_of_classes(self):  # as copy.copy of 3.14 asks them
        atomic, containers = {int, float, str, tuple}, {list, dict, set}

        def copied(x):
            cls = type(x)
            return x if cls in atomic else cls.copy(x) if cls in containers else x + 0.0

        self.check({"copy": lambda a: (copied(a) * 2.0, copied([a, 1]), copied((a, 2)), copied(2.5))})

    def check(self, rows):
        for row, function in rows.items():
            with self.subTest(row=row):
                expected = described(function(ARRAY))
                report = dynacc.explain(function)(ARRAY)
                self.assertEqual(described(report.result), expected)
                self.assertEqual(report.breaks, [])
                self.assertEqual(len(report.graphs), 1)
                compiled = dynacc.compile(function)
                for _ in range(3):
                    self.assertEqual(described(compiled(ARRAY)), expected)


if __name__ == "__main__":
    unittest.main()
