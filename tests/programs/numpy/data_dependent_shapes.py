"""Values decide the size of a result, and the same stretch computes with it and asks about its size.

Results of a size that depends on values, and what is computed of them in the same stretch: masks read, nonzero, unique,
compress, repeated counts, sets, and every way in which such a size is asked about.
"""
# test: numpy2
import numpy as np
from show import attempt, layouts

base = (np.arange(24).reshape(4, 6) * 7 % 11) - 3


# One read through a mask, and arithmetic on it.
def picked(a):
    y = a[a > 2] * 2 + 1
    return y, y.sum(), len(y), y.size, y.shape


def rows(a):
    keep = a[:, 0] > -2
    return a[keep].sum(axis=1), a[keep, 1] * 2, a[keep, 1:3] + 1, a[:, a[0] > 0] * 3, a[1, a[0] > 0] - 1, a[keep][:, None] * 2


def means(a):
    m = a > 1
    return a[m].mean(), a[m].std(), a[~m].max(), a[m].min(), (a[m] - a[m].mean()) / len(a[m])


def both(a):
    x = a.ravel()
    m = x > 0
    return x[m] * x[::-1][m], x[m] + x[~m][:1], np.dot(x[m] * 1.0, x[m] * 1.0), np.sort(x[m])[::-1], np.cumsum(x[m])


for dtype in "?bhilBHILfd":
    for a in layouts(base.astype(dtype)):
        for function in (picked, rows, means, both):
            attempt(function.__name__ + dtype, function, a, times=2)


# Places of what is not 0.
def places(a):
    r, c = np.nonzero(a > 2)
    flat = np.flatnonzero(a)
    return r, c, r * 6 + c, flat * 2, a[r, c], np.where(a > 4)[0] + 1, r.mean(), (a > 2).nonzero()[1].max(), np.argwhere(a > 5)


def first_of(x):
    at = np.nonzero(x > 2)[0]
    return at[0], x[at[0]], at[-1] + 1, at[:2] * 2


for a in layouts(base):
    attempt("places", places, a)
for x in (np.arange(6), np.arange(-5.0, 5.0), np.zeros(3), np.array([7])):
    attempt("first_of", first_of, x)


# Sets.
def distinct(x):
    u = np.unique(x)
    values, counts = np.unique(x, return_counts=True)
    v, i, inv, c = np.unique(x, True, True, True)
    return u * 2, len(u), counts / counts.sum(), values[inv] - x.ravel(), v[c > 1], i + 1, np.diff(u), u[-1] - u[0]


def sets(x, y):
    return (np.union1d(x, y) * 2, np.intersect1d(x, y) + 1, np.setdiff1d(x, y), np.setxor1d(x, y).sum(), np.bincount(abs(x)) * 2,
            np.bincount(abs(x), x * 0.5) + 1)


for x in (np.array([3, 1, 3, 2, 1]), np.array([5]), np.arange(7) % 3, np.arange(6).reshape(2, 3) % 4):
    attempt("distinct", distinct, x)
    attempt("sets", sets, x.ravel(), np.array([1, 2, 9]))
attempt("nan", lambda x: np.unique(x) * 2, np.array([1.0, np.nan, 1.0, np.nan, -0.0, 0.0]))
attempt("empty", distinct, np.zeros(0))
attempt("axis", lambda a: np.unique(a, axis=0) * 2, base % 2)


# Some of the elements, more of them, fewer of them.
def chosen(a, m, counts):
    x = a.ravel()
    return (np.compress(m, a, axis=1) * 2, a.compress(m[:4], 0) + 1, np.extract(x > 1, x) * 2, np.compress(x > 0, x),
            np.repeat(m * 1, counts) + 1, np.repeat(a, counts, axis=1) * 2, np.delete(x, [1, 2]) * 2, np.delete(x, x > 3) + 1,
            np.delete(a, np.array([0, 1]), 1) * 2)


for a in layouts(base * 1.0):
    attempt("chosen", chosen, a, base[0] > 0, np.array([0, 1, 2, 0, 3, 1]))
attempt("counts", chosen, base, base[0] > 0, np.array([1, 2]))
attempt("negative", chosen, base, base[0] > 0, np.array([0, 1, -2, 0, 3, 1]))


# What is asked about such a size.
def asked(x):
    y = x[x > 1]
    if len(y) == 0:
        return "nothing"
    if y.size > 3:
        return y[:3] * 2
    return y + len(y)


def shaped(x):
    y = x[x > 1]
    return y.reshape(-1, 1) * 2, np.zeros(len(y)) + y, np.arange(y.size) * y, y.reshape(2, -1), np.ones_like(y), np.full(y.shape, 7) * y


def unpacked(x):
    y = x[x > 1] * 2
    a, b = y
    return a, b


def looped(x):
    total = 0.0
    for v in x[x > 1] * 2:
        total += v
    return total, [v for v in np.flatnonzero(x > 1)]


def together(x):
    return x[x > 1] + x[x < 1]


def stretched(x):
    return x[x > 1] * x, x[x > 1] + x[:1]


def against(x, y):
    z = x[x > 1]
    z += y
    return z * y, z + y[:1], np.where(z > 3, z, y), y - z


for x in (np.arange(4.0), np.arange(2.0), np.arange(5.0), np.arange(4.0)):
    for y in (np.arange(2.0), np.ones(1), np.arange(3.0)):
        attempt("against", against, x, y)
for x in (np.arange(4.0), np.arange(2.0), np.arange(8.0), np.zeros(3), np.array([5.0, 1.0, 0.0, -1.0]), np.array([2.0]), np.arange(3.0)):
    for function in (asked, shaped, unpacked, looped, together, stretched):
        attempt(function.__name__, function, x)


# Writes into what was read, and through a mask what was computed elsewhere.
def written(x):
    y = x[x > 0]
    y[0] = 9
    y += 1
    y[1:] *= 2
    x[x > 2] = y[: len(x[x > 2])]
    return y, x * 1


def filled(x, y):
    x = x.copy()
    bad = np.isnan(x)
    x[bad] = y[bad]
    good = x[~bad]
    x[bad] = np.interp(np.flatnonzero(bad), np.flatnonzero(~bad), good)
    x[x < 1] += 1
    return x, good * 2, x[bad]


for x in (np.arange(-3.0, 5.0), np.arange(1.0, 3.0), -np.ones(3)):
    attempt("written", lambda: written(x.copy()))
gaps = np.arange(8.0)
gaps[[1, 4, 5]] = np.nan
attempt("filled", filled, gaps, np.arange(8.0) * 10)
attempt("filled", filled, np.arange(3.0), np.arange(3.0))


# Errors and warnings, at the line that raises.
attempt("mean of nothing", means, base - 100.0)
attempt("another length", lambda x, m: x[m] * 2, np.arange(4.0), np.array([True, False]))
attempt("two dimensions", lambda x, m: x[m] * 2, np.arange(4.0), np.ones((2, 2), bool))
attempt("none", lambda x: np.nonzero(x)[0] * 2, np.array(5))
attempt("overflow", lambda x: x[x > 0] * 1e300, np.array([1e300, -1.0, 2.0]))


# Through a hot loop, with sizes that change at every step.
def sieve(n):
    numbers = np.arange(2, n)
    primes = []
    while len(numbers):
        primes.append(int(numbers[0]))
        numbers = numbers[numbers % numbers[0] != 0]
    return len(primes), primes[-5:]


def trimmed(x):
    for _ in range(20):
        x = x[np.abs(x - x.mean()) < 2 * x.std()] * 1.01
    return x


attempt("sieve", sieve, 300)
attempt("trimmed", trimmed, np.sin(np.arange(300.0)) ** 5)


# Sizes about which is asked at every call, seldom with the same answer.
def seldom(x, low):
    y = x * 2 + 1
    z = y[y > low]
    return y.sum(), z.max() if len(z) else -1.0, z * 2, z[:2] + 1


for low in (0, 50, 8, 50, 50, 6, 50, 50, 50, 50, 3, 50, 50, 50, 7, 50, 50):
    attempt("seldom", seldom, np.arange(5.0), low, times=2)
    attempt("means", means, np.arange(12.0).reshape(3, 4) - low, times=2)
    attempt("first_of", first_of, np.arange(4) - low, times=2)


# What nonzero gives is a part of another array, also after it was written to; medians of nothing warn once.
def places_written(x):
    at = np.nonzero(x > 1)[0]
    flat = np.flatnonzero(x)
    at[:1] = 7
    flat += 1
    return at, flat, flat.base is None, np.median(x[x > 1]), np.percentile(x[x > -9], 50)


for x in (np.arange(4.0), np.arange(2.0), np.arange(3.0), np.zeros(2)):
    attempt("places_written", places_written, x)
