"""One function takes many sizes, ranks, dtypes, lists, numbers, subclasses and masked arrays."""
import numpy as np
from show import show


def double_plus(x):
    return x * 2 + x


class Tagged(np.ndarray):
    def __array_finalize__(self, parent):
        self.tag = getattr(parent, "tag", "none")


class Meters:
    __array_priority__ = 100

    def __init__(self, value):
        self.value = value

    def __mul__(self, other):
        return Meters(self.value * other)

    def __add__(self, other):
        return Meters(self.value + other.value)


tagged = np.arange(3.0).view(Tagged)
tagged.tag = "mine"
arguments = [np.arange(n) * 1.0 for n in range(8)] + [
    np.ones((2, 3)), np.ones((3, 2), "f4"), np.arange(3), 5, 2.5, 1j, [1, 2], "ab", (3,), True, np.float32(1.5),
    np.array(["a"], object), np.array([1, None], object)[:1], np.arange(3, dtype="u1"), np.array([2, 3], "f2"),
]
for round_number in range(4):
    for argument in arguments:
        show(f"{round_number}", double_plus(argument))
    result = double_plus(tagged)
    print(type(result).__name__, result.tag, result.tolist())
    print(double_plus(Meters(3)).value)
    print(repr(double_plus(np.ma.masked_array([1, 2, 3], [0, 1, 0]))))
    print(double_plus(np.array(["2020-01-01", "2020-01-03"], "M8[D]") - np.datetime64("2020-01-01")))
    print(double_plus(np.matrix([[1, 2], [3, 4]])).tolist())
