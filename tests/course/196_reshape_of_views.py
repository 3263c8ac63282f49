"""reshape, ravel and ascontiguousarray of arrays that are not contiguous: copies where NumPy copies, views where it does not."""
import numpy as np


def heads(x, n):
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


def written(x):
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
    for out in heads(x, 3):
        print(out.round(9).tolist(), out.strides)
    for out in (*patches(np.arange(n * n * 1.0).reshape(n, n), 2), *inner(x), *written(x), *diagonal(x)):
        print(out.tolist(), out.strides, out.flags.owndata)
    for array in (x, x[:, :1], x[:1], np.asfortranarray(x), x[::2], x.reshape(n, 3, 2)[:, :, 0]):
        print(owner(array))
        print([a.tolist() for a in (array.ravel("F"), np.ascontiguousarray(array.T), array.T.reshape(-1))])
