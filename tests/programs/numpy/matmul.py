"""Matrix products of every layout and size have NumPy's warnings and bits, copies in other orders included."""
# test: numpy2
import hashlib
import warnings

import numpy as np


# Products of arrays that are copies in another order and were written to since: a BLAS may add up a row without gaps
# in another way.
def of_a_copy(square):
    rows = square.T.copy()
    rows[0] -= 0.5
    return rows[0] @ rows[0], rows[1] @ rows[0], rows.strides


def of_each_row(square):
    rows = np.asfortranarray(square).copy()
    found = []
    for row in rows:
        row -= 0.25
        found.append(row @ row)
    return found, rows @ rows[0]


def of_columns(square):
    columns = square.copy(order="F")
    columns[:, 1] *= 2.0
    return columns[:, 1] @ columns[:, 1], columns[0] @ columns[0], columns.strides


rng = np.random.default_rng(5)
for n in (3, 5, 9, 33):
    for _ in range(4):
        square = rng.random((n, n))
        for f in (of_a_copy, of_each_row, of_columns):
            print(n, f.__name__, f(square))


# Matrix products of every layout and size: `@`, np.matmul, np.dot, their warnings and their bits.
def show(name, function, *args):
    for _ in range(20):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = function(*args)
    result = np.asarray(result)
    print(name, result.dtype, result.shape, result.strides, [str(w.message) for w in caught],
          np.isnan(result).sum(), hashlib.md5(result.tobytes()).hexdigest())


def product(a, b):
    return a @ b + 1


def plain(a, b):
    return a @ b


def dotted(a, b):
    return np.dot(a, b) * 2


def method(a, b):
    return a.dot(b) - 1


def gram(a):
    return a @ a.T + a.T.shape[0]


def gram_of_columns(a):
    return np.dot(a.T, a) + 1


rng = np.random.default_rng(5)
SIZES = [(1, 1, 1), (1, 7, 5), (6, 9, 1), (3, 3, 3), (8, 30, 17), (65, 130, 33), (70, 200, 90)]

for dtype in (np.float32, np.float64, np.int64, np.uint32, np.int8, np.complex128):
    for m, n, p in SIZES:
        a = (rng.standard_normal((m, n)) * 10).astype(dtype)
        b = (rng.standard_normal((n, p)) * 10).astype(dtype)
        for function in (product, plain, dotted, method):
            show(f"{function.__name__} {m}x{n}x{p}", function, a, b)
        show("transposed", product, b.T, a.T)
        show("Fortran", product, np.asfortranarray(a), np.asfortranarray(b))
        show("backwards", product, a[::-1, ::-1], b[::-1])
        show("gaps", product, np.repeat(a, 2, axis=1)[:, ::2], np.repeat(b, 2, axis=0)[::2])
        show("vectors", product, a[0], b)
        show("vectors", dotted, a, b[:, 0])
        show("gram", gram, a)
        show("gram of columns", gram_of_columns, a)
        show("broadcast", product, np.broadcast_to(a[:1], a.shape), b)

# Stacks of matrices.
a, b = rng.standard_normal((4, 1, 5, 6)), rng.standard_normal((3, 6, 2))
show("stacks", product, a, b)
show("stack and vector", product, a, b[0, :, 0])
show("dot of stacks", dotted, a, b)

# Two dtypes.
x32 = rng.standard_normal((5, 6)).astype(np.float32)
show("mixed", product, x32, b[0])
show("mixed", product, np.arange(20).reshape(5, 6), b[0])
show("mixed", dotted, np.arange(12, dtype=np.int32).reshape(2, 6), b[0])
show("mixed", product, np.arange(30, dtype=np.int8).reshape(5, 6), x32.T)
show("bools", product, x32 > 0, x32.T > 0)

# What is not finite: its NaNs and its warnings, which np.dot does not give.
special = rng.standard_normal((7, 9))
special[2, 3], special[4, 4], special[6, 8], special[1] = np.inf, np.nan, -np.inf, 0
for function in (gram, gram_of_columns):
    show("special " + function.__name__, function, special)
show("special", product, special, special.T.copy())
show("special", dotted, special, special.T.copy())
show("overflow", product, special * 1e300, special.T * 1e300)
show("overflow", dotted, special * 1e300, special.T * 1e300)
show("underflow", product, x32 * np.float32(1e-30), x32.T * np.float32(1e-30))

# Empty ones.
show("no factors", product, np.ones((3, 0)), np.ones((0, 2)))
show("no rows", product, np.ones((0, 4)), np.ones((4, 2)))

for bad in ((np.ones((2, 3)), np.ones((2, 3))), (np.ones(3), np.float64(2)), (np.ones(3), np.ones(4))):
    for function in (product, dotted, method):
        try:
            function(*bad)
        except ValueError as error:
            print(function.__name__, error)
