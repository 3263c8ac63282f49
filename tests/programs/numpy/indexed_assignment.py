"""Arrays of indices say where values are stored: an index may come twice, and an error may come first."""
import warnings

import numpy as np
from show import show


def attempt(name, function, *args):
    for _ in range(4):
        try:
            show(name, function(*args))
        except (IndexError, ValueError, TypeError) as error:
            print(name, type(error).__name__, error)


rng = np.random.default_rng(5)
rows = np.array([0, 2, 1, 2, -1])
columns = np.array([3, 0, 0, 0, 1])


# Fresh arrays, copies, arguments, and parts of them.
def one_hot(labels, count):
    table = np.zeros((labels.shape[0], count))
    table[np.arange(labels.shape[0]), labels] = 1
    return table * 2, table.sum(axis=0)


def on_a_copy(a, i, j):
    b = a.copy()
    b[i, j] = -1.5
    c = a.T.copy()
    c[j, i] += a[i, j] * 2
    return b + 1, c, np.asfortranarray(a).copy()[i] * 1


def in_place(a, i, v):
    before = a * 2
    a[i] = v
    a[i] += 1
    a[i] *= a[i] + v
    return before - a


def through_views(a, i, v):
    a.T[i % a.shape[1]] = v[0] * 2
    part = a[1:, ::2]
    part[i % 2] = part[i % 2] - 1
    a[:, i % 3] -= 0.5
    flat = a.reshape(-1)
    flat[i + 1] = np.arange(5.0) * 2
    return a * 1, part.sum(), flat[::3] + 1


for labels in (np.array([0, 2, 1, 1]), np.array([1, 0]), np.array([3])):
    attempt("one hot", one_hot, labels, 3)
for make in (lambda: np.arange(12.0).reshape(3, 4), lambda: np.asfortranarray(np.arange(12.0).reshape(3, 4)),
             lambda: np.arange(48.0).reshape(6, 8)[::2, ::2], lambda: np.arange(12, dtype="i2").reshape(3, 4)):
    attempt("copy", lambda: list(on_a_copy(make(), rows, columns)))
    for v in (np.arange(20.0).reshape(5, 4), np.arange(4.0), 7, np.float32(2.5), np.arange(20.0).reshape(4, 5).T):
        a = make()
        attempt("in place", in_place, a, rows, v)
        show("a", a)
    a = make()
    attempt("views", lambda: list(through_views(a, rows, np.array([2.0, 3.0]))))
    show("a", a)


# An index out of range, a value that does not fit: nothing is written, whatever came before.
def fails(a, i, v):
    a *= 2
    a[i] = v
    a += 1
    return a.sum()


frozen = np.arange(4.0)
frozen.flags.writeable = False
for a, i, v in ((np.arange(4.0), np.array([0, 4]), 1), (np.arange(4.0), np.array([0, 1]), np.arange(3.0)),
                (np.arange(4.0), np.array([-5]), 1), (np.arange(4), np.array([1, 2]), np.array([1.7, np.nan])),
                (np.arange(4.0), np.array([1, 2]), np.array([1j, 2])), (frozen, np.array([0]), 1.0),
                (np.arange(4.0), np.array([0.0]), 1.0), (np.float64(3), np.array([0]), 1.0)):
    attempt("fails", fails, a, i, v)
    show("left", a)


# Overlaps: an array stored into itself, indexed by itself; one array under two names.
def shifted(a, i):
    a[i] = a[::-1][: i.shape[0]]
    a[i] += a[i[::-1]]
    return a * 1


def by_itself(a):
    a[a] = a[::-1] + 1
    return a * 2


def two_names(a, b, i):
    a[i] = 10
    b[i + 1] -= 1
    return a + b


a = np.arange(8.0)
attempt("shifted", shifted, a, np.array([1, 0, 1, 5]))
attempt("itself", lambda: by_itself(np.array([3, 1, 0, 2])))
attempt("names", two_names, a, a, np.array([1, 4]))
attempt("names", two_names, a, a[::-1], np.array([1, 4]))
attempt("names", two_names, a, np.ones(8), np.array([1, 4]))
show("a", a)


# Masks whose values are an array.
def masked(a, m, v):
    a[m] = v
    b = np.zeros_like(a)
    b[~m] = a[~m]
    return b + a


for v in (np.arange(3.0), np.arange(4.0), 5, np.array([9.0])):
    attempt("masked", masked, np.arange(6.0), np.arange(6) % 2 == 1, v)


# Unbuffered updates.
def scattered(n, i, v):
    sums = np.zeros(n)
    np.add.at(sums, i, v)
    low = np.full(n, np.inf)
    np.minimum.at(low, i, v * 2)
    both = np.zeros((n, n))
    np.add.at(both, (i, i[::-1]), v)
    np.negative.at(sums, np.array([0, 0, 1]))
    return sums * 2, low, both + both.T


def grid(g, y, x):
    np.add.at(g, (np.minimum(y + 1, g.shape[0] - 1), x), 1)
    np.subtract.at(g, (y, x), 4)
    return g * 1


index = rng.integers(0, 5, 40)
for v in (rng.random(40), 1.5, np.float32(0.1), rng.integers(0, 9, 40), rng.random(39)):
    attempt("scattered", lambda: list(scattered(5, index, v)))
attempt("scattered", lambda: list(scattered(4, index, 1.0)))
field = np.arange(16).reshape(4, 4)
attempt("grid", grid, field, np.array([0, 3, 3]), np.array([1, 1, 2]))
attempt("grid", grid, field, np.array([0, 3, 3]), np.array([1, 1, 4]))
show("field", field)
np.add.at(field, (0, 0), 1)


# NumPy warns of what it drops of complex numbers, at the line that adds them.
def drops(a, i, v):
    a *= 2
    np.add.at(a, i, v * 2)
    return a + 1


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for v in (np.array([1 + 2j, 3]), np.array([1.0, 3.0])):
        attempt("drops", drops, np.zeros(3), np.array([0, 2]), v)
for warning in caught:
    print(warning.category.__name__, warning.lineno)


# Floating-point errors in the middle.
def overflows(a, i, v):
    np.multiply.at(a, i, v)
    a[i] *= v
    return a + 1


for state in ("warn", "raise", "ignore"):
    with np.errstate(all=state):
        big = np.full(3, 1e200)
        try:
            for _ in range(4):
                show(state, overflows(big, np.array([0, 1, 0]), np.array([1e100, 1.0, 1e100])))
        except FloatingPointError as error:
            print(state, error)
        show("big", big)
