"""Rows of arrays larger than a cache are normalized: NumPy's bits come in every memory order."""
# test: numpy2
import hashlib
import warnings

import numpy as np


def digest(array):
    return hashlib.sha1(np.ascontiguousarray(array).tobytes()).hexdigest()[:12]


def softmax(a):
    e = np.exp(a - a.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def log_softmax(a):
    c = a - a.max(axis=-1, keepdims=True)
    return c - np.log(np.exp(c).sum(axis=-1, keepdims=True))


def layer_norm(a, weight, bias):
    c = a - a.mean(axis=-1, keepdims=True)
    return c / np.sqrt((c * c).mean(axis=-1, keepdims=True) + 1e-5) * weight + bias


def scaled(a):
    low = a.min(axis=-1)
    high = a.max(axis=-1)
    return (a - low[..., None]) / (high - low + 1)[..., None], high


def centred_columns(a):
    c = a - a.mean(axis=0)
    return c / (np.abs(c).max(axis=0) + 1)


def both_ways(a):
    rows = a / a.sum(axis=1, keepdims=True)
    return rows / rows.sum(axis=0)


def smoothed(a):
    b = a[:, :-2] + a[:, 2:]
    total = b.sum(axis=1, keepdims=True)
    c = b / total
    return c[:, 1:] - c[:, :-1] * total


def counted(a):
    above = a > a.mean(axis=1, keepdims=True)
    return above.sum(axis=1), above.any(axis=1), (a * above).max(axis=1)


def show(name, *results):
    print(name, *(f"{r.dtype}{list(r.shape)}{r.flags.f_contiguous}{digest(r)}" for r in results))


rng = np.random.default_rng(4)
for dtype in ("float64", "float32"):
    matrix = rng.standard_normal((900, 130)).astype(dtype) + 3
    weight, bias = rng.standard_normal((2, 130)).astype(dtype)
    batch = rng.standard_normal((3, 4, 60, 130)).astype(dtype)
    one = rng.standard_normal((1, 70_000)).astype(dtype)
    long = rng.standard_normal((5, 40_000)).astype(dtype)
    for kind, a in [("C", matrix), ("F", np.asfortranarray(matrix)), ("steps", matrix[::2]),
                    ("back", matrix[::-1, ::-1]), ("batch", batch), ("one", one), ("long", long),
                    ("swapped", batch.transpose(2, 0, 1, 3)), ("turned", batch.transpose(3, 1, 0, 2)),
                    ("column", matrix[:, :1]), ("none", matrix[:0])]:
        show(kind, softmax(a), log_softmax(a), *(scaled(a) if a.size else ()))
        if a.shape[-1] == 130:
            show(kind, layer_norm(a, weight, bias))
        if a.ndim == 2 and a.shape[1] > 3 and a.size:
            show(kind, centred_columns(a), both_ways(a), smoothed(a), *counted(a))

integers = rng.integers(-50, 50, (2000, 200))
show("integers", *scaled(integers), *counted(integers))

matrix = rng.standard_normal((3000, 50))
matrix[1234, 7] = np.inf
matrix[2345] = np.nan
matrix[17] = -0.0
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    show("special", softmax(matrix), *scaled(matrix), matrix.max(axis=1), matrix.min(axis=1))
print([(str(w.message), w.lineno) for w in caught])

matrix = np.ones((3000, 50))
matrix[2999, 49] = 1e308
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    show("overflow", both_ways(matrix * 10), layer_norm(matrix, matrix[0], matrix[1]))
print([(str(w.message), w.lineno) for w in caught])
