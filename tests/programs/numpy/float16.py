"""Every float16 operation is rounded; conversions, overflow and NaN are as NumPy has them."""
# test: numpy2
import numpy as np
from show import repeat, show

rng = np.random.default_rng(12)
every_half = np.arange(2 ** 16, dtype=np.uint16).view(np.float16)
every_half = every_half[~np.isnan(every_half)]


def arithmetic(a, b):
    return a + b, a - b, a * b, a / b, -a, abs_of(a), a * 2, a + 0.1, 1 / a, a ** 2


def abs_of(a):
    return np.abs(a)


def functions(a):
    return np.sqrt(np.abs(a)), np.floor(a), np.rint(a), np.exp(a), np.sin(a), np.sign(a), np.square(a)


def comparisons(a, b):
    return a < b, a >= b, a == b, np.maximum(a, b), np.minimum(a, b), np.isinf(a), np.isfinite(a), \
        np.copysign(a, b), np.signbit(a), np.where(a < b, a, b)


def conversions(a):
    return a.astype(np.float32), a.astype(np.float64), a.astype(complex), a.astype(bool), a * np.float32(3)


def to_half(x):
    return x.astype(np.float16), (x * 3).astype(np.float16) + np.float16(1)


def reductions(a):
    return a.sum(), a.max(), a.min(), a.prod(), a.any()


def chain(a, b):
    return np.sqrt(a * a + b * b) / (a + b + 1) - a * b


normal = (rng.standard_normal(1000) * 4).astype(np.float16)
other = (rng.standard_normal(1000) + 2).astype(np.float16)
with np.errstate(all="ignore"):
    show("every", repeat(arithmetic, every_half, every_half[::-1], times=4))
    show("every function", repeat(functions, every_half, times=4))
    show("every conversion", repeat(conversions, every_half, times=4))
    doubles = rng.standard_normal(5000) * 10.0 ** rng.integers(-9, 6, 5000)
    show("doubles", repeat(to_half, doubles))
    show("floats", repeat(to_half, doubles.astype(np.float32)))
    show("ints", repeat(to_half, rng.integers(-10 ** 9, 10 ** 9, 500)))
for a, b in ((normal, other), (normal[::2], other[::2]), (normal[:3], other[:3]), (normal.reshape(10, 100), other[:100])):
    show("halves", repeat(arithmetic, a, b))
    show("comparisons", repeat(comparisons, a, b))
    show("chain", repeat(chain, a, b))
    show("reductions", repeat(reductions, a / np.float16(64)))
big = np.full(20, 60000, np.float16)
print(repeat(lambda a: a + a, big)[:3])
small = np.full(20, 6e-5, np.float16)
with np.errstate(under="warn"):
    print(repeat(lambda a: a * a, small)[:3])
