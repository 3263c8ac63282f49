"""Sums in another dtype say what their casts lose; indices may be out of range of no elements."""
import numpy as np
import warnings

warnings.simplefilter("always")


def totals(a, dtype):
    return a.sum(dtype=dtype), np.add.reduce(a, dtype=dtype), np.multiply.reduce(a, axis=None, dtype=dtype)


def running(a, dtype):
    return np.cumsum(a, dtype=dtype), np.add.accumulate(a * 2, dtype=dtype)


def means(a, dtype):
    return np.mean(a, dtype=dtype), a.var(axis=0, dtype=dtype)


def show(f, *args):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            results = f(*args)
            print(f.__name__, [(r.dtype.str, r.tolist()) for r in results])
        except Exception as error:
            print(f.__name__, type(error).__name__, error)
    for w in caught:
        print("   ", w.category.__name__, str(w.message)[:90], w.lineno if w.filename == __file__ else "")


ARRAYS = [np.array([[1 + 2j, 3], [2, 4]]), np.array([1 + 0j, 300], "c8"), np.array([1.5, 3e9, -7]), np.array([np.nan, 2, np.inf], "f4"), np.array([], "c16"), np.array([300, -5])]
for a in ARRAYS:
    for dtype in (np.int8, np.int64, np.uint32, np.uint64, np.float32, float, bool, complex):
        for _ in range(2):
            show(totals, a, dtype)
            show(running, a, dtype)
            show(means, a, dtype)


def picked(b, c):
    x = b * 2
    y = x[[0, 1]]
    return y, c[[2, 0]] + 1


def swapped(b, c):
    b[[0, 1]] = b[[1, 0]]
    c[:, [4]] = 1
    return b + 1, c


def counted(b, c):
    np.add.at(b, [0, 0, 1], 1)
    return (b,)


def in_pairs(b, c):
    empty = np.zeros((0, 1), int)
    return b[:, [1, 0]], c[empty, [7]]


# Where nothing is picked, NumPy 1.x warns of an index that NumPy raises for elsewhere.
for shapes in [((0, 5), (3, 5)), ((3, 0), (3, 4)), ((2, 3), (0, 5)), ((0, 0), (0, 0)), ((4, 2), (9, 6)), ((4, 2), (3, 0))]:
    for dtype in (float, np.int8):
        for _ in range(2):
            for f in (picked, swapped, counted, in_pairs):
                show(f, *(np.ones(s, dtype) for s in shapes))


def reshaped(a, shape):
    kept = a.reshape(shape, order="F")
    doubled = np.reshape(a * 2, shape, order="F")
    return kept, doubled, (a + 1).T.reshape(shape), a.ravel("F"), a.reshape(-1, order="F") + 1


for shape in ((3, 1, 2), (2, 3), (1, 6), (6, 1, 1), (1, 1, 6), (2, 3, 1)):
    for layout in "CF":
        a = np.array(np.arange(6.0).reshape(shape), order=layout)
        for new in ((1, -1), (3, 2), (2, 3), (6,), (-1, 1, 2), shape):
            for _ in range(2):
                for r in reshaped(a, new):
                    base = r.base
                    print(shape, layout, new, r.tolist(), r.strides, r.flags.c_contiguous, r.flags.f_contiguous, r.flags.owndata,
                          base is a, None if base is None else (base.shape, base.strides, base.flags.owndata))
