"""The standard's creation functions."""
import numpy as _np

from dynacc._dtypes import KINDS, astype, require_dtype
from dynacc._memory import Tensor, array_of, arrays, quiet, require_device, tensor_of

__all__ = ["arange", "asarray", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like", "linspace",
           "meshgrid", "ones", "ones_like", "tril", "triu", "zeros", "zeros_like"]

_UNSAID = object()  # what no caller passes


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    """Returns obj as a tensor: a number, nested sequences of numbers, a tensor, or an object with array memory.

    copy  True: always; False: never, ValueError if it takes one; None: only if it takes one.
    """
    require_device(device)
    require_dtype(dtype, None)
    if isinstance(obj, (bool, int, float, complex)) and not isinstance(obj, _np.generic):
        _require_copy_allowed(copy)
        return arrays.full((), dtype or arrays.result_type(obj), obj)
    tensor = obj if isinstance(obj, Tensor) else _of_other_memory(obj)
    if tensor is None:
        _require_copy_allowed(copy)
        return _of_sequence(obj, dtype)
    if dtype is None or dtype is tensor.dtype:
        return tensor.__copy__() if copy else tensor
    _require_copy_allowed(copy)
    return astype(tensor, dtype)


def _require_copy_allowed(copy):
    if copy is not None and not copy:
        raise ValueError("asarray() of this takes a copy, which copy=False forbids")


def _of_other_memory(obj):
    """A tensor over the object's memory; None if it shows none."""
    if isinstance(obj, (_np.ndarray, _np.generic)):
        return tensor_of(obj)
    if isinstance(obj, (list, tuple, str, bytes)):
        return None
    if hasattr(obj, "__dlpack__"):
        return from_dlpack(obj)
    array = _np.asarray(obj)
    return None if array.dtype == object else tensor_of(array)


def _of_sequence(obj, dtype):
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


def from_dlpack(x, /, *, device=_UNSAID, copy=_UNSAID):
    """Returns a tensor over the memory of an object that has __dlpack__, or over a copy of it."""
    arguments = {}
    if copy is not _UNSAID and copy is not None:
        arguments["copy"] = copy
    if device is not _UNSAID and device is not None:
        require_device(device)
        arguments["dl_device"] = (1, 0)
    if isinstance(x, Tensor):
        return x.__copy__() if arguments.get("copy") else x[...]
    try:
        capsule = x.__dlpack__(max_version=(1, 0), **arguments)
    except TypeError:  # a library of before version 1, which knows none of these
        tensor = arrays.from_dlpack(x.__dlpack__())
        return tensor.__copy__() if arguments.get("copy") else tensor
    return arrays.from_dlpack(capsule)


def empty(shape, *, dtype=None, device=None):
    """Returns a tensor whose elements are not set."""
    require_device(device)
    return arrays.empty(shape, require_dtype(dtype, arrays.float64))


def zeros(shape, *, dtype=None, device=None):
    """Returns a tensor of zeros."""
    require_device(device)
    return arrays.full(shape, require_dtype(dtype, arrays.float64), 0)


def ones(shape, *, dtype=None, device=None):
    """Returns a tensor of ones."""
    require_device(device)
    return arrays.full(shape, require_dtype(dtype, arrays.float64), 1)


def full(shape, fill_value, *, dtype=None, device=None):
    """Returns a tensor of one value."""
    require_device(device)
    if isinstance(fill_value, (Tensor, _np.generic)):
        dtype = dtype or asarray(fill_value).dtype
        fill_value = fill_value.item()
    return arrays.full(shape, require_dtype(dtype, None) or arrays.result_type(fill_value), fill_value)


def empty_like(x, /, *, dtype=None, device=None):
    """Returns a tensor of x's shape (and dtype) whose elements are not set."""
    return empty(x.shape, dtype=dtype or x.dtype, device=device)


def zeros_like(x, /, *, dtype=None, device=None):
    """Returns a tensor of zeros of x's shape (and dtype)."""
    return zeros(x.shape, dtype=dtype or x.dtype, device=device)


def ones_like(x, /, *, dtype=None, device=None):
    """Returns a tensor of ones of x's shape (and dtype)."""
    return ones(x.shape, dtype=dtype or x.dtype, device=device)


def full_like(x, /, fill_value, *, dtype=None, device=None):
    """Returns a tensor of one value of x's shape (and dtype)."""
    return full(x.shape, fill_value, dtype=dtype or x.dtype, device=device)


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    """Returns the numbers from start up to, not including, stop, by step; with one argument from 0 up to it."""
    require_device(device)
    if stop is None:
        start, stop = 0, start
    dtype = require_dtype(dtype, None) or arrays.result_type(0, start, stop, step)
    if step == 0:
        raise ValueError("arange: the step must not be 0")
    if all(isinstance(number, int) for number in (start, stop, step)):
        return _integer_range(range(start, stop, step), dtype)
    with quiet():
        return tensor_of(_np.arange(start, stop, step, dtype=dtype.dtype))


def _integer_range(numbers, dtype):
    if len(numbers) == 0:
        return arrays.empty((0,), dtype)
    if dtype in KINDS["integral"]:
        limits = _np.iinfo(dtype.dtype)
        if min(numbers[0], numbers[-1]) < limits.min or max(numbers[0], numbers[-1]) > limits.max:
            raise OverflowError(f"arange: numbers out of bounds for {dtype}")
        if dtype is arrays.uint64:
            offsets = _np.arange(len(numbers), dtype=_np.uint64) * _np.uint64(abs(numbers.step))
            first = _np.uint64(numbers[0])
            return tensor_of(first + offsets if numbers.step > 0 else first - offsets)
    array = _np.arange(numbers.start, numbers.start + len(numbers) * numbers.step, numbers.step)
    return tensor_of(array.astype(dtype.dtype, copy=False))


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    """Returns num evenly spaced numbers from start to stop, which is the last of them if endpoint is true."""
    require_device(device)
    dtype = require_dtype(dtype, None) or arrays.result_type(0.0, start, stop)
    with quiet():
        return tensor_of(_np.linspace(start, stop, num, endpoint=endpoint, dtype=dtype.dtype))


def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    """Returns a matrix with ones on the k-th diagonal and zeros elsewhere."""
    require_device(device)
    return tensor_of(_np.eye(n_rows, n_cols, k=k, dtype=require_dtype(dtype, arrays.float64).dtype))


def meshgrid(*arrays, indexing="xy"):
    """Returns a list of coordinate tensors, one for each vector of coordinates."""
    return [tensor_of(grid) for grid in _np.meshgrid(*map(array_of, arrays), indexing=indexing)]


def _require_matrices(x, function):
    if x.ndim < 2:
        raise ValueError(f"{function}() needs 2 dimensions or more, not {x.ndim}")


def tril(x, /, *, k=0):
    """Returns the lower triangles of matrices: zeros above the k-th diagonal."""
    _require_matrices(x, "tril")
    return tensor_of(_np.tril(array_of(x), k=k))


def triu(x, /, *, k=0):
    """Returns the upper triangles of matrices: zeros below the k-th diagonal."""
    _require_matrices(x, "triu")
    return tensor_of(_np.triu(array_of(x), k=k))
