"""Complex products of all sizes stand in temporaries and in place, where the order of the factors shows."""
# test: not-sanitized
import hashlib

import numpy as np

rng = np.random.default_rng(4)
SCALAR, ZERO_D, ONE = np.complex128(0.3 + 0.7j), np.array(0.3 + 0.7j), np.array([0.3 + 0.7j])


def digest(x):
    x = np.asarray(x)
    return x.dtype.char + str(x.shape) + hashlib.sha1(np.where(np.isnan(x), 0, x).tobytes()).hexdigest()[:8] + str(np.isnan(x).sum())


def numbers(*shape):
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


def with_numbers(a, b):
    return ((0.3 + 0.7j) * (a + b), (a + b) * (0.3 + 0.7j), SCALAR * (a - b), (a - b) * SCALAR, ZERO_D * (a + b), ONE * (a + b), (a + b) * ONE,
            2.5 * (a + b), np.float64(2.5) * (a * 1j), 1j * -a, np.multiply(SCALAR, a + b))


def with_arrays(a, b):
    return a * b, a * (a + b), (a + b) * a, (a + b) * (a - b), -a * (a + b), (a + b) * (a + b) * b, b * ((a + b) * a), a.conj() * a, np.multiply(a, b), abs(a * b), (a * b).imag


def in_place(a, b):
    c, d, e, f = a.copy(), a.copy(), b.copy(), a.copy()
    c *= b
    d *= SCALAR
    np.multiply(a, e, out=e)
    f *= f
    g = np.empty_like(a)
    np.multiply(a, b, out=g)
    f[::2] *= b[::2]
    return c, d, e, f, g


def single(a, b):
    x, y, z = a.ravel()[0], b.ravel()[-1], np.array(a.ravel()[0])
    z *= y
    return x * y, np.multiply(x, y), x * b, z, z * x, np.outer(a.ravel()[:20], b.ravel()[:20])


# Products of one or two numbers NumPy 1 rounds as their addresses are.
for n in (3, 8, 20000) if np.__version__ < "2" else (1, 2, 3, 20000):
    for a, b in ((numbers(n), numbers(n)), (numbers(2 * n)[::2], numbers(n)[::-1]), (numbers(n, 3), numbers(3, n).T), (numbers(n, 2)[:, :1], numbers(n, 1))):
        for dtype in ("c16", "c8"):
            a, b = a.astype(dtype), b.astype("c16" if n % 2 else dtype)
            for repeat in range(3):
                for function in (with_numbers, with_arrays, in_place, single):
                    if b.dtype == a.dtype or function is not in_place:
                        print(n, function.__name__, *map(digest, function(a, b)))
special = np.array([complex(x, y) for x in (0.0, -0.0, 1.0, np.inf, -np.inf, np.nan, 1e308) for y in (0.0, -0.0, -2.0, np.inf, np.nan)])
with np.errstate(all="ignore"):
    for repeat in range(3):
        print(*map(digest, with_arrays(special, special[::-1].copy())), *map(digest, with_numbers(special, special)))
