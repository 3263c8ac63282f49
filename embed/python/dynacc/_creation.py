"""The standard's creation functions."""
import numpy as _np

from dynacc._dtypes import KINDS, LOW_PRECISION, astype, require_dtype
from dynacc._devices import Device, placed
from dynacc._memory import Tensor, array_of, arrays, positions, quiet, tensor_of

__all__ = ["arange", "asarray", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like", "linspace",
           "meshgrid", "ones", "ones_like", "tril", "triu", "zeros", "zeros_like"]

_UNSAID = object()  # what no caller passes


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    """Returns obj as a tensor: a number, nested sequences of numbers, a tensor, or an object with array memory.

    device  where it shall be ("cpu", "cuda", "cuda:1"); None: where obj is, or the CPU.
    copy    True: always; False: never, ValueError if it takes one; None: only if it takes one.
    """
    dtype = require_dtype(dtype, None)
    if isinstance(obj, (bool, int, float, complex)) and not isinstance(obj, _np.generic):
        _require_copy_allowed(copy)
        return placed(arrays.full((), dtype or arrays.result_type(obj), obj), device)
    tensor = obj if isinstance(obj, Tensor) else _of_other_memory(obj)
    if tensor is None:
        _require_copy_allowed(copy)
        return placed(_of_sequence(obj, dtype), device)
    if device is not None and Device(device) != tensor.device:
        _require_copy_allowed(copy)
        copy = None
        tensor = placed(tensor, device)
    if dtype is None or dtype is tensor.dtype:
        return tensor.__copy__() if copy else tensor
    _require_copy_allowed(copy)
    return astype(tensor, dtype)


def _require_copy_allowed(copy):
    if copy is not None and not copy:
        raise ValueError("dynacc.asarray: this takes a copy, which copy=False forbids")


_LOW_PRECISION_NAMES = {dtype.name: dtype for dtype in LOW_PRECISION}


def _of_other_memory(obj):
    """A tensor over the object's memory; None if it shows none."""
    if isinstance(obj, (_np.ndarray, _np.generic)):
        low_precision = _LOW_PRECISION_NAMES.get(obj.dtype.name)
        if low_precision is not None:  # of the package ml_dtypes
            return arrays.of_bits(tensor_of(_np.asarray(obj).view(f"u{low_precision.itemsize}")), low_precision)
        return tensor_of(obj)
    if isinstance(obj, (list, tuple, str, bytes)):
        return None
    if hasattr(obj, "__cuda_array_interface__"):
        return _of_cuda_interface(obj)
    if hasattr(obj, "__dlpack__"):
        return from_dlpack(obj)
    array = _np.asarray(obj)
    return None if array.dtype == object else tensor_of(array)


def _of_sequence(obj, dtype):
    if dtype in LOW_PRECISION:
        return astype(_of_sequence(obj, None), dtype)
    array = _np.array(obj)
    if array.dtype == object or array.dtype.kind == "f" and _np.any(_np.abs(array) >= 2.0**63):
        array = _of_large_numbers(obj, array, dtype)
    if array.size == 0 and dtype is None:
        return tensor_of(array.astype(float))
    if dtype is None or dtype.dtype == array.dtype:
        return tensor_of(array)
    if dtype in KINDS["integral"] and array.dtype.kind in "iu":
        _require_in_bounds(array, dtype)
    if array.dtype.kind == "c" and dtype not in KINDS["complex floating"]:
        raise TypeError(f"complex numbers cannot be elements of {dtype}")
    with quiet():
        return tensor_of(array.astype(dtype.dtype))


def _of_large_numbers(obj, array, dtype):
    """The array of numbers of which some are beyond int64: NumPy takes ints for floats or objects then."""
    objects = _np.array(obj, dtype=object)
    if not all(isinstance(number, (int, float, complex, _np.generic, Tensor)) for number in objects.flat):
        raise TypeError("the elements of a tensor must be numbers")
    if not all(isinstance(number, int) for number in objects.flat):
        return objects.astype(float) if array.dtype == object else array
    if dtype is not None and dtype not in KINDS["integral"]:
        return objects.astype(dtype.dtype)
    target = dtype or arrays.uint64
    _require_in_bounds(objects, target)
    return objects.astype(target.dtype)


def _require_in_bounds(array, dtype):
    limits = _np.iinfo(dtype.dtype)
    if array.size and (int(array.min()) < limits.min or int(array.max()) > limits.max):
        raise OverflowError(f"a Python integer is out of bounds for {dtype}")


def _of_cuda_interface(obj):
    """A tensor over the memory that obj.__cuda_array_interface__ (version 2 or 3) describes."""
    shown = obj.__cuda_array_interface__
    if shown.get("version", 0) < 2:
        raise BufferError("__cuda_array_interface__ before version 2 is not known")
    if shown.get("mask") is not None:
        raise BufferError("a __cuda_array_interface__ with a mask is no tensor")
    dtype = next((one for kind in KINDS.values() for one in kind
                  if one not in LOW_PRECISION and one.dtype == _np.dtype(shown["typestr"])), None)
    if dtype is None:
        raise BufferError(f"no dtype of dynacc for {shown['typestr']!r}")
    address, read_only = shown["data"]
    if address == 0:  # nothing in it
        return placed(arrays.empty(tuple(shown["shape"]), dtype), "cuda")
    tensor = arrays.over_device_memory(obj, address, dtype, tuple(shown["shape"]), shown.get("strides"), bool(read_only), 0)
    stream = shown.get("stream")
    if stream is not None:
        if stream == 0:
            raise BufferError("__cuda_array_interface__: the stream 0 is ambiguous; 1 is the legacy default stream")
        arrays.wait_for_stream(arrays.device_number(tensor), stream)
    return tensor


def from_dlpack(x, /, *, device=_UNSAID, copy=_UNSAID):
    """Returns a tensor over the memory of an object that has __dlpack__, or over a copy of it.

    device  where it shall be; if x is elsewhere, it is copied, unless copy is False.
    """
    copy = None if copy is _UNSAID else copy
    device = None if device is _UNSAID or device is None else Device(device)
    if isinstance(x, Tensor):
        tensor = x.__copy__() if copy else x[...]
    else:
        tensor = _of_capsule(x, copy)
    if device is None or device == tensor.device:
        return tensor
    if copy is not None and not copy:
        raise BufferError(f"dynacc.from_dlpack: the memory is on {tensor.device}; on {device} it would be a copy")
    return placed(tensor, device)


def _of_capsule(x, copy):
    arguments = {} if copy is None else {"copy": copy}
    kind, number = x.__dlpack_device__() if hasattr(x, "__dlpack_device__") else (1, 0)
    if kind == 2:  # the producer lets our stream wait for what it has given to its own
        arguments["stream"] = arrays.stream_of(number + 1)
    try:
        capsule = x.__dlpack__(max_version=(1, 0), **arguments)
    except TypeError:  # a library of before version 1, which knows none of these
        arguments.pop("copy", None)
        tensor = arrays.from_dlpack(x.__dlpack__(**arguments))
        return tensor.__copy__() if copy else tensor
    return arrays.from_dlpack(capsule)


def empty(shape, *, dtype=None, device=None):
    """Returns a tensor whose elements are not set."""
    return placed(arrays.empty(shape, require_dtype(dtype, arrays.float64)), device)


def zeros(shape, *, dtype=None, device=None):
    """Returns a tensor of zeros."""
    return placed(arrays.full(shape, require_dtype(dtype, arrays.float64), 0), device)


def ones(shape, *, dtype=None, device=None):
    """Returns a tensor of ones."""
    return placed(arrays.full(shape, require_dtype(dtype, arrays.float64), 1), device)


def full(shape, fill_value, *, dtype=None, device=None):
    """Returns a tensor of one value."""
    if isinstance(fill_value, (Tensor, _np.generic)):
        dtype = asarray(fill_value).dtype if dtype is None else dtype
        fill_value = fill_value.item()
    dtype = arrays.result_type(fill_value) if dtype is None else require_dtype(dtype, None)
    return placed(arrays.full(shape, dtype, fill_value), device)


def _where(x, device):
    """The device that a tensor like x shall be on."""
    return x.device if device is None and isinstance(x, arrays.DeviceTensor) else device


def empty_like(x, /, *, dtype=None, device=None):
    """Returns a tensor of x's shape (and dtype) whose elements are not set."""
    return empty(x.shape, dtype=x.dtype if dtype is None else dtype, device=_where(x, device))


def zeros_like(x, /, *, dtype=None, device=None):
    """Returns a tensor of zeros of x's shape (and dtype)."""
    return zeros(x.shape, dtype=x.dtype if dtype is None else dtype, device=_where(x, device))


def ones_like(x, /, *, dtype=None, device=None):
    """Returns a tensor of ones of x's shape (and dtype)."""
    return ones(x.shape, dtype=x.dtype if dtype is None else dtype, device=_where(x, device))


def full_like(x, /, fill_value, *, dtype=None, device=None):
    """Returns a tensor of one value of x's shape (and dtype)."""
    return full(x.shape, fill_value, dtype=x.dtype if dtype is None else dtype, device=_where(x, device))


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    """Returns the numbers from start up to, not including, stop, by step; with one argument from 0 up to it."""
    if stop is None:
        start, stop = 0, start
    dtype = require_dtype(dtype, None) or arrays.result_type(0, start, stop, step)
    if step == 0:
        raise ValueError("dynacc.arange: the step must not be 0")
    if all(isinstance(number, int) for number in (start, stop, step)):
        return placed(_integer_range(range(start, stop, step), dtype), device)
    with quiet():
        return placed(tensor_of(_np.arange(start, stop, step, dtype=dtype.dtype)), device)


def _integer_range(numbers, dtype):
    if len(numbers) == 0:
        return arrays.empty((0,), dtype)
    if dtype in KINDS["integral"]:
        limits = _np.iinfo(dtype.dtype)
        if min(numbers[0], numbers[-1]) < limits.min or max(numbers[0], numbers[-1]) > limits.max:
            raise OverflowError(f"dynacc.arange: numbers out of bounds for {dtype}")
        if dtype is arrays.uint64:
            offsets = _np.arange(len(numbers), dtype=_np.uint64) * _np.uint64(abs(numbers.step))
            first = _np.uint64(numbers[0])
            return tensor_of(first + offsets if numbers.step > 0 else first - offsets)
    array = _np.arange(numbers.start, numbers.start + len(numbers) * numbers.step, numbers.step)
    return tensor_of(array.astype(dtype.dtype, copy=False))


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    """Returns num evenly spaced numbers from start to stop, which is the last of them if endpoint is true."""
    needed = arrays.result_type(0.0, start, stop)
    dtype = require_dtype(dtype, None) or needed
    if needed in KINDS["complex floating"] and dtype not in KINDS["complex floating"]:
        raise TypeError(f"dynacc.linspace: complex numbers cannot be elements of {dtype}")
    with quiet():
        return placed(tensor_of(_np.linspace(start, stop, num, endpoint=endpoint, dtype=dtype.dtype)), device)


def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    """Returns a matrix with ones on the k-th diagonal and zeros elsewhere."""
    return placed(tensor_of(_np.eye(n_rows, n_cols, k=k, dtype=require_dtype(dtype, arrays.float64).dtype)), device)


def meshgrid(*arrays, indexing="xy"):
    """Returns a list of coordinate tensors, one for each vector of coordinates."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"dynacc.meshgrid: indexing must be 'xy' or 'ij', not {indexing!r}")
    places = list(range(len(arrays)))
    if indexing == "xy":
        places[:2] = reversed(places[:2])
    sizes = [x.size for x in arrays]
    shape = tuple([sizes[place] for place in places])
    return [_spread(x, place, shape) for x, place in zip(arrays, places)]


def _spread(x, place, shape):
    """The vector as a tensor of that shape: along one axis its elements, along the others the same ones."""
    along = arrays.reshape(x, tuple([x.size if axis == place else 1 for axis in range(len(shape))]), None)
    return arrays.cast(arrays.broadcast_to(along, shape), x.dtype)


def _require_matrices(x, function):
    if x.ndim < 2:
        raise ValueError(f"dynacc.{function}: 2 dimensions or more are needed, not {x.ndim}")


def tril(x, /, *, k=0):
    """Returns the lower triangles of matrices: zeros above the k-th diagonal."""
    _require_matrices(x, "tril")
    if not arrays.device_number(x):
        return tensor_of(_np.tril(array_of(x), k=k))
    rows, columns = _numbers_of_elements(x)
    return tensor_of(_np.where(columns <= rows + k, array_of(x), _np.zeros((), x.dtype.dtype)))


def triu(x, /, *, k=0):
    """Returns the upper triangles of matrices: zeros below the k-th diagonal."""
    _require_matrices(x, "triu")
    if not arrays.device_number(x):
        return tensor_of(_np.triu(array_of(x), k=k))
    rows, columns = _numbers_of_elements(x)
    return tensor_of(_np.where(columns >= rows + k, array_of(x), _np.zeros((), x.dtype.dtype)))


def _numbers_of_elements(x):
    """The rows' and the columns' numbers in matrices on a device, as arrays that broadcast."""
    return positions(array_of(x), -2)[:, None], positions(array_of(x), -1)
