"""A loop goes back to CPython in the middle of a round, comes near arrays again in the next, and the function then returns from within
what is compiled of it: by a return in the loop, by a break and all that follows, and with a value."""
import numpy as np


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y


def first_above(values, limit):
    for place in range(6):
        if place == 5:
            return values * 2.0 + place
        match values.sum():
            case np.float64() as total if total > limit:
                return "above", total
            case Point(x, y):
                return x, y
    return None


def with_a_tail(values, limit):
    place = 0
    for place in range(6):
        if place == 5:
            break
        if limit < (place or np.multiply.reduce(values)) <= values.sum():
            match values:
                case np.float64():
                    return "never"
    try:
        values[:2] = 1
    except ValueError as error:
        return str(error)


def pairs(values):
    for place in range(7):
        if place == 6:
            return [values + 1.0, values[::-1] * 0.5], place
        match place:
            case int() if place < 0:
                values = values - 1.0
        values = values + 0.5


for turn in range(6):
    for sign in (1.0, -1.0):
        array = sign * np.array([1.0, 2.0, -1.0, 1.0, 3.0, 2.0])
        print(turn, first_above(array, 100.0), first_above(array, -100.0), with_a_tail(array, 0), array, pairs(array))
        array.flags.writeable = False
        print(with_a_tail(array, 0))
