"""Rows of arrays too large for the cache are written past it, whether or not they start on cache lines."""
import hashlib
import warnings

import numpy as np


def show(name, *values):
    print(name, [(v.shape, v.dtype, hashlib.sha256(v.tobytes()).hexdigest()[:12]) for v in values])


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layer_norm(x, scale):
    c = x - x.mean(axis=-1, keepdims=True)
    return c / np.sqrt((c * c).mean(axis=-1, keepdims=True) + 1e-5) * scale


def two_results(x, y):
    r = (x * y).sum(axis=-1, keepdims=True)
    return x / r, y - r


def read_again(x):
    r = x.max(axis=-1, keepdims=True)
    scaled = x / r
    return scaled, scaled.sum(axis=-1)


rng = np.random.default_rng(11)
for dtype, shape in ((np.float32, (2100, 1024)), (np.float32, (1700, 1301)), (np.float64, (900, 1280)),
                     (np.float64, (3, 500, 777)), (np.float32, (150_000, 16)), (np.float32, (70, 33_000))):
    x = rng.uniform(0.5, 2, shape).astype(dtype)
    scale = rng.uniform(0.5, 2, shape[-1]).astype(dtype)
    for round in range(2):
        results = [softmax(x), layer_norm(x, scale), *two_results(x, x[..., ::-1]), *read_again(x)]
    show("rows", *results)
    show("transposed", softmax(np.swapaxes(x, -1, -2)))

x = np.ones((2100, 1024), np.float32)
x[2000, 17] = 3e38
for round in range(2):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        show("flags", layer_norm(x * np.float32(2), x[0]))
    print(sorted(str(w.message) for w in caught))
