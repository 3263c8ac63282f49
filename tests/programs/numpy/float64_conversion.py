"""np.float64 of an array is a scalar if it has one element, and the array if not."""
import numpy as np


def scalar(x):
    y = np.float64(x)
    return y + 1


def of_result(x):
    return np.float64(x * 2) * np.float64(x[:1])


def by_dtype(x):
    return np.result_type(x, 1.0).type(x - 1)


def chosen(x):
    return np.float64(x[x > 0])


def others(x):
    return np.float32(x), np.complex128(x), np.int64(x), np.bool_(x)


def told(value):
    if isinstance(value, tuple):
        return ", ".join(map(told, value))
    return f"{type(value).__name__} {np.shape(value)} {value!r}"


values = [np.ones(shape, dtype) for shape in (1, (1, 1), (1, 1, 1), 2, 0, (), (1, 2)) for dtype in ("f8", "f4", "i4", "?", "u1")]
for function in scalar, of_result, by_dtype, chosen, others:
    for value in values + values:
        try:
            print(function.__name__, value.dtype, value.shape, told(function(value)))
        except Exception as error:
            print(function.__name__, value.dtype, value.shape, type(error).__name__, error)
