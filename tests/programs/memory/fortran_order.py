"""Arrays in Fortran order are made, turned, reshaped, written and read beside others."""
# test: numpy2
import numpy as np


def show(*results):
    for x in results:
        if isinstance(x, np.ndarray):
            print(x.dtype, x.shape, x.strides, x.flags.owndata, x.flags.f_contiguous, x.ravel(order="K")[:5], x.sum())
        else:
            print(type(x).__name__, x)


def made(rows, columns):
    a = np.zeros((rows, columns), order="F")
    b = np.ones((rows, columns), dtype=np.float32, order="F")
    c = np.full((rows, columns), 7, order="F")
    return a, b, c, a + b, b * c, np.empty((rows, columns), order="F").flags.f_contiguous


def filled_by_columns(rows, columns):
    a = np.zeros((rows, columns), order="F")
    for j in range(columns):
        a[:, j] = np.arange(rows) * (j + 1)
    a[0] = -1.0
    a[a > 3] *= 0.5
    return a, a.sum(axis=0), a.T @ a


def relaxed(n, rounds):
    u = np.zeros((n, n + 2), order="F")
    u[:, 0] = 1.0
    for _ in range(rounds):
        u[1:-1, 1:-1] = (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) * 0.25
    return u, u.max(axis=1)


def turned(x):
    f = np.asfortranarray(x)
    return f, f + x, f.T * 2, f is x, np.asfortranarray(x * 2)


def reshaped(x):
    return x.reshape((6, 4), order="F"), np.reshape(x, (-1, 2), order="F"), x.reshape(24, order="F") + 1, x.T.reshape(2, 12, order="F") * 2


def written_through(x):
    y = x * 1.0
    view = np.reshape(y, y.shape[::-1] if y.ndim == 1 else (-1,), order="F")
    view += 100.0
    flat = y.T.reshape(-1, order="F")
    flat[::3] = 0.0
    return y, view, flat, np.shares_memory(y, flat)


def same_kind(x):
    return np.zeros_like(x), np.ones_like(x, order="C"), np.full_like(x, 2.5, order="F"), np.empty_like(x).strides, np.empty_like(x.T, order="C").strides


def filled_with_results(x):
    mean = x.mean()
    return np.full(x.shape, mean) - x, np.full(3, x[0, 0]), np.full(x.shape, x[0]), np.full((2, 2), x.sum(), dtype=int), np.full((2, 2), len(x))


def kept(n):
    cache = [np.zeros((n, 3), order="F") for _ in range(3)]
    cache[1] += 1.0
    cache[2][0] = 5.0
    return cache


def of_other_kinds(n):
    return [np.zeros((n, 2), dtype=dtype, order="F").dtype for dtype in ("U3", object, ">f4", "M8[s]", "f4,i2", np.longdouble)], \
        np.full(n, "ab"), np.full((n, 2), None), np.full((n, 2), 1 + 2j, order="F"), np.full(n, 2**63), np.ones((n, 2), complex, "F") * 2j


def checked(x):
    return np.isreal(x), np.isreal(x + 0j), np.rollaxis(x, 1) + 1, np.rollaxis(x, 1, 0).strides


arrays = [np.arange(24.0).reshape(4, 6), np.asfortranarray(np.arange(24.0).reshape(4, 6)), np.arange(48.0).reshape(8, 6)[::2],
          np.arange(24).reshape(6, 4).T, np.broadcast_to(np.arange(6.0), (4, 6)), np.arange(24.0).reshape(1, 24)]
for _ in range(3):
    for rows, columns in ((3, 4), (1, 5), (4, 0), (2, 7)):
        show(*made(rows, columns))
        if columns:
            show(*filled_by_columns(rows, columns))
    for n in (4, 9):
        show(*relaxed(n, 6))
        show(*kept(n))
        print(*of_other_kinds(n))
    for x in arrays:
        for function in (turned, reshaped, written_through, same_kind, filled_with_results, checked):
            show(*function(x))
for arguments in (((2, -1), "F"), ((2, 3), "Q"), (2.5, "F"), ((), "F")):
    for _ in range(2):
        try:
            show(np.ones(arguments[0], order=arguments[1]))
            show(np.ones((2, 3)).reshape(arguments[0], order=arguments[1]))
        except Exception as error:
            print(type(error).__name__, error)
