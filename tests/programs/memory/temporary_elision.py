"""NumPy computes an operator in the memory of a large temporary, whose memory order the result then has."""
# test: not-sanitized
import numpy as np
from show import show


def left(a, c):
    return a + 1 + c


def right(a, c):
    return c + (a + 1), c * (a * 2), c - (a + 1), c / (a + 1)


def named(a, c):
    t = a + 1
    return t + c


def kept_meanwhile(a, c):
    return (t := a + 1) + c, t


def both(a, c):
    return (c + 1) * (a + 1), (a + 1) - (c + 1)


def unary(a, c):
    return -(a + 1) - c, -(a + 1), ~(a > c) & (c > 0)


def masks(a, c):
    return (a > 1) & (c > 1), (c > 1) | (a > 1), (a > 1) ^ (c < 2)


def other_types(a, c):
    return (a > 1) + c, (a + 1) + 2j, 2 * (a + 1) + c, np.float64(3) * (a + 1) + c


def broadcast(a, c):
    return (a + 1) + c[:1], (a + 1) + c[0], (a + 1) + c.sum(), np.expand_dims(a, 0) + a * 2 + 1


def one_of_two(a, c, take):
    return ((a + 1) if take else a) + c, (a if take else (a + 1)) + c


def printed(text):
    print(text)
    return 1.0


def interrupted(a, c):
    return (a + 1) + printed("in the middle") + c, (a + 1) + c * printed("again")


def parts(a, c):
    return (a + 1).T + c.T, (a + 1)[:] + c, (a + 1)[1:] - c[1:]


def summed(a, c):
    return ((a * 1.1 + c).sum(), (c + a * 1.1).sum(axis=0)[:3], (a * 1.1 - c * 0.3 + a).mean())


class Holder:
    def __init__(self, a):
        self.a = a

    def __add__(self, other):
        return self.a


def held(holder, c):
    return (holder + 1) + c


random = np.random.RandomState(0)
for rows, columns in ((300, 400), (20, 30), (181, 181), (182, 181), (600, 200)):
    c_order = random.standard_normal((rows, columns))
    for a in (np.asfortranarray(random.standard_normal((rows, columns))), c_order,
              random.standard_normal((columns, rows)).T,
              np.asfortranarray(random.standard_normal((rows, columns)).astype("f"))):
        for function in (left, right, named, kept_meanwhile, both, unary, masks, other_types,
                         broadcast, interrupted, parts, summed):
            for _ in range(2):
                show(f"{function.__name__} {rows}", function(a, c_order))
        for take in (True, False):
            show("one_of_two", one_of_two(a, c_order, take))
        holder = Holder(a + 1)
        show("held", held(holder, c_order))
        show("held still", holder.a)
