"""argmax and argmin find greatest and least elements, the first of equal ones, also by columns.

Found by loops of our own where elements lie side by side: the first of several that are equal, the
first NaN before all else. Zeros of both signs are equal, and which of them a maximum gives is
NumPy's affair.
"""

import zlib

import numpy as np

SHAPES = [(1,), (7,), (1000,), (3, 700), (40, 33), (2, 3, 900), (5, 1)]


def plain(a):
    pass


def rounded(a):
    np.round(a, out=a)


def zeros_of_both_signs(a):
    a[...] = 0.0
    a.flat[a.size // 3] = -0.0


def nans(a):
    a.flat[a.size // 2] = a.flat[-1] = np.nan


def infinities(a):
    a.flat[-1] = np.inf
    a.flat[0] = -np.inf


def places(a):
    doubled = a * 2
    last = a.ndim - 1
    return (doubled.argmax(), np.argmin(a), a.argmax(axis=-1), doubled.argmin(axis=last),
            np.argmax(doubled, axis=0), np.argmin(a, axis=-1, keepdims=True), int(a.argmax()) + 1)


def of_columns(a):
    return np.abs(a).max(axis=0), (a - 1).min(axis=0), (a + a).max(axis=-1)


def shown(results):
    return [(type(r).__name__, getattr(r, "shape", None), getattr(r, "dtype", None),
             zlib.crc32(np.asarray(r).tobytes())) for r in results]


def main():
    generator = np.random.default_rng(345)
    for dtype in (np.float64, np.float32, np.int64, np.float16, np.bool_):
        for shape in SHAPES:
            for change in (plain, rounded, zeros_of_both_signs, nans, infinities):
                a = generator.normal(size=shape)
                change(a)
                with np.errstate(invalid="ignore"):
                    a = a.astype(dtype)
                for _ in range(3):
                    found = places(a)
                print(dtype.__name__, shape, change.__name__, shown(found))
                if dtype in (np.float64, np.float32) and len(shape) > 1:
                    for _ in range(3):
                        greatest = of_columns(a)
                    print(shown(greatest))


def empty():
    for axis in (None, 0, 1):
        try:
            print(np.argmax(np.ones((3, 0)) * 2, axis=axis))
        except ValueError as error:
            print(error)


main()
for _ in range(3):
    empty()
