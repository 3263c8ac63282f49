"""Sums whose terms are computed on the way: of comparisons and choices, which warn of nothing themselves."""
import warnings

import numpy as np

warnings.simplefilter("always")


def counts(x, low, high):
    return np.sum((x >= low) & (x < high)), np.count_nonzero(x > low), (x != x).sum(), np.sum(x > 0, dtype=np.uint64)


def chosen(x):
    return np.sum(np.where(x > 0, x, 0.0)), np.abs(x).sum(), np.mean(np.where(x < 0, -x, 1.0)), np.mean(x > 0)


def rows(x):
    return (x > 0).sum(axis=1), np.where(x > 0, x, 1.0).sum(axis=1), np.abs(x).sum(axis=-1), np.abs(x).sum(axis=0)


def integers(k):
    return np.sum(k * k - 3), (k % 7).sum(), np.sum(k.astype(np.int8) * 2), (k // 3).sum(axis=1), (k << 40).sum()


def show(*values):
    print(*(np.asarray(value).tobytes().hex()[:64] for value in values))


def main():
    rng = np.random.default_rng(3)
    for size in (5, 127, 128, 200, 1000, 8193, 30_000):
        x = rng.standard_normal(size)
        special = x.copy()
        special[[1, -1]] = np.nan, np.inf
        opposite = special.copy()
        opposite[[0, 1]] = -np.inf, np.inf
        huge = np.full(size, 1e308)
        for data in (x, special, opposite, huge, x.astype(np.float32), x[::-1], np.zeros(size)):
            show(*counts(data, -0.5, 0.25))
            show(*chosen(data))
        integer = rng.integers(-2**40, 2**40, (3, size))
        show(*integers(integer))
        show(*integers(integer.astype(np.int32)))
    for shape in ((7, 3), (4, 130), (2, 600), (3, 9000)):
        for data in (rng.standard_normal(shape), np.full(shape, np.nan), np.full(shape, -1e308)):
            show(*rows(data))
    x = rng.standard_normal(500)
    x[3:5] = np.nan, np.inf
    with np.errstate(all="raise"):
        print(chosen(x)[1], counts(x, 0, 1))
        x[3] = -np.inf
        try:
            print(np.where(x != 0, x, 1.0).sum())
        except FloatingPointError as error:
            print(error)


for _ in range(3):
    main()
