"""Subclasses of tuple beside arrays: operators, NumPy's protocols and special methods of their own."""
import math
import operator
from collections import namedtuple
from typing import NamedTuple

import numpy as np
from show import attempt

A = np.arange(2.0) + 1


class Plain(NamedTuple):
    x: float
    y: float


class Vector(NamedTuple):
    x: float
    y: float

    def __add__(self, other):
        return Vector(self.x + other, self.y + other)

    def __mul__(self, other):
        return Vector(self.x * other, self.y * other)

    def __rmul__(self, other):
        return "rmul"

    def __sub__(self, other):
        return NotImplemented

    def __matmul__(self, other):
        return self.x * other[0] + self.y * other[1]


class Point(namedtuple("Point", "x y")):
    __slots__ = ()

    def __add__(self, other):
        return Point(self.x + other, self.y + other)

    def __iadd__(self, other):
        return Point(self.x - other, self.y)


class OnlyReflected(NamedTuple):
    x: float
    y: float

    def __radd__(self, other):
        return "radd"


class Odd(NamedTuple):
    x: float
    y: float

    def __hash__(self):
        return 7

    def __bytes__(self):
        return b"odd"

    def __reversed__(self):
        return iter("dlo")

    def __round__(self, digits=None):
        return "round", digits

    def __divmod__(self, other):
        return "divmod"

    def __complex__(self):
        return 1j


class AsArray(NamedTuple):
    x: float
    y: float

    def __array__(self, dtype=None):
        return np.array([9.0, 9.0])


class Ufuncs(NamedTuple):
    x: float
    y: float

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        return "ufunc " + ufunc.__name__

    def __array_function__(self, function, types, args, keywords):
        return "function " + function.__name__


class NoUfuncs(NamedTuple):
    x: float
    y: float
    __array_ufunc__ = None

    def __rsub__(self, other):
        return "rsub"


class Priority(NamedTuple):
    x: float
    y: float
    __array_priority__ = 1000

    def __radd__(self, other):
        return "radd"


KINDS = (Plain, Vector, Point, OnlyReflected, Odd, AsArray, Ufuncs, NoUfuncs, Priority)
OPERATORS = (operator.add, operator.sub, operator.mul, operator.truediv, operator.matmul, operator.iadd)


def tried(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return type(error).__name__


def add_right(a, v):
    return v + a


def add_left(a, v):
    return a + v


def multiply(a, v):
    return v * a, a * v


def scaled(a, v):
    return v * a.sum(), v * a[1]


def in_place(a, v):
    v += a
    return v


def with_all(a, v):
    return [tried(op, *pair) for op in OPERATORS for pair in ((v, a), (a, v), (a[0], v))]


def made_inside(a, kind):
    v = kind(1.0, 2.0)
    return tried(lambda: v + a), tried(lambda: v - a), tried(lambda: a + v), tried(lambda: np.asarray(v) * 2)


def functions(a, v):
    return [tried(np.asarray, v), tried(np.sum, v), tried(np.add, v, a), tried(np.concatenate, [a, v]),
            tried(np.where, a > 1, a, v)]


def methods(a, v):
    return [hash(v), tried(bytes, v), list(reversed(v)), tried(round, v), tried(divmod, v, 2), tried(complex, v),
            tried(math.sqrt, v), v.count(1.0), v.index(2.0), tuple(v), a.sum()]


for kind in KINDS:
    value = kind(1.0, 2.0)
    for function in (add_right, add_left, multiply, scaled, in_place, with_all, functions):
        attempt(f"{function.__name__} {kind.__name__}", lambda a, v: tried(function, a, v), A, value)
    attempt(f"made {kind.__name__}", made_inside, A, kind)
    attempt(f"methods {kind.__name__}", lambda a, v: methods(a, v)[0 if kind is Odd else 1:], A, value)


def asked(a):
    return hash(Plain(1.0, 2.0)) == hash((1.0, 2.0)), np.asarray(Plain(1.0, 2.0)) + a, a.sum()


attempt("asked", asked, A)
Plain.__array__ = lambda self, dtype=None: np.array([5.0, 5.0])
attempt("asked", asked, A)
Plain.__add__ = lambda self, other: "add"
attempt("asked", add_right, A, Plain(1.0, 2.0))
