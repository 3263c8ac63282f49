"""The kernel that computes the terms of a row adds them up in NumPy's order.

Sums of expressions along rows: the kernel that computes the terms adds them up, in NumPy's order.
Rows of all lengths, next to each other or not, with numbers that belong to a row, and with what
raises errors among them; sums of whole arrays; terms of one dtype that are added up in another.
"""
# test: compiled
import numpy as np

rng = np.random.default_rng(520)


def squares(a):
    return (a * a).sum(axis=-1)


def variance(a):
    return a.var(axis=-1)


def layer_norm(a):
    c = a - a.mean(axis=-1, keepdims=True)
    return c / np.sqrt((c * c).mean(axis=-1, keepdims=True) + a.dtype.type(1e-5))


def distances(a, b):
    return np.sqrt(((a - b) ** 2).sum(axis=-1))


def weighted(a, w):
    return (a * w[..., None]).sum(axis=-1)


def in_double(a):
    return (a * a).sum(axis=-1, dtype=np.float64)


def mixed(a, i):
    return (a * i).sum(axis=-1)


FUNCTIONS = [squares, variance, layer_norm]


def bits(value):
    """A number that tells any two results apart, and a few of the elements."""
    value = np.ascontiguousarray(value)
    words = value.view(np.uint8).astype(np.uint64).ravel()
    mixed_words = int((words * (np.arange(words.size, dtype=np.uint64) * np.uint64(2654435761) + np.uint64(1))).sum())
    return mixed_words, value.shape, value.dtype.name, value.ravel()[:2].tolist()


def numbers(shape, dtype):
    """Of very different sizes, so that another order of additions shows."""
    return (rng.normal(size=shape) * np.exp(3 * rng.normal(size=shape))).astype(dtype)


LENGTHS = [*range(0, 20), *range(63, 67), *range(120, 300, 3), *range(126, 146), 511, 512, 513, 768, 1000, 1016, 1023, 1024,
           1025, 1031, 2047, 2048, 2056, 4096 + 7, 8184, 8191, 8192, 8193, 8200, 20011]

for dtype in (np.float32, np.float64):
    print(np.dtype(dtype).name)
    for n in LENGTHS:
        a = numbers((3, n), dtype)
        b = numbers((n,), dtype)
        w = numbers((3,), dtype)
        found = [bits(squares(a)), bits(distances(a, b)), bits(weighted(a, w)), bits(in_double(a)),
                 bits(mixed(a, np.arange(n, dtype=np.int32)))]
        if n > 0:
            found += [bits(variance(a)), bits(layer_norm(a))]
        print(n, hash(tuple(f[0] for f in found)), found[0][1:])

# How rows lie: parts of longer ones, every second, back to front, columns, more axes.
whole = numbers((40, 700), np.float32)
for name, rows in {
    "parts": whole[:, 20:600],
    "unaligned": whole[:, 1:602],
    "every second row": whole[::2, :400],
    "every second element": whole[:, ::2],
    "backwards": whole[:, ::-1],
    "from below": whole[::-1],
    "across": whole.T,
    "three axes": whole.reshape(4, 10, 700),
    "one row": whole[:1],
    "a flat one": whole.ravel(),
    "many rows": np.tile(whole, (30, 1)),
}.items():
    for function in FUNCTIONS:
        print(name, function.__name__, bits(function(rows)))


def total(a, b):
    return float((a * b + 1).sum()), float(((a - b) ** 2).mean())


for n in (100, 8192, 8192 + 17, 100_000, 300_007):
    print(n, total(numbers(n, np.float64), numbers(n, np.float64)), total(numbers(n, np.float32), numbers(n, np.float32)))

# Errors of the terms and of the sums, in the middle of a row, at its end, in one row only.
np.seterr(all="warn")
for n in (128, 200, 255, 1024):
    for place in (0, 7, n // 2, n - 9, n - 1):
        for value in (np.inf, np.nan, 3e38, -3e38):
            a = np.ones((2, n), np.float32)
            a[1, place] = value
            print(n, place, value, squares(a).tolist(), variance(a).tolist())
for n in (130, 1024):
    a = np.full((2, n), 1e38, np.float32)
    print(n, (a + a[:1]).sum(axis=-1).tolist(), squares(np.full((2, n), -0.0)).tolist())
    with np.errstate(over="raise"):
        try:
            print((a + a[:1]).sum(axis=-1))
        except FloatingPointError as error:
            print(error)
