"""Results have NumPy's strides: axes of size 1 and 0, copies, updates in place, sums that follow an order."""
import numpy as np
from show import repeat, show


def chain(x):
    rows = np.arctan(np.sin(x[5:1:-1, None, :]))
    total = np.exp(rows).sum(axis=-1, keepdims=True)
    return rows, total, np.hypot(total, rows), np.hypot(total, rows).astype(np.float64)


def centred(x):
    mean = x.mean(axis=-3, keepdims=True)
    positive = mean > 0
    away = positive - positive.mean()
    away *= away
    return mean, positive, away


def statistics(x):
    return x.mean(axis=0), x.var(axis=-1, keepdims=True), x.std(axis=1)


def copies(x):
    return x.copy(), np.copy(x), x.astype(x.dtype), x.astype(np.float32), np.copy(x[:, :1]), x[::2].copy()


def updated(x, y):
    fresh = x + 1
    fresh += y.T
    fresh *= y.T
    return fresh, fresh - y.T


def sum_of_swapped(x, weights):
    return np.swapaxes(x * weights, 0, -1).sum(), np.add(x, weights).T.sum(axis=0)


def shapes_again(x):
    flat = x.reshape(-1)
    return flat.reshape(flat.shape), x.reshape(x.shape), x.ravel(), np.expand_dims(x + 0, 0), x.T @ x


def strides(results):
    for result in results:
        if isinstance(result, np.ndarray):
            print(result.shape, result.strides, result.dtype, result.flags.c_contiguous, result.flags.f_contiguous)


def both(name, function, *arguments):
    results = repeat(function, *arguments)
    show(name, results)
    strides(results)


random = np.random.RandomState(3)
fortran = np.asfortranarray(random.standard_normal((6, 4)))
cube = np.ascontiguousarray(random.standard_normal((3, 5, 4)).transpose(2, 0, 1)).transpose(1, 2, 0)
both("chain", chain, fortran)
both("centred", centred, cube)
for array in (cube, cube[:, :1], cube[:1], cube.T, cube[:, ::-2], np.asfortranarray(cube)):
    both("statistics", statistics, array)
for array in (fortran, fortran[:1], fortran[:, :0], fortran[::-2, 1:], np.broadcast_to(fortran[:, :1], (6, 4))):
    both("copies", copies, array)
both("updated", updated, fortran, random.standard_normal((4, 6)))
wide = np.broadcast_to(random.standard_normal(5).astype(np.float32), (5, 6, 5))
both("swapped", sum_of_swapped, wide, np.asfortranarray(random.randint(0, 60000, (5, 6, 1)).astype(np.uint16)))
every_other = np.arange(20.0)[::2]
for array in (every_other[:1], np.zeros((0,))[::2], np.zeros((3, 0)), np.ones((1, 1))[::1], np.arange(6.0).reshape(2, 3)):
    both("shapes", shapes_again, array)
