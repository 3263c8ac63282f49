"""Objects say that they are of another class: `__class__` is theirs to answer, and isinstance asks both."""
import numpy as np

asked = []


class Claims:
    """Says that it is an int, by a property."""

    @property
    def __class__(self):
        asked.append("class")
        return int


class Wraps:
    """Says that it is whatever it wraps."""

    def __init__(self, inner):
        self.inner = inner

    @property
    def __class__(self):
        return type(self.inner)

    def __getattr__(self, name):
        return getattr(self.inner, name)


class Plain:
    __class__ = float


class Honest:
    pass


class Other:
    factor = 3.0


def existing(value, x):
    return (isinstance(value, int), isinstance(value, (float, np.ndarray)), type(value).__name__, value.__class__.__name__,
            isinstance(value, type(value)), x + 1.0)


def made_inside(x):
    a, b, c = Claims(), Wraps([1]), Honest()
    return (isinstance(a, int), a.__class__.__name__, type(a).__name__, isinstance(b, list), isinstance(b, dict),
            b.__class__ is list, c.__class__ is Honest, isinstance(c, int), x * 2.0)


def wraps_an_array(x):
    wrapped = Wraps(x)
    return isinstance(wrapped, np.ndarray), wrapped.__class__ is np.ndarray, wrapped.sum() + 1.0


def becomes(x):
    c = Honest()
    c.__class__ = Other
    return c.__class__.__name__, isinstance(c, Honest), x * c.factor


for turn in range(4):
    x = np.arange(3.0) + turn
    for value in (Claims(), Wraps(2), Wraps(2.5), Wraps(x), Plain(), Honest(), 3, x):
        print(existing(value, x), asked)
        asked.clear()
    print(made_inside(x), wraps_an_array(x), becomes(x), asked)
    asked.clear()
