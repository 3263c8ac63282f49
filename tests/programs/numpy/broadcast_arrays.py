"""np.broadcast_arrays gives views of one shape, which are used and kept."""
import numpy as np
import warnings

warnings.simplefilter("always")


def describe(x, *others):
    base = x.base
    return (x.dtype.str, x.shape, x.strides, x.shape and x.tolist()[:2], [bool(f) for f in (x.flags.c_contiguous, x.flags.f_contiguous, x.flags.owndata)],
            [x is o for o in others], [base is o for o in others], None if base is None else base.shape)


def distance(x, y):
    x, y = np.broadcast_arrays(x, y)
    return np.hypot(x, y), x.shape == y.shape


def kept(x, y, z):
    return list(np.broadcast_arrays(x, y, z)), type(np.broadcast_arrays(x, y)).__name__


def of_results(x, y):
    a, b = np.broadcast_arrays(x * 2, y + 1)
    return a, a + b


def written(x, y):
    a, b = np.broadcast_arrays(x, y)
    total = a.sum() + b.sum()
    x += 1
    return total, a.sum(), a, b * 1


def writes_to_one(x, y):
    a, b = np.broadcast_arrays(x, y)
    a[0] = 7
    return a, x


def with_numbers(x, y):
    a, b, c = np.broadcast_arrays(x, 2.5, y)
    return a * b + c, b, b[..., ::1], c


def of_lists(x):
    a, b = np.broadcast_arrays(x, [[1], [2]])
    return a - b, b


ARRAYS = [np.arange(3.0), np.arange(2.0)[:, None], np.arange(6).reshape(2, 3), np.float32([[5]]), np.array(4.0), np.ones((2, 3))[::-1], np.arange(4.0), np.zeros((0, 3))]
for x in ARRAYS:
    for y in ARRAYS:
        for _ in range(3):
            try:
                d, same = distance(x, y)
                print(describe(d), same)
                views, kind = kept(x, y, x)
                print(kind, *(describe(v, x, y) for v in views))
                print(*map(describe, of_results(x, y)))
                w, v = x.copy(), y.copy()
                print(*(describe(r, w, v) if isinstance(r, np.ndarray) else r for r in written(w, v)))
                print(*map(describe, writes_to_one(w, v)))
                for number in (3, np.float32(1.5), y):
                    print(*map(describe, with_numbers(x, number)))
                print(*map(describe, of_lists(x)))
            except Exception as error:
                print(type(error).__name__, error)
for _ in range(3):
    print([describe(v) for v in np.broadcast_arrays(1, 2.0)], np.broadcast_arrays(), np.broadcast_arrays(ARRAYS[0])[0] is ARRAYS[0])
