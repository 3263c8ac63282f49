"""Each ufunc reports its floating-point errors for special values, signalling NaNs and the ends of each dtype."""
import warnings
import zlib

import numpy as np

KINDS = ("divide", "over", "under", "invalid")
WORDS = {"divide by zero": "divide", "overflow": "over", "underflow": "under", "invalid value": "invalid"}
SIGNALLING = {np.float16: (np.uint16, 0x7C01), np.float32: (np.uint32, 0x7F800001),
              np.float64: (np.uint64, 0x7FF0000000000001)}
UNARY = ("negative positive absolute fabs sqrt square reciprocal sign floor ceil trunc rint logical_not isnan isinf "
         "isfinite signbit degrees radians exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh "
         "cosh tanh arcsinh arccosh arctanh cbrt spacing conjugate").split()
BINARY = ("add subtract multiply divide floor_divide remainder fmod power float_power arctan2 hypot logaddexp "
          "logaddexp2 maximum minimum fmax fmin copysign nextafter equal not_equal less less_equal greater "
          "greater_equal logical_and logical_or logical_xor heaviside").split()
REDUCTIONS = ("sum", "prod", "max", "min", "mean", "any", "all", "var")


def special(dtype):
    """One array a value, so that each call reports of one only."""
    real = {np.complex64: np.float32, np.complex128: np.float64}.get(dtype, dtype)
    info = np.finfo(real)
    word, bits = SIGNALLING[real]
    values = [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, info.max, info.tiny, info.tiny / 2, -info.max, np.inf, -np.inf, np.nan]
    arrays = {repr(float(value)): np.full(3, value, real) for value in values}
    arrays["snan"] = np.full(3, bits, word).view(real)
    if dtype is not real:
        made = {}
        for name, array in arrays.items():
            whole = np.empty(3, dtype)
            whole.real = array
            whole.imag = 1
            made[name] = whole
        turned = np.empty(3, dtype)
        turned.real = 1
        turned.imag = arrays["snan"]
        return {**made, "1 + snan j": turned}
    return arrays


def made(text):
    """A function with a code object of its own, as each is captured with what it calls."""
    return eval(text, {"np": np})


def flags(function, *arrays):
    """The errors that the call reports, as letters."""
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="warn"):
        warnings.simplefilter("always")
        try:
            function(*arrays)
        except TypeError:
            return "no loop"
    found = {kind for warning in caught for word, kind in WORDS.items() if str(warning.message).startswith(word)}
    return "".join(kind[0] for kind in KINDS if kind in found) or "-"


def hash_of(keys):
    return zlib.crc32(" ".join(keys).encode())


def show(name, dtype, function, *operands):
    lines = {}
    for _ in range(2):  # the second time by what the first has made
        for key, arrays in operands:
            lines.setdefault(flags(function, *arrays), []).append(key)
    for found, keys in lines.items():
        print(name, np.dtype(dtype), found, len(keys), " ".join(keys) if len(keys) < 40 else hash_of(keys))


for dtype in (np.float16, np.float32, np.float64, np.complex64, np.complex128):
    values = special(dtype)
    single = [(key, (array,)) for key, array in values.items()]
    for name in UNARY:
        show(name, dtype, made(f"lambda a: np.{name}(a)"), *single)
        show(name + " reversed", dtype, made(f"lambda a: np.{name}(a[::-1])"), *single)
    for name in REDUCTIONS:
        show(name, dtype, made(f"lambda a: a.{name}()"), *single)
    # A chosen element is kept, so that the compiler has its bits at hand.
    for made_of in ("y.astype(bool)", "y.any()", "y != 0", "np.sign(y)"):
        show(f"chosen, {made_of}", dtype, made(f"lambda a: (y := np.where(a > 0.75, 5, a), {made_of})"), *single)
    pairs = [(f"{a}:{b}", (values[a], values[b])) for a in values for b in list(values)[::3] + ["snan"]]
    for name in BINARY:
        show(name, dtype, made(f"lambda a, b: np.{name}(a, b)"), *pairs)
    for operator in ("<", "<=", ">", ">=", "==", "!=", "+", "-", "*", "/", "//", "%", "**"):
        show(f"a {operator} a", dtype, made(f"lambda a: a {operator} a"), *single)
