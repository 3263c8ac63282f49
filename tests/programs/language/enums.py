"""IntEnum, IntFlag, Flag and StrEnum take part in arithmetic, comparison, indexing, look-up and iteration."""
import enum

import numpy as np


class Axis(enum.IntEnum):
    ROW = 0
    COLUMN = 1
    DEPTH = 2

    @property
    def letter(self):
        return "rcd"[self]


class Mode(enum.Flag):
    NONE = 0
    FAST = 1
    SAFE = 2
    BOTH = FAST | SAFE


class Bits(enum.IntFlag):
    A = 1
    B = 2
    C = 4


class Name(enum.StrEnum):
    LEFT = "left"
    RIGHT = "right"


class Scale(float, enum.Enum):
    HALF = 0.5
    TWICE = 2.0


class Odd(enum.IntEnum):
    ONE = 1
    TWO = 2

    def __add__(self, other):
        return 100 + other

    def __eq__(self, other):
        return False

    __hash__ = enum.Enum.__hash__


WEIGHTS = {Axis.ROW: 2.0, Axis.COLUMN: 3.0, 2: 5.0}
BY_NAME = {Name.LEFT: -1.0, "right": 1.0}


def arithmetic(a):
    return a * Axis.COLUMN + Axis.DEPTH, Axis.DEPTH - a, a ** Axis.DEPTH, Axis.DEPTH * 3 + 1, -Axis.DEPTH, 7 // Axis.DEPTH, a[1:] @ a[1:] * Axis.ROW


def floats(a):
    return a * Scale.HALF + Scale.TWICE, Scale.HALF < Scale.TWICE, Scale.HALF + 1, a > Scale.TWICE


def comparisons(a):
    axis = Axis.COLUMN
    return (axis == 1, axis < Axis.DEPTH, 1 == axis, axis != 2, axis is Axis.COLUMN, axis in (0, 1), axis in (Axis.ROW,),
            axis >= 1.5, a >= Axis.COLUMN, (a == Axis.DEPTH).sum(), axis == "x", bool(Axis.ROW), not axis)


def indexing(a):
    m = np.outer(a, a)
    items = [a, a + 1.0, a + 2.0]
    return m[Axis.ROW], m[:, Axis.COLUMN], items[Axis.DEPTH], m.sum(axis=int(Axis.COLUMN)), (3, 4, 5)[Axis.ROW], m[Axis.ROW, Axis.DEPTH]


def stores(a):
    m = a.copy()
    m[Axis.DEPTH] = 9.0
    items = [1, 2, 3]
    items[Axis.COLUMN] = a
    return m, items


def keys(a):
    total = a
    for axis in (Axis.ROW, Axis.COLUMN):
        total = total * WEIGHTS[axis]
    made = {Axis.ROW: a, Axis.DEPTH: 3}
    made[Axis.ROW] = made[0] + 1.0
    made[1] = 2.0
    made[Axis.COLUMN] = 4.0
    return total, made, WEIGHTS.get(Axis.DEPTH, 7.0), Axis.COLUMN in WEIGHTS, BY_NAME[Name.RIGHT] * a


def lookups(a, value, name):
    return a * Axis(value), Axis[name].letter, Axis(value).name, len(Axis), [x.value for x in Axis], Axis.ROW in Axis


def flags(a):
    mode = Mode.FAST | Mode.SAFE
    b = a + 1.0 if mode & Mode.FAST else a
    c = b * 2.0 if Mode.SAFE in mode else b
    rest = mode & ~Mode.FAST
    bits = Bits.A | Bits.C
    return c, mode is Mode.BOTH, rest, bits, bits & Bits.C, a * bits, bool(Mode.NONE), bits ^ 1, int(bits), a * (bits & Bits.B)


def texts(a):
    side = Name.LEFT
    return a * (side == "left"), side + "!", side.upper(), len(side), side.value, f"{Axis.ROW}", str(Axis.DEPTH), repr(Axis.ROW), f"{side}"


def odd(a):
    return a + 1.0, Odd.ONE + 1, Odd.ONE == 1, Odd.TWO * 2, Odd.ONE < 2, a * Odd.TWO, a + Odd.TWO


def conversions(a):
    return a * int(Axis.DEPTH) + float(Axis.COLUMN), [a * k for k in range(Axis.DEPTH)], abs(-Axis.COLUMN), max(Axis.ROW, Axis.DEPTH), sum([Axis.COLUMN, 2])


def show(function, *args):
    try:
        print(function.__name__, function(*args))
    except Exception as error:
        print(function.__name__, type(error).__name__, error)


for i in range(5):
    a = np.arange(4.0) + i
    for function in (arithmetic, floats, comparisons, indexing, stores, keys, flags, texts, odd, conversions):
        show(function, a)
    for value, name in ((i % 3, "ROW"), (1, "DEPTH"), (7, "ROW"), (0, "NONE")):
        show(lookups, a, value, name)
    if i == 3:
        Axis.__mul__ = lambda self, other: "times"
        Axis.__rmul__ = lambda self, other: "timed"
        WEIGHTS[Axis.ROW] = 11.0
