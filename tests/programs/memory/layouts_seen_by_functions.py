"""NumPy's own functions see how parts of computed arrays, and arrays of one number, lie in memory."""
import numpy as np


# Parts of computed arrays that NumPy's own functions read: where they have gaps their results lie otherwise.
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


# Arrays of one number, reshaped and viewed, handed to NumPy's functions: they see how such arrays lie in memory.
across = np.ones((3, 5, 4), dtype=np.int32).T
table = np.linspace(0.1, 2.3, 48).reshape(8, 6)

functions = [
    lambda: np.expand_dims(np.zeros((4, 5, 3), dtype=np.int32), 0) - across,
    lambda: np.zeros((4, 5, 3), dtype=np.int32)[None] - across,
    lambda: np.zeros((4, 1, 3), dtype=np.int32).reshape(1, 4, 1, 3) - across,
    lambda: (np.zeros((3, 5, 4)) + 1).reshape(4, 5, 3) - across,
    lambda: np.full((3, 5, 8), 2).T[::2].reshape(2, 2, 5, 3) - across.reshape(2, 2, 5, 3),
    lambda: np.full((6, 10), 2.5)[:, ::2].reshape(2, 3, 5) - across.T[:2, :3],
    lambda: np.full((8, 3), 0.1).reshape(4, 6) @ table.T,
    lambda: np.full((16, 16), 0.1)[::2, ::2].reshape(8, 8) @ table,
    lambda: np.full((6, 16), 0.3).T[::2].reshape(8, 6) @ table.T,
    lambda: np.cumsum(np.full((3, 40), 0.1).reshape(10, 12), axis=1), lambda: np.full(1000, 0.1).reshape(10, 100).sum(axis=1),
    lambda: np.sort(np.ones((4, 3)).T.reshape(2, 6), axis=0), lambda: np.repeat(np.zeros((2, 3)).reshape(3, 2), 2, axis=0),
    lambda: np.ones((2, 3, 4)).transpose(2, 0, 1).reshape(8, 3) * table[:, :3], lambda: np.full((1, 1), 7.0).reshape(()) + table[0],
    lambda: np.zeros((0, 3)).reshape(3, 0) - np.ones((3, 1)), lambda: np.full(6, 1 + 2j).reshape(2, 3) * table[:2, ::2]]

for number, function in enumerate(functions):
    for _ in range(2):
        result = function()
        print(number, result.shape, result.strides, np.sum(result).tobytes().hex(), result.ravel()[:4].tobytes().hex())
