"""The standard's data type functions."""
import numpy as _np

from dynacc._devices import placed
from dynacc._memory import DType, Tensor, array_of, arrays

__all__ = ["astype", "can_cast", "finfo", "iinfo", "isdtype", "result_type"]

result_type = arrays.result_type

_BOOLEAN = (arrays.bool,)
_SIGNED = (arrays.int8, arrays.int16, arrays.int32, arrays.int64)
_UNSIGNED = (arrays.uint8, arrays.uint16, arrays.uint32, arrays.uint64)
LOW_PRECISION = (arrays.bfloat16, arrays.float8_e4m3fn, arrays.float8_e5m2)  # which NumPy lacks
_FLOATING = (arrays.float16, arrays.float32, arrays.float64) + LOW_PRECISION
_COMPLEX = (arrays.complex64, arrays.complex128)
KINDS = {
    "bool": _BOOLEAN,
    "signed integer": _SIGNED,
    "unsigned integer": _UNSIGNED,
    "integral": _SIGNED + _UNSIGNED,
    "real floating": _FLOATING,
    "complex floating": _COMPLEX,
    "numeric": _SIGNED + _UNSIGNED + _FLOATING + _COMPLEX,
}


def require_dtype(dtype, default):
    """`dtype`, or the default for None; Python's types stand for the dtypes of their numbers. TypeError for anything else."""
    if dtype is None:
        return default
    if isinstance(dtype, DType):
        return dtype
    if dtype is bool:
        return arrays.bool
    if dtype is int:
        return arrays.int64
    if dtype is float:
        return arrays.float64
    if dtype is complex:
        return arrays.complex128
    raise TypeError(f"expected a dtype of dynacc, as dynacc.float32, not {dtype!r}")


def astype(x, dtype, /, *, copy=True, device=None):
    """Returns x in another dtype: a copy, unless copy is False and x has that dtype."""
    dtype = require_dtype(dtype, None)
    if x.dtype is dtype and not copy:
        return placed(x, device)
    if arrays.is_of_kind(x.dtype, "c") and not arrays.is_of_kind(dtype, "cb"):
        raise TypeError(f"{x.dtype} is not cast to {dtype}: take dynacc.real(x) or dynacc.imag(x)")
    return placed(arrays.cast(x, dtype), device)


def can_cast(from_, to, /):
    """Returns whether one dtype, or a tensor's, can become the other by promotion."""
    from_ = from_.dtype if isinstance(from_, Tensor) else require_dtype(from_, arrays.float64)
    if from_ in LOW_PRECISION or to in LOW_PRECISION:
        return result_type(from_, to) is to
    return _np.can_cast(from_.dtype, require_dtype(to, arrays.float64).dtype)


# bits, eps, smallest_normal, max
_LIMITS = {
    arrays.bfloat16: (16, 2.0**-7, 2.0**-126, (2 - 2.0**-7) * 2.0**127),
    arrays.float8_e4m3fn: (8, 2.0**-3, 2.0**-6, 448.0),
    arrays.float8_e5m2: (8, 2.0**-2, 2.0**-14, 57344.0),
}


class finfo_object:
    """What finfo returns: bits, eps, max, min, smallest_normal and dtype."""

    def __init__(self, dtype):
        if dtype in LOW_PRECISION:
            self.bits, self.eps, self.smallest_normal, self.max = _LIMITS[dtype]
            self.min = -self.max
            self.dtype = dtype
            return
        info = _np.finfo(dtype.dtype)
        self.bits = int(info.bits)
        self.eps = float(info.eps)
        self.max = float(info.max)
        self.min = float(info.min)
        self.smallest_normal = float(info.smallest_normal)
        self.dtype = getattr(arrays, f"float{self.bits}")

    def __repr__(self):
        return (f"finfo(bits={self.bits}, eps={self.eps}, max={self.max}, min={self.min}, "
                f"smallest_normal={self.smallest_normal}, dtype={self.dtype})")


class iinfo_object:
    """What iinfo returns: bits, max, min and dtype."""

    def __init__(self, dtype):
        info = _np.iinfo(dtype.dtype)
        self.bits = int(info.bits)
        self.max = int(info.max)
        self.min = int(info.min)
        self.dtype = dtype

    def __repr__(self):
        return f"iinfo(bits={self.bits}, max={self.max}, min={self.min}, dtype={self.dtype})"


def _dtype_of_kind(type, kinds, function):
    dtype = type.dtype if isinstance(type, Tensor) else type
    if not any(dtype in KINDS[kind] for kind in kinds):
        raise TypeError(f"dynacc.{function}: expected a dtype or tensor of kind {' or '.join(kinds)}, not {dtype!r}")
    return dtype


def finfo(type, /):
    """Returns the machine limits of a floating-point dtype, or of a tensor's."""
    return finfo_object(_dtype_of_kind(type, ("real floating", "complex floating"), "finfo"))


def iinfo(type, /):
    """Returns the machine limits of an integer dtype, or of a tensor's."""
    return iinfo_object(_dtype_of_kind(type, ("integral",), "iinfo"))


def isdtype(dtype, kind):
    """Returns whether a dtype is of a kind ("real floating"), is another dtype, or one of a tuple of these."""
    dtype = require_dtype(dtype, None)
    if isinstance(kind, tuple):
        return any([isdtype(dtype, one) for one in kind])
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"unknown kind of dtype {kind!r}; there are {', '.join(KINDS)}")
        return dtype in KINDS[kind]
    if not isinstance(kind, DType):
        raise TypeError(f"kind must be a str, a dtype or a tuple of these, not {kind!r}")
    return dtype is kind
