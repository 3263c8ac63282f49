"""Layers whose activation or scale comes twice with other numbers, with a bias or a residual between.

Prints what float32 has in common with float64, so that it may also be run with products in any order of
their sums (DYNACC_FAST_MATH).
"""
import numpy as np

rng = np.random.default_rng(531)


def draw(*shape):
    return rng.standard_normal(shape).astype(np.float32) * np.float32(0.2)


def leaky(slope):
    return lambda x: np.where(x > 0, x, slope * x)


def clipped(low, high):
    return lambda x: np.minimum(np.maximum(x, low), high)


PAIRS = {
    "leaky, relu": (leaky(0.25), lambda x: np.maximum(x, 0)),
    "relu, leaky": (lambda x: np.maximum(x, 0), leaky(0.25)),
    "two slopes": (leaky(0.5), leaky(0.125)),
    "one slope": (leaky(0.5), leaky(0.5)),
    "absolute, leaky": (abs, leaky(0.25)),
    "two scales": (lambda x: 0.5 * x + 0.25, lambda x: 1 - 2 * x),
    "two factors": (lambda x: x * 0.125, lambda x: x / 3),
    "two ranges": (clipped(-0.25, 0.5), clipped(-0.5, 0.125)),
    "one range": (clipped(-0.25, 0.5), clipped(-0.25, 0.5)),
    "scale, range, scale": (lambda x: clipped(-1, 1)(x * 2), lambda x: clipped(-1, 0.5)(x * 3)),
}


def with_bias(x, w, b, r, first, second):
    return second(first(x @ w) + b)


def with_residual(x, w, b, r, first, second):
    return second(first(x @ w + b) - r)


def at_once(x, w, b, r, first, second):
    return second(first(x @ w)) + r


for name, (first, second) in PAIRS.items():
    operands = draw(130, 96), draw(96, 200), draw(200), draw(130, 200)
    for function in (with_bias, with_residual, at_once):
        for _ in range(3):
            found = function(*operands, first, second)
        wanted = function(*(o.astype(np.float64) for o in operands), first, second)
        print(name, function.__name__, found.dtype, bool(np.abs(found - wanted).max() < 1e-4))
