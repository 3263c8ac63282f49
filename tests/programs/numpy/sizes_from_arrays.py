"""Sizes and axes come from arrays, and results depend on the numbers in them."""
import numpy as np


def shapes(sizes):
    inner = sizes + 0
    return np.broadcast_shapes(inner), np.broadcast_shapes(inner, (1, 1)), np.broadcast_shapes([1, 1], inner)


def made(sizes):
    inner = sizes * 1
    return np.zeros(inner).shape, np.full(inner, 2), np.broadcast_to(7, inner), np.indices(inner).shape


def moved(x, axes):
    inner = axes + 0
    return np.moveaxis(x, inner, inner[::-1]).shape, np.transpose(x, inner).shape, np.flip(x, tuple(inner))[0, 0]


def rolled(x, axes):
    return np.roll(x, axes, axis=(0, 1)).sum(axis=0), np.delete(x, axes, axis=0).shape, np.tile(x, axes + 1).shape


def kinds(x, y):
    total = x.sum()
    return np.result_type(x, np.int8), np.result_type(total, np.int8), np.can_cast(total, "i1"), np.can_cast(x.dtype, "i1"), y


for sizes in (np.array([2, 3]), np.array([1, 4]), np.array([3, 1]), np.array([2, 0], dtype=np.int8), np.array([5, -1])):
    for _ in range(2):
        for call in (shapes, made):
            try:
                print(call.__name__, *call(sizes))
            except Exception as error:
                print(call.__name__, type(error).__name__, error)

x = np.arange(24.0).reshape(2, 3, 4)
for axes in (np.array([0, 1, 2]), np.array([2, 0, 1]), np.array([1, 2, 0]), np.array([0, 0, 1]), np.array([0.0, 1.0, 2.0])):
    for _ in range(2):
        try:
            print(*moved(x, axes))
        except Exception as error:
            print(type(error).__name__, error)
for axes in (np.array([0, 1]), np.array([1, 0]), np.array([1, 1])):
    for _ in range(2):
        print(*rolled(x, axes))
for values in (np.array([1, 2]), np.array([100, 100]), np.array([1.5, 2.0])):
    for _ in range(2):
        print(*kinds(values, 0))
