"""Layers: a product, and then a bias, an activation, a residual, each written in several ways.

Prints what float32 has in common with float64, so that it may also be run with products in any order of
their sums (DYNACC_FAST_MATH).
"""
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
