"""An operation whose result nobody uses still warns and raises where it stands."""
# test: compiled
import warnings

import numpy as np

from show import show


# A conversion raises where it stands, whether its result is used or not.
def attempt(function, *args):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(*args)
        except Exception as error:
            result = type(error).__name__, str(error)
    return result, [str(warning.message) for warning in caught]


def first_of_two(x):
    y = x + 1
    return y[1], [1, int(x[0])][0]


def a_statement(x):
    y = x * 2
    int(x.sum())
    return y


def a_dict_that_goes(x):
    y = x * 2
    counts = {"first": round(float(x[0])), "last": int(x[-1])}
    counts["first"] = 0
    return y, len(counts)


def text(x):
    y = x - 1
    f"{x[0]:d}"
    return y


def wrong_format(x):
    y = x - 1
    label = f"{x[0]:.2q}"
    label = "none"
    return y, label


def nested(x):
    label = str(int(x[0]))
    label = "none"
    return x + 1, label


def half(x):
    last = int(x.astype(np.float16)[0])
    last = 1
    return x * last


values = np.array([1.5, 2.0, 3.0])
for function in (first_of_two, a_statement, a_dict_that_goes, text, wrong_format, nested, half):
    for first in (1.5, 2.5, np.nan, np.inf, 3.0, np.nan):
        values[0] = first
        print(function.__name__, first, *attempt(function, values))


# What NumPy converts to a narrower dtype may underflow, and is reported where that is asked for.
def forms(x):
    return x + 1e-7, x < 1e-50, x * 1e-46


def where(x):
    return np.where(x > 1, x, 1e-7), np.maximum(x, 1e-46)


for settings in ({}, {"under": "warn"}, {"under": "raise"}, {"all": "raise"}, {}):
    for dtype in ("float16", "float32", "float64", "complex64"):
        with np.errstate(**settings):
            for function in (forms, where):
                for _ in range(3):
                    print(settings, dtype, *attempt(function, np.array([1, 2, 3], dtype)))


# Values that nobody uses: NumPy computes them all the same, and warns of them.
def beside_a_reduction(x):
    kept = [part * 2 for part in (np.min(x + x, axis=0), x)][0]
    return x, kept


def warns(x):
    x / (x - x)
    return x.sum(axis=0) + 1.0


for shape in ((13, 4), (4, 13), (5, 1)):
    values = np.random.default_rng(1).normal(size=shape)
    for _ in range(4):
        results = beside_a_reduction(values), beside_a_reduction(values.T), warns(values)
    show("results", list(results))
