"""The standard's elementwise functions: the compiled ones, and what is made of several of them."""
from dynacc._dtypes import iinfo
from dynacc._memory import Tensor, arrays

# The rows of frontend/tensor/elementwise.def, and what is defined below.
__all__ = ["abs", "acos", "acosh", "add", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and", "bitwise_invert",
           "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "ceil", "clip", "conj", "copysign",
           "cos", "cosh", "divide", "equal", "exp", "expm1", "floor", "floor_divide", "greater", "greater_equal",
           "hypot", "imag", "isfinite", "isinf", "isnan", "less", "less_equal", "log", "log10", "log1p", "log2",
           "logaddexp", "logical_and", "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "multiply",
           "negative", "nextafter", "not_equal", "positive", "pow", "real", "reciprocal", "remainder", "round", "sign",
           "signbit", "sin", "sinh", "sqrt", "square", "subtract", "tan", "tanh", "trunc"]

globals().update({name: getattr(arrays, name) for name in __all__ if hasattr(arrays, name)})


def sign(x, /):
    """Element by element: -1, 0 or 1 as x is negative, 0 or positive; of complex numbers x / abs(x)."""
    if not arrays.is_of_kind(x.dtype, "c"):
        return arrays.sign(x)
    magnitude = arrays.abs(x)
    return arrays.where(arrays.equal(magnitude, 0), 0, arrays.divide(x, magnitude))


def clip(x, /, min=None, max=None):
    """Element by element: x, but not below min nor above max; NaN if one of them is. The dtype is x's."""
    result = x
    if min is not None and not _is_out_of_bounds(x.dtype, min, below=True):
        result = arrays.maximum(result, min)
    if max is not None and not _is_out_of_bounds(x.dtype, max, below=False):
        result = arrays.minimum(result, max)
    if result is x or result.dtype is not x.dtype:
        return arrays.cast(result, x.dtype)
    return result


def _is_out_of_bounds(dtype, bound, below):
    """Whether no element can be beyond the bound, a Python int that dtype cannot hold."""
    if isinstance(bound, Tensor) or not isinstance(bound, int) or not arrays.is_of_kind(dtype, "iu"):
        return False
    limits = iinfo(dtype)
    if not below and bound < limits.min or below and bound > limits.max:
        raise OverflowError(f"dynacc.clip: the bound {bound} is out of bounds for {dtype}")
    return bound < limits.min if below else bound > limits.max
