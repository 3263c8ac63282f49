"""The array namespace as one table: every name of the standard, family by family, and `random`."""
import functools as _functools
import importlib as _importlib
import math as _math
import types as _types

from dynacc._devices import Device, low_precision_rule, everywhere
from dynacc._memory import arrays

_FAMILIES = ("_constants", "_creation", "_dtypes", "_elementwise", "_inspection", "_linear_algebra", "_manipulation",
             "_searching", "_statistics")
_EXTENSIONS = ("linalg", "fft", "nn")  # the last is our own
_DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
           "float64", "complex64", "complex128", "bfloat16", "float8_e4m3fn", "float8_e5m2")


@_functools.cache
def namespace():
    """Returns the names and what they are; the same functions each time."""
    names = {"Tensor": arrays.Tensor, "DType": arrays.DType, "Device": Device, "__array_api_version__": "2024.12",
             "e": _math.e, "inf": _math.inf, "nan": _math.nan, "pi": _math.pi, "newaxis": None}
    names.update({name: getattr(arrays, name) for name in _DTYPES})
    for family in _FAMILIES:
        module = _importlib.import_module(f"dynacc.{family}")
        names.update({name: _as_public(getattr(module, name)) for name in module.__all__})
    for name in _EXTENSIONS:
        names[name] = module = _importlib.import_module(f"dynacc.{name}")
        for function in module.__all__:
            made = getattr(module, function)
            setattr(module, function, everywhere(made, low_precision=low_precision_rule(made)))
    names["random"] = _importlib.import_module("dynacc.random")
    return names


def _as_public(function):
    """Functions written in Python say, too, that they are dynacc's own."""
    if isinstance(function, _types.FunctionType):
        function = everywhere(function, low_precision=low_precision_rule(function))
        function.__module__ = "dynacc"
    return function
