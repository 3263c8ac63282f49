"""Keys of tensors on a device: what a gather there does not know (masks, parts of axes, lists) in terms of what it does.

Parts of axes and new axes are views, which cost nothing. A mask is the indices of what it selects. How many those are is
known to the device alone: the host waits for that number, and no element is copied.
"""
import numpy as _np

from dynacc import _creation
from dynacc._devices import call, placed
from dynacc._memory import Tensor, array_of, arrays, positions, tensor_of

_WHOLE = slice(None)


def split(x, key):
    """(view, indices) such that x[key] is view[indices], by axis: a tensor of integers, an int, or None for the whole axis.

    None: no kernel reads such a key.
    """
    items = [_on_device(item, x.device) for item in (key if isinstance(key, tuple) else (key,))]
    if not all([_is_known(item) for item in items]) or sum([item is Ellipsis for item in items]) > 1:
        return None
    unnamed = x.ndim - sum([_axes_of(item) for item in items])
    if unnamed < 0:
        return None
    for at, item in enumerate(items):
        if item is Ellipsis:
            items[at:at + 1] = [_WHOLE] * unnamed
            break
    parts, indices, axis = [], [], 0
    for item in items:
        axes = _axes_of(item)
        if _is_mask(item):
            if item.shape != x.shape[axis:axis + axes]:
                return None
            indices += nonzero(item)
        else:
            indices.append(None if isinstance(item, slice) else item)
        parts += [item] if item is None or isinstance(item, slice) else [_WHOLE] * axes
        axis += axes
    return x[tuple(parts)], tuple(indices)


def _on_device(item, device):
    """An array of indices as a tensor on the device; what else an item may be as it is."""
    if isinstance(item, (list, _np.ndarray)):
        item = _creation.asarray(item)
    return placed(item, device) if isinstance(item, Tensor) else item


def _is_mask(item):
    return isinstance(item, Tensor) and item.dtype is arrays.bool


def _is_known(item):
    if isinstance(item, Tensor):
        return arrays.is_of_kind(item.dtype, "iu") or _is_mask(item) and item.ndim > 0
    return item is None or item is Ellipsis or isinstance(item, slice) or isinstance(item, int) and not isinstance(item, bool)


def _axes_of(item):
    """How many axes of the tensor the item is about."""
    if item is None or item is Ellipsis:
        return 0
    return item.ndim if _is_mask(item) else 1


# --- Masks ---------------------------------------------------------------------------------------

def nonzero(mask):
    """A list of the indices of a mask's true elements, a tensor for each axis."""
    flat = arrays.reshape(mask, (-1,), None)
    if flat.size == 0:
        return [_creation.zeros(0, dtype=arrays.int64, device=mask.device)] * mask.ndim
    ranks = call(_ranks, (flat,), {})
    count = int(ranks[-1])
    chosen = call(_chosen_first, (flat, ranks, ranks[-1:]), {})[:count]
    if mask.ndim == 1:
        return [chosen]
    return list(call(_indices_of, (chosen, mask), {}))


def _ranks(mask):
    """How many elements up to each are true."""
    return tensor_of(_np.add.accumulate(array_of(mask).astype(_np.int64), 0))


def _chosen_first(mask, ranks, count):
    """The positions of all elements, those of the true ones first, in order."""
    ranks = array_of(ranks)
    numbers = positions(ranks, 0)
    order = _np.zeros_like(ranks)
    order[_np.where(array_of(mask), ranks - 1, array_of(count) + numbers - ranks)] = numbers
    return tensor_of(order)


def _indices_of(places, like):
    """The indices along each axis of elements that are numbered in C order."""
    rest, indices = array_of(places), []
    for size in reversed(like.shape[1:]):
        indices.append(rest % size)
        rest = rest // size
    return tuple([tensor_of(index) for index in reversed(indices + [rest])])
