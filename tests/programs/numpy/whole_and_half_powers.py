"""Positive and negative numbers are raised to whole and half powers, as in cubic terms: bits and warnings are NumPy's."""
# test: numpy2
import hashlib
import warnings

import numpy as np


def show(name, function, *args):
    for _ in range(20):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = function(*args)
    print(name, result.dtype, result.shape, np.isnan(result).sum(),
          hashlib.md5(result.tobytes()).hexdigest(), [str(w.message) for w in caught])


def cubic(x):
    return x - x**3 / 3


def quintic(x):
    return x**5 - x**4 + x**7 * 2


def power(x, n):
    return np.power(x, n) + 1


def into(x):
    x = x.copy()
    x **= 3
    return x


rng = np.random.default_rng(8)
for dtype in (np.float32, np.float64, np.float16, np.complex64):
    for size in (1, 257, 3000):
        x = (rng.standard_normal(size) * 3).astype(dtype)
        show(f"cubic {size}", cubic, x)
        show(f"quintic {size}", quintic, x)
        show(f"in place {size}", into, x)
        show(f"backwards {size}", cubic, x[::-2])
        for n in (2, 3, 6.0, 8, 9, -3, 2.5, 0, -1.5, 0.5, -7.5):
            show(f"power {n}", power, x, dtype(n) if dtype != np.float64 else n)
    x = rng.standard_normal((40, 30)).astype(dtype)
    show("transposed", cubic, x.T)
    show("exponents", power, x, np.abs(x.T[:1, :1] * 4).round())

edges = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -1e-200, -1e200, -1.5, 3.0, -5e-324])
show("edges", cubic, edges)
show("edges", quintic, edges)
with np.errstate(all="ignore"):
    narrow = edges.astype(np.float32)
show("edges", cubic, narrow)
show("no edge that warns", cubic, np.array([np.nan, -np.inf, -0.0, -2.0]))

# The van der Pol equation, whose cubic term sees both signs.
position, speed = rng.standard_normal(500), rng.standard_normal(500)
for step in range(200):
    position, speed = position + 0.01 * speed, speed + 0.01 * (speed - position - speed**3 / 3)
print(position.sum(), speed.sum(), hashlib.md5(position.tobytes()).hexdigest())
