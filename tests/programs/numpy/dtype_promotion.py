"""Each pair of common dtypes meets in an operation, and a Python number keeps the array's dtype."""
# test: compiled cuda numpy2
import numpy as np
from show import show

DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]


def combine(a, b):
    return a + b * a


def with_numbers(a):
    return a + 1, a * 2.5, a - True, a / 3


def cast(a, dtype):
    return (a * 2).astype(dtype) + a.astype(dtype)


for left in DTYPES:
    for right in DTYPES:
        a = np.arange(6).astype(left)
        b = np.arange(6)[::-1].astype(right)
        for _ in range(3):
            result = combine(a, b)
        print(left, right, result.dtype, result.tolist())
for name in DTYPES[1:]:
    for _ in range(3):
        results = with_numbers(np.arange(4).astype(name))
    print(name, [(r.dtype.name, r.tolist()) for r in results])
for name in ["f8", "f4", "i8", "i4", "u8"]:
    for target in ["f4", "f8", "i4", "i8", "u2"]:
        for _ in range(3):
            result = cast(np.arange(5).astype(name), target)
        show(f"{name} to {target}", result)
