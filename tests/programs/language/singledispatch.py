"""functools.singledispatch chooses functions while classes are registered and change between the calls."""
import abc
import collections.abc
import enum
import functools
import traceback

import numpy as np


class Shape:
    def __init__(self, size):
        self.size = size


class Square(Shape):
    pass


class Round(Shape):
    pass


class Both(Square, Round):
    pass


class Kind(enum.Enum):
    ONE = 1


class Measured(abc.ABC):
    @classmethod
    def __subclasshook__(cls, other):
        return hasattr(other, "measure") or NotImplemented


class Rod:
    def measure(self):
        return 3.0


def make(factor):
    """A generic function of its own at each call."""
    @functools.singledispatch
    def area(value, *, by=1.0):
        """The area of something."""
        return ("unknown", type(value).__name__)

    @area.register
    def _(value: Shape, *, by=1.0):
        return value.size * factor * by

    @area.register(np.ndarray)
    def _(value, *, by=1.0):
        return value.sum() * by

    @area.register(list)
    @area.register(tuple)
    def _(value, *, by=1.0):
        return [area(item, by=by) for item in value]

    return area


def used(area, value, x):
    return area(value), x * 2.0, area(value, by=3.0)


def all_of(area, x):
    values = (Shape(2), Square(3), Both(4), Round(x), 5, 2.5, None, True, "text", x, x[0], [Shape(1), x], (Square(2), 7), Kind.ONE, Rod(), Shape, {})
    return [used(area, value, x) for value in values]


def without_arguments(area, x):
    y = x + 1.0
    return area(), y


area = make(2)
x = np.arange(3.0)
for _ in range(3):
    print(all_of(area, x))
area.register(Square, lambda value, *, by=1.0: ("square", value.size ** 2 * by))
print(all_of(area, x))
area.register(Round, lambda value, *, by=1.0: ("round", value.size * by))
print(all_of(area, x))
area.register(Square, lambda value, *, by=1.0: ("another square", value.size))
print(all_of(area, x))
area.register(int, lambda value, *, by=1: ("int", value * by))
area.register(Kind, lambda value, *, by=1: ("kind", value.name))
print(all_of(area, x))
Both.__bases__ = (Round, Square)
print(all_of(area, x))
area.register(Measured, lambda value, *, by=1.0: ("measured", value.measure() * by))
print(all_of(area, x))
Round.measure = lambda self: -self.size
area.register(collections.abc.Mapping, lambda value, *, by=1.0: ("mapping", len(value) * by))
print(all_of(area, x))
for factor in (3, 4.5, np.float32(2)):
    print(all_of(make(factor), x))
for _ in range(2):
    try:
        without_arguments(area, x)
    except TypeError:
        traceback.print_exc()
print(area.dispatch(Both)(Both(2)), area.dispatch(bool)(True), area.__doc__, sorted(cls.__name__ for cls in area.registry))


# --- The same as a method. ------------------------------------------------------------------------------------

class Scale:
    def __init__(self, by):
        self.by = by

    @functools.singledispatchmethod
    def apply(self, value):
        return f"nothing to do with {type(value).__name__}"

    @apply.register
    def _(self, value: int):
        return value * self.by

    @apply.register(np.ndarray)
    def _(self, value):
        return (value * self.by).sum()

    @apply.register
    @classmethod
    def _(cls, value: str):
        return cls.__name__ + value


def scaled(scale, x, values):
    return [scale.apply(value) for value in values], scale.apply(x) + 1.0


for by in (2, 2.5, 2):
    print(scaled(Scale(by), x, (1, True, 2.0, "!", None, x)))


# --- What it remembers: only classes that it was asked for, when it was. -----------------------------------------

@functools.singledispatch
def kind(value):
    return "anything"


def remembered():
    names = kind.dispatch.__code__.co_freevars
    return len(kind.dispatch.__closure__[names.index("dispatch_cache")].cell_contents)


def asked(x):
    seen = [remembered(), kind(x), remembered(), kind(1), kind(x), remembered()]
    kind.register(int, lambda value: "int")
    return seen + [remembered(), kind(1), remembered()], x + 1.0


for _ in range(3):
    print(asked(np.ones(2)))
