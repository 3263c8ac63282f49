"""Loops over elements compute with the short rows of arrays of thousands of points."""
import warnings

import numpy as np

warnings.simplefilter("always")


def forces(pos, pairs, box):
    out = np.zeros_like(pos)
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        r2 = np.dot(pos[i] - pos[j], pos[i] - pos[j]) + 0.01
        out[i] += (pos[i] - pos[j]) * (1.0 / r2 - box)
        out[j] -= (pos[i] - pos[j]) * (1.0 / r2 - box)
    return out


def nearest(points, centers):
    labels = np.zeros(len(points), np.int64)
    for i in range(len(points)):
        best = np.inf
        for c in range(len(centers)):
            d = np.sum((points[i] - centers[c]) ** 2)
            if d < best:
                best = d
                labels[i] = c
    return labels


def perceptron(x, y, rate):
    w, errors = np.zeros(x.shape[1]), 0
    for i in range(len(x)):
        if y[i] * (x[i] @ w) <= 0:
            w += rate * y[i] * x[i]
            errors += 1
    return w, errors


def columns(a):
    """Along the axis that is too long they are CPython's, with the same answers."""
    total = 0.0
    for k in range(a.shape[1]):
        a[:, k] -= a[:, k].mean()
        for i in range(0, len(a), 500):
            total += a[i, k] * a[i].sum() + a[i, :2].max()
    return total


def blocks(a):
    """Of three axes, two of them long."""
    for i in range(1, a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] += a[i - 1, j, ::2].sum() * 0.5 - a[i, j, 1:].min()
            a[i, j, :2] = a[i - 1, j, 1:]
    return a


rng = np.random.default_rng(3)
for n in (4, 1024, 1025, 3000):
    pos = rng.random((n, 3))
    for layout in (pos, np.asfortranarray(pos), pos[::-1], rng.random((n, 7))[:, ::3]):
        pairs = rng.integers(0, n, (n, 2))
        y = np.where(rng.random(n) < 0.5, -1.0, 1.0)
        w, errors = perceptron(layout, y, 0.1)
        results = [forces(layout, pairs, 0.3), nearest(layout, layout[:4]), w, blocks(rng.random((3, n, 3)))]
        print(n, errors, columns(layout.copy()).hex(), *(float(np.abs(result).sum()).hex() for result in results))
pos[5] = np.inf
with warnings.catch_warnings(record=True) as seen:
    print(forces(pos, np.array([[1, 2], [5, 5], [3, 4]] * 40), 0.3)[:6])
print(*(f"{w.lineno} {w.category.__name__} {w.message}" for w in seen), sep="\n")
