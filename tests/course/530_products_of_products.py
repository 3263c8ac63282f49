"""Products of the same rows that are multiplied, added and chosen from, as in gated layers of neural networks.

Prints what float32 has in common with float64, so that it may also be run with products in any order of
their sums (DYNACC_FAST_MATH).
"""
import numpy as np

rng = np.random.default_rng(530)


def draw(*shape):
    return rng.standard_normal(shape).astype(np.float32) * np.float32(0.2)


def gated(x, w, v, b):
    return (x @ w) * (x @ v)


def gated_by_sigmoid(x, w, v, b):
    gate = x @ w
    return gate / (1 + np.exp(-gate)) * (x @ v + b)


def added(x, w, v, b):
    return np.maximum(x @ w + b, 0) + (x @ v - b)


def difference_of_three(x, w, v, b):
    return (x @ w) - (x @ v) * (x @ (w + v))


def one_in_the_other(x, w, v, b):
    h = x @ w
    return h * (np.maximum(h, 0) @ v[: h.shape[1], : h.shape[1]])


def used_twice(x, w, v, b):
    h, g = x @ w, x @ v
    return h * g + g, h


def parts(results):
    return results if isinstance(results, tuple) else (results,)


for rows in (3, 64, 200):
    operands = draw(rows, 256), draw(256, 128), draw(256, 128), draw(128)
    for function in (gated, gated_by_sigmoid, added, difference_of_three, one_in_the_other, used_twice):
        for _ in range(3):
            results = function(*operands)
        exact = function(*(a.astype(np.float64) for a in operands))
        for one, wanted in zip(parts(results), parts(exact), strict=True):
            print(rows, function.__name__, one.dtype, bool(np.abs(one - wanted).max() < 1e-5 * np.abs(wanted).max()))
