"""Every row of builtins.def, frame_state.def, effects.def and values.def, made to happen by a small function.

usage: dynacc-python table_rows_test.py SOURCE_ROOT

Most functions are captured whole. In others a break comes while a value of the kind in question is
in the frame: the recipe must put it there for the rest of the function to find.
"""
import collections
import copy
import functools
import itertools
import math
import operator
import pathlib
import re
import struct
import sys
import types
import unittest

import numpy as np

import dynacc

ROOT = pathlib.Path(sys.argv.pop(1))
ARRAY = np.arange(1.0, 7.0).reshape(2, 3)


def builtin_rows():
    text = (ROOT / "frontend/tracer/builtins/builtins.def").read_text()
    return {f"{owner}.{name}" if owner else name
            for owner, name in re.findall(r'^DYNACC_BUILTIN\("(\w*)", "(\w+)"', text, re.M)}


def kind_rows(path, macro):
    return set(re.findall(rf"^{macro}\((\w+),", (ROOT / path).read_text(), re.M))


def append(a):
    items = [a]
    items.append(a * 2.0)
    return items[0] + items[1]


def changed(change):
    """A list that was changed inside."""
    def function(a):
        items = [a, a * 2.0, 3.0]
        change(items, a)
        return items
    return function


def table_after(change):
    def function(a):
        table = {"x": a * 2.0, "y": 1.0}
        return change(table, a), table
    return function


def ordered(change):
    """An OrderedDict that was changed inside."""
    def function(a):
        table = collections.OrderedDict([("x", a * 2.0), ("y", 1.0)], z=a)
        return change(table, a), table, list(table)
    return function


class Named(dict):
    """A dict whose entries are attributes."""
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


class Grouped(collections.defaultdict):
    pass


def setattr_of(table, value):
    table.p = value
    return table["p"]


SET_QUERIES = ("copy", "union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset",
               "isdisjoint")
SET_METHODS = {"add": (5,), "discard": (1,), "remove": (9,), "update": ([3, 17], {25}), "__contains__": (1,), "pop": (),
               "clear": (), "intersection_update": ({1, 17},), "difference_update": ([9],),
               "symmetric_difference_update": ({1, 2},), **{name: ([1, 17],) for name in SET_QUERIES}, "copy": ()}


def set_after(name, *args):
    """A set on which a method was called inside."""
    call = eval(f"lambda some: some.{name}({', '.join(map(repr, args))})")

    def function(a):
        some = {9, 1, 17}
        result = call(some)
        return a * len(some) + 1.0, list(some), list(result) if type(result) is set else result
    return function


def query_of_frozenset(name, *args):
    call = eval(f"lambda some: some.{name}({', '.join(map(repr, args))})")

    def function(a):
        result = call(frozenset((9, 1, 17)))
        return a * 2.0, sorted(result) if type(result) is frozenset else result
    return function


def totals(a):
    while True:
        a = a + (yield a)


def sent_to(a):
    source = totals(a)
    return next(source) + source.send(2.0)


def closed(a):
    source = (a * n for n in range(3))
    first = next(source) + 1.0
    source.close()
    return first, next(source, "closed")


def forgives(a):
    try:
        yield a
    except ValueError:
        a = a * 2.0
    yield a


def thrown_into(a):
    source = forgives(a)
    return next(source) + source.throw(ValueError("no"))


def queue(change):
    """A deque that was changed inside."""
    def function(a):
        items = collections.deque((a, 2.0, 3.0), 5)
        change(items, a)
        return a + 1.0, items
    return function


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y
        super().__init__()


class Frozen:
    def __init__(self, x):
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "y", 1.0)
        object.__delattr__(self, "y")


class Singleton:
    def __new__(cls, x):
        self = object.__new__(cls)
        self.x = x
        return self


class CodedError(Exception):
    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


Pair = collections.namedtuple("Pair", "first second")


def raises_and_catches(a):
    try:
        raise CodedError("no", 3.0)
    except CodedError as error:
        return a * error.code + len(error.args) + len(str(error))


def deletes_attribute(a):
    p = Point(a * 2.0, 1.0)
    delattr(p, "y")
    setattr(p, "z", a + 1.0)
    return (p.x + getattr(p, "z") + getattr(p, "y", 3.0), hasattr(p, "y"))


BUILTINS = {
    "round": lambda a: a * round(2.6) + round(2.567, 2),
    "divmod": lambda a: a * divmod(7, 2)[0] + 1.0,
    "pow": lambda a: a * pow(2, 3) + 1.0,
    "ord": lambda a: a * ord("a") + 1.0,
    "chr": lambda a: (a * 2.0 + 1.0, chr(97)),
    "repr": lambda a: (a * 2.0 + 1.0, repr(3.5), repr(a.sum())),
    "format": lambda a: (a * 2.0 + 1.0, format(3.5, ".2f"), format(a.sum(), ".3f")),
    "str.format": lambda a: (a * 2.0 + 1.0, "{:5.1f} {}".format(a.sum(), "x"), "{}".format(1)),
    "str.join": lambda a: (a * 2.0 + 1.0, "-".join(["x", str(a.sum())]), "-".join("ab")),
    "hash": lambda a: a * (hash(3) + 1.0) + 1.0,
    "complex": lambda a: (a * 2.0 + 1.0, complex(1.0, 2.0)),
    "slice": lambda a: a[slice(0, 1)] * 2.0 + 1.0,
    "issubclass": lambda a: a * issubclass(bool, int) + 1.0,
    "callable": lambda a: a * callable(append) + 1.0,
    "type": lambda a: a * 2.0 + (1.0 if type(a) is np.ndarray else 2.0),
    "super": lambda a: Point(a * 2.0, a + 1.0).x * 2.0,
    "hasattr": deletes_attribute,
    "getattr": deletes_attribute,
    "setattr": deletes_attribute,
    "delattr": deletes_attribute,
    "iter": lambda a: next(iter((a * 2.0, a + 1.0))) + 1.0,
    "next": lambda a: next(iter((a * 2.0,))) + next(iter(()), 1.0),
    "map": lambda a: list(map(lambda x, k: x * k + 1.0, (a, a), (2.0, 3.0))),
    "filter": lambda a: [a * k + 1.0 for k in filter(None, (0, 1, 2))],
    "sorted": lambda a: [a * k + 1.0 for k in sorted((3, 1, 2), key=lambda k: -k)],
    "any": lambda a: a * any((0, 1)) + 1.0,
    "all": lambda a: a * all(k > 0 for k in (1, 2)) + 1.0,
    "dict": lambda a: dict([("x", a * 2.0)], y=a + 1.0),
    "set": lambda a: (a * 2.0 + 1.0, set((1, 2, 1))),
    "bool": lambda a: a * bool(3) + 1.0,
    "str": lambda a: (a * 2.0 + 1.0, str(2.5)),
    "object.__init__": lambda a: Point(a * 2.0, a + 1.0).y * 2.0,
    "object.__new__": lambda a: Singleton(a * 2.0).x + 1.0,
    "object.__setattr__": lambda a: Frozen(a * 2.0).x + 1.0,
    "object.__delattr__": lambda a: Frozen(a * 2.0).x + 1.0,
    "tuple.__new__": lambda a: Pair(a * 2.0, a + 1.0),
    "BaseException.__init__": raises_and_catches,
    "list.extend": changed(lambda items, a: items.extend((a + 1.0, 2.0))),
    "list.insert": changed(lambda items, a: items.insert(1, a + 1.0)),
    "list.pop": changed(lambda items, a: items.append(items.pop(0) + items.pop())),
    "list.clear": changed(lambda items, a: (items.clear(), items.append(a * 2.0 + 1.0))),
    "list.copy": changed(lambda items, a: items.append(items.copy()[1] + 1.0)),
    "list.reverse": changed(lambda items, a: items.reverse()),
    "list.sort": changed(lambda items, a: (items.clear(), items.extend([3.0, 1.0, 2.0]), items.sort())),
    "list.index": changed(lambda items, a: items.append(["x", "y"].index("y"))),
    "tuple.index": changed(lambda items, a: items.append(("x", "y").index("y"))),
    "list.remove": changed(lambda items, a: (items.append(5.0), items.reverse(), items.remove(5.0))),
    "list.count": lambda a: a * [1, 2, 1].count(1) + 1.0,
    "tuple.count": lambda a: a * (1, 2, a.ndim).count(2) + 1.0,
    "_collections.deque": lambda a: collections.deque((a * 2.0, 1.0), maxlen=3),
    "deque.append": queue(lambda d, a: d.append(a * 2.0)),
    "deque.appendleft": queue(lambda d, a: d.appendleft(a * 2.0)),
    "deque.pop": queue(lambda d, a: d.append(a * d.pop())),
    "deque.popleft": queue(lambda d, a: d.append(a * d.popleft())),
    "deque.extend": queue(lambda d, a: d.extend((a * 2.0, 1.0))),
    "deque.extendleft": queue(lambda d, a: d.extendleft((a * 2.0, 1.0))),
    "deque.clear": queue(lambda d, a: (d.clear(), d.append(a * 2.0))),
    "deque.copy": queue(lambda d, a: d.append(list(d.copy()))),
    "deque.__copy__": queue(lambda d, a: d.append(list(copy.copy(d)))),
    "deque.rotate": queue(lambda d, a: d.rotate(2)),
    "deque.reverse": queue(lambda d, a: d.reverse()),
    "deque.count": queue(lambda d, a: d.append(collections.deque((1, 2, 1)).count(1))),
    "deque.index": queue(lambda d, a: d.append(collections.deque((1, 2, 1)).index(2))),
    "deque.remove": queue(lambda d, a: (d.popleft(), d.remove(3.0))),
    "deque.insert": queue(lambda d, a: d.insert(1, a * 2.0)),
    "_collections.defaultdict": lambda a: a * len(collections.defaultdict(list, p=1)["q"]) + 1.0,
    "defaultdict.__init__": lambda a: Grouped(list)["q"] + [a * 2.0],
    "_collections.OrderedDict": ordered(lambda d, a: d),
    "OrderedDict.keys": ordered(lambda d, a: [a * len(k) for k in d.keys()]),
    "OrderedDict.values": ordered(lambda d, a: [a * v for v in d.values()]),
    "OrderedDict.items": ordered(lambda d, a: [v * len(k) for k, v in d.items()]),
    "OrderedDict.update": ordered(lambda d, a: d.update({"z": a}, w=2.0)),
    "OrderedDict.pop": ordered(lambda d, a: d.pop("x") + d.pop("q", 1.0)),
    "OrderedDict.setdefault": ordered(lambda d, a: d.setdefault("x", 1.0) + d.setdefault("q", a)),
    "OrderedDict.clear": ordered(lambda d, a: d.clear()),
    "OrderedDict.popitem": ordered(lambda d, a: (d.popitem(), d.popitem(last=False))),
    "OrderedDict.__setitem__": ordered(lambda d, a: collections.OrderedDict.__setitem__(d, "q", a)),
    "OrderedDict.__delitem__": ordered(lambda d, a: collections.OrderedDict.__delitem__(d, "x")),
    "dict.__init__": lambda a: Named(p=a * 2.0)["p"] + 1.0,
    "dict.__getitem__": lambda a: Named(p=a * 2.0).p + 1.0,
    "dict.__setitem__": lambda a: setattr_of(Named(), a * 2.0) + 1.0,
    "dict.__delitem__": table_after(lambda table, a: dict.__delitem__(table, "x")),
    "dict.__contains__": table_after(lambda table, a: dict.__contains__(table, "x")),
    "dict.clear": table_after(lambda table, a: table.clear()),
    "dict.popitem": table_after(lambda table, a: table.popitem()),
    "functools.partial": lambda a: functools.partial(np.multiply, 2.0)(a) + 1.0,
    "operator.itemgetter": lambda a: operator.itemgetter(1)((a, a * 2.0)) + 1.0,
    "operator.attrgetter": lambda a: operator.attrgetter("x")(Point(a * 2.0, 1.0)) + 1.0,
    "operator.methodcaller": lambda a: operator.methodcaller("sum", axis=0)(a) + 1.0,
    "dict.pop": table_after(lambda table, a: table.pop("x") + table.pop("z", 1.0)),
    "dict.setdefault": table_after(lambda table, a: table.setdefault("z", a + 1.0)),
    "dict.update": table_after(lambda table, a: table.update({"y": a}, z=a + 1.0)),
    "dict.copy": table_after(lambda table, a: table.copy()),
    "dict.keys": table_after(lambda table, a: [a * len(k) for k in table.keys()]),
    "dict.values": table_after(lambda table, a: [a * k for k in table.values()]),
    "dict.items": table_after(lambda table, a: [v * len(k) for k, v in table.items()]),
    **{f"set.{name}": set_after(name, *args) for name, args in SET_METHODS.items()},
    **{f"frozenset.{name}": query_of_frozenset(name, *SET_METHODS[name]) for name in SET_QUERIES},
    "math.isnan": lambda a: (a * 2.0, math.isnan(a[0, 0]), math.isnan(a.sum() * np.inf * 0)),
    "math.isinf": lambda a: (a * 2.0, math.isinf(a[0, 0]), math.isinf(-a.sum() * np.inf)),
    "math.isfinite": lambda a: (a * 2.0, math.isfinite(a[0, 0]), math.isfinite(a.sum() * np.inf)),
    "functools.reduce": lambda a: functools.reduce(lambda x, y: x * y + 1.0, (a, a, 2.0)),
    "itertools.chain": lambda a: sum(itertools.chain((a, a), [a * 2.0])),
    "itertools.count": lambda a: [x * k for x, k in zip((a, a), itertools.count(2))],
    "itertools.repeat": lambda a: sum(itertools.repeat(a * 2.0, 3)),
    "itertools.islice": lambda a: [a * k for k in itertools.islice(itertools.count(), 1, 7, 2)],
    "itertools.product": lambda a: [a * i + j for i, j in itertools.product((1.0, 2.0), (3.0, 4.0))],
    "itertools.accumulate": lambda a: list(itertools.accumulate((a, a * 2.0, a))),
    "itertools.zip_longest": lambda a: [x * k for x, k in itertools.zip_longest((a, a), (2.0,), fillvalue=3.0)],
    "itertools.starmap": lambda a: list(itertools.starmap(lambda x, k: x * k + 1.0, ((a, 2.0),))),
    "itertools.combinations": lambda a: [a * i + j for i, j in itertools.combinations((1.0, 2.0, 3.0), 2)],
    "operator.add": lambda a: operator.add(a, 2.0) * 2.0,
    "operator.sub": lambda a: operator.sub(a, 2.0) * 2.0,
    "operator.mul": lambda a: operator.mul(a, 2.0) + 2.0,
    "operator.truediv": lambda a: operator.truediv(a, 2.0) + 2.0,
    "operator.floordiv": lambda a: operator.floordiv(a, 2.0) + 2.0,
    "operator.mod": lambda a: operator.mod(a, 2.0) + 2.0,
    "operator.pow": lambda a: operator.pow(a, 2.0) + 2.0,
    "operator.matmul": lambda a: operator.matmul(a, a.T) + 2.0,
    "operator.neg": lambda a: operator.neg(a) + 2.0,
    "operator.getitem": lambda a: operator.getitem((a, a * 2.0), 1) + 2.0,
    "len": lambda a: a * len(a) + len((1, 2)),
    "__import__": lambda a: a * __import__("math").pi + __import__("numpy.linalg", fromlist=("norm",)).norm(a),
    "generator.send": lambda a: sent_to(a),
    "generator.close": lambda a: closed(a),
    "generator.throw": lambda a: thrown_into(a),
    "types.MethodType": lambda a: types.MethodType(lambda self, x: self * x, a)(2.0),
    "frozenset": lambda a: a * len(frozenset((1, 2, 1))) + sum(frozenset((1, 2))),
    "bytes": lambda a: a * bytes((1, 2))[1] + 1.0,
    "int.from_bytes": lambda a: a * int.from_bytes(b"\1\2", "little") + 1.0,
    "_struct.calcsize": lambda a: a * struct.calcsize("<if") + 1.0,
    "range": lambda a: [a * k for k in range(3)],
    "abs": lambda a: a * abs(-2) + abs(-1.5),
    "min": lambda a: a * min(*a.shape) + min(3, 4.0),
    "max": lambda a: a * max(*a.shape) + max(3, 4.0),
    "isinstance": lambda a: a * 2.0 + 1.0 if isinstance(a.ndim, int) else a,
    "enumerate": lambda a: [x * k + 1.0 for k, x in enumerate((a, a))],
    "zip": lambda a: [x * y for x, y in zip((a, a), (2.0, a))],
    "reversed": lambda a: [x * 2.0 + 1.0 for x in reversed((a, a + 1.0))],
    "tuple": lambda a: tuple([a * 2.0, a + 1.0]),
    "list": lambda a: list((a * 2.0, a + 1.0)),
    "float": lambda a: a * float(3) + float(a.ndim),
    "int": lambda a: a * int(2.5) + int(a.ndim),
    "sum": lambda a: a * sum([1, a.ndim, 3]) + sum(a.shape),
    "list.append": append,
    "dict.get": lambda a: {"x": a * 2.0}.get("x") + 1.0,
}


def math_of_constants(a):
    """Functions of math need no row: they are called on what is known."""
    return a * math.sqrt(2.0) + math.exp(1.0) + math.floor(2.5) + math.prod((2.0, 3.0)) + math.tanh(a.ndim)


@dynacc.disable
def stop(*values):
    """Something that is not traced: a break at its call. Gives its arguments back."""
    return values[0] if len(values) == 1 else values


def kept_iterator(a):
    left = iter((a * 2.0, a + 1.0))
    first = next(left)
    for x in left:
        first = stop(first) + x
    return first


def kept_loop(a):
    total = a * 2.0 + 1.0
    for k in (1.0, 2.0, 3.0):
        total = stop(total) * k + a
    return total


def kept_range_loop(a):
    total = a * 2.0 + 1.0
    for k in range(9, 1, -3):
        total = stop(total) * k + a
    return total


def kept_list_loop(a):
    total, items = a * 2.0 + 1.0, [1.0, 2.0]
    for k in items:
        total = stop(total) * k + a
        if len(items) < 4:
            items.append(k + 0.5)
    return total


def kept_cell(a):
    b = a * 2.0 + 1.0

    def reads():
        return b
    stop()
    b = b + 1.0
    return reads() + b


def kept_function(a, shift=1.0):
    b = a * 2.0

    def inner(x, y=3.0, *, z=4.0) -> float:
        return (x + b) * y + z + shift

    def countdown(n):
        return inner(a) if n == 0 else countdown(n - 1)
    return inner, countdown, b + 1.0


def make_closure(scale):
    def closure(a):
        b = a * scale + 1.0
        stop()
        return b * scale
    return closure


class Box:
    scale = 2.0

    def grow(self, a, b):
        return a * self.scale + b


def kept_method(a, box=Box()):
    return box.grow(a * 2.0, stop(a) + 1.0)


# Of each step of a recipe: a function whose result or rest needs it, and whether it breaks on the way.
FRAME_STATE_STEPS = {
    "Call": (lambda a: (float(a.sum()), f"{a.max():.2f}", a * 2.0 + 1.0), False),
    "Load": (lambda a: (a, a * 2.0 + 1.0), False),
    "Constant": (lambda a: ("text", a * 2.0 + 1.0), False),
    "Int": (lambda a: (a.shape[0] + 1, a * 2.0 + 1.0), False),
    "Float": (lambda a: (a.shape[0] / 4, a * 2.0 + 1.0), False),
    "Bool": (lambda a: (a.shape[0] > 1, a * 2.0 + 1.0), False),
    "Output": (lambda a: a * 2.0 + 1.0, False),
    "View": (lambda a: (a[:, 1:].T, a * 2.0 + 1.0), False),
    "Tuple": (lambda a: (a * 2.0, (a + 1.0, ())), False),
    "List": (lambda a: [a * 2.0, [a + 1.0]], False),
    "Dict": (lambda a: {"x": a * 2.0, "y": {"z": a + 1.0}}, False),
    "Slice": (lambda a: (slice(1, a.shape[0]), a * 2.0 + 1.0)[0:2], True),
    "Iterator": (kept_loop, True),
    "RangeIterator": (kept_range_loop, True),
    "ListIterator": (kept_list_loop, True),
    "Cell": (kept_cell, True),
    "FillCell": (kept_cell, True),
    "Function": (kept_function, False),
    "Set": (lambda a: (a * 2.0 + 1.0, {1, 2}), False),
    "TupleSubclass": (lambda a: Pair(a * 2.0, a + 1.0), False),
    "Range": (lambda a: (a * 2.0 + 1.0, range(a.ndim, 9)), False),
    "Instance": (lambda a: Point(a * 2.0, a + 1.0), False),
    "Fill": (lambda a: Point(a * 2.0, 1.0), False),
    "Method": (kept_method, True),
    "Attribute": (lambda a: (a * 2.0 + 1.0).sum(axis=stop(0)), True),
    "CallNamed": (lambda a: (a * 2.0 + 1.0, operator.methodcaller("f", 1, k=2)), False),
    "Deque": (lambda a: collections.deque((a * 2.0, 1.0), 2), False),
    "Null": (lambda a: np.sqrt(a * 2.0 + stop(a)) + 1.0, True),
}

class Held:
    """What effects change: reset before each call."""

    latest = None

    def __init__(self):
        type(self).latest = None
        self.items = [1.0, 2.0]
        self.table = {"x": 1.0, "y": 2.0}
        self.names = {"a"}
        self.numbers = {1, 9, 17}
        self.source = iter([1.0, 2.0, 3.0])
        self.recent = collections.deque((1.0, 2.0, 3.0), 4)
        self.gone = 3.0


HELD = Held()


def effect(change):
    def function(a):
        held = HELD
        result = change(held, a * 2.0 + 1.0)
        return result
    return function


def set_cell(held, b):
    total = b

    def add():
        nonlocal total
        total = total + b
    add()
    return total


def make_counter():
    count = None

    def step(a):
        nonlocal count
        count = a * 2.0 + 1.0
        return count
    return step


def set_error_mask(a):
    under = np.geterr()["under"]
    np.seterr(under="warn" if under == "ignore" else "ignore")
    return a * 2.0, np.geterr()["under"] == under


def delete_attribute(held, b):
    held.made = b
    del held.gone


def assign_set(held, b):
    held.numbers |= {2, 10}
    held.numbers -= {1}
    return b * len(held.numbers), list(held.numbers)


@functools.lru_cache(maxsize=4)
def scale(n):
    return n * 2.0


scale(2)


def delete_item(held, b):
    held.table["z"] = b
    del held.table["x"]


def assign_list(held, b):
    held.items.pop()
    held.items.pop()
    held.items.append(b)


def set_item(held, b):
    held.items[-1] = b


@dynacc.compile(dynamic=True)
def set_item_at(a):
    HELD.items[a.shape[0] - 1] = a * 2.0
    return a + 1.0


def set_dict_item(held, b):
    held.table["x"] = b


def set_attribute(held, b):
    held.made = b
    held.made = held.made + 1.0


def set_deque_item(held, b):
    held.recent[-1] = b
    return b * 2.0


def set_class_attribute(held, b):
    type(held).latest = b
    Held.latest = held.latest + 1.0
    return Held.latest * 2.0


# A function for each effect; what it leaves in HELD is compared, too.
EFFECTS = {
    "SetAttribute": effect(set_attribute),
    "SetClassAttribute": effect(set_class_attribute),
    "DeleteAttribute": effect(delete_attribute),
    "AppendToList": effect(lambda held, b: held.items.append(b)),
    "SetListItem": effect(set_item),
    "SetListItemAt": set_item_at,
    "AssignList": effect(assign_list),
    "AppendToDeque": effect(lambda held, b: held.recent.append(b)),
    "PrependToDeque": effect(lambda held, b: (held.recent.pop(), held.recent.appendleft(b))),
    "SetDequeItem": effect(set_deque_item),
    "DropFromDeque": effect(lambda held, b: (b, held.recent.popleft(), held.recent.pop())),
    "EndDequeIterators": effect(lambda held, b: (held.recent.append(b), held.recent.pop())),
    "SetDictItem": effect(set_dict_item),
    "DeleteDictItem": effect(delete_item),
    "AddToSet": effect(lambda held, b: (b, held.names.add("b"))[0]),
    "DiscardFromSet": effect(lambda held, b: (b, held.names.discard("a"))[0]),
    "AssignSet": effect(assign_set),
    "CallCached": effect(lambda held, b: b * scale(2) + scale(2)),
    "AdvanceIterator": effect(lambda held, b: (b * next(held.source), next(held.source))),
    "SetErrorMask": set_error_mask,
    "SetCell": make_counter(),
}

# What shows each kind of value: a row above, or a function here.
def selection(a):
    b = a * 2.0
    b[a > 0.5] -= a[a > 0.5]
    return b


VALUES = {
    "Lazy": FRAME_STATE_STEPS["Call"][0],
    "Null": FRAME_STATE_STEPS["Null"][0],
    "Constant": FRAME_STATE_STEPS["Constant"][0],
    "Number": FRAME_STATE_STEPS["Int"][0],
    "Tensor": FRAME_STATE_STEPS["Output"][0],
    "Selection": selection,
    "Tuple": FRAME_STATE_STEPS["Tuple"][0],
    "List": FRAME_STATE_STEPS["List"][0],
    "Dict": FRAME_STATE_STEPS["Dict"][0],
    "Deque": FRAME_STATE_STEPS["Deque"][0],
    "Partial": FRAME_STATE_STEPS["CallNamed"][0],
    "Slice": lambda a: a[slice(0, 1)] * 2.0 + 1.0,
    "Iterator": FRAME_STATE_STEPS["Iterator"][0],
    "LazyIterator": lambda a: [x * y + 1.0 for x, y in zip((a, a), (2.0, 3.0))],
    "DictView": lambda a: sum({"x": a * 2.0, "y": a}.values()),
    "Generator": lambda a: sum(a * k for k in (1.0, 2.0)),
    "Set": FRAME_STATE_STEPS["Set"][0],
    "Subgraph": lambda a: dynacc.cond(a.sum() > 0, lambda: a * 2.0, lambda: a + 1.0),
    "Super": lambda a: Point(a * 2.0, a).x + 1.0,
    "Instance": FRAME_STATE_STEPS["Instance"][0],
    "Cell": FRAME_STATE_STEPS["Cell"][0],
    "Function": lambda a: (lambda x: x * 2.0)(a) + 1.0,
    "BoundMethod": lambda a, box=Box(): box.grow(a, 1.0) * 2.0,
    "ArrayMethod": lambda a: a.sum() * 2.0 + 1.0,
    "Object": kept_method,
}


def described(value):
    """A value as something that can be compared: types, bits and structure."""
    if isinstance(value, np.ndarray):
        return ("array", value.dtype, value.shape, value.strides, value.flags.owndata, value.tobytes())
    if isinstance(value, (Point, Held)):
        return type(value), described(vars(value)), described(getattr(value, "latest", None))
    if isinstance(value, types.FunctionType):
        return value.__qualname__, value.__annotations__, described(value(2))
    if isinstance(value, (tuple, list)):
        return type(value), [described(item) for item in value]
    if type(value) is type(iter([])):
        return described(list(copy.copy(value)))
    if isinstance(value, collections.deque):
        return value.maxlen, [described(item) for item in value]
    if isinstance(value, dict):
        return type(value), [(key, described(item)) for key, item in value.items()]
    return type(value), repr(value)


class TableRows(unittest.TestCase):
    def check(self, function, may_break):
        expected = described(function(ARRAY))
        report = dynacc.explain(function)(ARRAY)
        self.assertEqual(described(report.result), expected)
        self.assertGreaterEqual(len(report.graphs), 1, report)
        if not may_break:
            self.assertEqual(report.breaks, [])
        compiled = dynacc.compile(function)
        for _ in range(5):
            self.assertEqual(described(compiled(ARRAY)), expected)
        # Other sizes: the constants of the first trace are constants no more.
        for other in (np.ones((3, 3)), np.ones((4, 3)), np.ones((5, 3))):
            self.assertEqual(described(compiled(other)), described(function(other)))

    def test_builtins(self):
        self.assertEqual(builtin_rows(), set(BUILTINS))
        for row, function in BUILTINS.items():
            with self.subTest(row=row):
                self.check(function, may_break=False)

    def test_math_is_called_on_constants(self):
        self.check(math_of_constants, may_break=False)

    def test_frame_state_steps(self):
        self.assertEqual(kind_rows("frontend/frame_state/frame_state.def", "DYNACC_FRAME_STATE_STEP"), set(FRAME_STATE_STEPS))
        for row, (function, may_break) in FRAME_STATE_STEPS.items():
            with self.subTest(row=row):
                self.check(function, may_break)

    def test_effects(self):
        self.assertEqual(kind_rows("frontend/frame_state/effects.def", "DYNACC_EFFECT"), set(EFFECTS))
        for row, function in EFFECTS.items():
            with self.subTest(row=row):
                HELD.__init__()
                expected = described([function(ARRAY), HELD])
                HELD.__init__()
                report = dynacc.explain(function)(ARRAY)
                self.assertEqual(described([report.result, HELD]), expected)
                self.assertEqual(report.breaks, [])
                self.assertEqual(len(report.graphs), 1)

    def test_values(self):
        self.assertEqual(kind_rows("frontend/symbolic/values.def", "DYNACC_VALUE"), set(VALUES))
        for row, function in VALUES.items():
            with self.subTest(row=row):
                self.check(function, may_break=True)


if __name__ == "__main__":
    unittest.main()
