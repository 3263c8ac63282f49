"""Members of enumerations, classes and functions are keys of dicts and items of sets."""
import enum

import numpy as np


class Mode(enum.Enum):
    FAST = 1
    SLOW = 2
    OFF = "off"


class Flag(enum.Flag):
    A = enum.auto()
    B = enum.auto()


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Sphere:
    pass


class Cube:
    pass


class Odd(enum.Enum):
    X = 1

    def __hash__(self):
        return 7


def double(a):
    return a * 2


def triple(a):
    return a * 3


factors = {Mode.FAST: 2.0, Mode.SLOW: 3.0, "FAST": 5.0}
shapes = {Sphere: 1.5, Cube: 2.5, double: "d", triple: "t"}
levels = {Level.LOW: 0.5, 2: 0.25, Odd.X: 4.0}


def scale(a, mode):
    return (np.sin(a) * factors[mode]).sum()


def by_class(a, thing):
    return (a + shapes[type(thing)]).sum(), shapes.get(int, "none"), Cube in shapes


def by_function(a, function):
    return function(a).sum(), shapes[function]


def missing(a, mode):
    b = (a * 2 + 1).sum()
    try:
        return b * factors[mode]
    except KeyError as error:
        return b, repr(error)


def made_here(a, mode):
    table = {Mode.FAST: a * 2, Mode.SLOW: a - 1, Flag.A: a}
    table[Mode.OFF] = a * 4
    seen = {Mode.FAST, Sphere}
    return table[mode].sum(), mode in table, Flag.B in table, len(table), mode in seen


def store(a, mode, results):
    results[mode] = (a * a).sum()
    results[Sphere] = results[mode] + 1
    return a + 1


def counted(a, mode, counts):
    counts[mode] = counts.get(mode, 0) + 1
    return (a * counts[mode]).sum()


def mixed(a):
    return (a * levels[Level.LOW]).sum(), (a * levels[Level.HIGH]).sum(), (a * levels[Odd.X]).sum()


def removed(a, table):
    del table[Mode.SLOW]
    return (a * table[Mode.FAST]).sum(), list(table)


a = np.linspace(0.0, 1.0, 1000)
for mode in (Mode.FAST, Mode.SLOW, Mode.FAST, Mode.SLOW, Mode.FAST):
    print(scale(a, mode), made_here(a, mode))
for thing in (Sphere(), Cube(), Sphere(), Cube()):
    print(by_class(a, thing))
for function in (double, triple, double, triple):
    print(by_function(a, function))
for mode in (Mode.FAST, Mode.OFF, Mode.FAST, Mode.OFF, Mode.OFF):
    print(missing(a, mode))
results, counts = {}, {}
b = a
for round in range(6):
    mode = list(Mode)[round % 3]
    b = store(b, mode, results)
    print(counted(b, mode, counts), counts)
print({str(key): value for key, value in results.items()})
for round in range(3):
    print(mixed(a))
    factors[Mode.FAST] = factors[Mode.FAST] + 1  # an item changes under its key
    print(scale(a, Mode.FAST))
    print(removed(a, {Mode.SLOW: 1, Mode.FAST: 2.0 + round}))


# Sets that exist already.
kinds, marks = {Sphere, int, double, Mode.FAST}, set()


def known(a, key):
    if key in marks:
        return "marked", a.sum()
    marks.add(key)
    return key in kinds, (a * (2.0 if type(key) in kinds else 3.0)).sum()


for round in range(3):
    for key in (Sphere, Cube, double, triple, Mode.FAST, Mode.SLOW, 3, "FAST", Sphere()):
        print(round, known(a, key))
    kinds ^= {Cube, Sphere, Mode.SLOW, *range(40 * round)}
    if round == 1:
        marks.clear()


# Hashes of the same value: a str and the member of that name, and keys with a say of their own.
class Equal:
    def __init__(self, name):
        self.name = name

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        return isinstance(other, Mode) and other.name == self.name


strange = {Equal("FAST"): 10.0}


def ask(a, table):
    return (a * table[Mode.FAST]).sum()


def is_in(a, members):
    return (a * 2).sum(), Mode.FAST in members


print(is_in(a, {Equal("FAST")}), is_in(a, {Equal("SLOW")}), is_in(a, {"FAST"}), is_in(a, {"FAST", Mode.FAST}))
for round in range(4):
    print(ask(a, strange))
    if round == 1:
        strange = {Mode.FAST: 20.0}
    if round == 2:
        strange = {"FAST": 1.0, Mode.FAST: 30.0}
