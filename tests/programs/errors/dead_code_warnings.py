"""Operations whose results change nothing warn, and np.setbufsize decides how sums are made."""
# test: numpy2
import warnings

import numpy as np
from show import repeat, show


def times_zero(x, n):
    return np.where(n > 1, (n - n) * x.astype(np.int32), x)


def squares_below_zero(x):
    return np.square(x) < 0, np.signbit(np.abs(x / (x - x)))


def masked_away(x, mask):
    return np.where(mask | ~mask, 1.0, np.sqrt(x) + x * 1e300)


def quotients_unused(x):
    np.divmod(x, x)
    return x, np.divmod(x, x)[1].shape


def sums(x):
    return x.sum(), x.mean(axis=0), np.add(x, 1).sum(axis=1), (x * 2).std()


def counted(name, function, *arguments):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        show(name, repeat(function, *arguments))
    print([(str(warning.message), warning.category.__name__) for warning in caught])


def unused_halves(numbers):
    numbers.astype(np.float16)
    return numbers + 1


values = np.linspace(-3, 3, 40)
counted("clean", times_zero, values, np.arange(40, dtype=np.int8))
values[7] = np.nan
counted("cast", times_zero, values, np.arange(40, dtype=np.int8))
counted("squares", squares_below_zero, values * 1e300)
counted("masked", masked_away, values * 1e10, values > 0)
counted("no quotients", quotients_unused, np.arange(1, 9))
counted("quotients", quotients_unused, np.arange(9))
for number in (7, 70000):
    counted("halves", unused_halves, np.full(3, number))
rows = np.random.RandomState(1).standard_normal((300, 257)).astype(np.float32)
show("sums", repeat(sums, rows))
for size in (16, 1024, 8192):
    np.setbufsize(size)
    show(f"sums by {size}", repeat(sums, rows))
