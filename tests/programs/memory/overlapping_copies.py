"""Copies between parts of one array go element by element where a row and a column cross."""
import numpy as np


def cross(a):
    a[2, :] = a[:, 3]
    a[1, ::2] = a[:3, 2]
    a[0] = np.diagonal(a)
    a[5] = a[:, 2:3].T
    return a


def along(a):
    a[3, 1:] = a[3, :-1]
    a[4, :-1] = a[4, 1:]
    a[3, ::-1] = a[3]
    a[:, 0] = a[:, 5]
    a[:, :] = a.T
    a[1:, 1] = a[:-1, 1] * 2
    return a


def copied(a):
    np.copyto(a[:, 1], a[4, ::-1])
    np.copyto(a[:, 2], a[4])
    a.T[0] = a[1]
    return a


def swept(a):
    for k in range(len(a)):
        a[k] = a[:, k]
        a[:, k] -= a[k, ::-1]
    return a


def singles(x, y):
    """np.dot adds the product of two single elements to nothing, so that -0.0 stays what it is; `@` adds it to 0.0."""
    a, b = np.array([x]), np.array([y])
    return (a.dot(b), a @ b, np.dot(a[None], b), np.dot(a[None], b[:, None]), a[None] @ b[:, None], np.inner(a, b), np.vdot(a, b),
            np.tensordot(a, b, 1), np.einsum("i,i", a, b))


for _ in range(3):
    for f in (cross, along, copied, swept):
        print(f(np.arange(36.0).reshape(6, 6)))
        print(f(np.arange(72).reshape(6, 12)[:, ::2]))
    for x, y in ((-0.0, 2.0), (1.0, -0.0), (3.0, 4.0)):
        print(singles(x, y))
        rows = np.array([[x, y], [y, x]])
        print(*(rows[i, :1].dot(rows[:1, j]) for i in range(2) for j in range(2)))
