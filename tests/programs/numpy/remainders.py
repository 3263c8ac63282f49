"""%, //, fmod and divmod of floats and integers have NumPy's bits, signs of zeros and warnings."""
import zlib

import numpy as np


def crc(*results):
    return [zlib.crc32(np.ascontiguousarray(r).tobytes()) for r in results]


def floats(a, b):
    return a % b, a // b, np.fmod(a, b), (a * 10.0) % 3.0 + a // 0.3


def integers(a, b):
    return a % b, a // b, np.fmod(a, b), (a * 7 + 5) % 13, a // 7


def both(a, b):
    quotient, rest = divmod(a, b)
    return quotient * 2, rest + 1


def wrapped(angle):
    return (angle + np.pi) % (2 * np.pi) - np.pi


rng = np.random.default_rng(9)
for dtype in (np.float64, np.float32, np.float16):
    for n in (7, 64, 1000):
        a = (rng.standard_normal(n) * 10.0 ** rng.integers(-4, 6, n)).astype(dtype)
        b = (rng.standard_normal(n) * 10.0 ** rng.integers(-3, 3, n)).astype(dtype)
        b[b == 0] = 1
        a[::5] = (b * np.round(rng.uniform(-9, 9, n)).astype(dtype))[::5]
        a[3::7] = 0
        with np.errstate(all="ignore"):
            for repeat in range(3):
                print(dtype.__name__, n, crc(*floats(a, b)), crc(*both(a, b)), crc(wrapped(a)))
        print((a[:4] % b[:4]).tolist(), (a[:4] // b[:4]).tolist())

for dtype in (np.int64, np.int32, np.int16, np.uint8, np.uint64):
    info = np.iinfo(dtype)
    for n in (7, 64, 1000):
        a = rng.integers(info.min, info.max, n, dtype=dtype)
        b = rng.integers(info.min, info.max, n, dtype=dtype) >> rng.integers(0, 6, n).astype(dtype)
        a[::3] >>= 4
        b[b == 0] = 3
        for repeat in range(3):
            print(dtype.__name__, n, crc(*integers(a, b)), crc(*both(a, b)))

x = np.linspace(-3, 3, 40)
for bad in (0.0, np.inf, np.nan, -0.0, 5e-324):
    y = np.full(40, 0.7)
    y[11] = bad
    for repeat in range(3):
        print(bad, crc(*floats(x, y)))
k = np.arange(-20, 20)
for repeat in range(3):
    m = np.full(40, 3)
    m[5] = 0
    print(crc(*integers(k, m)))
    print(crc(*integers(k.astype(np.int32), m.astype(np.int32))))
with np.errstate(all="raise"):
    for f, a, b in ((floats, x, np.full(40, 1e-310)), (floats, x * 1e-305, np.full(40, 1e10)),
                    (integers, k, m)):
        try:
            print(crc(*f(a, b)))
        except FloatingPointError as error:
            print(error)
least = np.full(40, np.iinfo(np.int64).min)
for repeat in range(3):
    print(crc(*integers(least, k * 2 + 1)))
