"""Nested ranges over small matrices: indices whose bounds are known before a loop, and those that only seem so."""
# test: compiled
import hashlib
import traceback
import warnings

import numpy as np


def product(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total
    return c, total


def filtered(image, kernel):
    h, w = image.shape
    r = kernel.shape[0] // 2
    out = np.zeros((h, w))
    for y in range(r, h - r):
        for x in range(r, w - r):
            total = 0.0
            for dy in range(-r, r + 1):
                for dx in range(-r, r + 1):
                    total += image[y + dy, x + dx] * kernel[dy + r, dx + r]
            out[y, x] = total
    return out, x, y


def wrapped(a, reach):
    """Indices that are negative in some rounds."""
    out = np.zeros_like(a)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total = 0.0
            for d in range(1, reach):
                total += a[i - d, j - d] - a[-d, j] * 0.5
            out[i, j] = total
    return out


def triangle(a):
    n = len(a)
    lower = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = 0.0
            for k in range(j):
                s += lower[i, k] * lower[j, k]
            if i == j:
                lower[i, j] = np.sqrt(a[i, i] - s)
            else:
                lower[i, j] = (a[i, j] - s) / lower[j, j]
    return lower


def backwards(u, b):
    n = len(b)
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(n - 1, i, -1):
            s -= u[i, j] * x[j]
        x[i] = s / u[i, i]
    for i in reversed(range(0, n, 2)):
        for j in range(i, 0, -3):
            x[i] += x[j - 1] * 0.01
    return x


def stencil(a, rounds):
    for _ in range(rounds):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                a[i, j] = (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]) / 4.0
    return a


def rows(data, indices, starts):
    """Bounds that are read in the loop."""
    out = np.zeros(len(starts) - 1)
    for i in range(len(starts) - 1):
        s = 0.0
        for k in range(starts[i], starts[i + 1]):
            s += data[k] * out[indices[k]] + data[k]
        out[i] = s
    return out


def searched(a, least):
    """A loop that is left in the middle, and one with a test in it."""
    places, found = [], 0
    for i in range(a.shape[0]):
        s, best, at = 0.0, -1e300, -1
        for j in range(a.shape[1]):
            s += a[i, j] * 0.5
            if a[i, j] > best:
                best, at = a[i, j], j
            if s > least:
                found += 1
                break
        else:
            j = -1
        places.append((i, j, at, float(s), type(s).__name__))
    return places[::7], found


def counts(codes, table):
    seen = np.zeros(table.shape[0], dtype=np.int64)
    mixed = 0
    for i in range(len(codes)):
        for k in range(1, 3):
            mixed = (mixed * 31 + table[(codes[i] * k) & 15]) % 1000003
            seen[codes[i] % 5] += k
    return seen, mixed


def singles(a, b):
    out = np.zeros((a.shape[0], b.shape[1]), dtype=np.float32)
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = np.float32(0)
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            out[i, j] = total
    return out


def too_far(a, ends):
    """Out of range in the last rounds of one row."""
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(ends[i]):
            total += a[i, j + 1]
            a[i, j] = total
    return total


def beyond(a, step):
    """Ints of more than 64 bits."""
    total, big = 0.0, 1
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            big = big * step + j
            total += a[i, (i * j + big) % a.shape[1]]
    return total, big


def shifted(a, offset):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total += a[i, j + offset - offset]
    return total


def quotients(a, b):
    out = []
    for i in range(a.shape[0]):
        total = 1.0
        for j in range(a.shape[1]):
            total += a[i, j] / b[i, j] - np.sqrt(a[i, j])
        out.append(total)
    return out[::3]


def aliased(a):
    """Rows that are read while they are written."""
    b, c = a[1:], a[:, ::-1]
    for i in range(b.shape[0]):
        for j in range(1, b.shape[1]):
            b[i, j] = a[i, j] + c[i, j] * 0.5 - b[i, j - 1]
            a[i, j - 1] = b[i, j] * 0.125
    return a


def shown(value):
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, hashlib.sha256(value.tobytes()).hexdigest()[:16]
    if isinstance(value, tuple):
        return tuple(shown(one) for one in value)
    return type(value).__name__, value


def report(function, *arguments):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = shown(function(*arguments))
        except (IndexError, UnboundLocalError, ZeroDivisionError, OverflowError, FloatingPointError) as error:
            frame = traceback.extract_tb(error.__traceback__)[1]
            tb = error.__traceback__.tb_next
            names = {name: shown(value) for name, value in tb.tb_frame.f_locals.items()}
            result = type(error).__name__, str(error), frame.lineno, names
    print(function.__name__, result, [(str(one.message), one.lineno) for one in caught][:4], len(caught))


def ordinary(rng):
    for shape in ((12, 12, 12), (3, 40, 7), (1, 1, 1), (0, 4, 5), (4, 0, 5), (5, 3, 0), (7, 300, 2)):
        n, m, p = shape
        a, b = rng.standard_normal((n, m)), rng.standard_normal((m, p))
        report(product, a, b)
        report(product, np.asfortranarray(a), b[::-1])
        report(singles, a.astype(np.float32), b.astype(np.float32))
    for size in (9, 30):
        a = rng.standard_normal((size, size))
        report(filtered, a, rng.standard_normal((3, 3)))
        report(filtered, a.T[:, ::-1], rng.standard_normal((5, 5)))
        report(wrapped, a, 4)
        report(wrapped, a, size + 2)
        report(triangle, a @ a.T + size * np.eye(size))
        report(backwards, a + size * np.eye(size), a[0])
        report(stencil, a.copy(), 3)
        report(searched, a, 1.5)
        report(quotients, np.abs(a), a)
        report(aliased, a.copy())
        report(shifted, a, 0)
        report(shifted, a, 2 ** 62)


def strange(rng):
    a = rng.standard_normal((20, 25))
    starts = np.concatenate(([0], np.cumsum(rng.integers(0, 9, 60))))
    indices = rng.integers(0, 60, starts[-1])
    data = rng.standard_normal(starts[-1]) * 0.01
    report(rows, data, indices, starts)
    report(rows, data, indices, starts[::-1])
    report(rows, data[:-3], indices, starts)
    indices[150] = 60
    report(rows, data, indices, starts)
    ends = np.full(20, 24)
    report(too_far, a.copy(), ends)
    ends[13] = 25
    report(too_far, a.copy(), ends)
    report(beyond, a, 1)
    report(beyond, a, 3)
    report(counts, rng.integers(0, 256, 400).astype(np.uint8), np.arange(16) * 7)
    report(counts, rng.integers(0, 256, 400), np.arange(9))
    for value in (np.inf, -np.inf, np.nan, 1e300):
        b = a.copy()
        b[7, 11] = b[15, 3] = value
        with np.errstate(all="ignore"):
            large, square, small = b.T * 1e10, (b @ b.T)[:9, :9], (b.T * 1e30).astype(np.float32)
            single = b.astype(np.float32)
        report(product, b, large)
        report(filtered, b, np.full((3, 3), 1e9))
        report(searched, b, 2.0)
        report(stencil, b.copy(), 2)
        report(quotients, np.abs(b), np.round(b))
        report(triangle, square)
        report(singles, single, small)
        with np.errstate(all="raise"):
            report(product, b, large)
            report(quotients, np.abs(b), np.round(b))


def main():
    rng = np.random.default_rng(11)
    for _ in range(3):
        ordinary(rng)
        strange(rng)


main()
