"""Parts of computed arrays that NumPy's own functions read: where they have gaps their results lie otherwise."""
import numpy as np


def squares(x):
    return (x + x)[:2, :] ** 2.0


def mixed(x, y):
    return (y | x)[:2] ** 2.0, (x + y)[:, 1:] ** 2.0


def reciprocals(x):
    return (x * 2 + 1)[1:4] ** -1.0, (x + 3)[:, ::2] ** 0.5


def sorted_parts(x):
    return np.sort((x + x)[:2, :], axis=0), np.cumsum((x - 1)[:, :2], axis=1), np.repeat((x * 2)[::2], 2, axis=0)


def reshaped_parts(x):
    return (x + 1)[:, :2].ravel(), (x + 1)[:2].reshape(-1, order="F"), np.ravel((x * 3)[1:], order="K")


def copies(x):
    return np.array((x + x)[:2], order="K"), (x + x)[:, 1:].copy(order="A"), np.asfortranarray((x - 1)[:2])


def layouts(dtype):
    numbers = np.arange(20, dtype=dtype)
    yield numbers.reshape(5, 4)
    yield np.asfortranarray(numbers.reshape(5, 4))
    yield numbers.reshape(4, 5).T
    yield np.repeat(numbers, 2).reshape(5, 8)[:, ::2]


def show(name, results):
    results = results if isinstance(results, tuple) else (results,)
    print(name, [(r.dtype, r.shape, r.strides, r.flags.c_contiguous, r.flags.f_contiguous, r.base is None, r.sum()) for r in results])


for dtype in (np.int64, np.uint16, np.int32, np.float64, np.float32):
    for x in layouts(dtype):
        for _ in range(2):
            for function in (squares, reciprocals, sorted_parts, reshaped_parts, copies):
                show(function.__name__, function(x))
            if x.dtype.kind in "iu":
                show("mixed", mixed(x, np.arange(4, dtype=np.uint16)))
