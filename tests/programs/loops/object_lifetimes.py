"""A loop over numbers writes over an object whose end runs code, which it does at that place."""
import weakref

import numpy as np

told = []


class Teller:
    def __init__(self, to):
        self.to = to

    def __del__(self):
        self.to.append("gone")


def overwritten(n):
    out = []
    x = Teller(out)
    for k in range(n):
        x = k
        out.append(k)
    return out[:2], out[-1], x


def array_with_weak_reference(n):
    x = np.ones(3)
    out = []
    told.append(weakref.ref(x, lambda _: out.append("gone")))
    for k in range(n):
        x = k * 0.5
        out.append(k)
    return out[:2], out[-1], x


def in_a_list(n):
    out = []
    x = [1, Teller(out)]
    k = 0
    while k < n:
        x = k
        k += 1
        out.append(k)
    return out[:2], out[-1], x


def of_a_cell(n):
    out = []
    x = Teller(out)

    def look():
        return x

    for k in range(n):
        x = k
        out.append(k)
    return out[:2], out[-1], look()


def items_of_a_list(n):
    out = []
    items = [Teller(out) for _ in range(n)]
    counts = []
    for i in range(n):
        items[i] = i
        counts.append(len(out))
    return counts[:3], counts[-1], items[-1]


for _ in range(3):
    for n in (3, 100):
        print(overwritten(n), array_with_weak_reference(n), in_a_list(n), of_a_cell(n), items_of_a_list(n))

at_top = Teller(told)
told.clear()
for at_top in range(100):
    told.append(at_top)
print(told[:3], len(told))
