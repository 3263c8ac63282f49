"""NumPy warns about values that a compiler of kernels can work out beforehand.

x ^ x is zero whatever x holds. NumPy divides by that zero and warns, so a kernel must really
divide, too, rather than store an infinity that its compiler has computed.
"""
# test: compiled
import warnings

import numpy as np

from show import show

warnings.simplefilter("always")


def reciprocal(c, x, v):
    return np.reciprocal(np.where(c, x ^ x, v))


def reciprocal_of_single(c, x, v):
    return np.reciprocal(np.where(c, (x ^ x).astype(np.float32), v.astype(np.float32)))


def quotient(c, x, v):
    return np.where(c, 1, v) / np.where(c, x - x, v)


def zero_by_zero(c, x, v):
    return (x ^ x) / (x ^ x) + v


def truth_by_truth(c, x, v):
    return np.where(c, x == x, v) / np.where(c, x != x, v)


def by_sign(c, x, v):
    return 2.0 / np.sign(np.where(c, x & ~x, v))


def half(c, x, v):
    return np.float16(2) / np.where(c, (x ^ x).astype(np.float16), v.astype(np.float16))


def too_large_for_half(c, x, v):
    largest = (x | ~x).astype(np.uint64).astype(np.float16)
    return np.where(c, largest, v.astype(np.float16))


def too_large_for_single(c, x, v):
    largest = (x | ~x).astype(np.uint64).astype(np.float32) ** 2
    return largest * largest * v.astype(np.float32)


def complex_quotient(c, x, v):
    return 1 / np.where(c, (x ^ x).astype(complex), v)


def root(c, x, v):
    return np.sqrt(np.where(c, x | ~x, v))


def needed_only_in_part(c, x, v):
    return np.where(c, 1 / np.where(c, x ^ x, v) > 3, v > 2)


for dtype in (np.int64, np.int8, np.uint16):
    for size in (5, 40):
        x = np.arange(size).astype(dtype)
        for function in (reciprocal, reciprocal_of_single, quotient, zero_by_zero, truth_by_truth,
                         by_sign, half, too_large_for_half, too_large_for_single,
                         complex_quotient, root, needed_only_in_part):
            for _ in range(4):
                with warnings.catch_warnings(record=True) as caught:
                    result = function(x % 2 == 0, x, (x + 1) * 1.5)
            show(f"{function.__name__} {x.dtype} {size}", result)
            print([str(warning.message) for warning in caught])
