"""Python numbers, NumPy scalars and arrays of every dtype meet: dtype, bits, errors and warnings are NumPy's.

Python numbers, NumPy scalars and arrays of every dtype in one operation: the dtype of the result, its bits, its
errors and warnings, by value (NumPy 1) or by type (NumPy 2).
"""
# test: numpy2
import types
import warnings

import numpy as np

DTYPES = "?", "b", "h", "l", "B", "I", "L", "e", "f", "d", "F", "D"
NUMBERS = [0, 1, -1, 127, 128, 200, 255, 300, -129, 40000, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64, 0.0, -0.0, 2.0, 0.5,
           65504.0, 65520.0, 3.5e38, 1e300, 1e-50, float("inf"), float("nan"), 2 + 3j, 1e300j, True, np.float64(2.5),
           np.float32(2.5), np.int8(5), np.int64(7), np.uint8(200), np.float16(1.5), np.complex64(1 + 2j), np.array(3.0)]


def arithmetic(a, b):
    return a + b


def mirrored(a, b):
    return b - a


def divided(a, b):
    return a / b


def compared(a, b):
    return b >= a


def greatest(a, b):
    return np.maximum(a, b)


def chosen(a, b):
    return np.where(a > 1, a, b)


def clipped(a, b):
    return np.clip(a, 0, b)


def filled(a, b):
    return np.full_like(a, b)


def raised(a, b):
    return a ** b


def in_place(a, b):
    c = a + a
    c *= b
    return c


def outcome(function, a, b):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(a, b)
            seen = type(result).__name__, result.dtype.name, result.tolist()
        except Exception as error:
            seen = type(error).__name__, str(error)
    return *seen, [str(one.message) for one in caught]


def fresh(function):
    """The same with a history of its own."""
    return types.FunctionType(function.__code__.replace(co_firstlineno=1), globals())


for function in arithmetic, mirrored, divided, compared, greatest, chosen, clipped, filled, raised, in_place:
    for dtype in DTYPES:
        a = np.array([0, 1, 2, 3, 100, 7], dtype)
        for b in NUMBERS:
            if function is raised and isinstance(b, int) and b > 2**63:
                continue  # NumPy 1 would compute it, digit by digit
            one = fresh(function)
            outcome(one, a, b)
            print(function.__name__, dtype, repr(b), *outcome(one, a, b))
        varying = fresh(function)
        for b in (3, 90, 250, 251, 300, 70000):
            print(function.__name__, dtype, "varying", b, *outcome(varying, a, b))
        varying = fresh(function)
        for b in (1.5, -2e3, 7e4, 1e6, 1e39, 2.5):
            print(function.__name__, dtype, "varying", b, *outcome(varying, a, b))
