"""Products compute some rows at a time with what comes before and after: attentions, projections, residuals."""
import warnings

import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention(q, k, v, mask):
    return softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]).astype(q.dtype) + mask) @ v


def shows_its_scores(q, k, v):
    scores = q @ k.swapaxes(-1, -2)
    weights = softmax(scores)
    return scores, weights @ v, weights.max(axis=-1)


def projected(x, w, b):
    centred = x - x.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 1e-5)
    return np.maximum(scaled @ w + b, 0) - b


def two_layers(x, w, v):
    return np.tanh(x @ w) @ v + x


def by_itself(x):
    doubled = x * 2
    return doubled @ doubled.swapaxes(-1, -2) + 1


def in_place(x, w):
    y = x @ w
    y -= y.min(axis=1)[:, None]
    x[:, :8] = y[:, :8]
    return y


def counted(a, b):
    hits = (a @ b) % 7
    return hits.sum(axis=1), hits


def rows_to_the_left(x, w):
    return (np.exp(x) @ w)[::-1], (np.exp(x).T @ x).sum(axis=0)


rng = np.random.default_rng(11)


def normal(*shape, dtype=np.float32):
    return rng.standard_normal(shape).astype(dtype)


def show(name, results):
    results = results if isinstance(results, tuple) else (results,)
    for result in results:
        bits = np.ascontiguousarray(result).view(np.uint8).astype(np.uint64)
        places = np.arange(bits.size, dtype=np.uint64) % np.uint64(65521) + np.uint64(1)
        print(name, result.dtype, result.shape, result.strides, int((bits.ravel() * places).sum()))


def cases(dtype):
    for heads, rows, keys, width in ((3, 130, 200, 24), (12, 70, 70, 16), (1, 257, 513, 40)):
        q, k, v = normal(heads, rows, width, dtype=dtype), normal(heads, keys, width, dtype=dtype), normal(heads, keys, width, dtype=dtype)
        causal = np.where(np.tri(rows, keys, dtype=bool), dtype(0), dtype(-1e9))
        yield "attention", lambda q=q, k=k, v=v, m=causal: attention(q, k, v, m)
        hard = np.where(np.tri(rows, keys, -3, dtype=bool), dtype(0), dtype(-np.inf))  # three rows of nothing
        yield "hard mask", lambda q=q, k=k, v=v, m=hard: attention(q, k, v, m)
        yield "scores", lambda q=q, k=k, v=v: shows_its_scores(q, k, v)
        strange = q.copy()
        strange[0, rows // 2, 3] = np.nan
        yield "nan", lambda q=strange, k=k, v=v: shows_its_scores(q, k, v)
        strange = q.copy()
        strange[-1, rows - 1, 0] = np.inf
        yield "inf", lambda q=strange, k=k, v=v: shows_its_scores(q, k, v)
        yield "itself", lambda x=q: by_itself(x)
    x, w, b = normal(1500, 64, dtype=dtype), normal(64, 48, dtype=dtype), normal(48, dtype=dtype)
    yield "projected", lambda: projected(x, w, b)
    yield "two layers", lambda: two_layers(x, w, normal(48, 64, dtype=dtype))
    yield "in place", lambda: in_place(x.copy(), w)
    large = x * dtype(np.finfo(dtype).max / 4)
    yield "overflow", lambda: two_layers(large, w, normal(48, 64, dtype=dtype))
    yield "left", lambda: rows_to_the_left(x[:, ::-1], w)
    yield "columns", lambda: two_layers(np.asfortranarray(x), w.T.copy().T, normal(48, 64, dtype=dtype))


for dtype in (np.float32, np.float64):
    for name, call in cases(dtype):
        for _ in range(2):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                result = call()
            show(name, result)
            print([str(w.message) for w in caught])
a = rng.integers(-9, 9, (600, 40))
b = rng.integers(-9, 9, (40, 150))
for _ in range(3):
    show("counted", counted(a, b))
