"""A table of measurements is put in order: gaps, outliers, groups, averages, duplicates."""
import numpy as np
from show import attempt

rng = np.random.default_rng(7)


def measured(n, gaps=0.1):
    x = np.cumsum(rng.normal(size=n)) + 20
    x[rng.random(n) < gaps] = np.nan
    x[rng.random(n) < 0.02] *= 50
    return x


def summary(x):
    return (np.nanmean(x), np.nanstd(x), np.nanmin(x), np.nanmax(x), np.nanmedian(x), np.nanpercentile(x, 90),
            np.isnan(x).mean(), np.count_nonzero(np.isnan(x)))


def interpolated(x):
    bad = np.isnan(x)
    good = ~bad
    filled = x.copy()
    filled[bad] = np.interp(np.flatnonzero(bad), np.flatnonzero(good), x[good])
    return filled, bad.sum(), np.diff(np.flatnonzero(bad))


def without_outliers(x, width=3.0):
    x = x[~np.isnan(x)]
    for _ in range(5):
        center, spread = np.median(x), x.std()
        keep = np.abs(x - center) <= width * spread
        if keep.all():
            break
        x = x[keep]
    return x, len(x)


def runs(flags):
    edges = np.diff(np.concatenate(([0], flags.astype(int), [0])))
    starts = np.flatnonzero(edges == 1)
    ends = np.flatnonzero(edges == -1)
    lengths = ends - starts
    return starts, lengths, lengths.max(), starts[np.argmax(lengths)]


def grouped(keys, values):
    groups, where, counts = np.unique(keys, return_inverse=True, return_counts=True)
    sums = np.bincount(where, weights=values)
    means = sums / counts
    spread = np.sqrt(np.bincount(where, weights=(values - means[where]) ** 2) / counts)
    order = np.lexsort((groups, -counts))
    return groups[order], counts[order], means[order], spread[order], values - means[where]


def rows_without_repeats(table):
    order = np.lexsort(table.T[::-1])
    table = table[order]
    fresh = np.ones(len(table), bool)
    fresh[1:] = np.any(table[1:] != table[:-1], axis=1)
    return table[fresh], order[fresh], np.argwhere(~fresh)


def joined(left, right):
    common = np.intersect1d(left, right)
    return common, np.setdiff1d(left, right), np.isin(left, common).sum(), np.searchsorted(np.sort(right), common), np.union1d(left, right)


def binned(x, n):
    counts, edges = np.histogram(x, bins=n)
    at = np.digitize(x, edges[1:-1])
    means = np.bincount(at, x, n) / np.maximum(np.bincount(at, minlength=n), 1)
    density, _ = np.histogram(x, bins=n, density=True)
    return counts, edges, at, means, (density * np.diff(edges)).sum(), edges[np.argmax(counts)]


def to_python(x):
    total = x.sum().item()
    return x[:3].tolist(), total, x.max().item() - x.min().item(), (x > 0).tolist()[:2], x[:2].tobytes()


for n in (50, 51, 200, 9):
    x = measured(n)
    attempt("summary", summary, x)
    attempt("interpolated", interpolated, x)
    attempt("without_outliers", without_outliers, x)
    attempt("runs", runs, np.isnan(x))
    attempt("binned", binned, interpolated(x)[0], 6)
    attempt("to_python", to_python, interpolated(x)[0])
attempt("no gaps", interpolated, measured(20, 0.0))
attempt("only gaps", summary, np.full(4, np.nan))
attempt("only gaps", interpolated, np.full(4, np.nan))
attempt("nothing", summary, np.zeros(0))
attempt("no runs", runs, np.zeros(5, bool))
columns = np.where(rng.random((6, 4)) < 0.3, np.nan, rng.normal(size=(6, 4)))
columns[:, 2] = np.nan
attempt("columns", lambda a: (np.nanmean(a, axis=0), np.nanstd(a, axis=0), np.nanmax(a, axis=0), np.nansum(a, axis=1)), columns)
attempt("columns without", lambda a: (np.nanmean(a, axis=0) * 2, np.nanmedian(a, axis=0)), columns[:, :2])

for n in (30, 31, 100):
    keys = rng.integers(0, 7, n)
    attempt("grouped", grouped, keys, rng.normal(size=n))
    attempt("grouped by names", grouped, np.array(["a", "b", "c"])[keys % 3], rng.normal(size=n))
    attempt("rows_without_repeats", rows_without_repeats, rng.integers(0, 3, (n, 2)))
    attempt("joined", joined, keys, rng.integers(3, 12, n))
