"""Methods of dynacc.Tensor that are written in Python (frontend/tensor/tensor_methods.def names them)."""
import sys as _sys

import numpy as _np

from dynacc import _creation
from dynacc import _linear_algebra
from dynacc._device_keys import split
from dynacc._devices import CPU, Device, assign, call, change, everywhere, on_device, placed, to_host
from dynacc._memory import Tensor, array_of, arrays, quiet, tensor_of

_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12")


def array_namespace(self, /, *, api_version=None):
    if api_version is not None and api_version not in _VERSIONS:
        raise ValueError(f"dynacc follows the array API standard up to {_VERSIONS[-1]}, not {api_version!r}")
    return _sys.modules["dynacc"]


def _is_low_precision(x):
    """Whether NumPy lacks the dtype: bfloat16 and float8."""
    return arrays.is_of_kind(x.dtype, "n")


# --- Printing, pickling, numbers -----------------------------------------------------------------

def _numbers_of(self):
    """An array of the tensor's numbers."""
    host = to_host(self)
    return array_of(arrays.cast(host, arrays.float32) if _is_low_precision(host) else host)


def represent(self, /):
    """Like NumPy's repr of an array."""
    array = _numbers_of(self)
    text = _np.array_repr(array)
    body, suffix = text[len("array("):-1], ")"
    if "dtype=" in text:
        body, _, _ = text[len("array("):].rpartition("dtype=")
        body = body.rstrip()
        suffix = f" dtype={self.dtype})"
    if self.device is not CPU:
        suffix = (suffix[:-1] + "," if "dtype=" in text else ",") + f" device='{self.device}')"
        if array.size and len(body.rpartition("\n")[2]) + len(suffix) + len("Tensor(") > 79:
            suffix = "\n" + " " * len("Tensor(") + suffix.lstrip()
    return "Tensor(" + body.replace("\n", "\n ") + suffix


def format_tensor(self, format_spec, /):
    return format(self.item() if self.ndim == 0 and format_spec else str(self), format_spec)


def item(self, /):
    if self.size != 1:
        raise ValueError("item() needs a tensor of one element")
    return _numbers_of(self).item()


def tolist(self, /):
    return _numbers_of(self).tolist()


def reduce(self, /):
    host = to_host(self)
    if _is_low_precision(host):
        made = _rebuild_of_bits, (array_of(arrays.bits(host)), host.dtype, self.device)
    else:
        made = _rebuild, (array_of(host), self.device)
    return (_rebuild_constant, made) if arrays.is_constant(self) else made


def _rebuild_constant(rebuild, arguments):
    return arrays.constant_over(rebuild(*arguments))


def _rebuild(array, device="cpu"):
    return placed(_creation.asarray(array, copy=True), device)


def _rebuild_of_bits(bits, dtype, device):
    return placed(arrays.of_bits(_creation.asarray(bits, copy=True), dtype), device)


# --- Indexing with tensors -----------------------------------------------------------------------

def _plain_key(key):
    if isinstance(key, tuple):
        return tuple(map(_plain_key, key))
    return array_of(key) if isinstance(key, Tensor) else key


def _host_key(key):
    if isinstance(key, tuple):
        return tuple(map(_host_key, key))
    return to_host(key) if isinstance(key, Tensor) else key


def _item(x, indices, /):
    return x[tuple([slice(None) if index is None else index for index in indices])]


def _put(x, indices, value, /):
    x[tuple([slice(None) if index is None else index for index in indices])] = value


def _try_put(self, key, value):
    """self[key] = value by kernels, of a tensor on a device; False if there is none for it."""
    if isinstance(value, Tensor):
        if value.device != self.device:
            return False
        if value.dtype is not self.dtype:
            if arrays.is_of_kind(value.dtype, "c") and not arrays.is_of_kind(self.dtype, "c"):
                return False
            value = arrays.cast(value, self.dtype)
    else:
        arrays.full((), self.dtype, value)  # the errors of numbers that the dtype does not hold
    found = None if arrays.is_read_only(self) else split(self, key)
    return found is not None and change(_put, *found, value)


def getitem(self, key, /):
    if self.device is not CPU:
        found = split(self, key)
        if found is not None:
            return call(_item, found, {})
        return placed(to_host(self)[_host_key(key)], self.device)
    key = _host_key(key)
    if _is_low_precision(self):
        return arrays.of_bits(tensor_of(array_of(arrays.bits(self))[_plain_key(key)]), self.dtype)
    return tensor_of(array_of(self)[_plain_key(key)])


def setitem(self, key, value, /):
    if self.device is not CPU:
        if isinstance(key, Tensor) and key.dtype is arrays.bool and key.shape == self.shape and key.device == self.device \
                and (not isinstance(value, Tensor) or value.ndim == 0):
            return assign(self, arrays.where(key, value, self))
        if isinstance(value, (Tensor, bool, int, float)) and _try_put(self, key, value):
            return None
        host = to_host(self)
        host[_host_key(key)] = to_host(value) if isinstance(value, Tensor) else value
        return assign(self, placed(host, self.device))
    if not isinstance(value, (Tensor, bool, int, float, complex)):
        value = _creation.asarray(value)
    if _is_low_precision(self):
        value = _creation.asarray(value, dtype=self.dtype)
        array_of(arrays.bits(self))[_plain_key(key)] = array_of(arrays.bits(value))
        return
    if isinstance(value, Tensor):
        if _is_low_precision(value):
            value = arrays.cast(value, arrays.float32)
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
    """stream: of the GPU's, by its handle: the copy waits for its work, and its later work for the copy."""
    device = Device(device)
    gpu = device if device != "cpu" else self.device
    if stream is None:
        return placed(self, device)
    if gpu == "cpu":
        raise ValueError("the device 'cpu' has no streams")
    number = gpu.index + 1
    arrays.wait_for_stream(number, stream)
    tensor = placed(self, device)
    arrays.let_stream_wait(number, stream)
    return tensor


to = to_device

_CPU = (1, 0)  # DLPack's kDLCPU
_LEGACY_STREAM = 1


def dlpack(self, /, *, stream=None, max_version=None, dl_device=None, copy=None):
    place = self.__dlpack_device__()
    versioned = max_version is not None and max_version[0] >= 1
    if copy is None and not versioned and arrays.is_constant(self):
        copy = True  # the consumer would not know that it must not write
    if dl_device is not None and tuple(dl_device) != place:
        if tuple(dl_device) != _CPU or copy is not None and not copy:
            raise BufferError(f"the tensor is on the device {place}, not on {tuple(dl_device)}")
        return arrays.to_dlpack(to_host(self), versioned, True)
    if self.device is CPU:
        if stream is not None:
            raise ValueError("the device 'cpu' has no streams: stream must be None")
        source = self.__copy__() if copy else self
        return arrays.to_dlpack(source, versioned, bool(copy))
    if stream == 0:
        raise ValueError("__dlpack__: the stream 0 is ambiguous; 1 is the legacy default stream, 2 the thread's own")
    source = self.__copy__() if copy else self
    if stream != -1:
        arrays.let_stream_wait(arrays.device_number(self), _LEGACY_STREAM if stream is None else stream)
    return arrays.to_dlpack(source, versioned, bool(copy))


def as_numpy(self, /, dtype=None, copy=None):
    if not _is_low_precision(self):
        array = array_of(self)
        return array.astype(array.dtype if dtype is None else dtype, copy=bool(copy))
    extension = _sys.modules.get("ml_dtypes")  # the package that adds such dtypes to NumPy
    if extension is None:
        array_of(self)  # raises
    array = array_of(arrays.bits(self)).view(getattr(extension, self.dtype.name))
    return array if dtype is None else array.astype(dtype)


def cuda_array_interface(self, /):
    if _is_low_precision(self):
        raise AttributeError(f"__cuda_array_interface__ has no name for {self.dtype}")
    address, strides, read_only = arrays.address_of(self)
    return {"version": 3, "shape": self.shape, "typestr": self.dtype.dtype.str, "strides": strides,
            "data": (address if self.size else 0, read_only), "stream": arrays.stream_of(arrays.device_number(self))}


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
    if method == "at" and isinstance(inputs[0], Tensor):  # of read-only arrays NumPy 1's own does not ask
        arrays.require_writable(inputs[0])
    if out is None:
        return _to_tensors(getattr(ufunc, method)(*_to_arrays(inputs), **_to_arrays(kwargs)))
    getattr(ufunc, method)(*_to_arrays(inputs), out=_to_arrays(out), **_to_arrays(kwargs))
    return out[0] if len(out) == 1 else out


def array_function(self, func, types, args, kwargs, /):
    result = func(*_to_arrays(args), **_to_arrays(kwargs))
    out = kwargs.get("out")
    return out if isinstance(out, Tensor) else _to_tensors(result)


# --- Operators -----------------------------------------------------------------------------------

_matmul = everywhere(_linear_algebra.matmul, low_precision="promoted")


def matmul(a, b, /):
    return _matmul(a, b)


def matmul_in_place(a, b, /):
    result = _matmul(a, b)
    if result.dtype is not a.dtype or result.shape != a.shape:
        raise ValueError(f"@= of {a.dtype}{list(a.shape)}: the result is {result.dtype}{list(result.shape)}")
    a[...] = result
    return a
