"""Elements are counted by bins and repeated, complex numbers stored, and results written into given arrays."""
import numpy as np
from show import show


def attempt(name, function, *args):
    for _ in range(4):
        try:
            show(name, function(*args))
        except (IndexError, ValueError, TypeError) as error:
            print(name, type(error).__name__, error)


# As many bins as asked for, unless a value is larger.
def counted(labels, weights, bins):
    count = np.bincount(labels, minlength=bins)
    total = np.bincount(labels, weights, bins)
    return total / np.maximum(count, 1) + 1, count * 2


labels = np.array([0, 2, 1, 1, 2, 2])
for weights in (np.arange(6.0), np.arange(6, dtype="f4"), np.arange(6)):
    for bins in (3, 4, 5):
        attempt("counted", lambda: list(counted(labels, weights, bins)))
attempt("more", lambda: list(counted(labels + 3, np.ones(6), 4)))
attempt("fewer", lambda: list(counted(labels[:0], np.ones(0), 4)))
attempt("negative", counted, labels - 1, np.ones(6), 4)
attempt("floats", counted, labels * 1.0, np.ones(6), 4)
attempt("weights", counted, labels, np.ones(5), 4)
attempt("default", lambda: np.bincount(labels) * 2)


# Sizes that change with the arrays and the counts.
def repeated(x, n):
    return (np.tile(x, n) * 2, np.tile(x * 2, (2, n)) + 1, np.repeat(x + 1, n) * 2, (x * 1).repeat(n, axis=-1) - 1,
            np.repeat(x, n, axis=0), np.tile(x, (1, 1)) + np.tile(x, 1))


for x in (np.arange(3.0), np.arange(5.0), np.arange(6).reshape(2, 3), np.arange(6.0).reshape(3, 2).T, np.arange(2, dtype="i1")):
    for n in (2, 3, 1, 0, -1, 4):
        attempt("repeated", lambda: list(repeated(x, n)))


# Real numbers stored into complex arrays, and complex ones.
def spectrum(rho, k):
    phi = np.fft.fft(rho) / (k * k)
    phi[0] = 0
    phi[1] += 1.5
    phi[-1] = -0.0
    phi[2:4] = rho[2:4]
    phi[4:6] = np.arange(2)
    phi[6] = rho[6]
    phi[7] = 2 - 3j
    return phi * 2, np.real(np.fft.ifft(1j * k * phi))


def narrow(z, x, s):
    z[0] = 1
    z[1] = 0.1
    z[2:4] = x[:2]
    z[4] = s
    z[5] = np.float32(0.3)
    z.fill(2.5)
    z[:2] = x[0]
    return z * 1j


k = np.fft.fftfreq(8)
k[0] = 1
attempt("spectrum", lambda: list(spectrum(np.sin(np.arange(8.0)), k)))
for dtype in ("F", "D"):
    for x in (np.arange(3, dtype="f4"), np.array([1e300, -0.0, np.nan]), np.arange(3)):
        with np.errstate(all="ignore"):
            attempt("narrow", narrow, np.zeros(6, dtype), x, 0.7)


# Results into arrays that are given: the same array comes back.
def given(a, b, c, v):
    d = np.dot(a, b, c)
    e = np.matmul(a, b, out=np.empty_like(c))
    s = np.cumsum(v, out=v)
    t = np.take(a, [1, 0], axis=0, out=np.zeros((2, a.shape[1])))
    m = np.max(a, axis=0, out=np.ones(a.shape[1]))
    return d is c, s is v, d + e, s * 2, t - 1, m + 0


def accumulated(x, total):
    np.add.accumulate(x, out=x)
    np.sum(x, axis=0, out=total)
    x.cumprod(0, None, x)
    return x + total


for dtype in "fd":
    a = np.arange(6, dtype=dtype).reshape(2, 3)
    b = np.arange(12, dtype=dtype).reshape(3, 4)
    for c in (np.zeros((2, 4), dtype), np.zeros((4, 2), dtype).T, np.zeros((2, 4), "d"), np.zeros((2, 3), dtype)):
        v = np.arange(5, dtype=dtype)
        attempt("given", lambda: list(given(a, b, c, v)))
        show("c", c)
        show("v", v)
    x, total = np.ones((3, 2), dtype), np.zeros(2, dtype)
    attempt("accumulated", accumulated, x, total)
    attempt("accumulated", accumulated, x, np.zeros(3, dtype))
    show("total", total)


# As often as a list says of each.
counts = [1, 2, 1, 0]


def repeated(x, repeats, axis=None):
    y = np.repeat(x * 2, repeats, axis=axis)
    return y.shape, y * 3


def by_global_list(x):
    return np.repeat(x, counts, axis=0) + 1


x = np.arange(24.0).reshape(4, 6)
for count in range(3):
    for repeats, axis in (([1, 2, 1, 0], 0), ([1, 2, 1, 0, 1, 1], 1), ([2], 1), ([2], None), ([1, 2], 0), ([-1, 1, 1, 1], 0),
                          ([], 0), ([True, False, True, True], 0), ((1, 2, 1, 1), 0)):
        attempt("repeated", lambda: list(repeated(x, repeats, axis)))
    attempt("by_global_list", by_global_list, x)
    counts[0] += 1
