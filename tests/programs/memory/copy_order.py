"""Copies and casts, of parts, of repeated elements, of sizes that vary, lie in NumPy's memory order."""
import numpy as np

# Strides of copies of what NumPy's own functions made, with axes of one element: such an array lies in both orders.
FUNCTIONS = {
    "astype": lambda y: y.astype(y.dtype),
    "astype copy": lambda y: y.astype(y.dtype, copy=True),
    "narrower": lambda y: y.astype(np.float32),
    "copy": np.copy,
    "copy method": lambda y: y.copy(),
    "copy in F": lambda y: y.copy("F"),
    "copy in K": lambda y: y.copy("K"),
    "array": np.array,
    "array in K": lambda y: np.array(y, order="K"),
    "asarray": np.asarray,
    "positive": lambda y: +y,
    "real": lambda y: y.real,
    "times one": lambda y: y * 1,
    "power one": lambda y: y**1,
    "conjugate": np.conjugate,
    "negated twice": lambda y: -(-y),
    "where": lambda y: np.where(True, y, y),
    "minimum": lambda y: np.minimum(y, y),
    "clip": lambda y: np.clip(y, None, 5),
    "roll by 0": lambda y: np.roll(y, 0),
    "roll by 0 along 0": lambda y: np.roll(y, 0, axis=0),
    "roll along 0": lambda y: np.roll(y, 1, axis=0),
    "reshape": lambda y: y.reshape(y.shape),
    "reshape in F": lambda y: y.reshape(y.shape, order="F"),
    "transposed": lambda y: y.T.astype(y.dtype),
    "transposed twice": lambda y: y.T.T.copy("K"),
    "slice": lambda y: y[:].astype(y.dtype),
    "reversed twice": lambda y: y[::-1][::-1].astype(y.dtype),
    "stack": lambda y: np.stack([y]),
    "zeros_like": np.zeros_like,
    "full_like": lambda y: np.full_like(y, 2),
}


def makers(function):
    def array_in_f(x):
        return function(np.array(x, order="F"))

    def as_fortran(x):
        return function(np.asfortranarray(x + 1))

    def sorted_first(x):
        return function(np.sort(x, axis=0))

    def existing(x):
        return function(x)

    return array_in_f, as_fortran, sorted_first, existing


for name, function in FUNCTIONS.items():
    for made in makers(function):
        for shape in ((1, 3), (3, 1), (1, 1), (3, 1, 2), (1, 3, 1), (2, 3)):
            for x in (np.ones(shape), np.ones(shape), np.ones(shape[::-1]).T):
                r = made(x)
                print(name, made.__name__, shape, r.shape, r.strides, r.flags.c_contiguous, r.flags.f_contiguous)


# A copy in C order that is returned, beside calls of NumPy's that read the array itself, which lies otherwise.
def reshaped(x):
    x += 1
    return x.reshape(x.shape[::-1]), [3] * x


def in_part(x):
    x[0] += 1
    return x.reshape(-1), np.sort(x, axis=0), np.cumsum(x, axis=1), np.array(x)


def contiguous(x):
    x -= 2
    return np.ascontiguousarray(x), np.multiply([3], x), np.repeat(x, 2)


def views_of_it(x):
    x *= 2
    flat = x.reshape(-1)
    doubled = flat * 2
    return np.sort(x, axis=0), doubled.reshape(x.shape), flat[:3]


def kept(x):
    x += 1
    return x.copy(order="K"), np.cumsum(x, axis=0), np.sort(x, axis=1), [3] * x


def summed(x):
    x *= 2
    flat = x.flatten()
    return np.sort(x, axis=0), flat.sum(), flat


def bases():
    numbers = np.arange(48, dtype=np.float32)
    yield np.asfortranarray(numbers.reshape(8, 6))
    yield numbers.reshape(6, 8).T[::2]
    yield numbers.reshape(8, 6)
    yield numbers.reshape(8, 6)[::-1, ::2]
    yield numbers.reshape(2, 4, 6).transpose(2, 0, 1)


for function in reshaped, in_part, contiguous, views_of_it, kept, summed:
    for _ in range(2):
        for number, base in enumerate(bases()):
            for result in function(base):
                print(function.__name__, number, result.strides, np.asarray(result).ravel()[:7].tolist())
            print(base.strides, float(base.sum()))


# The memory order of copies of what NumPy's own functions made, of parts of complex arrays, of arrays without
# elements.
def copied(x): return np.nan_to_num(x).copy()
def copied_twice(x):
    made = np.cumsum(x, axis=0)
    return made, made.copy(), made.copy() + 1
def written(x):
    made = np.sort(x, axis=0).copy()
    made[0] = 7
    return made
def converted(x): return np.nan_to_num(x).astype("f4").copy()
def kept_copy(x): return np.array(np.nan_to_num(x)), np.nan_to_num(x) + 1
def angle(x): return np.angle(x + 0j)
def imaginary(x): return (x + 1j).imag + 1
def of_imaginary(x): return (x + 1j).real.astype("f4"), (x + 1j).imag.sum(axis=0)
def trapezes(x): return np.trapz(x), np.trapz(x[::-1])
def halves(x): return ((x[..., 1:] + x[..., :-1]) / 2).sum(-1)
def empty(x): return x[..., :0] + 1, (x[..., :0] * 2).copy("K"), np.where(x[:0] > 0, 1.0, 2.0)


shapes = (5, 4), (5, 4, 3), (1, 4), (4, 1), (1, 4, 3), (4, 1, 3), (4, 3, 1), (0, 2, 3), (2, 0, 3)
for function in copied, copied_twice, written, converted, kept_copy, angle, imaginary, of_imaginary, trapezes, halves, empty:
    for shape in shapes:
        whole = np.arange(float(np.prod(shape))).reshape(shape)
        for array in whole, np.asfortranarray(whole), np.ascontiguousarray(whole.swapaxes(0, -1)).swapaxes(0, -1)[::-1]:
            try:
                made = function(array)
            except Exception as error:
                print(function.__name__, shape, type(error).__name__, error)
                continue
            for one in made if isinstance(made, tuple) else (made,):
                print(function.__name__, shape, array.strides, one.strides, one.flags.owndata, one.ravel()[:3])


# Arrays whose sizes vary from call to call meet others: what comes of them lies in memory as NumPy lays it out,
# whatever the order of the arrays and of what calls made of them.
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


# The memory order of what NumPy makes of casts, where the array that is cast repeats its elements.
def mean(x): return np.mean(x.astype(np.int32), axis=2)
def total(x): return np.sum(x.astype(np.int32), axis=2)
def reduced(x): return np.add.reduce(x.astype(np.int32), axis=2, dtype="f8")
def running(x): return np.cumsum(x.astype(np.int64), axis=0)
def ordered(x): return np.sort(x.astype(np.float64), axis=1)
def twice(x): return x.astype(np.int32).astype(np.float64)
def of_sum(x): return np.mean((x + 1).astype(np.int32), axis=2)


numbers = np.arange(60, dtype="u2")
arrays = [np.broadcast_to(part, (5, 4, 3))
          for part in (numbers[:3], numbers[:4, None], numbers[:5, None, None], numbers[:12].reshape(4, 3),
                       numbers[:15].reshape(5, 1, 3), numbers[:20].reshape(4, 5).T[:, :, None],
                       numbers.reshape(3, 4, 5).T)]
for function in mean, total, reduced, running, ordered, twice, of_sum:
    for array in arrays + arrays[:1]:
        made = function(array)
        print(function.__name__, array.strides, made.strides, made.flags.c_contiguous, made.ravel()[:5])
