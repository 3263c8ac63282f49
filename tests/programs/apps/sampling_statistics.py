"""Samples are studied: moments, fits, resampling, permutation tests, kernel densities, Markov chains."""
import warnings

import numpy as np
from show import show

rng = np.random.default_rng(11)


def times(name, function, *args, n=4):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(n):
            try:
                result = function(*args)
            except Exception as error:
                result = f"{type(error).__name__}: {error}"
    show(name, result)


def moments(x):
    centered = x - x.mean()
    s = x.std(ddof=1)
    return s, (centered ** 3).mean() / s ** 3, (centered ** 4).mean() / s ** 4 - 3, np.percentile(x, [5, 50, 95]), np.ptp(x)


def fitted(x, y, degree):
    c = np.polyfit(x, y, degree)
    residual = y - np.polyval(c, x)
    return c, (residual ** 2).sum(), np.polyval(np.polyder(c), x).max(), 1 - residual.var() / y.var()


def straight(x, y):
    a = np.vstack([x, np.ones_like(x)]).T
    q, r = np.linalg.qr(a)
    beta = np.linalg.solve(r, q.T @ y)
    cov = np.linalg.inv(a.T @ a) * ((y - a @ beta) ** 2).sum() / (len(x) - 2)
    return beta, np.sqrt(np.diag(cov)), np.linalg.cond(a.T @ a), np.linalg.matrix_rank(a)


def related(data):
    c = np.cov(data, rowvar=False)
    r = np.corrcoef(data, rowvar=False)
    w, v = np.linalg.eigh(c)
    order = np.argsort(w)[::-1]
    scores = (data - data.mean(axis=0)) @ v[:, order]
    off = r[np.triu_indices(r.shape[0], 1)]
    return c, r, w[order] / w.sum(), np.abs(scores).sum(axis=0), off, off[np.argmax(np.abs(off))]


def resampled(x, seed):
    g = np.random.default_rng(seed)
    means = x[g.integers(0, len(x), (50, len(x)))].mean(axis=1)
    return np.sort(means)[[2, 47]], means.std()


def permuted(x, y, seed):
    g = np.random.default_rng(seed)
    both = np.concatenate([x, y])
    seen = x.mean() - y.mean()
    larger = 0
    for _ in range(20):
        mixed = g.permutation(both)
        larger += abs(mixed[: len(x)].mean() - mixed[len(x):].mean()) >= abs(seen)
    return seen, larger


def density(x, at):
    h = 1.06 * x.std() * len(x) ** -0.2
    k = np.exp(-0.5 * ((at[:, None] - x[None, :]) / h) ** 2)
    return k.mean(axis=1) / (h * np.sqrt(2 * np.pi))


def ranks(x):
    order = np.argsort(x, kind="stable")
    r = np.empty(len(x))
    r[order] = np.arange(1, len(x) + 1)
    values, where, counts = np.unique(x, return_inverse=True, return_counts=True)
    top = np.cumsum(counts)
    return r, (top - (counts - 1) / 2)[where], np.repeat(values, counts) - np.sort(x)


def chain(states, k):
    pairs = np.zeros((k, k))
    np.add.at(pairs, (states[:-1], states[1:]), 1)
    rows = pairs.sum(axis=1, keepdims=True)
    p = np.divide(pairs, rows, out=np.zeros_like(pairs), where=rows > 0)
    return p, np.linalg.matrix_power(p, 8)[0], np.bincount(states, minlength=k) / len(states)


def table(x, y):
    counts, xe, ye = np.histogram2d(x, y, bins=4)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    used = expected > 0
    return ((counts[used] - expected[used]) ** 2 / expected[used]).sum(), counts.sum(), xe, ye[np.argmax(counts.sum(axis=0))]


def windows(x, n):
    total = np.cumsum(np.insert(x, 0, 0.0))
    mean = (total[n:] - total[:-n]) / n
    weights = np.ones(n) / n
    return mean, np.allclose(mean, np.convolve(x, weights, "valid")), np.correlate(x - x.mean(), x - x.mean(), "full")[len(x) - 1:] / x.var()


for n in (40, 41, 120):
    x = rng.normal(size=n)
    y = 2 * x + rng.normal(size=n) * 0.3
    times("moments", moments, x)
    for degree in (1, 2, 3):
        times("fitted", fitted, x, y, degree)
    times("straight", straight, x, y)
    times("related", related, np.stack([x, y, x * y, rng.normal(size=n)], axis=1))
    times("resampled", resampled, x, n)
    times("permuted", permuted, x, y, n)
    times("density", density, x, np.linspace(-2, 2, 9))
    times("ranks", ranks, np.round(x, 1))
    times("chain", chain, (np.abs(x) * 2).astype(int) % 4, 4)
    times("table", table, x, y)
    times("windows", windows, x, 5)
times("constant", fitted, np.ones(5), np.arange(5.0), 2)
times("too few", fitted, np.ones(2), np.arange(3.0), 2)
times("flat", related, np.ones((4, 2)))
times("one", lambda x: np.cov(x) * 2, np.ones(1))
times("empty", moments, np.zeros(0))
