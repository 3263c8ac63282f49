"""Arrays that kernels do not handle stand beside ones that they do, and every call gives what NumPy gives."""
import warnings

import numpy as np

from show import show


class Tagged(np.ndarray):
    def __array_finalize__(self, obj):
        self.tag = getattr(obj, "tag", "none")


class Loud:
    """Answers for itself in expressions with arrays."""

    __array_priority__ = 1000.0

    def __init__(self, text):
        self.text = text

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return f"{self.text} {ufunc.__name__} {method}"

    def __radd__(self, other):
        return f"{self.text} radd {type(other).__name__}"


class Weird(float):
    def __mul__(self, other):
        return "weird"

    __rmul__ = __mul__


def formula(a, b):
    c = a * 2 + b
    d = c - a / 3
    return c, d, d > c, -d, abs(c)


def reductions(a):
    return a.sum(), a.max(), a.min(), a.mean(), a.any()


def views(a):
    return a[1:], a[::-1], a.T, a.reshape(-1), a[..., None], a[0]


def attempt(function, *args):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(*args)
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
    return result, [str(w.message) for w in caught]


base = np.arange(12.0)
operands = {
    "float64": base.copy(),
    "float16": base.astype(np.float16),
    "longdouble": base.astype(np.longdouble),
    "complex64": base.astype(np.complex64) * (1 + 2j),
    "complex128": base * (2 - 1j),
    "object": np.array([1, 2.5, 3 + 1j, 2**70] * 3, dtype=object),
    "bool": base > 5,
    "int8": base.astype(np.int8),
    "uint64": base.astype(np.uint64),
    "longlong": base.astype(np.longlong),
    "swapped": base.astype(">f8"),
    "unaligned": np.frombuffer(b"x" + base.tobytes(), dtype=np.uint8)[1:].view(np.float64),
    "readonly": np.broadcast_to(base, (12,)),
    "masked": np.ma.masked_array(base, mask=base % 3 == 0),
    "matrix": np.matrix(base),
    "tagged": base.view(Tagged),
    "datetime": np.array(["2020-01-01", "2021-05-05"] * 6, dtype="M8[D]"),
    "timedelta": np.arange(12).astype("m8[s]"),
    "text": np.array(["a", "bb", "ccc"] * 4),
    "record": np.array([(1, 2.0)] * 12, dtype=[("i", int), ("f", float)]),
    "scalar f8": np.float64(1.5),
    "scalar f4": np.float32(1.5),
    "scalar f2": np.float16(1.5),
    "scalar i4": np.int32(7),
    "scalar c": np.complex128(1 + 1j),
    "zero-d": np.array(2.5),
    "list": [1.0] * 12,
    "None": None,
    "text scalar": "abc",
    "loud": Loud("loud"),
    "weird": Weird(2.0),
    "huge int": 10**30,
}
for name, value in operands.items():
    for _ in range(3):
        outcome = attempt(formula, base, value), attempt(formula, value, base)
        more = attempt(reductions, value), attempt(views, value)
    for part in outcome + more:
        show(name, part[0]) if "masked" not in name else print(name, repr(part[0]))
        print(part[1])
