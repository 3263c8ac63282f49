"""Arrays whose sizes vary from call to call meet others: what comes of them lies in memory as NumPy lays it out, whatever the order of
the arrays and of what calls made of them."""
import numpy as np


def after_a_call(a, b):
    return np.cumsum(np.ceil(a), axis=0) + b


def before_they_meet(a, b, c):
    return np.sqrt(np.abs(a)) * 0.5 + b, np.exp(-b) - a, (a + 1.0) * c[None, :]


def chained(a, b, c):
    d = a * 2.0
    e = b - 1.0
    return (d + e).T + c, np.where(d > e, d, e), d + e.mean(axis=0)


def layout(x):
    return x.shape, x.strides, x.flags.c_contiguous, x.flags.f_contiguous, float(x.sum())


for rows, columns in ((5, 4), (6, 3), (7, 4), (4, 4), (13, 2), (1, 5), (5, 1), (40, 30)):
    for first in "CF":
        for second in "CF":
            whole = np.arange(rows * columns, dtype=np.float64).reshape(rows, columns)
            a = np.asarray(whole, dtype=np.float32, order=first)
            b = np.asarray(whole[::-1] + 1, order=second)
            row = np.arange(columns, dtype=np.uint32)
            column = np.arange(rows, dtype=np.float64)
            print(layout(after_a_call(a, row)), *map(layout, before_they_meet(a, b, row)), *map(layout, chained(a, b, column)))
