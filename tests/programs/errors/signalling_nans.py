"""Signalling NaNs keep their bits from array to array, and warn once a use, with its line."""
import warnings

import numpy as np

WORDS = {"f4": ("u4", [0x7F800001, 0x7F800001, 0x3F800000, 0x7FC00000, 0x80000000, 0xC0000000]),
         "f8": ("u8", [0x7FF0000000000001, 0x7FF7FFFFFFFFFFFF, 0x3FF0000000000000, 0x7FF8000000000000,
                       0x8000000000000000, 0xC000000000000000])}


def special(dtype):
    kind, words = WORDS[dtype]
    return np.array(words, kind).view(dtype)


def scalar_of_each(x, z):
    for k in range(len(x)):
        z[k] = x[k] - 1e-300
    return z


def copied(x, z):
    for k in range(len(x)):
        z[k] = x[k]
    return z


def copied_twice(x, z):
    for k in range(len(x)):
        value = x[k]
        z[k] = value
        z[-k] = value
    return value


def compared(x, z):
    for k in range(len(x)):
        z[k] = 1 if x[k] > 0.5 else 2
    return z


def as_python(x, z):
    total = 0.0
    for k in range(len(x)):
        total = total + float(x[k])
        z[k] = abs(x[k])
    return total, z


def powers(x, z):
    return x ** 3, np.power(x, 2), z


def of_a_library(x, z):
    return np.sinc(x.astype(np.complex128)), np.sinc(x.reshape(-1, 1))


def caught(x, z):
    with np.errstate(all="raise"):
        try:
            return np.sinc(x.astype(np.complex128) + 1j)
        except FloatingPointError as error:
            return str(error)


def bits(value):
    if isinstance(value, tuple):
        return [bits(item) for item in value]
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value.view(f"u{value.dtype.itemsize}").tolist()
    return repr(value)


for function in (scalar_of_each, copied, copied_twice, compared, as_python, powers, of_a_library, caught):
    for dtype in WORDS:
        for into in WORDS:
            for _ in range(3):
                x, z = special(dtype), np.zeros(6, into)
                with warnings.catch_warnings(record=True) as told:
                    warnings.simplefilter("always")
                    result = function(x, z)
                print(function.__name__, dtype, into, [(str(w.message), w.lineno) for w in told])
                if function in (copied, copied_twice, compared):
                    print(bits(result), bits(z), bits(x))


def xor_with_itself(x):
    return np.logical_xor(x, x)


def and_with_itself(x):
    return np.logical_and(x, x)


for function in (xor_with_itself, and_with_itself):
    for dtype in WORDS:
        for _ in range(3):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                result = function(special(dtype))
            print(function.__name__, dtype, bits(result), [(str(w.message), w.lineno) for w in told])
