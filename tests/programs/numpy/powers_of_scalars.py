"""np.power and ** of NumPy's scalars and arrays of rank 0, whose loops take short cuts for some exponents since 2.3."""
# test: numpy2
import warnings
import zlib

import numpy as np

warnings.simplefilter("ignore")
EXPONENTS = (-1, 0, 1, 2, 3, -2, -1.0, 0.0, 0.5, 1.0, 2.0, 2.5)


def made(text):
    """A function with a code object of its own, as each is captured with what it calls."""
    return eval(text, {"np": np})


def values(dtype):
    numbers = np.random.default_rng(3).uniform(1, 2, 400)
    odd = [x for x in numbers.tolist() if x ** 2 != x * x]
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, -1.5]
    return np.array([*odd, *numbers[:20].tolist(), *special]).astype(dtype)


def bits(result):
    return f"{type(result).__name__} {np.asarray(result).dtype} {np.asarray(result).tobytes().hex()}"


def crc(texts):
    return zlib.crc32(" ".join(texts).encode())


for dtype in (np.float64, np.float32):
    for exponent in EXPONENTS:
        for name, text in (("power", f"lambda a: np.power(a, {exponent})"), ("operator", f"lambda a: a ** {exponent}"),
                           ("sum", f"lambda a: np.power(a + 1, {exponent}) + 1")):
            function = made(text)
            for _ in range(2):  # the second time by what the first has made
                scalars = [bits(function(x)) for x in values(dtype)]
                zero_dimensional = [bits(function(np.asarray(x))) for x in values(dtype)]
            print(np.dtype(dtype), name, exponent, crc(scalars), crc(zero_dimensional), scalars[0])
