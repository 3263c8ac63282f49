"""np.roll takes constants and numbers that change, is chained, read in every order, and written back."""
# test: numpy2
import numpy as np
from show import show as show_named


def show(value):
    show_named("result", value)


rng = np.random.default_rng(6)
x, A, B = rng.random(7), rng.random((5, 6)), rng.random((4, 5, 3))
F, small = np.asfortranarray(A), (A * 100).astype(np.int8)


def laplacian(Z):
    return np.roll(Z, 1, 0) + np.roll(Z, -1, 0) + np.roll(Z, 1, 1) + np.roll(Z, -1, 1) - 4 * Z


def neighbours(Z):
    return sum(np.roll(np.roll(Z, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))


def flat(k):
    return np.roll(x, k) + 1, np.roll(A, k), np.roll(A, k) * 2 + A, np.roll(F, k)


def along_axes(k):
    return (np.roll(A, k, 0) + np.roll(A, -k, 1) * 2, np.roll(A, (k, 2), (0, 1)) - A, np.roll(F, (k, 2), (0, 1)) - F,
            np.roll(F, k, 0), np.roll(B, (1, k, 2), (0, 1, 2)) * B, np.roll(B, k, axis=(0, 2)) + 1,
            np.roll(B, (1, k), 1) + B, np.roll(A[1:, ::2], k, 0) * 2 + 1)


def used_otherwise(k):
    rolled = np.roll(A, k, 0)
    return (rolled, rolled[1:-1] + A[2:], (rolled * A).sum(), rolled.sum(axis=1), np.roll(A.T, k, 0).sum(axis=0),
            (rolled * A).sum(axis=1)[:, None] + np.roll(rolled, k, 1), rolled @ A.T)


def written(Z):
    Z[1:-1] = np.roll(Z, 1, 0)[1:-1] * 0.5
    Z[:] = Z + np.roll(Z, -1, 1)
    Z += np.roll(Z, 2, 0)
    return Z


for function in (flat, along_axes, used_otherwise):
    for k in (1, 1, -2, 3, 5, 0, 7, 600, -1):
        for result in function(k):
            show(result)
for Z in (A, F, small, A[::-1, 1:], A > 0.5, A + 1j, A.astype("f2")):
    for _ in range(3):
        show(laplacian(Z) if Z.dtype != bool else neighbours(Z))
        show(neighbours(Z))
for _ in range(4):
    show(written(A.copy()))
    show(written(F.copy("F")))
for n in (0, 1, 2, 3, 8):
    show(np.roll(np.arange(n), 1) * 2)
    show(laplacian(np.ones((n, n))))
for wrong in (lambda: np.roll(A, 1, 2) + A, lambda: np.roll(A, (1, 2, 3), (0, 1)) * 2, lambda: np.roll(A, 1.5, 0) + 1):
    for _ in range(2):
        try:
            print(wrong())
        except Exception as error:
            print(type(error).__name__, error)
