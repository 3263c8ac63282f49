"""Functions with array work that C code calls: keys, callbacks of libraries, hooks, finalizers that raise, and their tracebacks."""
import atexit
import bisect
import codecs
import ctypes
import functools
import heapq
import itertools
import json
import re
import sqlite3
import sys
import traceback
import warnings
import xml.parsers.expat

import numpy as np

COMPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double))


def key(x):
    a = np.asarray(x, float) * 2
    return float((a - a.mean()).sum() + a.max())


@COMPARE
def compare(first, second):
    pair = np.array([first[0], second[0]])
    return int(np.sign(pair[0] - pair[1]))


def sorted_by_c(a):
    a = a.copy()
    ctypes.CDLL(None).qsort(a.ctypes.data_as(ctypes.c_void_p), len(a), a.itemsize, compare)
    return a


class Spread:
    def __init__(self):
        self.values = []

    def step(self, x):
        self.values.append(x)

    def finalize(self):
        return float(np.std(np.array(self.values) * 2))


base = sqlite3.connect(":memory:")
base.create_function("norm", 2, lambda x, y: float(np.hypot(x, y)))
base.create_aggregate("spread", 1, Spread)
base.execute("create table points(x, y)")
base.executemany("insert into points values(?, ?)", [(i * 0.5, 3 - i) for i in range(6)])


def callbacks():
    yield sorted([[1, 2], [0, 5], [3]], key=key), max([[1, 2], [9]], key=key), heapq.nlargest(2, [[1, 1], [5], [2, 7]], key=key)
    yield sorted_by_c(np.array([3.0, 1.0, 2.0])), bisect.bisect([[1], [4], [9]], 10, key=key)
    yield base.execute("select x, norm(x, y) from points where norm(x, y) > 2 order by 2").fetchall()
    yield base.execute("select spread(y) from points").fetchone()
    yield re.sub(r"\d+", lambda found: str(np.arange(int(found[0])).sum()), "4 and 10")
    yield list(map(key, [[1], [2, 3]])), list(filter(lambda v: (np.array(v) > 1).any(), [[0], [2]]))
    yield functools.reduce(lambda a, b: a @ b + a, [np.eye(2) * k for k in (1, 2, 3)])
    yield np.apply_along_axis(lambda v: v[::-1] * v.sum(), 0, np.arange(6.0).reshape(3, 2))
    yield np.fromfunction(lambda i, j: i * 2 + j, (2, 3)), np.vectorize(key, signature="(n)->()")(np.ones((2, 3)))
    yield np.piecewise(np.arange(4.0), [np.arange(4) < 2], [lambda v: v * 3, lambda v: -v])
    yield np.frompyfunc(lambda a, b: key([a, b]), 2, 1).outer([1, 2], [3])
    yield [(k, len(list(group))) for k, group in itertools.groupby([1, 2, 4, 5], key=lambda v: bool(np.array([v]).max() > 2))]
    yield list(itertools.accumulate([1, 2, 3], lambda a, b: float(np.array([a, b]).prod())))
    yield json.loads('{"a": [1, 2]}', object_hook=lambda d: {k: np.array(v) * 2 for k, v in d.items()})


def fails(x):
    y = np.asarray(x) / 2
    return y[10]


FAILING = (
    lambda: sorted([[1]], key=fails),
    lambda: np.apply_along_axis(fails, 0, np.ones(3)),
    lambda: list(map(fails, [[1]])),
    lambda: np.vectorize(fails)([1]),
    lambda: re.sub("a", lambda found: fails([1]), "a"),
    lambda: np.frompyfunc(fails, 1, 1)(np.ones(2)),
    lambda: base.execute("select norm('x', 1)").fetchone(),
)

for _ in range(6):
    results = list(callbacks())
print(*results, sep="\n")
for call in FAILING:
    for _ in range(3):
        try:
            call()
        except Exception as error:
            seen = type(error).__name__, str(error), [(f.name, f.lineno) for f in traceback.extract_tb(error.__traceback__)]
    print(seen)


class Fragile:
    def __init__(self, a):
        self.a = a

    def __del__(self):
        raise ValueError(f"{(self.a * 2).sum()} in __del__")


def drops(a):
    fragile = Fragile(a)
    b = a + 1
    del fragile
    return b.sum()


unraisable = []
sys.unraisablehook = lambda u: unraisable.append((u.exc_type.__name__, str(u.exc_value), u.exc_traceback.tb_lineno))
for _ in range(6):
    drops(np.ones(2))
sys.unraisablehook = sys.__unraisablehook__
print(unraisable)


def divides(a):
    return a / 0


shown = []
usual, warnings.showwarning = warnings.showwarning, lambda message, category, file, line, *rest: shown.append((str(message), line))
warnings.simplefilter("always")
for _ in range(5):
    divides(np.ones(2))
warnings.showwarning = usual
print(shown)

events = []
sys.addaudithook(lambda name, args: events.append(args) if name == "program.event" else None)
for k in range(5):
    sys.audit("program.event", float((np.ones(2) * k).sum()))
print(events)

attributes = []
parser = xml.parsers.expat.ParserCreate()
parser.StartElementHandler = lambda name, values: attributes.append(np.array([float(v) for v in values.values()]).sum())
parser.Parse("<a x='1'><b y='2' z='3'/></a>")
codecs.register_error("sums", lambda error: (str(np.arange(3).sum()), error.end))
print(attributes, "a\u00e9b".encode("ascii", "sums"))

atexit.register(lambda: print("at exit", key([1, 2])))
sys.excepthook = lambda kind, error, tb: print("hook", kind.__name__, error, tb.tb_lineno, tb.tb_next.tb_lineno)
fails(np.ones(3))
