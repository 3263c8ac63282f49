"""Loops over elements compute with rows, columns and parts of them, as factorizations and sweeps do."""
# test: numpy2
import warnings

import numpy as np

warnings.simplefilter("always")


def lu(a):
    n = len(a)
    lower, upper = np.eye(n), a.copy()
    for k in range(n - 1):
        for i in range(k + 1, n):
            lower[i, k] = upper[i, k] / upper[k, k]
            upper[i, k:] -= lower[i, k] * upper[k, k:]
    return lower, upper


def cholesky(a):
    a = a.copy()
    for i in range(len(a)):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] = np.sqrt(a[i, i] - a[i, :i].dot(a[i, :i]))
    return np.tril(a)


def solve(lower, b):
    x = np.zeros_like(b)
    for i in range(len(x)):
        x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]
    return x


def gram_schmidt(a):
    q, r = np.zeros_like(a), np.zeros((a.shape[1], a.shape[1]))
    for k in range(a.shape[1]):
        r[k, k] = np.sqrt(np.sum(a[:, k] ** 2))
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, a.shape[1]):
            r[k, j] = q[:, k] @ a[:, j]
            a[:, j] -= q[:, k] * r[k, j]
    return q, r


def sweep(a, steps):
    for _ in range(steps):
        for i in range(1, len(a) - 1):
            a[i, 1:-1] += a[i - 1, :-2] + a[i - 1, 2:] - 2.0 * a[i + 1, 1:-1]
            a[i, 1:] += a[i, :-1] * 0.25
            a[i, ::3] = -np.abs(a[i, ::3])
            a[:, i] *= 0.5
            for j in range(1, len(a) - 1):
                a[i, j] = a[i, j - 1] + max(a[i].max(), a[:, j].min(), len(a[i, j:]))
            a[i] = 0.0 if i == 3 else a[i - 1]
    return a


def standard(rows):
    for row in rows:
        row -= row.sum() / len(row)
        row /= np.sqrt(row @ row)
    return rows


def errors(a, b):
    """What warns or raises does so where it did, with everything before it done."""
    n = len(b)
    caught = []
    for i in range(n + 1):
        try:
            b[i:] /= a[i, i:]
            b[i] += a[:, i] @ b
            b[:i] = a[i, i:]
        except (ValueError, IndexError) as error:
            caught.append(f"{type(error).__name__}: {error}")
    return b, caught


def wide(a):
    """Other dtypes, and rows that are kept, are CPython's."""
    kept = []
    for i in range(len(a)):
        part = a[i, i:]
        kept.append(part * 2)
        part[:1] += 1
    return a, kept


rng = np.random.default_rng(7)
for n in (1, 2, 5, 9, 40, 300):
    square = rng.random((n, n)) + n * np.eye(n)
    for layout in (square, square.T, np.asfortranarray(square), square[::-1, ::-1]):
        results = [*lu(layout), cholesky(layout @ layout.T), solve(layout, layout[0].copy())]
        results += [*gram_schmidt(layout[:, :6].copy()), sweep(layout.copy(), 2), standard(layout.copy())]
        for result in results if n < 6 else results[:0]:
            print(result)
        print(n, *(result.ravel()[-1] for result in results))
        print(*(float(np.abs(result).sum()).hex() for result in results))
with warnings.catch_warnings(record=True) as seen:
    a = rng.integers(-1, 2, (7, 7)).astype(float)
    print(errors(a, np.arange(7.0)), errors(a[:3], np.ones(3)))
    print(*(f"{w.lineno} {w.category.__name__} {w.message}" for w in seen), sep="\n")
for dtype in (np.float32, np.int64, complex):
    print(sweep(np.arange(49).reshape(7, 7).astype(dtype) / np.ones(1, dtype), 1).sum() if dtype is np.float32 else "", wide(np.ones((3, 3), dtype)))
print(wide(np.ones((3, 3))))
frozen = square[:5, :5].copy()
frozen.flags.writeable = False
try:
    sweep(frozen, 1)
except ValueError as error:
    print(error)
