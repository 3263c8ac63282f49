"""Two equal arrays are not one array twice, and their matrix product may have other bits.

Two equal arrays are not one array twice: NumPy hands A @ A.T to BLAS as half of a product, and
with NaNs, infinities and zeros (or another BLAS) that has other bits than A @ B.T with an equal B.
"""
import numpy as np
from show import show


def twice_made(a):
    return np.matmul(a * 2, (a * 2).T), (a * 2) @ (a * 2).T, np.dot(a * 2, (a * 2).T)


def one_by_two_names(a):
    t = a * 2
    u = t
    return np.matmul(t, u.T), t @ t.T, np.dot(t, u.T), np.inner(t, u)


def copied(a):
    return a.copy() @ a.T, a @ a.copy().T, np.dot(a, a.copy().T), np.dot(a, np.copy(a).T)


def unchanged(a):
    t = a * 2
    return t @ (t * 1).T, t @ (+t).T, t @ (-(-t)).T, np.dot(t, (t * 1).T)


def parts(a):
    t = a * 2
    u = a * 2
    return t[:3] @ t[:3].T, t[:3] @ u[:3].T, t[1:, ::2] @ u[1:, ::2].T, t[1:, ::2] @ t[1:, ::2].T


def stacks(a):
    t = np.stack([a * 2, a * 3])
    u = np.stack([a * 2, a * 3])
    return t @ t.transpose(0, 2, 1), t @ u.transpose(0, 2, 1), t @ u[::-1].transpose(0, 2, 1)


def filled(a):
    x = np.full(a.shape, np.inf)
    y = np.full(a.shape, np.inf)
    return x @ y.T, x @ x.T, np.dot(x, y.T), np.dot(x, x.T)


def written(a):
    b = a.copy()
    t = a * 2
    b[...] = t
    c = np.empty_like(t)
    c[:] = t
    return b @ t.T, b @ b.T, np.dot(b, c.T), c @ c.T


def contracted(a):
    t, u = a * 2, a * 2
    return np.tensordot(t, u, axes=([1], [1])), np.tensordot(t, t, axes=([1], [1])), np.cov(t)


def write_existing(a, b):
    a[...] = np.abs(a) * 0.5
    b[...] = np.abs(b) * 0.5
    return a @ b.T, np.dot(a, b.T), a @ a.T


def matrices(seed, shape):
    random = np.random.RandomState(seed)
    values = np.sign(random.standard_normal(shape)) % 0.5
    values[random.randint(0, shape[0]), random.randint(0, shape[1])] = np.nan
    values[random.randint(0, shape[0]), random.randint(0, shape[1])] = np.inf
    values[random.randint(0, shape[0])] = 0.25
    wide = np.empty((shape[0], shape[1] * 2))
    wide[:, ::2] = values
    return values, np.asfortranarray(values), wide[:, ::2], values.T, values.astype("f")


np.seterr(all="ignore")
for function in (twice_made, one_by_two_names, copied, unchanged, parts, stacks, filled, written,
                 contracted):
    for seed in range(3):
        for number, matrix in enumerate(matrices(seed, (5 + seed, 4 + seed))):
            show(f"{function.__name__} {seed} {number}", function(matrix))
for seed in range(3):
    first = matrices(seed, (6, 5))[0]
    second = first.copy()
    show(f"write_existing {seed}", [write_existing(first, second), first, second])
