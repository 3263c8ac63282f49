"""Arithmetic of NumPy's scalars without arrays has NumPy's types, values, errors and warnings."""
# test: numpy2
import operator
import warnings

import numpy as np

OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
             operator.lshift, operator.rshift, operator.and_, operator.or_, operator.xor]
UNARY = [operator.neg, operator.pos, operator.abs, operator.invert]


def counted(hits, weights):
    n = hits.sum()
    missed = hits.size - n
    share = 100 * n // hits.size
    return 2 * n + 1, missed % 7, share, (weights * n).sum() - missed, -n, abs(missed - 30), n ** 2


def found(a):
    best, worst = a.argmax(), a.argmin()
    distance = abs(best - worst)
    return distance, (best + worst) // 2, distance % 3, a * distance + best * 0.5, a - worst, best * a.size


def tallied(x, i, j):
    x[i] += 1
    x[j] -= 2
    gap = x[i] - x[j]
    x[j] = gap * x[i] + 1
    return x * 2, gap << 2, gap >> 1, gap & 3, gap | 8, gap ^ 5, ~gap, +gap


def mean_of_squares(x):
    total = (x * x).sum()
    return total // x.size, total % x.size, total / x.size, total ** 0.5, 2 ** (total % 10), total ** -1.0


def seen(results):
    return [(type(r).__name__, r.dtype.name if hasattr(r, "dtype") else "", r.tolist() if hasattr(r, "tolist") else r)
            for r in results]


def outcome(function, *args):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = seen(function(*args))
        except Exception as error:
            result = type(error).__name__, str(error), error.__traceback__.tb_next.tb_lineno
    return result, [(str(w.message), w.category.__name__, w.lineno) for w in caught]


random = np.random.default_rng(7)
for round_ in range(4):
    weights = random.normal(size=50)
    print(seen(counted(weights > 0.1 * round_, weights)))
    print(seen(found(weights)))
    print(seen(mean_of_squares((weights * 10).astype("i8"))))
    for dtype in "bhilBHIL":
        print(dtype, outcome(tallied, np.arange(1, 9).astype(dtype), round_, 7))


def combined(function, a, b):
    return function(a.sum(dtype=a.dtype), b.max()), function(b.max(), 3), function(2, a.sum(dtype=a.dtype)), a * 2


for function in OPERATORS:
    for left in "?bBhlLefdD":
        for right in "?bBlLfD":
            for values in ([1, 2], [0, 1], [1, 1]):
                result = outcome(combined, function, np.array(values).astype(left), np.array(values).astype(right))
            print(function.__name__, left, right, result)


def alone(function, a):
    return function(a.sum(dtype=a.dtype)), function(a.min()), a + a.max()


for function in UNARY:
    for dtype in "?bBhHiIlLefdFD":
        for values in ([1, 2], [0, 1], [-3, 3]):
            result = outcome(alone, function, np.array(values).astype(dtype))
        print(function.__name__, dtype, result)




def of_bytes(flags):
    return flags[0] + 0, flags[1] * 5, flags[2] - 1, flags * 2


print(seen(of_bytes(np.array([0, 2, 255], "u1").view(bool))))  # bytes that are no bools, but count as such


# Ints of Python's that only the run tells: they do not end at 64 bits.
def counts(a, k):
    n, least = int(a.sum()), int(a.min())
    return n + k, n * least, n // 7 - least, n % -7, n << 3, n >> 2, n ** 3, -n, abs(least), k - n, a * 2


for values in ([3, -4], [2**40, 17], [-2**62, -2**62], [2**62, 2**62 - 1]):
    for k in (1, -5, 2**62, True):
        result = outcome(counts, np.array(values), k)
    print(values, result)


def overflows(a, b):
    total = a.sum(dtype=a.dtype)
    one = total + b.max()
    two = total * b.max()
    three = -total - b.max()
    return one, two, three, a * 2


def negated(a):
    least = a.min()
    doubled = a * 2
    return abs(least), -least, least // -1, doubled


def by_zero(a):
    least = a.min() + 0
    return a.max() // least, a.max() % least, a * 2


def powers(a):
    return a.max() ** a.max(), a.max() ** a.min(), a + 1


for dtype in "bhilBHIL":
    info = np.iinfo(dtype)
    print(dtype, outcome(overflows, np.array([info.max - 2, 1], dtype), np.array([1], dtype)))
    print(dtype, outcome(overflows, np.array([info.max - 2, 1], dtype), np.array([7], dtype)))
    print(dtype, outcome(negated, np.array([info.min, info.max], dtype)))
    print(dtype, outcome(by_zero, np.array([0, 5], dtype)))
    print(dtype, outcome(powers, np.array([1, info.max], dtype)))
    print(dtype, outcome(powers, np.array([-1, 3]).astype(dtype)))
for state in "ignore", "raise", "warn":
    with np.errstate(all=state):
        print(state, outcome(overflows, np.array([2**62, 2**62 - 1]), np.array([7])))
        print(state, outcome(by_zero, np.array([0, 5])))


def under_errstate(a, state):
    before = a.sum() * 2
    with np.errstate(over=state, divide=state):
        after = before * 2**61, before // a.min()
    return *after, before + 1, a + before


for state in "ignore", "raise", "warn":
    for values in ([1, 1], [0, 3], [0, 4]):
        result = outcome(under_errstate, np.array(values), state)
    print(state, result)


# A scalar that was there before, one that changes from call to call, and numbers of Python's.
def around(a, i, k):
    j = i + 1
    return a * j, j * k, k - j, i - 1.5, (i + k) * 2, j // 2


for k in (1, 2, 3, 2**31, 2**62, 2**63 - 1, True, 2.5, 1j, np.int8(100), np.uint64(3), 2**70):
    for i in (np.int64(1), np.int64(2), np.int8(3), np.uint8(255)):
        result = outcome(around, np.arange(3.0), i, k)
    print(repr(k), result)


# What is written to the stream itself: each warning once, at its line.
print(overflows(np.array([2**62, 2**62 - 1]), np.array([7])))
print(negated(np.array([-128, 3], "b")))
print(by_zero(np.array([0, 3])))
