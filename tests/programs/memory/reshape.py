"""reshape and ravel of arrays that do not lie in C order: copies or views as NumPy has them, and in its memory order."""
import itertools

import numpy as np


def numbers(*shape):
    return np.arange(float(np.prod(shape))).reshape(shape) / 50.0


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention(x, w, heads):
    batch, length, width = x.shape
    split = lambda t: t.reshape(batch, length, heads, width // heads).transpose(0, 2, 1, 3)
    q, k, v = split(x @ w), split(x @ w.T), split(x @ (w + 0.5))
    weights = softmax(q @ k.transpose(0, 1, 3, 2) / np.sqrt(width // heads))
    return (weights @ v).transpose(0, 2, 1, 3).reshape(batch, length, width) @ w


def described(x):
    return x.shape, x.strides, x.flags.c_contiguous, x.flags.f_contiguous, x.flags.owndata, x.base is None


def reshaped(x, shape):
    y = np.tanh(x) + 1.0
    return [y.reshape(shape), x.reshape(shape), y.reshape(shape) * 2.0, y.ravel(), x.ravel(), y.T.reshape(-1)]


def written(x, order, shape):
    """What is written through the result shows in the array if it is a view."""
    x = x.copy()
    part = x.transpose(order).reshape(shape)
    part += 1.0
    return x.sum(), part


def mixed(x, y):
    return [(x + y.T).reshape(-1), (y.T + x).reshape(2, 6), (y.T * y.T + 1).reshape(6, 2),
            (y.T + np.arange(4.0)).reshape(-1), (y[::-1].T * 2).reshape(-1), (-y.T[::2]).reshape(-1)]


def products(x, y):
    r = x @ y
    return [r, r.reshape(6, 4, 2), (r + 1).reshape(3, -1), r.reshape(3, 2, 8), (x @ y[0]).reshape(-1, 2)]


def sums_across(x):
    return np.cumsum(x.T, axis=0) + 1, np.cumsum(x.T, axis=1).reshape(-1), x.T.cumsum(axis=0).T + 1


for batch, length, heads in ((2, 3, 2), (1, 3, 2), (2, 1, 4), (2, 3, 1), (1, 1, 1)):
    out = attention(numbers(batch, length, 8), numbers(8, 8), heads)
    print(batch, length, heads, described(out), out.sum().round(9))
for order in itertools.permutations(range(3)):
    for sizes in ((2, 3, 4), (1, 3, 4), (2, 1, 4), (2, 3, 1)):
        for shape in ((-1,), (2, -1), (-1, 2), (4, -1), (-1, 1, 4)):
            x = numbers(*sizes)
            if x.size % -np.prod(shape):
                continue
            print(order, sizes, shape, [described(r) for r in reshaped(x.transpose(order), shape)])
            total, part = written(x, order, shape)
            print(total, part.ravel())
for made in (mixed(numbers(3, 4), numbers(4, 3)), sums_across(numbers(3, 4)),
             products(numbers(2, 3, 4, 5).transpose(1, 0, 2, 3), numbers(2, 3, 5, 2).transpose(1, 0, 2, 3))):
    for each in made:
        print(described(each), each.ravel()[:5])
