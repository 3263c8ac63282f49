"""Norms of vectors and along axes give NumPy's bits and warnings in distances, normalized rows and descents."""
import warnings

import numpy as np
from numpy.linalg import norm


def show(name, function, *args):
    for _ in range(20):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                result = function(*args)
            except Exception as error:
                result = f"{type(error).__name__}: {error}"
    result = result.tobytes().hex()[:80] if isinstance(result, np.ndarray) else repr(result)
    print(name, result, [str(w.message) for w in caught])


def unit_rows(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def distances(x, y):
    return norm(x[:, None, :] - y[None, :, :], axis=-1)


def length(x):
    return norm(x) * 2


def frobenius(x):
    return norm(x, axis=(0, 1)) + norm(x)


def others(x):
    return norm(x, 1, 0), norm(x, np.inf), norm(x, "fro"), norm(x, 2, axis=1), norm(x, -2)


def descend(x):
    steps = 0
    while norm(x) > 1e-3:
        x = x - 0.1 * x
        steps += 1
    return steps, x


rng = np.random.default_rng(2)
for dtype in (np.float32, np.float64, np.int64, np.complex128, np.float16):
    x = (rng.standard_normal((30, 7)) * 9).astype(dtype)
    for layout in (x, x.T, x[::-2], np.asfortranarray(x)):
        show(f"unit rows {dtype.__name__}", unit_rows, layout)
        show("frobenius", frobenius, layout)
        show("one row", length, layout[0])
        show("one column", length, layout[:, 0])
    show("distances", distances, x, x[:5])
    show("others", others, x)
show("descent", descend, rng.standard_normal(20))
show("overflow", unit_rows, np.full((3, 2), 1e200))
show("overflow", length, np.full(5, 1e200))
show("nan", unit_rows, np.array([[np.nan, 1.0], [np.inf, 2.0], [0.0, 0.0]]))
show("scalar", length, np.float64(3))
show("empty", length, np.zeros(0))
show("bad axis", lambda x: norm(x, axis=5), x)
show("bad axes", lambda x: norm(x, axis=(0, 0)), x)
show("three axes", lambda x: norm(x, axis=(0, 1, 2)), np.ones((2, 2, 2)))
