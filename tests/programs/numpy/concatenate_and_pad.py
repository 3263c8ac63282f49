"""concatenate and its kin join computed parts and views in every memory order; np.pad and np.diff follow."""
import numpy as np
from show import show as show_named


def show(value):
    show_named("result", value)


rng = np.random.default_rng(7)
x, A = rng.random(7), rng.random((5, 6))
F = np.asfortranarray(A)


def joined(x, A, F, k):
    return (np.concatenate([A[:, -1:], A[:, :-1]], axis=1) + A, np.concatenate([A * 2, A + 1, A[:k]]),
            np.concatenate([F * 2, F + 1]), np.concatenate([F * 2, A + 1], axis=1) * 2,
            np.concatenate((F[:, ::2], F[:, ::-1]), 1), np.concatenate([A[:1], A * 0.5, A[-1:]]).sum(axis=0))


def stacked(x, A, F, k):
    return (np.stack([x * 2, x + 1, x]) * 2, np.stack([x * 2, x + 1, x], axis=-1), np.stack([A, A * 2], axis=1).sum(axis=2),
            np.stack([F, F * 2], axis=2), np.vstack([x, x * 2, x - k]), np.vstack([A, A * 2]), np.hstack([x, x * 2]) + 1,
            np.hstack([A.T, A.T * 2]), np.dstack([A, A * 2]), np.dstack([x, x * 2]),
            np.column_stack([x, x * 2, np.ones_like(x)]) @ np.ones(3), np.append(x * 2, x), np.append(A * 2, A, axis=0))


def padded(x, A, F, k):
    return (np.pad(x * 2, 2), np.pad(A + 1, (1, 2)), np.pad(A + 1, ((1, 0), (0, 3)), constant_values=2.5) * 2,
            np.pad(A + 1, 2, mode="edge"), np.pad(A + 1, 2, "wrap"), np.pad(A + 1, 2, "reflect") * 2,
            np.pad(A + 1, ((0, 2), (1, 0)), "symmetric"), np.pad(F, 1, "edge"), np.pad(x[::2], 3, "wrap") + 1,
            np.pad(x, k + 2, "edge") + 1, np.pad(A[1:], 9, "reflect") * 2, np.pad(A, 1, "mean") * 2)


def differences(x, A, F, k):
    return (np.diff(x) * 2, np.diff(A, axis=0) + 1, np.diff(A, n=2), np.diff(F, axis=0) * 1, np.diff(x > 0.5),
            np.diff(x, prepend=0) * k, np.diff((x * 9).astype(np.uint8)) + 1)


for function in (joined, stacked, padded, differences):
    for k in (1, 1, 2, 3, 0):
        for result in function(x, A, F, k):
            show(result)
    for dtype in ("f4", "i2", "c8", "f2"):
        for result in function(x.astype(dtype), (A * 9).astype(dtype), np.asfortranarray((A * 9).astype(dtype)), 2):
            show(result)


def history(n):
    rows = np.zeros((0, 3))
    for i in range(n):
        rows = np.vstack([rows, np.arange(3.0)[None, :] * i])
    return rows


show(history(6))
same = np.concatenate([A * 2, A * 2])
same[0] = -1
show(same)
for wrong in (lambda: np.concatenate([A * 2, x]), lambda: np.stack([x * 2, x[1:]]), lambda: np.vstack([x * 2, x[1:]]),
              lambda: np.concatenate([A, A], axis=2) * 2, lambda: np.pad(x * 2, -1), lambda: np.diff(np.float64(3)) * 2):
    for _ in range(2):
        try:
            print(wrong())
        except Exception as error:
            print(type(error).__name__, error)
