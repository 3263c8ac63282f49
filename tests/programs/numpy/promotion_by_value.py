"""Arrays beside scalars that they compute, of a wider dtype: NumPy 1.x goes by the value for the common one."""
# test: compiled
import warnings

import numpy as np

warnings.simplefilter("always")


def masks(x, factor):
    middle = x.mean() * factor
    return x > middle, middle >= x, x == x.max() * 1.0, x != x[0] * factor, (x < middle).sum()


def chosen(x, factor):
    bound = x.std() + factor
    bounded = np.clip(x, x.mean() * factor, bound), x.clip(x.min() * factor, x.sum())
    return np.where(x > bound, x, 0), np.maximum(x, bound), np.minimum(bound, x), x[x <= bound], *bounded


def beside_sums(x):
    total = x.sum()
    return x < total, total == x, x >= total - 1, (x != total).any()


def columns(x):
    low = x[0, 0] - 0.25
    return (x > low).sum(axis=0), (x.T <= low).any(axis=1), low < x[::-1]


def standardised(x, factor):
    return (x - x.mean()) / (x.std() + factor), x * (x.max() * factor), x - x.sum() * 1, np.hypot(x, x.sum() * factor)


def of_ints(x):
    return x + x.sum(), x[::-1] - x.argmax(), np.minimum(x, x.sum()), x // (x.max() + 1), -x.sum() * x


def of_other_shapes(x, y):
    try:
        return (x == y * 1.0).shape
    except Exception as error:
        return type(error).__name__, str(error)


def shown(arrays):
    return [(a.dtype.str, a.shape, a.tobytes().hex()[:60]) for a in map(np.asarray, arrays)]


rng = np.random.default_rng(2)
for turn in range(4):
    for dtype in (np.float16, np.float32, np.float64, np.int8, np.int16, np.uint8, np.complex64):
        x = (rng.random(40) * 9 - (0 if dtype is np.uint8 else 4)).astype(dtype)
        if dtype is not np.complex64:
            for factor in (0.5, 1e30, 1e38, 1e39, 1e300, -1e300, np.inf, np.nan):
                print(np.dtype(dtype), factor, shown(masks(x, factor)))
                print(shown(chosen(x, factor)))
                print(shown(standardised(x, factor)))
            print(shown(columns(x.reshape(8, 5))))
        print(shown(beside_sums(x)), shown(beside_sums(x[:0])))
        if x.dtype.kind in "iu":
            print(*(shown(of_ints(part)) for part in (x, x[:3], x * 0)))
        print(of_other_shapes(x, x[:3]), of_other_shapes(x[:0], x[:3]), of_other_shapes(x, x[:1]))
