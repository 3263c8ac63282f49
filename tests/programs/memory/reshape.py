"""reshape, ravel and ascontiguousarray copy where NumPy copies and give views where it does not."""
import itertools

import numpy as np


# reshape and ravel of arrays that do not lie in C order: copies or views as NumPy has them, and in its memory order.
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


# reshape, ravel and ascontiguousarray of arrays that are not contiguous: copies where NumPy copies, views where it
# does not.
def split_heads(x, n):
    seq, width = x.shape
    q = x.reshape(seq, n, width // n).transpose(1, 0, 2) * 2
    scores = q @ q.transpose(0, 2, 1)
    mixed = np.exp(scores - scores.max(-1, keepdims=True)) @ q
    return mixed.transpose(1, 0, 2).reshape(seq, width) + 1, x.T.reshape(-1), x.reshape(seq, n, -1).swapaxes(0, 1).reshape(n, -1)


def patches(img, k):
    h, w = img.shape
    tiles = img.reshape(h // k, k, w // k, k).transpose(0, 2, 1, 3)
    return tiles.reshape(-1, k * k).mean(axis=1), tiles.reshape(h // k, -1)


def inner(img):
    core = img[1:-1, 1:-1]
    return core.ravel() * 2, core.reshape(-1), np.ascontiguousarray(core), img[::2].reshape(-1), img[:, ::-1].ravel()


def owner(x):
    results = (x.T.reshape(-1), x[:, 1:].ravel(), np.ascontiguousarray(x.T), x.ravel("F"), np.ravel(x[::2], order="F"),
               x[:, None].reshape(x.shape), x[1:].reshape(-1), np.ascontiguousarray(x[:, :1]), x.T.ravel("F"))
    return [(r.flags.owndata, r.flags.c_contiguous, r.strides, r.shape) for r in results], x + 1


def written_copy(x):
    y = x * 1
    flat = y.T.reshape(-1)
    flat[0] = 50.0
    rows = y[1:].reshape(-1)
    rows[0] = 60.0
    dense = np.ascontiguousarray(y.T)
    dense[0] = 70.0
    return y, flat, rows, dense


def diagonal(x):
    return np.diagonal(x, axis1=-2, axis2=-1) * 2, x.diagonal(1, 0, 1) + 1


for turn in range(4):
    n = 4 + 2 * (turn % 3)
    x = np.sin(np.arange(n * 6.0)).reshape(n, 6)
    for out in split_heads(x, 3):
        print(out.round(9).tolist(), out.strides)
    for out in (*patches(np.arange(n * n * 1.0).reshape(n, n), 2), *inner(x), *written_copy(x), *diagonal(x)):
        print(out.tolist(), out.strides, out.flags.owndata)
    for array in (x, x[:, :1], x[:1], np.asfortranarray(x), x[::2], x.reshape(n, 3, 2)[:, :, 0]):
        print(owner(array))
        print([a.tolist() for a in (array.ravel("F"), np.ascontiguousarray(array.T), array.T.reshape(-1))])


# Reshapes to the shape that an array has keep its strides, those of axes with no or one element too, where sizes
# vary.
def same(x):
    y = x * 2
    return y, x.reshape(x.shape), y.reshape(y.shape), x.reshape(len(x)), x.reshape(-1)


def rolled(x):
    y = x * 2
    return y, np.roll(x, 0), np.roll(x, 1), np.roll(y, -1)


def rows(x):
    y = x + 1
    return x.reshape(x.shape), y.reshape(y.shape), x.T.reshape(x.T.shape), y.reshape(x.shape[0], x.shape[1]), np.roll(x, 1)


def shown(arrays):
    print([(a.shape, a.strides, a.flags.owndata, a.tolist()) for a in arrays])


base = np.arange(60.0).reshape(6, 10)
for n in (5, 5, 3, 1, 0, 0, 1, 8):
    for dtype in (np.float64, np.float32, bool):
        for x in (np.ones(n, dtype), np.arange(3.0 * n)[::3].astype(dtype), np.arange(3 * n).astype(dtype)[::3]):
            shown(same(x))
            shown(rolled(x))
    m = min(n, 6)
    for x in (base[:m, :4], base[::2, :max(n, 1)], base[:max(m, 1), ::3], base[:1, :n + 1], base.T[:n + 1, :1]):
        shown(rows(x))
