"""Elements and rows by indices, and cumulative sums and products, have NumPy's bits, errors and warnings."""
import zlib

import numpy as np


def crc(*results):
    return [(np.asarray(r).shape, str(np.asarray(r).dtype), np.asarray(r).strides,
             zlib.crc32(np.ascontiguousarray(r).tobytes())) for r in results]


def gathered(a, at):
    return a[at] * 2, np.take(a, at) + 1, a.take(at), a[at], a[at] - a[at[::-1]]


def rows(m, at):
    return m[at] + 1, m[at], m[at].sum(axis=1), m.T[at[:3] % 2], np.take(m, at)


def rows_in_other_words(m, at):
    return (np.take(m, at, axis=0), m.take(at, 0) + 1, m[at, :], m[at, ...] * 2, m[..., at % 2], m[:, at % 2],
            np.take(m.T, at % 2, axis=0), np.take(m, at % 2, axis=-1), np.take_along_axis(m, at[:1, None] % 2, 1))


def scans(a):
    return np.cumsum(a * 2), (a + 1).cumsum() - a, np.cumprod(a - 0), np.add.accumulate(a)


def scans2(m):
    return m.cumsum(axis=0), np.cumsum(m, axis=1), np.cumsum(m.T, axis=0), m.cumsum(), m.cumprod(-1)


def smoothed(signal, width):
    total = np.cumsum(signal)
    return (total[width:] - total[:-width]) / width


def permuted(a, order):
    inverse = np.empty_like(order)
    inverse[order] = np.arange(order.size)
    return a[order][inverse] - a


rng = np.random.default_rng(3)
for n in (1, 100, 3000, 150000):
    at = rng.integers(-n, n, n)
    for dtype in (np.float64, np.float32, np.int64, np.uint8, np.complex128, np.bool_):
        a = (rng.standard_normal(n) * 50).astype(dtype)
        for repeat in range(3):
            if dtype is not np.bool_:
                print(n, crc(*gathered(a, at)))
            print(crc(a[at], permuted(a.astype(float).real, rng.permutation(n))))
            if dtype not in (np.complex128, np.bool_):
                with np.errstate(all="ignore"):
                    print(crc(*scans(a)))
for shape in ((3, 2), (40, 7), (200, 16), (1000, 3)):
    for dtype in (np.float64, np.float32, np.int64):
        m = (rng.standard_normal(shape) * 9).astype(dtype)
        at = rng.integers(-shape[0], shape[0], 50)
        for repeat in range(3):
            with np.errstate(all="ignore"):
                print(shape, crc(*rows(m, at % shape[0])), crc(m[at], m[at.astype(np.int32)], m[at.reshape(5, 10)]))
                print(crc(*rows_in_other_words(m, at)), crc(*rows_in_other_words(np.asfortranarray(m), at)))
                print(crc(*scans2(m)))
print(crc(smoothed(rng.standard_normal(5000), 25)))

a = np.arange(10.0)
for bad in ([0, 10], [-11, 3], [2 ** 62, 0]):
    for repeat in range(3):
        try:
            print(gathered(a, np.array(bad)))
        except IndexError as error:
            print(error)
        try:
            print(rows_in_other_words(a.reshape(5, 2), np.array(bad)))
        except IndexError as error:
            print(error)
big = np.full(40, 1e300)
for repeat in range(3):
    print(crc(np.cumprod(big)), crc(np.cumsum(big * 1e7)))
with np.errstate(over="raise"):
    for repeat in range(3):
        try:
            print(scans(big))
        except FloatingPointError as error:
            print(error)
empty = np.empty(0)
for repeat in range(3):
    print(crc(*gathered(a, np.empty(0, np.int64)), np.cumsum(empty), empty[np.empty(0, np.int64)]))
