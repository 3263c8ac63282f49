"""Results are computed in the memory of what they are the last to read, unless something forbids it.

Results computed in the memory of what they are the last to read, and all that forbids it: reads at other places,
several readers, views that stay, other layouts, errors half-way. Sizes from nothing to several blocks of rows.
"""
import hashlib
import warnings

import numpy as np

random = np.random.default_rng(525)


def show(name, *results):
    for r in results:
        r = np.asarray(r)
        print(name, r.dtype, r.shape, r.strides if r.size else "", hashlib.sha1(np.ascontiguousarray(r)).hexdigest()[:12])


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# The last readers of a product, element by element and row by row.
def scaled(a, b):
    return (a @ b) * 0.5 + 1


def attention(a, b):
    return softmax(a @ b * 0.25) @ b.T


def attention_weights(a, b):
    return softmax(a @ b)


def exponential(a, b):
    return np.tanh(a @ b)


def normalized(a, b):
    t = a @ b
    c = t - t.mean(axis=-1, keepdims=True)
    return c / np.sqrt((c * c).mean(axis=-1, keepdims=True) + 1e-5)


def chain(a, b):
    t = np.abs(a @ b) + 1
    t = np.log(t)
    s = t.sum(axis=0)
    u = np.sqrt(t) / s
    m = u.max(axis=1, keepdims=True)
    return np.where(u > 0.5 * m, u - m, m)


# Reads at other places.
def neighbours(a, b):
    t = a @ b
    return t[1:] - t[:-1], t[:, 1:] * t[:, :-1]


def reversed_rows(a, b):
    t = a @ b
    return t + t[::-1]


def transposed(a, b):
    t = a @ a.T
    return t - t.T, b.sum()


def rolled(a, b):
    t = a @ b
    return t + np.roll(t, 1, axis=0) - np.roll(t, -2, axis=1)


def first_row(a, b):
    t = a @ b
    return t - t[0]


def first_column(a, b):
    t = a @ b
    return t / (1 + np.abs(t[:, :1]))


def greatest_of_other_rows(a, b):
    t = a @ b
    return t - t[::-1].max(axis=1, keepdims=True)


def sums_of_next_rows(a, b):
    t = a @ b
    s = t[1:].sum(axis=1, keepdims=True)
    e = np.exp(-np.abs(t[:-1]) - s * s)
    return e / (1 + e.sum(axis=1, keepdims=True))


def by_two_shapes(a, b):
    t = a @ b
    flat = t.reshape(-1)
    return t * 2 + flat[::-1].reshape(t.shape)


# Other readers, and views that stay.
def both(a, b):
    t = a @ b
    return t, t * 2


def two_readers(a, b):
    t = a @ b
    u = t * 2
    v = t - 1
    return u @ u.T, v


def view_stays(a, b):
    t = a @ b
    u = t + 1
    return u * 3, t[1:3], u.T


def kept_in_list(a, b, kept):
    t = a @ b
    kept.append(t[:2])
    return softmax(t)


def stored_into(a, b):
    t = a @ b
    u = t * 2
    u[1:] += t[:-1]
    u[:, 0] = 7
    return u - 1


def into_argument(a, b, out):
    t = a @ b
    out += t
    out[1:] = t[:-1] * 2
    return t - out


# Other dtypes, as wide and not.
def as_wide(a, b):
    t = a @ b
    return (t * 10).astype(f"i{t.dtype.itemsize}"), t.view(f"u{t.dtype.itemsize}") >> 3


def comparisons(a, b):
    t = a @ b
    return t > 0, (t > 1) & (t < 2), (t < 0).astype(np.uint8) + 1


def halves(a, b):
    t = (a @ b).astype(np.float16)
    return softmax(t), t.sum(axis=1).astype(np.float32) * 2


def complex_products(a, b):
    t = a @ b + 1j * (a @ b)[::-1]
    return t * t, np.abs(t * (2 - 1j)), t.conj() * t.T if t.shape[0] == t.shape[1] else t.imag


ALL = [scaled, attention, attention_weights, exponential, normalized, chain, neighbours, reversed_rows, transposed, rolled,
       first_row, first_column, greatest_of_other_rows, sums_of_next_rows, by_two_shapes, both, two_readers, view_stays,
       stored_into, as_wide, comparisons, halves, complex_products]


def operands(rows, inner, columns, dtype, order):
    a = random.normal(size=(rows, inner)).astype(dtype)
    b = random.normal(size=(inner, columns)).astype(dtype)
    return np.array(a, order=order), np.array(b, order=order)


CASES = [(5, 3, 4, "f8", "C"), (5, 3, 4, "f4", "F"), (1, 2, 6, "f8", "C"), (6, 2, 1, "f4", "C"), (8, 4, 8, "f8", "F"),
         (300, 8, 700, "f4", "C"), (700, 4, 300, "f8", "F"), (2000, 2, 64, "f4", "C")]
with np.errstate(all="ignore"):
    for case in CASES:
        a, b = operands(*case)
        before = a.tobytes(), b.tobytes()
        for f in ALL:
            for _ in range(2):
                results = f(a, b)
            show(f"{f.__name__} {case}", *results if isinstance(results, tuple) else (results,))
        kept = []
        show("kept", kept_in_list(a, b, kept), kept_in_list(a, b, kept), *kept)
        out = np.ones((case[0], case[2]), a.dtype)
        show("out", into_argument(a, b, out), into_argument(a, b, out), out)
        print("inputs as before:", before == (a.tobytes(), b.tobytes()))

# The same function, whose operands lie in another way each time.
a, b = operands(400, 5, 600, "f8", "C")
for left in (a, np.asfortranarray(a), a[::-1], np.repeat(a, 2, axis=1)[:, ::2]):
    for right in (b, np.asfortranarray(b), b[:, ::-1]):
        show("lies", softmax(left @ right), chain(left, right), softmax((left.T @ left).T @ right))
show("nothing", scaled(a[:0], b), scaled(a, b[:, :0]), normalized(a[:3], b[:, :1]))


# Flags and errors: what has been overwritten by then is the run's own.
def quotient(a, b, c):
    t = a @ b
    u = t / c
    return u * 2 - np.sqrt(u)


def picked(a, b, i):
    t = softmax(a @ b)
    u = t * 2
    return u[i] + u.sum()


c = np.ones(600)
for _ in range(4):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        show("quotient", quotient(a, b, c))
        c[_] = 0
    print(sorted(str(w.message) for w in caught))
for _ in range(3):
    try:
        with np.errstate(divide="raise", invalid="ignore"):
            show("quotient", quotient(a, b, c))
    except FloatingPointError as error:
        print("error:", error)
    try:
        show("picked", picked(a, b, 399 + _))
    except IndexError as error:
        print("error:", error)
    print(hashlib.sha1(a).hexdigest()[:12], hashlib.sha1(b).hexdigest()[:12])

# Large enough for several threads, and to go past the cache.
a, b = operands(3000, 6, 1500, "f4", "C")
for f in (scaled, attention, attention_weights, normalized, greatest_of_other_rows, first_row, reversed_rows, rolled):
    for _ in range(2):
        show(f"large {f.__name__}", f(a, b))
