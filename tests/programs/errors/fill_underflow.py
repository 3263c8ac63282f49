"""NumPy reports, where asked, numbers that an array's dtype holds only as zero, or not at all."""
import numpy as np

TINY = 1e-18
HUGE = 1e39


def full_like(t, x):
    return np.full_like(t, x)


def full_like_computed(t, x):
    return np.full_like(t * 1, x)


def full(t, x):
    return np.full(3, x, t.dtype)


def array(t, x):
    return np.array([x, x], t.dtype)


def store(t, x):
    t = t.copy()
    t[0] = x
    return t


def store_all(t, x):
    t = t * 1
    t[:] = x
    return t


def times(t, x):
    return t * x


def fill(t, x):
    t = t + 0
    t.fill(x)
    return t


def copyto(t, x):
    t = t + 0
    np.copyto(t, x)
    return t


def cast(t, x):
    return (t.astype(np.float64) * x).astype(t.dtype)


def where(t, x):
    return np.where(t > 1, t, x)


def pad(t, x):
    return np.pad(t, 1, constant_values=x)


def clip(t, x):
    return np.clip(t, x, 1)


def exp(t, x):
    return np.exp(t * -200)


def i0(t, x):
    return np.i0(t)


FUNCTIONS = (full_like, full_like_computed, full, array, store, store_all, times, fill, copyto, cast, where, pad,
             clip, exp, i0)
NUMBERS = (TINY, HUGE, 1e-6, 0.0, -TINY, 1e-42, 70000.0, float("inf"))


def outcome(function, t, x):
    try:
        return function(t, x)
    except FloatingPointError as error:
        return f"FloatingPointError: {error}"


for function in FUNCTIONS:
    for dtype in (np.float16, np.float32, np.float64, np.complex64):
        if function is i0 and dtype is np.complex64:
            continue
        t = np.arange(3).astype(dtype)
        for kind in ("under", "over"):
            with np.errstate(all="ignore", **{kind: "raise"}):
                for x in NUMBERS:
                    print(function.__name__, np.dtype(dtype), kind, x, repr(outcome(function, t, x)))
