"""NumPy's ints of every dtype are indices, bounds and sizes, from either end and beyond it."""
import numpy as np


def step(w, x, y, i, rate):
    row = x[i]
    error = y[i] - (row * w).sum()
    return w + rate * error * row


def column(a, i):
    b = a[:, i] * 2.0
    b[0] = -1.0
    return b, a[:, i].base is a, a[i, i], type(a[i, i])


def written(a, i, j):
    a[i] += 1.0
    a[i, j] = a[j, i] * 2.0
    a[:, j] -= a[i]
    return a


def bounds(a, i, j):
    return a[i:j] * 2, a[j:i:-1] + 1, a[:i].sum(), a[i:].shape


def sizes(a, n):
    return a.reshape(n, -1) + 1, np.roll(a, n), np.repeat(a, n), np.zeros(n), np.broadcast_to(a, (n, a.size)).sum(axis=0)


def attempt(function, *args):
    try:
        return function(*args)
    except (IndexError, TypeError, ValueError) as error:
        return type(error).__name__, str(error)


random = np.random.default_rng(5)
x, y, w = random.normal(size=(40, 6)), random.normal(size=40), np.zeros(6)
for repeat in range(3):
    for i in random.permutation(40):
        w = step(w, x, y, i, 0.05)
print(w)

table = np.arange(20.0).reshape(4, 5)
for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64):
    for i in np.arange(4, dtype=dtype):
        shown = column(table.copy(), i)
    print(dtype.__name__, shown, attempt(column, table, dtype(5)))
for i in np.arange(-4, 4):
    print(column(table, i)[0], bounds(table, i, np.int64(3)), attempt(written, table.copy(), i, i + 1))
for n in np.array([1, 2, 5, 10]):
    print(*sizes(np.arange(10), n))
print(attempt(sizes, np.arange(10), np.int64(3)), attempt(sizes, np.arange(10), np.uint64(2)))
for i in (np.uint64(2**63 + 1), np.int64(-2**63), np.int64(2**63 - 1), np.float64(1.0), np.bool_(True), np.array(2), 2, True):
    print(repr(i), attempt(column, table, i), attempt(bounds, table, i, 3))
