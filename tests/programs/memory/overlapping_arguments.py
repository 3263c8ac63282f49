"""Arguments overlap, and results do not depend on the order in which elements are written."""
# test: cuda
import numpy as np
from show import show


def shift(a):
    a[1:] += a[:-1]


def smooth(a):
    a[1:-1] = (a[:-2] + a[2:]) / 2


def transpose_add(a):
    a += a.T


def two_names(a, b):
    a *= 2
    return a + b


def through_a_view(a):
    view = a[::2]
    a += 1
    doubled = view * 2
    view[:] = 0
    return doubled, a.sum()


base = np.arange(40.0)
for round_number in range(12):
    shift(base)
    base %= 100
    smooth(base)
show("base", base)
square = np.arange(9.0).reshape(3, 3)
for _ in range(6):
    transpose_add(square)
show("square", square)
for _ in range(12):
    same = np.arange(5.0)
    show("same", two_names(same, same))
    show("other", two_names(np.arange(5.0), np.arange(5.0)))
    overlap = np.arange(6.0)
    show("overlap", two_names(overlap[1:], overlap[:-1]))
    show("view", through_a_view(np.arange(6.0)))
out = np.arange(8.0)
for _ in range(6):
    np.add(out[:-1], out[1:], out=out[1:])
show("out", out)
