"""Layers follow a matrix product with biases, activations, residuals, gates and further products.

Prints what float32 has in common with float64, so that it may also be run with products in any order of
their sums (DYNACC_FAST_MATH).
"""
# test: fast-math
import numpy as np

rng = np.random.default_rng(7)


def draw(*shape):
    return rng.standard_normal(shape).astype(np.float32) * np.float32(0.2)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def gelu_by_factors(x):
    cubic = x * x * x
    return x * (np.tanh((cubic * 0.044715 + x) * 0.7978845608) + 1) / 2


def logistic(x):
    return 1 / (1 + np.exp(-x))


ACTIVATIONS = {
    "none": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "relu, other way round": lambda x: np.maximum(0, x),
    "relu by where": lambda x: np.where(x > 0, x, 0),
    "leaky relu": lambda x: np.where(x > 0, x, 0.25 * x),
    "clip": lambda x: np.minimum(np.maximum(x, -0.5), 0.75),
    "tanh": np.tanh,
    "absolute": abs,
    "square": lambda x: x * x,
    "scaled": lambda x: x * 0.125 + 3,
    "logistic": logistic,
    "swish": lambda x: x * logistic(x),
    "swish as a quotient": lambda x: x / (1 + np.exp(-x)),
    "gelu": gelu,
    "gelu by factors": gelu_by_factors,
    "sine": np.sin,  # no library has it
}


def layer(x, w, bias, residual, activation):
    return activation(x @ w + bias) + residual


def scaled_layer(x, w, scale, residual, activation):
    return residual * activation((x @ w) * scale) - scale


def both(x, w, bias, residual, activation):
    before = x @ w + bias  # is needed later, too
    return activation(before) - before * 0.5 + residual.mean()


def agree(function, operands, activation):
    """How function's float32 result looks, and whether it is near float64's."""
    found = function(*operands, activation)
    wanted = function(*(o.astype(np.float64) for o in operands), activation)
    near = bool(np.abs(found - wanted).max() < 2e-3)
    return found.dtype, found.shape, found.flags.c_contiguous, near


for name, activation in ACTIVATIONS.items():
    operands = draw(130, 96), draw(96, 200), draw(200), draw(130, 200)
    for function in (layer, scaled_layer, both):
        for _ in range(2):
            print(name, function.__name__, *agree(function, operands, activation))

# Operands that lie otherwise: transposed, every other row, part of a larger array, broadcast.
w = draw(200, 96)
x, bias, residual = draw(260, 96), draw(400), draw(200, 130)
for _ in range(2):
    print(*agree(layer, (x[::2], w.T, bias[::2], residual.T), gelu))
    print(*agree(layer, (x[:130, :], w[:, ::-1].T, bias[200:], residual.T[::-1]), ACTIVATIONS["relu"]))
    print(*agree(layer, (x.reshape(96, 260).T[:130], w.T, bias[:1], residual.T), np.tanh))
    print(*agree(layer, (np.broadcast_to(x[0], (130, 96)), w.T, bias[:200], residual.T), np.tanh))

# Stacks of matrices; of which one operand may have fewer.
stacks = [((6, 90, 64), (6, 64, 100)), ((6, 90, 64), (64, 100)), ((90, 64), (6, 64, 100)), ((2, 3, 90, 64), (3, 64, 100)),
          ((2, 1, 90, 64), (1, 3, 64, 100)), ((5, 700, 64), (64, 100))]
for a_shape, b_shape in stacks:
    a, b = draw(*a_shape), draw(*b_shape)
    shape = np.matmul(a, b).shape
    for activation in (ACTIVATIONS["none"], gelu):
        print(a_shape, b_shape, *agree(layer, (a, b, draw(100), draw(*shape)), activation))
        print(a_shape, b_shape, *agree(layer, (a, b, draw(shape[-2], 1), draw(*shape[1:])), activation))
heads = draw(90, 3, 6, 64).transpose(1, 2, 0, 3)
for _ in range(2):
    print(*agree(lambda q, k, v, mask, _: (q @ k.transpose(0, 2, 1) / 8 + mask) @ v, (*heads, draw(90, 90)), None))

# Vectors, and products of one row and one column.
for a_shape, b_shape in (((1500,), (1500, 900)), ((900, 1500), (1500,)), ((1, 1500), (1500, 900)), ((900, 1500), (1500, 1))):
    a, b = draw(*a_shape), draw(*b_shape)
    print(a_shape, b_shape, *agree(layer, (a, b, draw(1), draw(*(a @ b).shape)), np.tanh))


def rows_of_any_number(x, w, bias):
    return np.maximum(x @ w + bias, 0)


w, bias = draw(128, 128), draw(128)
for rows in (1, 3, 64, 65, 127, 128, 129, 300, 1000, 0, 2):
    x = draw(rows, 128)
    near = np.abs(rows_of_any_number(x, w, bias) - rows_of_any_number(x.astype(float), w.astype(float), bias)) < 2e-3
    print(rows, near.shape, bool(near.all()))

# What is not a number stays so, through functions that oneDNN computes without regard to it.
x, w, bias, residual = draw(130, 96), draw(96, 200), draw(200), draw(130, 200)
x[3, 5] = np.nan
residual[7, :] = np.nan
bias[11] = np.inf
with np.errstate(invalid="ignore"):
    for name, activation in ACTIVATIONS.items():
        y = layer(x, w, bias, residual, activation)
        print(name, np.isnan(y).sum(), np.isinf(y).sum(), np.isnan(y[3]).all(), np.isnan(y[7]).all())

# An array that is written to between two calls is read anew.
x, w, bias = draw(130, 96), draw(96, 200), draw(200)
for i in range(4):
    y = rows_of_any_number(x, w, bias)
    print(bool(np.abs(y - rows_of_any_number(x.astype(float), w.astype(float), bias)).max() < 2e-3))
    w[:, i] = i
    bias += 1


# Products of the same rows that are multiplied, added and chosen from, as in gated layers of neural networks.
rng = np.random.default_rng(530)


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


# Layers whose activation or scale comes twice with other numbers, with a bias or a residual between.
rng = np.random.default_rng(531)


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
