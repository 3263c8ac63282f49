"""Views that only NumPy's functions make are read, computed with, kept, and refused to be written through.

Views that only NumPy's own functions make (broadcast_to, diagonal, diag, sliding_window_view): read, computed with, kept,
refused to be written through; fill_diagonal, arrays of rank 0 written to, einsum and trace of diagonals.
"""
import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view
from show import layouts, show


def facts(a):
    base = a.base
    return (a.shape, a.strides, a.flags.writeable, a.flags.owndata, a.flags.c_contiguous, type(base).__name__,
            getattr(base, "shape", None), a.tolist())


def attempt(name, function, *args, times=3):
    for _ in range(times):
        try:
            result = function(*args)
        except Exception as error:
            print(name, type(error).__name__, error)
            continue
        for item in result if isinstance(result, tuple) else (result,):
            print(name, *(facts(item) if isinstance(item, np.ndarray) else (type(item).__name__, item)))


def views_of(a):
    yield from layouts(a)
    yield np.broadcast_to(a[0], a.shape)
    frozen = a.copy()
    frozen.flags.writeable = False
    yield frozen


def broadcast(a, v):
    b = np.broadcast_to(a, (2,) + a.shape)
    return b * 2, b, np.broadcast_to(v, a.shape) + a, np.broadcast_to(v, (2, 3, v.shape[0])), b[0], b.sum(axis=0), np.broadcast_to(v[:1], 5)


def diagonals(a):
    d = a.diagonal()
    return d * 2, d, np.diag(a), np.diagonal(a, 1), np.diag(a, -1) + 1, a.diagonal(offset=-1).sum(), np.trace(a), np.trace(a, 1) * 2


def windows(a, v):
    w = sliding_window_view(v, 3)
    p = sliding_window_view(a, (2, 2))
    return w.mean(axis=1), w, w * 2, p.sum(axis=(2, 3)), p, w.max(axis=-1), sliding_window_view(a, 2, axis=1).std(axis=-1), w[::2] + 1, np.median(w, axis=1)


def products(a):
    s = a[:3, :3] * 1.0
    return np.einsum("ii", s), np.einsum("ii->i", s), np.einsum("ii,i->i", s, s[0]), np.einsum("ij,ji->", s, s), np.einsum("ij->ji", s)


for dtype in "dfliB?":
    for a in views_of((np.arange(12).reshape(3, 4) % 7).astype(dtype)):
        attempt("broadcast" + dtype, broadcast, a, a[0], times=2)
        attempt("diagonals" + dtype, diagonals, a, times=2)
        attempt("products" + dtype, products, a, times=2)
        if dtype != "?":
            attempt("windows" + dtype, windows, a, a[1], times=2)

# Of what NumPy itself computed, in an order of its own.
def of_inverse(a):
    inverse = np.linalg.inv(a) * 2
    d = np.diag(inverse)
    inverse[0, 0] = 5
    return np.sqrt(np.abs(d)), d, inverse.T.diagonal(1) * 2, np.count_nonzero(inverse), np.count_nonzero(d > 0) , np.count_nonzero(inverse > 0, axis=0)


for a in views_of(np.arange(9.0).reshape(3, 3) ** 2 + np.eye(3)):
    attempt("of inverse", of_inverse, a)

# Of other sizes, and none.
for shape in ((4, 3), (1, 1), (2, 5), (0, 3), (3, 0), (2, 2, 2), (4,)):
    a = np.arange(np.prod(shape)).reshape(shape) * 1.0
    attempt("diagonals", diagonals, a)
    attempt("far", lambda: (np.diagonal(a, 3) * 2, np.diag(a, -3)))
    attempt("axes", lambda: np.diagonal(a, 0, 1, 0) * 2)
    attempt("wide", lambda: np.broadcast_to(a, (2, 4, 3)) * 2)
    attempt("window", lambda: sliding_window_view(a, 3, axis=0) * 2)
    attempt("windows", lambda: sliding_window_view(a, (2, 2)) * 2)


# Writes through them are refused, with NumPy's words.
def writes(view, a):
    v = view(a)
    w = v * 2
    v[0] = 1
    return w


a = np.arange(12.0).reshape(3, 4)
for view in (lambda a: np.broadcast_to(a, (2, 3, 4)), lambda a: a.diagonal(), np.diag, lambda a: sliding_window_view(a, (2, 2)),
             lambda a: sliding_window_view(a, (2, 2), writeable=True), lambda a: as_strided(a, (3,), (32,))):
    attempt("writes", writes, view, np.arange(12.0).reshape(3, 4))
    attempt("updates", lambda: np.add(view(a.copy()), 1, out=view(a.copy())))


def seen(a):
    d, b, w = a.diagonal(), np.broadcast_to(a[0], (2, 4)), sliding_window_view(a[0], 2)
    a[0] += 10
    a[1, 1] = -1
    return d * 1, b + 0, w * 1, d, b, w


for a in views_of(np.arange(12.0).reshape(3, 4)):
    attempt("seen", lambda: seen(a.copy()))
    attempt("seen as it lies", seen, a, times=1)


# Diagonals filled.
def filled(a, value):
    np.fill_diagonal(a, value)
    return a * 2, a


for dtype in "dflB":
    for a in views_of((np.arange(12) % 5).reshape(3, 4).astype(dtype)):
        for value in (7, 2.5, True, -1):
            attempt("filled" + dtype, filled, a, value, times=2)
for shape in ((4, 3), (5, 2), (1, 3), (3, 3, 3), (0, 2), (3,)):
    attempt("filled", filled, np.zeros(shape), 5.0)
attempt("values", filled, np.zeros((3, 3)), np.array([1.0, 2.0]))
attempt("wrapped", lambda: np.fill_diagonal(np.zeros((5, 2)), 1, wrap=True))


# Arrays of rank 0.
def zero_dimensional(x, value):
    y = x * 2
    x[()] = value
    z = x + 1
    x[...] = z * 2
    x += 1
    np.multiply(x, 2, out=x)
    return x, y, z, x[()], x * 1


def accumulated(values):
    total = np.zeros(())
    count = np.array(0)
    for v in values:
        total += v * 2
        count += 1
    return total, count, total / count


for dtype in "dflh?":
    for value in (3, 2.5, np.float32(1.5), np.array(4)):
        attempt("rank 0 " + dtype, lambda: zero_dimensional(np.array(1, dtype), value))
attempt("accumulated", accumulated, np.arange(5.0))
attempt("frozen", lambda: zero_dimensional(np.broadcast_to(np.array(1.0), ()), 2))


# einsum of one array, whose axes it exchanges, is a view.
def exchanged(a, subscripts):
    b = np.einsum(subscripts, a)
    return b, b * 2, b.base is a or b.base is a.base


def written(a):
    b = np.einsum("ijk->kij", a)
    b[0] = 7
    return a.sum(), b.sum()


a = np.arange(24.0).reshape(2, 3, 4)
for subscripts in ("ijk->kji", "ijk->ijk", " i j k -> k j i", "kji", "ijk->ij", "iij->j", "...k->k...", "ijk->kj", "ijk->kjl",
                   "ij->ji", "ijk->kjii"):
    for view in (a, a.T, a[::-1, :, ::2], a.astype("i4"), a * 1j):
        attempt("einsum " + subscripts, lambda: exchanged(view, subscripts))
attempt("einsum", lambda: written(a.copy()))
