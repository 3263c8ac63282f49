"""The elementwise functions against NumPy's, with the standard's type promotion."""
import itertools

import numpy as np
import standard
from drawing import COMPLEX, DTYPES, FLOATS, INEXACT, INTEGERS, NUMERIC, REAL, SHAPES, draw, same

import dynacc as xp

# name: (NumPy's name, dtypes of the standard, dtypes taken as float64)
FUNCTIONS = {
    **{name: (name, INEXACT, INTEGERS) for name in
       ("cos", "cosh", "exp", "expm1", "log", "log10", "log1p", "log2", "reciprocal", "sin", "sinh", "sqrt", "tan",
        "tanh")},
    **{name: ("arc" + name[1:], INEXACT, INTEGERS) for name in ("acos", "acosh", "asin", "asinh", "atan", "atanh")},
    "atan2": ("arctan2", FLOATS, INTEGERS), "hypot": ("hypot", FLOATS, INTEGERS),
    "copysign": ("copysign", FLOATS, INTEGERS), "logaddexp": ("logaddexp", FLOATS, INTEGERS),
    "nextafter": ("nextafter", FLOATS, INTEGERS), "signbit": ("signbit", FLOATS, INTEGERS),
    "divide": ("divide", INEXACT, INTEGERS),
    **{name: (name, NUMERIC, ()) for name in ("add", "subtract", "multiply", "negative", "positive", "square")},
    "abs": ("absolute", NUMERIC, ()), "conj": ("conj", NUMERIC, ()), "pow": ("power", INEXACT, ()),
    **{name: (name, REAL, ()) for name in
       ("floor_divide", "remainder", "greater", "greater_equal", "less", "less_equal", "maximum", "minimum")},
    "sign": ("sign", REAL, ()),
    **{name: (name, NUMERIC, ()) for name in ("isfinite", "isinf", "isnan")},
    **{name: (name, DTYPES, ()) for name in ("equal", "not_equal", "logical_and", "logical_or", "logical_xor",
                                             "logical_not")},
    **{name: (name, ("bool",) + INTEGERS, ()) for name in ("bitwise_and", "bitwise_or", "bitwise_xor")},
    "bitwise_invert": ("invert", ("bool",) + INTEGERS, ()),
    **{name: (name, FLOATS, ()) for name in ("ceil", "floor", "trunc")},
    "round": ("rint", INEXACT, ()),
    "real": ("real", COMPLEX, ()), "imag": ("imag", COMPLEX, ()),
}
SHIFTS = {"bitwise_left_shift": np.left_shift, "bitwise_right_shift": np.right_shift}


def floor_divide(a, b):
    """Where an operand is infinite the standard prefers floor(a / b)."""
    result = np.asarray(np.floor_divide(a, b))
    if result.dtype.kind != "f":
        return result
    return np.where(np.isinf(a) | np.isinf(b), np.floor(np.divide(a, b)), result).astype(result.dtype)


def expm1(x):
    """Where NumPy's formula multiplies infinity by 0, exp(x) - 1."""
    result = np.expm1(x)
    return result if x.dtype.kind != "c" else np.where(np.isfinite(result), result, np.exp(x) - x.dtype.type(1))


def tanh(x):
    """At infinity the zero has the sign of x's imaginary part."""
    result = np.array(np.tanh(x))
    if x.dtype.kind == "c":
        result.imag = np.where(np.isinf(x.real), np.copysign(result.imag, x.imag), result.imag)
    return result


def tan(x):
    result = np.array(np.tan(x))
    if x.dtype.kind == "c":
        result.real = np.where(np.isinf(x.imag), np.copysign(result.real, x.real), result.real)
    return result


def power(a, b):
    """NumPy 2.4 takes square roots where all exponents are 0.5: of -inf and -0.0 they are other numbers."""
    result = np.power(a, b)
    if result.dtype.kind != "f":
        return result
    roots = np.where(a == -np.inf, np.inf, result + result.dtype.type(0)).astype(result.dtype)
    return np.where(b == 0.5, roots, result)


OWN_ORACLES = {"pow": power, "floor_divide": floor_divide, "expm1": expm1, "tanh": tanh, "tan": tan}


def operator_of(name):
    """The operator methods that are this function."""
    tables = (standard.OPERATORS, standard.COMPARISONS, standard.UNARY_OPERATORS)
    return [method for table in tables for method, function in table.items() if function == name]


def broadcast_pairs(random):
    """Shapes that broadcast together."""
    pairs = [(a, b) for a, b in itertools.product(SHAPES, SHAPES) if fits(a, b)]
    return [pairs[i] for i in random.permutation(len(pairs))[:12]]


def fits(a, b):
    try:
        np.broadcast_shapes(a, b)
    except ValueError:
        return False
    return True


def straight(array):
    """The array as tensors' functions take it: loops of NumPy 2 have other last bits for what is walked backwards."""
    return array if np.__version__.startswith("1.") else np.array(array, order="C")


def check_unary(random, name, oracle, dtypes, as_floats):
    for dtype in (*dtypes, *as_floats):
        for shape in SHAPES:
            array = draw(random, dtype, shape)
            expected = oracle(straight(array.astype("f8") if dtype in as_floats else array))
            tensor = xp.asarray(array)
            same(getattr(xp, name)(tensor), expected, f"{name}({dtype}{shape})")
            for method in operator_of(name):
                same(getattr(tensor, method)(), expected, f"{method}({dtype}{shape})")


def promotable(dtypes):
    """Pairs of dtypes of one kind: what the standard's tables of promotion have."""
    for a, b in itertools.product(dtypes, dtypes):
        kinds = {np.dtype(a).kind, np.dtype(b).kind}
        if kinds <= set("iu") and np.promote_types(a, b).kind in "iu" or kinds <= set("fc") or kinds == {"b"}:
            yield a, b


def check_binary(random, name, oracle, dtypes, as_floats):
    for a_dtype, b_dtype in promotable((*dtypes, *as_floats)):
        dtype = np.dtype("f8") if a_dtype in as_floats else np.promote_types(a_dtype, b_dtype)
        for a_shape, b_shape in broadcast_pairs(random)[:4 if a_dtype != b_dtype else 12]:
            a, b = draw(random, a_dtype, a_shape), draw(random, b_dtype, b_shape)
            # Both of rank 1 or more: NumPy 1.24 would promote a 0-dimensional operand by its value.
            expected = np.asarray(oracle(np.atleast_1d(a).astype(dtype), np.atleast_1d(b).astype(dtype)))
            expected = expected.reshape(np.broadcast_shapes(a_shape, b_shape))
            check_binary_forms(name, a, b, expected)


def check_binary_forms(name, a, b, expected):
    where = f"{name}({a.dtype}{a.shape}, {b.dtype}{b.shape})"
    x, y = xp.asarray(a), xp.asarray(b)
    if name == "multiply" and expected.dtype.kind == "c":
        # NumPy's loop rounds products in two ways, as its operands lie.
        same(xp.multiply(x, y), expected, where, exact=False)
        return
    same(getattr(xp, name)(x, y), expected, where)
    for method in operator_of(name):
        same(getattr(x, method)(y), expected, where + method)
        if method in standard.COMPARISONS:
            continue
        same(getattr(y, "__r" + method[2:])(x), expected, where + " reflected")
        if expected.dtype == a.dtype and expected.shape == a.shape:
            target = xp.asarray(a, copy=True)
            same(getattr(target, "__i" + method[2:])(y), expected, where + " in place")
            same(target, expected, where + " in place")


def check_function(random, name):
    numpy_name, dtypes, as_floats = FUNCTIONS[name]
    oracle = OWN_ORACLES.get(name) or getattr(np, numpy_name)
    check = check_unary if name in standard.UNARY else check_binary
    check(random, name, oracle, dtypes, as_floats)


def check_shift(random, name):
    for dtype in INTEGERS:
        for shape in SHAPES:
            array = draw(random, dtype, shape)
            by = random.integers(0, np.dtype(dtype).itemsize * 8 - 1, shape).astype(dtype)
            check_binary_forms(name, array, by, np.asarray(SHIFTS[name](array, by), dtype))


def check_integer_parts(random):
    """Rounding of integers is the integers; real and imag of real numbers are themselves and 0."""
    for name, dtype in itertools.product(("ceil", "floor", "round", "trunc", "real", "imag"), INTEGERS):
        array = draw(random, dtype, (3, 4))
        same(getattr(xp, name)(xp.asarray(array)), array * 0 if name == "imag" else array, f"{name}({dtype})")


def check_integer_powers(random):
    for dtype in INTEGERS:
        a, b = draw(random, dtype, (3, 4), finite=True), random.integers(0, 4, (4,)).astype(dtype)
        check_binary_forms("pow", a, b, np.power(a, b))


def check_complex_sign(random):
    for dtype in COMPLEX:
        array = draw(random, dtype, (40,), finite=True)
        array[::7] = 0
        magnitude = np.where(array == 0, 1, np.abs(array)).astype(array.real.dtype)
        same(xp.sign(xp.asarray(array)), (array / magnitude).astype(dtype), "sign", exact=False)


def check_clip(random):
    for dtype in REAL:
        array = draw(random, dtype, (3, 4))
        x = xp.asarray(array)
        low, high = np.sort(draw(random, dtype, (2,), finite=True))
        same(xp.clip(x, low.item(), high.item()), np.minimum(np.maximum(array, low), high), "clip")
        same(xp.clip(x, max=high.item()), np.minimum(array, high), "clip")
        same(xp.clip(x, xp.asarray(low), xp.asarray(high)), np.minimum(np.maximum(array, low), high), "clip")
        same(xp.clip(x), array, "clip")
    same(xp.clip(xp.asarray([1, 200], dtype=xp.uint8), -5, 1000), np.array([1, 200], "u1"), "clip beyond the dtype")


CHECKS = {
    **{name: (lambda random, name=name: check_function(random, name)) for name in FUNCTIONS},
    **{name: (lambda random, name=name: check_shift(random, name)) for name in SHIFTS},
    "clip": check_clip,
}
