"""The standard's statistical and utility functions."""
import warnings as _warnings

import numpy as _np

from dynacc._dtypes import require_dtype
from dynacc._memory import array_of, arrays, promoted, quiet, tensor_of

__all__ = ["all", "any", "cumulative_prod", "cumulative_sum", "diff", "max", "mean", "min", "prod", "std", "sum", "var"]


def _sum_dtype(x, dtype):
    """The numpy.dtype of sums and products of x's elements: integers are added up in 64 bits."""
    dtype = require_dtype(dtype, None)
    if dtype is None:
        dtype = x.dtype
        if arrays.is_of_kind(dtype, "bi"):
            dtype = arrays.int64
        elif arrays.is_of_kind(dtype, "u"):
            dtype = arrays.uint64
    elif arrays.is_of_kind(x.dtype, "c") and not arrays.is_of_kind(dtype, "c"):
        raise TypeError(f"{x.dtype} is not summed or multiplied in {dtype}: take dynacc.real(x) or dynacc.imag(x)")
    return arrays.numpy_dtype(dtype)


def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    """Returns the sum, along axes or of all elements."""
    with quiet():
        return tensor_of(_np.add.reduce(array_of(x), axis, _sum_dtype(x, dtype), None, keepdims))


def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    """Returns the product, along axes or of all elements."""
    with quiet():
        return tensor_of(_np.multiply.reduce(array_of(x), axis, _sum_dtype(x, dtype), None, keepdims))


def max(x, /, *, axis=None, keepdims=False):
    """Returns the largest element, along axes or of all; NaN if there is one."""
    return tensor_of(_np.maximum.reduce(array_of(x), axis, None, None, keepdims))


def min(x, /, *, axis=None, keepdims=False):
    """Returns the smallest element, along axes or of all; NaN if there is one."""
    return tensor_of(_np.minimum.reduce(array_of(x), axis, None, None, keepdims))


def all(x, /, *, axis=None, keepdims=False):
    """Returns whether all elements are true, along axes or of all."""
    return tensor_of(_np.logical_and.reduce(array_of(x), axis, _np.bool_, None, keepdims))


def any(x, /, *, axis=None, keepdims=False):
    """Returns whether one element is true, along axes or of all."""
    return tensor_of(_np.logical_or.reduce(array_of(x), axis, _np.bool_, None, keepdims))


class _NoWarnings(_warnings.catch_warnings):
    """For what NumPy warns of in words: means of nothing, variances without degrees of freedom."""

    def __enter__(self):
        super().__enter__()
        _warnings.simplefilter("ignore")


def _is_short(x, axis, correction):
    """Whether there may be no more than `correction` elements where several become one."""
    if x.size == 0:
        return True
    if correction <= 0:
        return False
    count = 1
    for one in range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,):
        if -x.ndim <= one < x.ndim:
            count *= x.shape[one]
    return count <= correction


def _whole(correction):
    """The correction as an int if it is one."""
    return int(correction) if correction == int(correction) else correction


def mean(x, /, *, axis=None, keepdims=False):
    """Returns the arithmetic mean, along axes or of all elements."""
    with _NoWarnings() if x.size == 0 else quiet():
        return tensor_of(_np.mean(array_of(x), axis=axis, keepdims=keepdims))


def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    """Returns the variance, along axes or of all elements, the divisor being N - correction."""
    with _NoWarnings() if _is_short(x, axis, correction) else quiet():
        return tensor_of(_np.var(array_of(x), axis=axis, ddof=_whole(correction), keepdims=keepdims))


def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    """Returns the standard deviation, along axes or of all elements, the divisor being N - correction."""
    with _NoWarnings() if _is_short(x, axis, correction) else quiet():
        return tensor_of(_np.std(array_of(x), axis=axis, ddof=_whole(correction), keepdims=keepdims))


def _cumulative(ufunc, first, x, axis, dtype, include_initial):
    if axis is None:
        if x.ndim != 1:
            raise ValueError("a cumulative function needs an axis unless x has one dimension")
        axis = 0
    with quiet():
        result = ufunc.accumulate(array_of(x), axis, _sum_dtype(x, dtype))
    if include_initial:
        shape = list(result.shape)
        shape[axis] = 1
        result = _np.concatenate([_np.full(tuple(shape), first, result.dtype), result], axis=axis)
    return tensor_of(result)


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    """Returns the sums of the elements up to each along an axis, perhaps with a 0 before them."""
    return _cumulative(_np.add, 0, x, axis, dtype, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    """Returns the products of the elements up to each along an axis, perhaps with a 1 before them."""
    return _cumulative(_np.multiply, 1, x, axis, dtype, include_initial)


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    """Returns the differences of neighbours along an axis, n times over."""
    given = [one for one in (prepend, x, append) if one is not None]
    parts = promoted(*given)
    with quiet():
        whole = _np.concatenate(parts, axis=axis) if len(parts) > 1 else parts[0]
        return tensor_of(_np.diff(whole, n=n, axis=axis))
