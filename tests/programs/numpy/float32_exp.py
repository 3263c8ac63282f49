"""float32 exp has NumPy's bits and warnings for all kinds of numbers, lengths and strides."""
# test: numpy2
import hashlib
import warnings

import numpy as np


def exponential(x):
    return np.exp(x) * np.float32(1)


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def show(name, values):
    print(name, values.dtype, values.shape, hashlib.sha256(values.tobytes()).hexdigest()[:16])


rng = np.random.default_rng(7)
patterns = rng.integers(0, 1 << 32, 200_000, dtype=np.uint64).astype(np.uint32).view(np.float32)
special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-45, 88.72283, 88.72284, -103.97208,
                    -103.97209, -87.4, -100.0, 3.4e38, -3.4e38], np.float32)
# NumPy's builds round x / ln 2 once or twice: these are numbers whose exponentials differ by that.
rounding = np.array([float.fromhex(x) for x in "0x1.0a2b24p+0 0x1.791274p+2 0x1.4f7bb6p+5 0x1.5ebb84p+6 "
                     "-0x1.0a2b24p+0 -0x1.25e4f8p+4 -0x1.be6306p+5 -0x1.5ebb84p+6".split()], np.float32)
for round in range(4):
    show("rounding", exponential(np.tile(rounding, 40)))
    with np.errstate(all="ignore"):
        show("patterns", exponential(patterns))
        show("special", exponential(np.tile(special, 37)[round:]))
    show("range", exponential(np.linspace(-110, 88, 54_321 + round, dtype=np.float32)))
    wide = rng.uniform(-20, 5, (64, 301)).astype(np.float32)
    show("columns", exponential(wide[:, ::3]))
    show("transposed", exponential(wide.T))
    show("backwards", exponential(wide[::-1, ::-1]))
    show("softmax", softmax(wide))
    show("doubles", exponential(wide.astype(np.float64) * 30 - 10))
    for length in range(18):
        show("short", exponential(wide[0, :length]))

large = np.full(3000, 1.5, np.float32)
large[1234] = 100.0
for round in range(3):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = exponential(large)
    print(result[1233:1236], [str(w.message) for w in caught])
with np.errstate(under="raise"):
    for x in (np.float32(-95), np.float32(-80), np.float32(1e-42)):
        try:
            print(exponential(np.full(100, x, np.float32))[0])
        except FloatingPointError as error:
            print(error)
