"""Numerical methods shrink and grow their arrays: bisection, leaving particles, pivots, sieves, shortest paths."""
import numpy as np
from show import show

rng = np.random.default_rng(5)


def bisected(f, low, high):
    low, high = low.copy(), high.copy()
    active = np.arange(len(low))
    rounds = 0
    while active.size and rounds < 60:
        middle = (low[active] + high[active]) / 2
        same = np.sign(f(middle)) == np.sign(f(low[active]))
        low[active[same]] = middle[same]
        high[active[~same]] = middle[~same]
        active = active[high[active] - low[active] > 1e-6]
        rounds += 1
    return (low + high) / 2, rounds


def drifting(x, v, steps):
    counts = []
    for _ in range(steps):
        v = v - 0.1 * x
        x = x + 0.2 * v
        inside = np.abs(x) < 2.5
        x, v = x[inside], v[inside]
        counts.append(len(x))
    return x, v, counts


def adaptive(f, a, b, tolerance):
    left, right = np.array([a]), np.array([b])
    total, pieces = 0.0, 0
    while left.size:
        middle = (left + right) / 2
        h = right - left
        coarse = h * (f(left) + 4 * f(middle) + f(right)) / 6
        q1, q3 = (left + middle) / 2, (middle + right) / 2
        fine = h * (f(left) + 4 * f(q1) + 2 * f(middle) + 4 * f(q3) + f(right)) / 12
        done = np.abs(fine - coarse) < tolerance * h
        total += fine[done].sum()
        pieces += np.count_nonzero(done)
        again = ~done
        left, right = np.concatenate([left[again], middle[again]]), np.concatenate([middle[again], right[again]])
    return total, pieces


def eliminated(a, b):
    a, b = a.copy(), b.copy()
    n = len(b)
    for k in range(n):
        pivot = k + np.argmax(np.abs(a[k:, k]))
        if pivot != k:
            a[[k, pivot]] = a[[pivot, k]]
            b[[k, pivot]] = b[[pivot, k]]
        factors = a[k + 1:, k] / a[k, k]
        a[k + 1:] -= factors[:, None] * a[k]
        b[k + 1:] -= factors * b[k]
    x = np.zeros(n)
    for k in range(n - 1, -1, -1):
        x[k] = (b[k] - a[k, k + 1:] @ x[k + 1:]) / a[k, k]
    return x


def primes(n):
    sieve = np.ones(n, bool)
    sieve[:2] = False
    for i in range(2, int(n ** 0.5) + 1):
        if sieve[i]:
            sieve[i * i::i] = False
    found = np.flatnonzero(sieve)
    return found[-3:], len(found), np.diff(found).max(), np.bincount(np.diff(found))


def percolated(open_sites):
    wet = np.zeros_like(open_sites)
    wet[0] = open_sites[0]
    while True:
        spread = wet.copy()
        spread[1:] |= wet[:-1]
        spread[:-1] |= wet[1:]
        spread[:, 1:] |= wet[:, :-1]
        spread[:, :-1] |= wet[:, 1:]
        spread &= open_sites
        if np.array_equal(spread, wet):
            break
        wet = spread
    rows, columns = np.nonzero(wet)
    return wet.sum(), rows.max() if rows.size else -1, np.argwhere(wet[-1]).ravel(), columns * 2


def distances(graph, start):
    reached = np.full(len(graph), -1)
    frontier = np.array([start])
    reached[frontier] = 0
    level = 0
    while frontier.size:
        level += 1
        near = np.unique(np.nonzero(graph[frontier])[1])
        frontier = near[reached[near] < 0]
        reached[frontier] = level
    return reached, np.bincount(reached[reached >= 0]), np.flatnonzero(reached < 0)


def events(signal, threshold):
    above = signal > threshold
    starts = np.flatnonzero(~above[:-1] & above[1:]) + 1
    ends = np.flatnonzero(above[:-1] & ~above[1:]) + 1
    if above[0]:
        starts = np.insert(starts, 0, 0)
    if above[-1]:
        ends = np.append(ends, len(signal))
    lengths = ends - starts
    long = lengths > 2
    areas = np.add.reduceat(signal, starts) if len(starts) else np.zeros(0)
    return starts[long], lengths[long], areas[long], np.repeat(np.arange(len(starts)), lengths)


def clustered(points, centers):
    for _ in range(8):
        d = ((points[:, None] - centers[None]) ** 2).sum(axis=2)
        of = d.argmin(axis=1)
        sizes = np.bincount(of, minlength=len(centers))
        alive = sizes > 0
        sums = np.stack([np.bincount(of, points[:, k], len(centers)) for k in range(points.shape[1])], axis=1)
        centers = sums[alive] / sizes[alive][:, None]
    return centers, sizes, len(centers)


def newton(z, steps):
    z = z.copy()
    rounds = np.zeros(z.shape, int)
    busy = np.ones(z.shape, bool)
    for k in range(steps):
        w = z[busy]
        w = w - (w ** 3 - 1) / (3 * w ** 2)
        z[busy] = w
        rounds[busy] = k + 1
        busy[busy] = np.abs(w ** 3 - 1) > 1e-9
        if not busy.any():
            break
    return z, rounds, np.unique(rounds, return_counts=True)


def times(name, function, *args, n=3):
    for _ in range(n):
        result = function(*args)
    show(name, result)


for n in (9, 10, 25):
    times("bisected", bisected, lambda x: np.cos(x) - x * np.linspace(0.5, 1, len(x)).mean(), np.zeros(n), np.full(n, 2.0))
    times("drifting", drifting, rng.normal(size=n) * 2, rng.normal(size=n), 12)
    times("eliminated", eliminated, rng.normal(size=(n, n)), rng.normal(size=n))
    times("primes", primes, n * 10)
    times("percolated", percolated, rng.random((n, n)) < 0.65)
    times("distances", distances, rng.random((n, n)) < 1.5 / n, 0)
    times("events", events, np.sin(np.arange(n * 4) * 0.4) + rng.normal(size=n * 4) * 0.2, 0.4)
    times("clustered", clustered, rng.normal(size=(n, 2)), rng.normal(size=(5, 2)) * 4)
    times("newton", newton, np.linspace(0.5, 3, n), 30)
times("adaptive", adaptive, lambda x: np.exp(-x * x) * np.sin(8 * x), 0.0, 3.0, 1e-7)
times("no events", events, np.zeros(9), 0.4)
times("closed", percolated, np.zeros((4, 4), bool))

