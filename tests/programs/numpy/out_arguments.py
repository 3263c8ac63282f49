"""The argument out= may have another dtype, have rank 0, or lie over an operand."""
import numpy as np
from show import show

rng = np.random.default_rng(5)


def reductions(a, f, h):
    """The output's dtype chooses the loop, and a mean of halves is rounded on its way."""
    wide, short, single = np.zeros(6), np.zeros(6, np.float16), np.zeros(())
    given = [np.sum(f, axis=0, out=wide) is wide, np.mean(h, axis=0, out=short) is short, np.median(a, out=single) is single]
    of_rows = np.empty(4, bool)
    np.any(a > 1, axis=1, out=of_rows)
    return given, wide * 2, short, single, of_rows, f.max(axis=0, out=wide) + 1, np.percentile(a, 30, axis=1, out=np.zeros(4))


def ufuncs(a, i, m):
    whole, floats, single = np.zeros(a.shape, int), np.zeros(a.shape, np.float32), np.zeros(a.shape)
    np.multiply(a, 3, out=whole, casting="unsafe")
    np.exp(a, floats, casting="same_kind")
    np.add(a, i, out=single, where=m, dtype=np.float32)
    np.divide(a, 2, where=m, out=single, casting="unsafe")
    return whole, floats + 1, single, np.add.reduce(i, axis=0, out=np.zeros(6)), np.add.accumulate(i, axis=1, out=np.zeros(a.shape))


def clipped(a, b):
    a.clip(-1, 1, out=a)
    np.clip(b, None, 0.5, out=b)
    return np.clip(a, -0.5, b, out=np.empty(a.shape)) * 2, np.clip(a, 0, 1, dtype=np.float32), np.clip(b, 0, 2, casting="unsafe")


def over_an_operand(a, b):
    """Steps that read what they have written, and loops that leave their vectors where memory overlaps."""
    np.fix(a, out=a)
    np.exp(b[1:], out=b[:-1])
    np.sin(b[:-1], out=b[1:])
    rows = np.arange(12.0).reshape(3, 4)
    np.concatenate([rows[1:], rows[:1]], out=rows)
    least = np.ptp(rows, axis=0, out=rows[0])
    return a * 2, b + 1, rows, least


def products(a):
    return np.einsum("ij,kj->ik", a, a, out=np.zeros((4, 4))) + 1, np.dot(a, a.T, np.zeros((4, 4))), np.trace(a, out=np.zeros(()))


def views_that_functions_give(a):
    """Two calls give two arrays, each of which sees memory of its own."""
    x, y = np.fix(a), np.fix(a)
    x[0] = 7
    return x, y, x.flags.owndata, y.flags.owndata, np.fix(a).flags.owndata


def kinds(p, j):
    """An extremum is taken in the dtype that is given."""
    return np.maximum.reduce(p, dtype=np.float32) + 1, np.minimum.reduce(j, dtype=np.float32) / 3, np.add.reduce(j, dtype=np.uint8)


def failing(a):
    seen = []
    for call in (lambda: np.sum(a, axis=0, out=np.zeros(3)), lambda: np.add(a, 1, out=np.zeros(a.shape, int)),
                 lambda: np.maximum(a, 0, out=np.broadcast_to(0.0, a.shape)), lambda: np.logical_or.reduce(a, dtype=np.float32)):
        try:
            seen.append(call())
        except (TypeError, ValueError) as error:
            seen.append(str(error))
    return seen


for _ in range(4):
    a, b = rng.standard_normal((4, 6)) * 2, rng.random((4, 6)) + 0.5
    show("reductions", reductions(a, a.astype(np.float32) / 3, a.astype(np.float16) * 50))
    show("ufuncs", ufuncs(a, rng.integers(-9, 9, (4, 6)), b > 1))
    show("clipped", clipped(a.copy(), b.copy()))
    show("over an operand", over_an_operand(a.copy(), b.copy()))
    show("products", products(a))
    show("views", views_that_functions_give(a))
    show("kinds", kinds(b / 3, rng.integers(0, 300, (3, 5))))
    show("failing", failing(a))


def spread_into(numbers, out):
    numbers = numbers + 0
    return np.var(numbers, axis=0, out=out)


def total_into(numbers, out):
    shifted = numbers - 1.0
    squared = shifted * shifted
    return np.add.reduce(squared, 0, np.dtype("f8"), out)


def real_parts_into(numbers, out):
    numbers = numbers * 2j
    return np.multiply(numbers, 2, where=out > -1, out=out.real, casting="unsafe")


import warnings  # noqa: E402

for function in (spread_into, total_into, real_parts_into):
    for _ in range(3):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            numbers = np.arange(24, dtype=np.int32).reshape(4, 6)
            function(numbers, np.zeros((4, 6) if function is real_parts_into else 6, np.complex128))
        print(function.__name__, [(str(w.message), w.lineno) for w in seen])

for function in (lambda x: np.cumsum(x, axis=0, out=x), lambda x: x.cumprod(out=x)):
    for _ in range(3):
        try:
            print(function(np.zeros(())))
        except ValueError as error:
            print(error)


# Of numbers that are not finite, NumPy 1.24's isclose gives a view; what writes into it leaves it one.
def close_in_place(x):
    same = np.isclose(x, x)
    np.multiply(same, same, out=same)
    return same


for numbers in (np.array([1.0, 2.0]), np.array([1.0, np.inf])):
    for _ in range(3):
        same = close_in_place(numbers)
        print(same, same.flags.owndata, same.base is None)
