"""Stores behind tests, elements that stay the same until they are stored to, ranges backwards, arrays that overlap."""
# test: compiled
import warnings
import zlib

import numpy as np


def shortest_paths(d):
    for k in range(d.shape[0]):
        for i in range(d.shape[0]):
            for j in range(d.shape[1]):
                through = d[i, k] + d[k, j]
                if through < d[i, j]:
                    d[i, j] = through


def most_reliable(d):
    for k in range(len(d)):
        for i in range(len(d)):
            for j in range(len(d)):
                d[i, j] = max(d[i, j], d[i, k] * d[k, j])


def knapsack(best, weights, values):
    for i in range(len(weights)):
        w = weights[i]
        for c in range(len(best) - 1, w - 1, -1):
            candidate = best[c - w] + values[i]
            if candidate > best[c]:
                best[c] = candidate


def forward_knapsack(best, weights, values):
    for i in range(len(weights)):
        w = weights[i]
        for c in range(w, len(best)):
            candidate = best[c - w] + values[i]
            if candidate > best[c]:
                best[c] = candidate


def eliminated(a):
    for k in range(len(a) - 1):
        for i in range(k + 1, len(a)):
            for j in range(len(a) - 1, k - 1, -1):
                a[i, j] -= a[i, k] / a[k, k] * a[k, j]


def scaled_by_itself(a, place):
    for i in range(len(a)):
        a[i] = a[i] * a[place] + 0.5


def two_places(a, b, place):
    for i in range(len(a) - 3):
        if b[i] > a[place]:
            a[i] = b[i]
        a[i + 3] = a[place] + 1.0


def moved(a, by):
    for i in range(20, len(a) - 20):
        a[i] = a[i + by] * 0.5 + a[i] * 0.25


def moved_back(a, by):
    for i in range(len(a) - 20, 20, -1):
        if a[i] > 0:
            a[i] = a[i + by] - a[i] * 0.25


def clipped(out, a, low, high):
    for i in range(len(a)):
        if a[i] < low[0]:
            out[i] = low[0]
        elif a[i] > high[0]:
            out[i] = high[0]


def marked(out, a, b):
    for i in range(len(a)):
        if a[i] + b[i] > 90:
            out[i] = a[i] - b[i]


def tensor(v, c):
    n = c.shape[0]
    out = np.zeros((n, n, n))
    for p in range(n):
        for r in range(n):
            for s in range(n):
                t = 0.0
                for i in range(n):
                    t += c[i, p] * v[i, r, s]
                out[p, r, s] = t
    return out


def show(name, function, *arguments):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result, error = function(*arguments), ""
        except (FloatingPointError, IndexError, ZeroDivisionError) as found:
            result, error = None, f"{type(found).__name__}: {found} line {found.__traceback__.tb_next.tb_lineno}"
    arrays = [one for one in (*arguments, result) if isinstance(one, np.ndarray)]
    told = [(str(one.message), one.lineno) for one in caught]
    print(name, [zlib.crc32(one.tobytes()) for one in arrays], len(told), told[:2], error)


def graphs():
    for n in (3, 9, 16, 50, 300):
        random = np.random.default_rng(n)
        d = random.uniform(1, 100, (n, n))
        show(f"paths {n}", shortest_paths, d[:8].copy() if n == 300 else d)
        d = random.uniform(-3, 100, (n, n)) if n < 100 else d[:n // 10, :n // 10].copy()
        show(f"paths {n}, negative", shortest_paths, d[:12, :12].copy())
        show(f"paths {n}, ints", shortest_paths, random.integers(-2, 50, (n, n))[:20, :20].copy())
        show(f"paths {n}, float32", shortest_paths, random.uniform(-1, 90, (n, n)).astype(np.float32)[:20, :20].copy())
        show(f"reliable {n}", most_reliable, random.uniform(0, 1.1, (n, n))[:20, :20].copy())
    for value in (np.inf, -np.inf, np.nan, 1e308, -1e308):
        d = np.random.default_rng(3).uniform(1, 100, (40, 40))
        d[7, 33] = d[30, 2] = value
        show(f"paths with {value}", shortest_paths, d)
        d = np.random.default_rng(4).uniform(0.1, 1, (40, 40))
        d[7, 33] = value
        show(f"reliable with {value}", most_reliable, d)
    with np.errstate(all="raise"):
        d = np.full((40, 40), 1e308)
        d[5, 5] = 1.0
        show("paths that raise", shortest_paths, d)
    d = np.random.default_rng(5).uniform(1, 100, (40, 80))
    show("every second column", shortest_paths, d[:, ::2])
    show("transposed", shortest_paths, d[:, :40].T)


def sums():
    for n in (5, 40, 700):
        random = np.random.default_rng(n)
        weights, values = random.integers(1, n // 2 + 1, 12), random.integers(1, 99, 12)
        for knapsacks in (knapsack, forward_knapsack):
            for dtype in (np.int64, np.int32, np.float64):
                show(f"{knapsacks.__name__} {n} {np.dtype(dtype)}", knapsacks, np.zeros(n, dtype), weights, values)
            best = np.zeros(n, np.int64)
            best[n // 3] = np.iinfo(np.int64).max - 40
            show(f"{knapsacks.__name__} {n} overflows", knapsacks, best, weights, values)
            shared = np.arange(n) % 7 + 1
            show(f"{knapsacks.__name__} {n} of one array", knapsacks, shared, shared[:5], shared[:5])
            show(f"{knapsacks.__name__} {n} reversed", knapsacks, np.zeros(n, np.int64)[::-1], weights, values)
    for n in (6, 30, 60):
        a = np.random.default_rng(n).uniform(1, 2, (n, n))
        show(f"eliminated {n}", eliminated, a)
        a[n // 2, n // 2] = 0.0
        show(f"eliminated {n} again", eliminated, a)


def places():
    for n in (20, 100, 600):
        a = np.linspace(-1.0, 2.0, n)
        b = np.linspace(2.0, -1.0, n)
        for place in (0, 1, 17, n // 2, n - 1, -1):
            if place >= n:
                continue
            show(f"by {place} of {n}", scaled_by_itself, a.copy(), place)
            show(f"two places, {place} of {n}", two_places, a.copy(), b, place)
        for by in range(-20, 20):
            if n > 40:
                show(f"moved by {by}", moved, a.copy(), by)
                show(f"moved back by {by}", moved_back, a.copy(), by)
        for overlap in (0, 1, 5, n):
            memory = np.linspace(-1.0, 2.0, 3 * n + 2)
            a, out = memory[:n], memory[overlap:overlap + n]
            low, high = memory[n // 2:n // 2 + 1], memory[overlap + n // 3:overlap + n // 3 + 1]
            show(f"clipped, {overlap} apart", clipped, out, a, low, high)
        for dtype in (np.uint8, np.int8, np.int16, np.int64, np.float32):
            a = (np.arange(n) * 7 % 64).astype(dtype)
            show(f"marked {np.dtype(dtype)}", marked, np.zeros(n, dtype), a, a[::-1].copy())
            show(f"marked in place {np.dtype(dtype)}", marked, a, a, a[::-1].copy())
    read_only = np.linspace(0, 100.0, 50)
    read_only.flags.writeable = False
    show("nothing is stored", marked, read_only, np.zeros(50), np.zeros(50))


def small():
    for n in (2, 5, 8, 9, 12, 16, 17):
        random = np.random.default_rng(n)
        v, c = random.uniform(-1, 1, (n, n, n)), random.uniform(-1, 1, (n, n))
        show(f"tensor {n}", tensor, v, c)
        v[n // 2, 1, n - 1] = np.inf
        show(f"tensor {n} with an infinity", tensor, v, c)
        v[0, 1, n - 1] = -np.inf
        show(f"tensor {n} with two", tensor, v, c)


for _ in range(3):  # the last time by what the first have made
    graphs()
    sums()
    places()
    small()
