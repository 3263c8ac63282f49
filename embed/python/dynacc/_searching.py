"""The standard's searching, sorting, set and indexing functions."""
import collections as _collections

import numpy as _np

from dynacc._memory import Tensor, array_of, arrays, promoted, tensor_of

__all__ = ["argmax", "argmin", "argsort", "count_nonzero", "nonzero", "searchsorted", "sort", "take",
           "take_along_axis", "unique_all", "unique_counts", "unique_inverse", "unique_values", "where"]

where = arrays.where


def argmax(x, /, *, axis=None, keepdims=False):
    """Returns the index of the first largest element, along an axis or of all."""
    return tensor_of(_np.argmax(array_of(x), axis=axis, keepdims=keepdims))


def argmin(x, /, *, axis=None, keepdims=False):
    """Returns the index of the first smallest element, along an axis or of all."""
    return tensor_of(_np.argmin(array_of(x), axis=axis, keepdims=keepdims))


def count_nonzero(x, /, *, axis=None, keepdims=False):
    """Returns how many elements are not 0, along axes or of all."""
    return tensor_of(_np.asarray(_np.count_nonzero(array_of(x), axis=axis, keepdims=keepdims), dtype=_np.int64))


def nonzero(x, /):
    """Returns a tuple of the indices of the elements that are not 0, a tensor for each axis."""
    if x.ndim == 0:
        raise ValueError("nonzero() of a 0-dimensional tensor")
    return tuple(map(tensor_of, _np.nonzero(array_of(x))))


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    """Returns the indices at which x2's elements would go into x1, a sorted vector."""
    sorted_, wanted = promoted(x1, x2)
    sorter = None if sorter is None else array_of(sorter)
    return tensor_of(_np.asarray(_np.searchsorted(sorted_, wanted, side=side, sorter=sorter), dtype=_np.int64))


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
        raise ValueError("take() needs an axis unless x has one dimension")
    return tensor_of(_np.take(array_of(x), array_of(indices), axis=axis))


def take_along_axis(x, indices, /, *, axis=-1):
    """Returns the elements at the indices that match along an axis."""
    return tensor_of(_np.take_along_axis(array_of(x), array_of(indices), axis=axis))
