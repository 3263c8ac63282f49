"""The standard's manipulation functions: views wherever there can be one."""
import numpy as _np

from dynacc._memory import Tensor, array_in, array_of, arrays, tensor_of

__all__ = ["broadcast_arrays", "broadcast_to", "concat", "expand_dims", "flip", "moveaxis", "permute_dims", "repeat",
           "reshape", "roll", "squeeze", "stack", "tile", "unstack"]


def broadcast_arrays(*arrays):
    """Returns a list of read-only views of the tensors, all of the shape to which they are broadcast."""
    shape = _np.broadcast_shapes(*(x.shape for x in arrays))
    return [broadcast_to(x, shape) for x in arrays]


def broadcast_to(x, /, shape):
    """Returns a read-only view of that shape."""
    return arrays.broadcast_to(x, shape)


def concat(arrays, /, *, axis=0):
    """Joins tensors along an existing axis; with axis None, their elements."""
    parts = _in_one_dtype(arrays)
    if axis is None:
        return tensor_of(_np.concatenate([part.reshape(-1) for part in parts], axis=0))
    return tensor_of(_np.concatenate(parts, axis=axis))


def stack(arrays, /, *, axis=0):
    """Joins tensors of one shape along a new axis."""
    return tensor_of(_np.stack(_in_one_dtype(arrays), axis=axis))


def _in_one_dtype(tensors):
    tensors = list(tensors)
    if not all(isinstance(x, Tensor) for x in tensors):
        raise TypeError("expected a sequence of tensors")
    if not tensors:
        raise ValueError("expected at least one tensor")
    dtype = arrays.result_type(*tensors)
    return [array_in(x, dtype) for x in tensors]


def _has_no_array(x):
    """Whether NumPy makes no views of the tensor: it is on a device, or of a dtype that NumPy lacks."""
    return arrays.is_of_kind(x.dtype, "n") or arrays.device_number(x)


def _axes_of(x, axes):
    """One or several axes counted from 0, each once."""
    axes = axes if isinstance(axes, tuple) else (axes,)
    if any([not -x.ndim <= axis < x.ndim for axis in axes]):
        raise IndexError(f"axes {axes} are out of bounds for a tensor of dimension {x.ndim}")
    axes = [axis % x.ndim for axis in axes]
    if len(set(axes)) != len(axes):
        raise ValueError("repeated axis")
    return axes


def expand_dims(x, /, axis):
    """Returns a view with a new axis of size 1 at that place."""
    rank = x.ndim + 1
    if not -rank <= axis < rank:
        raise IndexError(f"axis {axis} is out of bounds for a tensor of dimension {rank}")
    return x[(slice(None),) * (axis % rank) + (None,)]


def flip(x, /, *, axis=None):
    """Returns a view with the elements in reverse order along one, several or all axes."""
    if _has_no_array(x):
        turned = range(x.ndim) if axis is None else _axes_of(x, axis)
        return x[tuple([slice(None, None, -1 if i in turned else None) for i in range(x.ndim)])]
    return tensor_of(_np.flip(array_of(x), axis=axis))


def moveaxis(x, source, destination, /):
    """Returns a view with axes moved to other places."""
    if _has_no_array(x):
        moved, places = _axes_of(x, source), _axes_of(x, destination)
        if len(moved) != len(places):
            raise ValueError("dynacc.moveaxis: as many places as axes are needed")
        order = [i for i in range(x.ndim) if i not in moved]
        for place, axis in sorted(zip(places, moved)):
            order.insert(place, axis)
        return arrays.permute(x, order)
    return tensor_of(_np.moveaxis(array_of(x), source, destination))


def permute_dims(x, /, axes):
    """Returns a view with the axes in another order."""
    return arrays.permute(x, axes)


def repeat(x, repeats, /, *, axis=None):
    """Returns each element repeated, along an axis or of all elements in a row."""
    if isinstance(repeats, Tensor):
        repeats = array_of(repeats).astype(_np.intp, casting="same_kind")
    if not arrays.device_number(x) or type(repeats) is not int or repeats < 0:
        return tensor_of(_np.repeat(array_of(x), repeats, axis=axis))
    array = array_of(x).reshape(-1) if axis is None else array_of(x)
    before = 1 if axis is None else _axes_of(x, axis)[0] + 1
    sizes = list(array.shape)
    side_by_side = array.reshape(tuple(sizes[:before] + [1] + sizes[before:]))
    whole = _np.broadcast_to(side_by_side, tuple(sizes[:before] + [repeats] + sizes[before:]))
    sizes[before - 1] *= repeats
    return tensor_of(whole.copy().reshape(tuple(sizes)))


def reshape(x, /, shape, *, copy=None):
    """Returns the elements in another shape, one of whose sizes may be -1; a view where there can be one."""
    return arrays.reshape(x, shape, copy)


def roll(x, /, shift, *, axis=None):
    """Returns the elements moved along axes; what is moved beyond the end comes in at the beginning."""
    return tensor_of(_np.roll(array_of(x), shift, axis=axis))


def squeeze(x, /, axis):
    """Returns a view without these axes, whose sizes must be 1."""
    if _has_no_array(x):
        gone = _axes_of(x, axis)
        if any([x.shape[i] != 1 for i in gone]):
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
        return x[tuple([0 if i in gone else slice(None) for i in range(x.ndim)])]
    return tensor_of(_np.squeeze(array_of(x), axis=axis))


def tile(x, repetitions, /):
    """Returns the tensor repeated as a whole along each axis."""
    array = array_of(x)
    if not arrays.device_number(x):
        return tensor_of(_np.tile(array, repetitions))
    rank = max(len(repetitions), array.ndim)
    counts = (1,) * (rank - len(repetitions)) + tuple(repetitions)
    sizes = (1,) * (rank - array.ndim) + array.shape
    apart = array.reshape(tuple([n for size in sizes for n in (1, size)]))
    whole = _np.broadcast_to(apart, tuple([n for pair in zip(counts, sizes) for n in pair]))
    return tensor_of(whole.copy().reshape(tuple([n * size for n, size in zip(counts, sizes)])))


def unstack(x, /, *, axis=0):
    """Returns a tuple of views, one for each index of an axis."""
    if x.ndim == 0:
        raise ValueError("dynacc.unstack: a tensor with an axis is needed")
    return tuple(moveaxis(x, axis, 0))
