"""A class has properties, methods, data and descriptors by its metaclass, and the order of look-up shows."""
import abc

import numpy as np


class Scaled:
    """A descriptor."""

    def __init__(self, factor):
        self.factor = factor

    def __get__(self, instance, owner=None):
        return self if instance is None else instance.unit * self.factor


class Family(type):
    """Classes that know one another, with a unit each."""

    members = []
    wide = Scaled(10.0)
    shade = "of the metaclass"

    def __init__(cls, name, bases, names, **keywords):
        super().__init__(name, bases, names)
        cls.unit = keywords.get("unit", 1.0)
        Family.members.append(name)

    def __new__(meta, name, bases, names, **keywords):
        return super().__new__(meta, name, bases, names)

    @property
    def size(cls):
        return len(cls.__name__) * cls.unit

    @size.setter
    def size(cls, value):
        cls.unit = value

    def scale(cls, x):
        return x * cls.unit

    @classmethod
    def count(meta):
        return len(meta.members)

    @staticmethod
    def twice(x):
        return x + x


class Length(metaclass=Family, unit=2.0):
    shade = "of the class"

    def measure(self, x):
        return type(self).scale(x) + type(self).size


class Width(Length, unit=3.0):
    def measure(self, x):
        return super().measure(x) - self.shift

    shift = 0.5


def asks(cls, x):
    return cls.scale(x) + cls.size, cls.wide, cls.count(), cls.twice(x), cls.shade, cls.members


def of_instances(x):
    return Length().measure(x), Width().measure(x), hasattr(Length(), "size"), hasattr(Length, "size"), getattr(Width, "none", 0)


def sets(cls, value, x):
    cls.size = value
    return x * cls.unit


class Answer:
    """A descriptor that says whom it was asked for."""

    def __get__(self, instance, owner=None):
        return instance, owner


class Chained:
    """classmethod around what is no function: a descriptor is asked with the class as its instance."""
    unit = 4.0

    @classmethod
    @property
    def double(cls):
        return cls.unit * 2.0

    answer = classmethod(Answer())
    built_in = classmethod(isinstance)


class Shorter(Chained):
    unit = 0.25


def chained(x):
    return (x * Chained.double, x * Shorter().double, Shorter.answer[0] is Shorter, Chained().answer[1] is Chained,
            Chained.built_in(type))


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self):
        ...

    @classmethod
    def kinds(cls, x):
        return x * len(cls.__mro__)


class Square(Shape):
    def area(self):
        return 4.0


def of_abstract(x):
    return Square.kinds(x) + Square().area(), Square.__name__, isinstance(Square(), Shape)


x = np.arange(3.0)
for turn in range(4):
    print(asks(Length, x), asks(Width, x))
    print(of_instances(x), of_abstract(x), chained(x))
    print(sets(Width, turn + 1.0, x), Width.size)

# The metaclass changes.
Family.scale = lambda cls, x: x - cls.unit
print(asks(Length, x), of_instances(x))
Family.size = 7.0
print(asks(Length, x), of_instances(x))
Family.wide = "plain"
Length.scale = classmethod(lambda cls, x: x * 100.0)
print(asks(Length, x), asks(Width, x), of_instances(x))
Family.members = [1]
Family.shade = "changed"
del Length.shade
print(asks(Length, x), of_instances(x))
del Family.twice
try:
    print(asks(Length, x))
except AttributeError as error:
    print(error)
