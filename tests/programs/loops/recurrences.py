"""Sweeps along an axis read what they have just stored, and what lies beside it."""
import hashlib

import numpy as np


def show(name, *values):
    print(name, [(v.shape, v.strides, hashlib.sha256(v.tobytes()).hexdigest()[:12]) for v in values])


def columns(a, b):
    for k in range(1, a.shape[1]):
        a[:, k] = b[:, k] * 0.25 - a[:, k - 1] * 0.5
        b[:, k] = a[:, k] + b[:, k - 1]
        a[:, k] = a[:, k] * b[:, k]
    return a, b


def backwards(a, b):
    last = np.zeros(a.shape[0])
    for k in range(a.shape[1] - 2, -1, -1):
        last[:] = a[:, k] - b[:, k] * last
        a[:, k] = last * 0.1 - a[:, k + 1]
    return a, last


def edges(p):
    for step in range(5):
        p[1:-1, 1:-1] = (p[:-2, 1:-1] + p[2:, 1:-1]) * 0.25 + p[1:-1, 1:-1] * 0.5
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :] * 0.5
        p[:, 0] = p[:, 1] + p[0, 0]
        p[-1, :] = 0.0
        p[2, ::2] = p[2, 1::2] - p[3, ::-2]
    return p


def overlapping(a):
    for step in range(4):
        a[1:] = a[:-1] * 0.5 + 1.0
        a[::2] = a[::2] - a[1:-1:2]
        a[3] = a[2] + a[-1]
        a[2:5] = a[3] * 2.0
        a[3] += a[4]
    return a


def sums(a, b):
    totals = []
    for k in range(1, a.shape[1]):
        a[:, k] = b[:, k] - a[:, k - 1]
        totals.append(a[:, k].sum() + a[:, k - 1].max())
    return a, np.array(totals)


def parts_kept(a):
    rows = []
    for k in range(1, a.shape[0]):
        a[k] = a[k - 1] * 0.5 + a[k]
        rows.append(a[k])
        a[k] *= 2.0
    return a, np.stack(rows)


def temporaries(x):
    t = np.exp(-x)
    for k in range(1, 6):
        t[:, k] = t[:, k] + t[:, k - 1] * 0.5
        t[:, 0] = t[:, k] - t[:, k - 1]
    u = np.empty_like(x)
    u[0] = x[0]
    for k in range(1, x.shape[0]):
        u[k] = u[k - 1] * 0.5 + x[k] * x[k - 1]
    return t, u


def diagonal(a):
    n = a.shape[0]
    for k in range(1, n):
        a[k, k:] = a[k, k:] - a[k - 1, k:] * a[k, k - 1]
        a[k:, k] = a[k:, k] / a[k, k]
    return a


def index_from_both_ends(a, n):
    for k in range(n):
        a[k] = a[-k - 1] + 1.0
        a[-1] = a[k] - a[0]
    return a


rng = np.random.default_rng(5)
for dtype in (np.float64, np.float32, np.int64):
    for order in "CF":
        def array(*shape):
            return np.array((rng.uniform(1, 3, shape) * 8).astype(dtype), order=order)
        for round in range(3):
            if dtype is not np.int64:
                show("columns", *columns(array(30, 12), array(30, 12)))
                show("backwards", *backwards(array(30, 12), array(30, 12)))
                show("diagonal", diagonal(array(9, 9)))
                show("temporaries", *temporaries(array(20, 20)))
            show("edges", edges(array(12, 14)))
            show("overlapping", overlapping(array(21)), overlapping(array(21, 5)))
            show("sums", *sums(array(30, 12), array(30, 12)))
            if dtype is not np.int64:
                show("parts", *parts_kept(array(8, 40)))
            show("both ends", index_from_both_ends(array(9, 4), 9))
