"""What neural networks need beyond the array API standard."""
import numpy as _np

from dynacc._memory import Tensor, array_of, arrays, quiet, tensor_of

__all__ = ["convolution"]


def convolution(x, filters, /, *, strides=1, padding=0, dilation=1):
    """Returns the cross-correlation of images with filters, as neural networks call convolution.

    x         (images, *space, channels), with 1 to 3 axes of space
    filters   (*space, channels, features), of x's dtype
    strides   how far apart along each axis of space the filters are laid; an int, or one for each axis
    padding   zeros before and after each axis of space: an int, one for each axis, or (before, after) for each
    dilation  how far apart along each axis the elements are that a filter's neighbours meet

    The result has the shape (images, *places, features), and element [n, *p, f] is the sum of
    x[n, *(p * strides + q * dilation), c] * filters[*q, c, f] over all q and c. Images of another order of axes are
    given as views (`moveaxis`), without a copy. Large ones of float32 are oneDNN's on the CPU, and what follows, a
    bias, an activation, a residual, is part of the same call in captured code.
    ValueError if sizes do not fit, TypeError for what are no tensors or other dtypes.
    """
    for operand in (x, filters):
        if not isinstance(operand, Tensor):
            raise TypeError(f"dynacc.nn.convolution: expected a tensor, not {type(operand).__name__}")
    if x.dtype is not filters.dtype:
        raise TypeError(f"dynacc.nn.convolution: the images are of {x.dtype}, the filters of {filters.dtype}")
    rank = x.ndim - 2
    if not 1 <= rank <= 3 or filters.ndim != x.ndim:
        raise ValueError("dynacc.nn.convolution: the images need 1 to 3 axes of space, and the filters as many axes as "
                         "they have")
    array_of(x)  # of a tensor in a GPU's memory: this function is run there (dynacc._devices.everywhere)
    strides, dilation = _for_each_axis(strides, rank, "strides"), _for_each_axis(dilation, rank, "dilation")
    x = _padded(x, padding, rank)
    *kernel, channels, features = filters.shape
    if x.shape[-1] != channels:
        raise ValueError(f"dynacc.nn.convolution: the images have {x.shape[-1]} channels, the filters {channels}")
    places = []
    for i in range(rank):
        room = x.shape[i + 1] - (kernel[i] - 1) * dilation[i] - 1
        if kernel[i] < 1 or room < 0:
            raise ValueError("dynacc.nn.convolution: a filter does not fit into the images")
        places.append(room // strides[i] + 1)
    length = channels
    for size in kernel:
        length = length * size
    shape = (x.shape[0], *places, *kernel, channels)
    result = arrays.convolve(x, filters, shape, strides, dilation)
    if result is not None:
        return result
    with quiet():
        windows = _windows(array_of(x), kernel, strides, dilation, rank)
        rows = windows.reshape((x.shape[0], *places, length))
        return tensor_of(_np.matmul(rows, array_of(filters).reshape((length, features))))


def _for_each_axis(value, rank, name):
    values = (value,) * rank if isinstance(value, int) else tuple(value)
    if len(values) != rank:
        raise ValueError(f"dynacc.nn.convolution: {name} has {len(values)} numbers for {rank} axes of space")
    for number in values:
        if number < 1:
            raise ValueError(f"dynacc.nn.convolution: {name} must be 1 or more")
    return values


def _padded(x, padding, rank):
    """The images with zeros around them."""
    pairs = (padding,) * rank if isinstance(padding, int) else tuple(padding)
    if len(pairs) != rank:
        raise ValueError(f"dynacc.nn.convolution: padding has {len(pairs)} entries for {rank} axes of space")
    pairs = [(pair, pair) if isinstance(pair, int) else tuple(pair) for pair in pairs]
    some = False
    for before, after in pairs:
        if before < 0 or after < 0:
            raise ValueError("dynacc.nn.convolution: padding must be 0 or more")
        some = some or before > 0 or after > 0
    if not some:
        return x
    space = [x.shape[i + 1] + pairs[i][0] + pairs[i][1] for i in range(rank)]
    result = arrays.full((x.shape[0], *space, x.shape[-1]), x.dtype, 0)
    inside = [slice(pairs[i][0], pairs[i][0] + x.shape[i + 1]) for i in range(rank)]
    result[(slice(None), *inside, slice(None))] = x
    return result


def _windows(array, kernel, strides, dilation, rank):
    """A view of the shape (images, *places, *kernel, channels)."""
    reach = [(kernel[i] - 1) * dilation[i] + 1 for i in range(rank)]
    axes = tuple(range(1, rank + 1))
    view = _np.lib.stride_tricks.sliding_window_view(array, tuple(reach), axis=axes)
    view = view[(slice(None), *[slice(None, None, step) for step in strides], slice(None),
                 *[slice(None, None, step) for step in dilation])]
    return _np.moveaxis(view, rank + 1, -1)
