"""Reductions take rows in blocks: lengths of all kinds, NaNs, infinities, a middle axis, a short last block.

Reductions of rows in blocks: lengths of all kinds, rows with NaNs, zeros and infinities, results
along the middle axis, and a last block that is shorter than the others.
"""
import hashlib
import warnings

import numpy as np

warnings.simplefilter("always")
warnings.showwarning = lambda message, *_: print("warned:", message)
rng = np.random.default_rng(431)


def softmax(a):
    e = np.exp(a - a.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layer_norm(a):
    c = a - a.mean(axis=-1, keepdims=True)
    return c / np.sqrt((c * c).mean(axis=-1, keepdims=True) + a.dtype.type(1e-5))


def rms_norm(a):
    return a / np.sqrt((a * a).mean(axis=-1, keepdims=True))


def span(a, r):
    # The greatest of what a kernel makes, whose rows do not follow each other in r.
    shifted = a * 2 - r[..., None]
    return (shifted.max(axis=-1) - shifted.min(axis=-1), shifted - shifted.sum(axis=-1)[..., None])


def middle(a):
    return a / a.sum(axis=1, keepdims=True)


def show(*results):
    for r in results:
        print(r.shape, r.dtype, hashlib.sha1(r.tobytes()).hexdigest(), r.sum())


def run(function, *arguments):
    for _ in range(3):
        results = function(*arguments)
    show(*(results if isinstance(results, tuple) else (results,)))


for dtype in ("f4", "f8"):
    for rows, length in ((301, 1024), (97, 1000), (1003, 128), (5000, 9), (4000, 65), (70, 3000),
                         (33, 9000), (3, 70000)):
        a = rng.standard_normal((rows, length)).astype(dtype)
        run(softmax, a)
        run(layer_norm, a)
        run(rms_norm, a)
        run(span, a, a[:, 0].copy())
    cube = rng.standard_normal((7, 45, 700)).astype(dtype)
    run(softmax, cube)
    run(layer_norm, cube[:, ::2])
    run(span, cube, cube[..., 3])
    run(middle, cube)

    # Rows of which the order of comparisons decides, and those that raise flags.
    a = rng.standard_normal((400, 1030)).astype(dtype)
    a[3, 5] = np.nan
    a[17, :] = -np.abs(a[17])
    a[17, 4::9] = -0.0
    a[18, :] = 0.0
    a[40, 7] = np.inf
    a[41] = -np.inf
    a[399, -1] = np.nan
    run(span, a, a[:, 0].copy())
    run(softmax, a)
    run(rms_norm, a)
