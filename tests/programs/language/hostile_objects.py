"""Objects raise, lie, have effects or change under way; some code objects are made by hand."""
import functools
import sys
import types

import numpy as np
from show import repeat, show

a = np.arange(4.0)
LOG = []


class Loud:
    """Every special method leaves a note; some raise now and then."""

    def __init__(self, when=None):
        self.when = when

    def __getattr__(self, name):
        LOG.append(f"getattr {name}")
        if self.when == name:
            raise RuntimeError(name)
        return 2.0

    def __eq__(self, other):
        LOG.append("eq")
        if self.when == "eq":
            raise RuntimeError("eq")
        return True

    __hash__ = None

    def __bool__(self):
        LOG.append("bool")
        if self.when == "bool":
            raise RuntimeError("bool")
        return False

    def __len__(self):
        LOG.append("len")
        return 3

    def __index__(self):
        LOG.append("index")
        return 1


def meets(o, b):
    c = b * o.missing + 1.0
    if o == 3:
        c = c * 2.0
    if not o:
        c = c + len(o)
    return c + b[o]


for when in (None, "missing", "eq", "bool", None) * 3:
    try:
        show("loud", meets(Loud(when), a))
    except RuntimeError as error:
        print("RuntimeError", error)
print(len(LOG), LOG[:8])


class Wrapped:
    def __init__(self, data):
        self.data = data

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        LOG.append(ufunc.__name__)
        if ufunc is np.multiply:
            raise TypeError("no products")
        return "answered"

    def __array__(self, dtype=None):
        LOG.append("array")
        return np.asarray(self.data, dtype)


def with_ufunc(b, w):
    c = b * 2.0 + 1.0
    return c + w, c * w


for _ in range(4):
    try:
        with_ufunc(a, Wrapped(a))
    except TypeError as error:
        print("TypeError", error)
print(LOG[-4:])


class Reflected:
    __array_priority__ = 100.0

    def __radd__(self, other):
        return "radd"

    def __rmul__(self, other):
        return "rmul"

    __array_ufunc__ = None


for _ in range(4):
    show("reflected", (lambda b, r: (b + r, b * 2.0 + 1.0))(a, Reflected()))


# A type that changes between calls and during one.
class Shifting:
    def value(self):
        return 1.0


class Shifted:
    def value(self):
        return 100.0


def shifts(o, b, change):
    c = b * o.value() + 1.0
    change(o)
    return c + o.value()


def to_shifted(o):
    o.__class__ = Shifted


def patched(o):
    type(o).value = lambda self: 7.0


for change in (lambda o: None, to_shifted, lambda o: None, to_shifted):
    show("shifts", shifts(Shifting(), a, change))
show("patched", shifts(Shifting(), a, patched))
show("patched", shifts(Shifting(), a, lambda o: None))


# Containers that hold themselves, and a recursion that goes too deep.
def holds_itself(b):
    items = [b * 2.0 + 1.0]
    items.append(items)
    table = {"items": items}
    table["self"] = table
    return items, table


for _ in range(4):
    items, table = holds_itself(a)
print(items[1] is items, table["self"] is table, table["items"] is items)


def reads_itself(items, b):
    return items[1][1][1][0] * 2.0 + b


show("reads", repeat(reads_itself, items, a))


def endless(b, n):
    return endless(b * 2.0, n + 1)


for _ in range(2):
    try:
        endless(a, 0)
    except RecursionError as error:
        print("RecursionError", str(error)[:32])


# Properties, iterators and managers that raise at each point.
class Failing:
    def __init__(self, where):
        self.where = where

    def check(self, where):
        LOG.append(where)
        if where == self.where:
            raise LookupError(where)

    @property
    def part(self):
        self.check("part")
        return 2.0

    def __enter__(self):
        self.check("enter")
        return self

    def __exit__(self, *error):
        self.check("exit")

    def __iter__(self):
        self.check("iter")
        yield 1.0
        self.check("next")
        yield 2.0

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
        if name == "stored":
            self.check("store")

    def __call__(self, b):
        self.check("call")
        return b * 2.0


def goes_through(o, b):
    with o as f:
        c = f(b) * f.part
        for k in f:
            c = c * k + 1.0
        f.stored = c
    return c


for where in ("none", "enter", "call", "part", "iter", "next", "store", "exit") * 2:
    del LOG[:]
    try:
        value = goes_through(Failing(where), a)
        show("through", value)
    except LookupError as error:
        print("LookupError", error, LOG)


# Code objects that no compiler made: constants, names and line tables of other functions.
def template(b, k=2.0):
    c = b * k + 1.0
    return c - 1.0


code = template.__code__
made = types.FunctionType(code.replace(co_consts=(None, 5.0), co_name="made"), globals(), "made", (3.0,))
show("made", repeat(made, a))
nameless = types.FunctionType(code.replace(co_linetable=b""), globals(), argdefs=(3.0,))
show("no lines", repeat(nameless, a))
template.__code__ = code.replace(co_consts=(None, 7.0))
show("swapped", repeat(template, a))
template.__defaults__ = (10.0,)
show("defaults", repeat(template, a))


# A trace function that changes a local.
def traced(b):
    c = b * 2.0
    d = c + 1.0
    return d


def tracer(frame, event, argument):
    if frame.f_code is traced.__code__ and event == "line" and "c" in frame.f_locals:
        LOG.append(frame.f_lineno - frame.f_code.co_firstlineno)
    return tracer


del LOG[:]
show("before", repeat(traced, a))
sys.settrace(tracer)
show("under", traced(a))
sys.settrace(None)
show("after", traced(a))
print(LOG)


# Destructors that look around, and weak references.
class Dying:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        LOG.append(f"{self.name} dies with {len(HOLDER['items'])}")


HOLDER = {"items": []}


def replaces(b):
    HOLDER["object"] = Dying("first")
    HOLDER["items"].append(b * 2.0)
    HOLDER["object"] = Dying("second")
    HOLDER["items"].append(b + 1.0)
    return b * 3.0 + 1.0


del LOG[:]
for _ in range(3):
    replaces(a)
print(LOG)


# Dicts with odd keys, dict and list subclasses, a dict that changes during iteration.
class Key:
    def __hash__(self):
        LOG.append("hash")
        return hash("x")

    def __eq__(self, other):
        LOG.append("eq")
        return other == "x"


class Default(dict):
    def __missing__(self, key):
        LOG.append(f"missing {key}")
        return 5.0


class Items(list):
    def append(self, item):
        LOG.append("append")
        super().append(item)


def odd_containers(table, default, items, b):
    items.append(b)
    return b * table["x"] + default["y"] + len(items)


del LOG[:]
for _ in range(4):
    show("odd", odd_containers({Key(): 3.0}, Default(), Items(), a))
print(LOG.count("missing y"), LOG.count("append"))


def changes_while_iterating(table, b):
    for name in table:
        b = b + 1.0
        table[name + "x"] = b
    return b


for _ in range(3):
    try:
        changes_while_iterating({"a": 1}, a)
    except RuntimeError as error:
        print(error)


def holds_itself(x):
    items = [1]
    items.append(items)
    return repr(items), x + 1


def calls_with_a_key_that_is_no_name(partial):
    return partial()


show("a list in itself", repeat(holds_itself, np.arange(3)))
odd = functools.partial(np.zeros, 2)
odd.keywords[1234] = "value"
for _ in range(4):
    try:
        print(calls_with_a_key_that_is_no_name(odd))
    except TypeError as error:
        print("TypeError", error)
