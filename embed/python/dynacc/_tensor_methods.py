"""Methods of dynacc.Tensor that are written in Python (frontend/arrays/native/tensor_methods.def names them)."""
import sys as _sys

import numpy as _np

from dynacc import _creation
from dynacc import _linear_algebra
from dynacc._memory import Tensor, array_of, arrays, quiet, require_device, tensor_of

_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12")


def array_namespace(self, /, *, api_version=None):
    if api_version is not None and api_version not in _VERSIONS:
        raise ValueError(f"dynacc follows the array API standard up to {_VERSIONS[-1]}, not {api_version!r}")
    return _sys.modules["dynacc"]


# --- Printing, pickling, numbers -----------------------------------------------------------------

def represent(self, /):
    """Like NumPy's repr of an array."""
    array = array_of(self)
    text = _np.array_repr(array)
    body, suffix = text[len("array("):-1], ")"
    if "dtype=" in text:
        body, _, _ = text[len("array("):].rpartition("dtype=")
        body = body.rstrip()
        suffix = f" dtype={self.dtype})"
        if array.size and len(body.rpartition("\n")[2]) + len(suffix) + len("Tensor(") > 79:
            suffix = "\n" + " " * len("Tensor(") + suffix.lstrip()
    return "Tensor(" + body.replace("\n", "\n ") + suffix


def format_tensor(self, format_spec, /):
    return format(self.item() if self.ndim == 0 and format_spec else str(self), format_spec)


def item(self, /):
    if self.size != 1:
        raise ValueError("item() needs a tensor of one element")
    return array_of(self).item()


def tolist(self, /):
    return array_of(self).tolist()


def reduce(self, /):
    return _rebuild, (array_of(self),)


def _rebuild(array):
    return _creation.asarray(array, copy=True)


# --- Indexing with tensors -----------------------------------------------------------------------

def _plain_key(key):
    if isinstance(key, tuple):
        return tuple(map(_plain_key, key))
    return array_of(key) if isinstance(key, Tensor) else key


def _is_integer_index(key):
    return isinstance(key, _np.ndarray) and key.dtype.kind in "iu"


def getitem(self, key, /):
    result = array_of(self)[_plain_key(key)]
    return tensor_of(result)


def setitem(self, key, value, /):
    if not isinstance(value, (Tensor, bool, int, float, complex)):
        value = _creation.asarray(value)
    if isinstance(value, Tensor):
        if value.dtype in (arrays.complex64, arrays.complex128) and self.dtype not in (arrays.complex64, arrays.complex128):
            raise TypeError(f"{value.dtype} cannot be stored in a tensor of {self.dtype}")
        value = array_of(value)
    elif isinstance(value, complex) and self.dtype not in (arrays.complex64, arrays.complex128):
        raise TypeError(f"a complex number cannot be stored in a tensor of {self.dtype}")
    else:
        value = array_of(arrays.full((), self.dtype, value))
    with quiet():
        array_of(self)[_plain_key(key)] = value


# --- Other libraries -----------------------------------------------------------------------------

def to_device(self, device, /, *, stream=None):
    require_device(device)
    if stream is not None:
        raise ValueError("the device 'cpu' has no streams")
    return self


_CPU = (1, 0)  # DLPack's kDLCPU


def dlpack(self, /, *, stream=None, max_version=None, dl_device=None, copy=None):
    if stream is not None:
        raise ValueError("the device 'cpu' has no streams: stream must be None")
    if dl_device is not None and tuple(dl_device) != _CPU:
        raise BufferError(f"the tensor is on the device {_CPU}, not on {tuple(dl_device)}")
    versioned = max_version is not None and max_version[0] >= 1
    source = self.__copy__() if copy else self
    return arrays.to_dlpack(source, versioned, bool(copy))


def _to_arrays(value):
    """`value` with NumPy's arrays for the tensors in it."""
    if isinstance(value, Tensor):
        return array_of(value)
    if type(value) in (list, tuple):
        return type(value)(map(_to_arrays, value))
    if type(value) is dict:
        return {key: _to_arrays(item) for key, item in value.items()}
    return value


def _to_tensors(value):
    """`value` with tensors for NumPy's arrays and scalars in it, where there are tensors of that dtype."""
    if isinstance(value, (_np.ndarray, _np.generic)):
        return tensor_of(value) if value.dtype.char in "?bhilqBHILQefdFD" else value
    if type(value) in (list, tuple):
        return type(value)(map(_to_tensors, value))
    if isinstance(value, tuple):  # a named tuple
        return type(value)(*map(_to_tensors, value))
    return value


def array_ufunc(self, ufunc, method, /, *inputs, out=None, **kwargs):
    if out is None:
        return _to_tensors(getattr(ufunc, method)(*_to_arrays(inputs), **_to_arrays(kwargs)))
    getattr(ufunc, method)(*_to_arrays(inputs), out=_to_arrays(out), **_to_arrays(kwargs))
    return out[0] if len(out) == 1 else out


def array_function(self, func, types, args, kwargs, /):
    result = func(*_to_arrays(args), **_to_arrays(kwargs))
    out = kwargs.get("out")
    return out if isinstance(out, Tensor) else _to_tensors(result)


# --- Operators -----------------------------------------------------------------------------------

def matmul(a, b, /):
    return _linear_algebra.matmul(a, b)


def matmul_in_place(a, b, /):
    result = _linear_algebra.matmul(a, b)
    if result.dtype is not a.dtype or result.shape != a.shape:
        raise ValueError(f"@= of {a.dtype}{list(a.shape)}: the result is {result.dtype}{list(result.shape)}")
    a[...] = result
    return a
