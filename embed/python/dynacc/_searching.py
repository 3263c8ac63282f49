"""The standard's searching, sorting, set and indexing functions."""
import collections as _collections

import numpy as _np

from dynacc import _device_keys
from dynacc._memory import Tensor, array_of, arrays, positions, promoted, tensor_of

__all__ = ["argmax", "argmin", "argsort", "count_nonzero", "nonzero", "searchsorted", "sort", "take",
           "take_along_axis", "unique_all", "unique_counts", "unique_inverse", "unique_values", "where"]

where = arrays.where


def argmax(x, /, *, axis=None, keepdims=False):
    """Returns the index of the first largest element, along an axis or of all."""
    if not arrays.device_number(x):
        return tensor_of(_np.argmax(array_of(x), axis=axis, keepdims=keepdims))
    return _first_extreme(_np.maximum, x, axis, keepdims)


def argmin(x, /, *, axis=None, keepdims=False):
    """Returns the index of the first smallest element, along an axis or of all."""
    if not arrays.device_number(x):
        return tensor_of(_np.argmin(array_of(x), axis=axis, keepdims=keepdims))
    return _first_extreme(_np.minimum, x, axis, keepdims)


def _first_extreme(ufunc, x, axis, keepdims):
    """On a device: the position of the first of the elements that are the extreme one, or NaN."""
    array = array_of(x)
    row = array.reshape(-1) if axis is None else _np.moveaxis(array, axis, -1)
    extreme = ufunc.reduce(row, -1, None, None, True)
    found = (row == extreme) | (row != row)
    first = _np.minimum.reduce(_np.where(found, positions(row, -1), row.shape[-1]), -1)
    if keepdims:
        first = first.reshape((1,) * x.ndim) if axis is None else _np.expand_dims(first, axis)
    return tensor_of(first)


def count_nonzero(x, /, *, axis=None, keepdims=False):
    """Returns how many elements are not 0, along axes or of all."""
    array = array_of(x)
    if axis is None and not keepdims:
        return tensor_of(_np.asarray(_np.count_nonzero(array), dtype=_np.int64))
    return tensor_of(_np.add.reduce(array != 0, axis, _np.int64, None, keepdims))


def nonzero(x, /):
    """Returns a tuple of the indices of the elements that are not 0, a tensor for each axis."""
    if x.ndim == 0:
        raise ValueError("dynacc.nonzero: a tensor with an axis is needed")
    if arrays.device_number(x):
        return tuple(_device_keys.nonzero(x if x.dtype is arrays.bool else x != 0))
    return tuple(map(tensor_of, _np.nonzero(array_of(x))))


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    """Returns the indices at which x2's elements would go into x1, a sorted vector."""
    sorted_, wanted = promoted(x1, x2)
    if arrays.device_number(x1) and sorter is None and side in ("left", "right"):
        return tensor_of(_found_by_halving(sorted_, wanted, side == "right"))
    sorter = None if sorter is None else array_of(sorter)
    return tensor_of(_np.asarray(_np.searchsorted(sorted_, wanted, side=side, sorter=sorter), dtype=_np.int64))


def _found_by_halving(sorted_, wanted, after_equals):
    """searchsorted on a device: all elements are looked for together, one step of each in one kernel. NaNs are last."""
    count = sorted_.shape[0]
    low = _np.zeros_like(wanted, dtype=_np.int64)
    high = low + count
    for _ in range(count.bit_length()):
        middle = (low + high) >> 1
        met = sorted_[_np.minimum(middle, count - 1)]
        if after_equals:
            is_before = (met <= wanted) | (wanted != wanted)
        else:
            is_before = (met < wanted) | ((wanted != wanted) & (met == met))
        goes_on = low < high
        low = _np.where(goes_on & is_before, middle + 1, low)
        high = _np.where(goes_on & ~is_before, middle, high)
    return low


# --- Sorting -------------------------------------------------------------------------------------

def sort(x, /, *, axis=-1, descending=False, stable=True):
    """Returns the elements in order along an axis."""
    result = _np.sort(array_of(x), axis=axis, kind="stable" if stable else None)
    return tensor_of(_np.flip(result, axis=axis) if descending else result)


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    """Returns the indices that sort along an axis; equal elements keep their order if stable is true."""
    array, kind = array_of(x), "stable" if stable else None
    if not descending:
        return tensor_of(_np.argsort(array, axis=axis, kind=kind))
    # Sorting the reversed elements and reversing the result keeps equal elements in order.
    order = _np.flip(_np.argsort(_np.flip(array, axis=axis), axis=axis, kind=kind), axis=axis)
    return tensor_of(array.shape[axis] - 1 - order)


# --- Sets ----------------------------------------------------------------------------------------

UniqueAllResult = _collections.namedtuple("UniqueAllResult", "values indices inverse_indices counts")
UniqueCountsResult = _collections.namedtuple("UniqueCountsResult", "values counts")
UniqueInverseResult = _collections.namedtuple("UniqueInverseResult", "values inverse_indices")


def unique_all(x, /):
    """Returns the different elements, where each is first, which one each element is, and how often each is there."""
    values, indices, inverse, counts = _np.unique(
        array_of(x), return_index=True, return_inverse=True, return_counts=True, equal_nan=False)
    return UniqueAllResult(*map(tensor_of, (values, indices, inverse.reshape(x.shape), counts)))


def unique_counts(x, /):
    """Returns the different elements and how often each is there."""
    return UniqueCountsResult(*map(tensor_of, _np.unique(array_of(x), return_counts=True, equal_nan=False)))


def unique_inverse(x, /):
    """Returns the different elements and which one each element is."""
    values, inverse = _np.unique(array_of(x), return_inverse=True, equal_nan=False)
    return UniqueInverseResult(tensor_of(values), tensor_of(inverse.reshape(x.shape)))


def unique_values(x, /):
    """Returns the different elements; NaNs are all different."""
    return tensor_of(_np.unique(array_of(x), equal_nan=False))


# --- Indexing ------------------------------------------------------------------------------------

def take(x, indices, /, *, axis=None):
    """Returns the elements at these indices along an axis, which may be left out of a vector's."""
    if axis is None and x.ndim != 1:
        raise ValueError("dynacc.take: an axis is needed unless x has one dimension")
    return tensor_of(_np.take(array_of(x), array_of(indices), axis=axis))


def take_along_axis(x, indices, /, *, axis=-1):
    """Returns the elements at the indices that match along an axis."""
    return tensor_of(_np.take_along_axis(array_of(x), array_of(indices), axis=axis))
