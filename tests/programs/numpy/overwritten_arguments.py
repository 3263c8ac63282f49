"""Medians and percentiles may overwrite their argument, and what they leave in it shows."""
import warnings

import numpy as np

warnings.simplefilter("always")


def medians(x, axis):
    m = np.median(x, axis=axis, overwrite_input=True)
    return m, x, m * 2, x + 1


def percentiles(x, q, axis):
    return np.percentile(x, q, axis, overwrite_input=True), x, np.quantile(x, 0.5, axis=0, overwrite_input=True), x.sum()


def of_views(x):
    part = x[1:]
    m = np.median(part, overwrite_input=True, keepdims=True)
    return m, x, part


def of_results(x):
    y = x * 2
    m = np.nanmedian(y, axis=-1, overwrite_input=True)
    return y - m[..., None], np.median(y.T, overwrite_input=True), y


def attempt(function, x, *args):
    try:
        return [r.tolist() if isinstance(r, np.ndarray) else r for r in function(x, *args)]
    except Exception as error:
        return type(error).__name__, str(error)


random = np.random.default_rng(2)
readonly = random.normal(size=(4, 5))
readonly.flags.writeable = False
for x in (random.normal(size=9), random.normal(size=(4, 7)), random.integers(0, 99, (6, 5)), random.normal(size=(7, 4)).T, random.normal(size=(8, 3))[::2],
          random.normal(size=(2, 3, 4)).astype("f4"), np.where(random.random((5, 6)) < 0.2, np.nan, 1.5), np.zeros(0), np.zeros((0, 3)), readonly, np.arange(3.0)):
    for repeat in range(3):
        for axis in (None, 0, -1, 1):
            print(attempt(medians, x if x is readonly else x.copy("K"), axis), attempt(percentiles, x if x is readonly else x.copy("K"), 30, axis))
        print(attempt(percentiles, x.copy(), [10, 50], 0), attempt(of_views, x.copy()), attempt(of_results, x))
