"""Complex arrays of both widths compute, compare and reduce in every layout; scalars compare part by part."""
# test: numpy2
import numpy as np

from show import repeat, show

# Complex arrays of both widths: arithmetic, functions, comparisons, reductions, in every layout.
rng = np.random.default_rng(11)


def numbers(shape, dtype):
    z = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    return (z * 10.0 ** rng.integers(-3, 4, shape)).astype(dtype)


def arithmetic(z, w):
    return z + w, z - w, z * w, z / w, -z, +z, z ** 2, z ** 0.5, z ** -1, z * z.conj()


def with_numbers(z):
    return z * 2, 1j * z, z + 1, z - (0.5 + 2j), z / 3, 2j / z, z * 1.5, z ** 3, (1 + 2j) * z + 0.5


def functions(z):
    return (np.exp(z), np.log(z), np.sqrt(z), np.sin(z), np.cosh(z), np.arctan(z), np.abs(z), np.conj(z),
            np.square(z), np.reciprocal(z), np.sign(z), np.rint(z), np.power(z, z), np.angle(z))


def comparisons(z, w):
    return (z < w, z <= w, z > w, z >= w, z == w, z != w, np.maximum(z, w), np.minimum(z, w),
            np.isnan(z), np.isinf(z), np.isfinite(z), np.logical_and(z, w), np.logical_not(z))


def parts(z):
    return z.real * 2, z.imag + 1, z.real ** 2 + z.imag ** 2, np.real(z), np.imag(z), z.conjugate()


def reductions(z):
    return z.sum(), z.sum(axis=0), z.sum(axis=-1), z.prod(axis=0), z.max(), z.min(axis=0), z.mean(), \
        z.mean(axis=0), z.any(), z.all(axis=-1), (z * z).sum(axis=-1), np.abs(z).sum()


def in_place(z, w):
    total = z + 0
    total += w
    total *= w
    total -= 1j
    total /= 2
    total *= 1.5
    return total


def layouts(dtype):
    yield "vector", numbers(1000, dtype), numbers(1000, dtype)
    yield "short", numbers(3, dtype), numbers(3, dtype)
    # NumPy rounds a product of one or two elements as their addresses are: these need no rounding.
    yield "one", np.rint(numbers(1, dtype) * 50), np.rint(numbers(1, dtype) * 50)
    yield "matrix", numbers((7, 9), dtype), numbers((7, 9), dtype)
    yield "strided", numbers(90, dtype)[::3], numbers(60, dtype)[::2]
    # NumPy's arctan2 takes another loop where an array read backwards seems to touch the result: the first element keeps them apart.
    yield "reversed", numbers(51, dtype)[:0:-1], numbers(50, dtype)
    yield "fortran", np.asfortranarray(numbers((5, 6), dtype)), np.asfortranarray(numbers((5, 6), dtype))
    yield "broadcast", numbers((4, 1), dtype), numbers(6, dtype)
    yield "other width", numbers(20, dtype), numbers(20, "c8")
    yield "with reals", numbers(20, dtype), rng.standard_normal(20)
    yield "with ints", numbers(20, dtype), np.arange(1, 21)
    yield "rank 0", numbers((), dtype), numbers(8, dtype)
    yield "empty", numbers((0, 3), dtype), numbers((0, 3), dtype)


for dtype in ("c16", "c8"):
    for name, z, w in layouts(dtype):
        for function in (arithmetic, comparisons):
            show(f"{dtype} {name} {function.__name__}", repeat(function, z, w, times=6))
        if z.dtype == np.result_type(z, w) and z.shape == np.broadcast_shapes(z.shape, w.shape):
            show(f"{dtype} {name} in place", repeat(in_place, z, w, times=6))
        for function in (with_numbers, functions, parts):
            show(f"{dtype} {name} {function.__name__}", repeat(function, z, times=6))
        if z.size and z.ndim:
            show(f"{dtype} {name} reductions", repeat(reductions, z, times=6))


# Complex NumPy scalars compare part by part, whatever is NaN; complex arrays do not.
VALUES = [complex(np.inf, np.nan), complex(1, np.nan), complex(np.nan, 1), complex(1, 2),
          complex(1, 1), complex(np.nan, np.nan), complex(2, 0)]


def compared(v, w):
    s, t = v.sum(), w.sum()
    return (s < t, s <= t, s > t, s >= t, s == t, s != t, s > 0, s >= 1.0, v[0] < w[0], v < w,
            v >= w, np.less(s, t))


for dtype in (np.complex64, np.complex128):
    for x in VALUES:
        for y in VALUES:
            print(x, y, *compared(np.array([x], dtype), np.array([y], dtype)))


# A scalar's magnitude is the C library's, an array's perhaps the library's own loop's.
def magnitudes(z):
    single = z[0]
    for i in range(len(z) - 1):
        single = single * z[i] / (abs(single) + 1)
    return [abs(z[0]), abs(z[1] + z[2]), abs(z[3] * 2), single, float(abs(z[6] - z[7])), abs(z)]


for dtype in (np.complex128, np.complex64):
    for _ in range(40):
        show(f"magnitudes {np.dtype(dtype)}", repeat(magnitudes, (rng.standard_normal(8) + 1j * rng.standard_normal(8)).astype(dtype)))
