"""Variances of float16 and means of many elements are made in NumPy's dtypes, overflows included."""
import hashlib
import warnings

import numpy as np


def digest(a):
    return hashlib.sha256(np.ascontiguousarray(a).tobytes()).hexdigest()[:12], str(a.dtype), a.shape


def spread(x, **how):
    return x.var(**how), np.std(x, **how)


def norm(x):
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + x.dtype.type(1e-3))


def average(x):
    return x.mean(axis=0), np.mean(x, axis=0, keepdims=True)


def in_half(x):
    return x.mean(axis=1, dtype=np.float16), x.mean(dtype=np.float16)


def show(name, function, *arguments, **how):
    for _ in range(3):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = function(*arguments, **how)
        result = result if isinstance(result, tuple) else (result,)
        print(name, *map(digest, result), [str(one.message) for one in caught])


rng = np.random.default_rng(395)
# The count decides what NumPy divides in: 255 fits a uint8, 65535 a uint16.
for shape in (40, 33), (3, 7, 200), (255, 4), (256, 4), (65535, 1), (65536, 1):
    halves = rng.standard_normal(shape).astype(np.float16)
    for how in {}, {"axis": 0}, {"axis": -1, "keepdims": True}, {"axis": 0, "ddof": 1}, {"ddof": 2}:
        show(f"{shape} {how}", spread, halves, **how)
    show(f"{shape} norm", norm, halves)
    show(f"{shape} in half", in_half, halves)
loud = (rng.standard_normal((50, 60)) * 300).astype(np.float16)
show("overflow", spread, loud, axis=1)
with np.errstate(over="ignore"):
    louder = loud * np.float16(200)
show("mean of overflow", in_half, louder)

# From 65536 elements on NumPy divides complex64 in complex128; a count beyond 2**24 is not exact in float32.
for count in 65535, 65537:
    parts = rng.standard_normal((2, count, 12))
    show(f"{count} complex", average, (parts[0] + 1j * parts[1]).astype(np.complex64))
many = np.ones((2**24 + 1, 1), np.float32)
many[:100] = 1.25
show("many", np.mean, many, axis=0)
