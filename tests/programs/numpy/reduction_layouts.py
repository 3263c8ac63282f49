"""Reductions of rows, arrays, views and fused expressions have NumPy's last bits in every layout.

Sums, means and extrema of long and short rows, whole arrays, views and fused expressions, in every layout: how many
elements NumPy hands to one call of its loop decides the last bits.
"""
# test: numpy2
import hashlib

import numpy as np

rng = np.random.default_rng(5)


def total(x):
    return x.sum()


def fused(x, y):
    return (x * y + 1.5).sum()


def along(x, y, axis):
    return x.sum(axis=axis), (x - y * 0.5).sum(axis=axis), (x * y).max(axis=axis), np.maximum(x, y).min(axis=axis)


def statistics(x, axis):
    return x.mean(axis=axis), x.std(axis=axis)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def views(x):
    return x[..., 1:-1].sum(), x[..., ::2].sum(axis=-1), x.T.sum(axis=0), x[1:].sum(), x[..., 1:].max()


def copies(x):
    return x.sum(), x.copy().sum(), np.tanh(x).sum(axis=-1), np.tanh(x.copy(order="F")).sum(axis=-1), np.array(x, order="C").mean()


def digest(*arrays):
    return [hashlib.md5(np.ascontiguousarray(a).tobytes()).hexdigest()[:8] for a in arrays]


LAYOUTS = {"C": lambda x: x, "F": np.asfortranarray, "gaps": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
           "rows with gaps": lambda x: np.concatenate((x, x[..., :3]), axis=-1)[..., :-3], "transposed": lambda x: x.T}
for shape in (100,), (8192,), (8193,), (40001,), (5, 9000), (9000, 5), (5, 4097), (300, 70), (3, 50, 60), (30, 3, 200), (5, 2048, 3):
    for dtype in "d", "f", "e", "D":
        for name, layout in LAYOUTS.items():
            x, y = layout(rng.standard_normal(shape).astype(dtype)), layout(rng.standard_normal(shape).astype(dtype))
            axes = [None, *range(len(shape)), *([(0, 1)] if len(shape) > 1 else []), *([(0, 2), (1, 2)] if len(shape) > 2 else [])]
            seen = []
            for _ in range(2):
                seen = digest(total(x), fused(x, y), *views(x), *copies(x)) if dtype != "D" else digest(total(x), fused(x, y))
                for axis in axes:
                    if dtype in "df":
                        seen += digest(*along(x, y, axis), *statistics(x, axis))
                    else:
                        seen += digest(x.sum(axis=axis))
                if dtype in "df":
                    seen += digest(softmax(x))
            print(shape, dtype, name, *seen)
zeros = np.where(rng.random(20001) < 0.5, 0.0, -0.0)
print([np.signbit(f(zeros * 2)) for f in (np.max, np.min, np.max)])
