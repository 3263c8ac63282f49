"""Decompositions of np.pad's modes that compute what they pad with (_decompositions.py says what these are)."""
import numpy as _np

from dynacc._decomposition_table import NUMPY_MAJOR, along, decomposes, is_int


def _pairs(given, rank):
    """A pair for each axis, of an int, a pair or pairs; None for another thing."""
    if given is None or is_int(given) or isinstance(given, float):
        return [(given, given)] * rank
    if not isinstance(given, (list, tuple)):
        return None
    if len(given) == 1 and not isinstance(given[0], (list, tuple)):
        return [(given[0], given[0])] * rank
    if len(given) == 2 and not isinstance(given[0], (list, tuple)):
        return [(given[0], given[1])] * rank
    rows = []
    for row in given:
        if not isinstance(row, (list, tuple)) or len(row) not in (1, 2):
            return None
        rows.append((row[0], row[-1]))
    return rows * rank if len(rows) == 1 else rows if len(rows) == rank else None


def _statistic(reduce, part, axis, width, shape):
    """What stands `width` times beside the array: the statistic of the part, without what is no int of ints."""
    found = reduce(part, axis, keepdims=True)
    if part.dtype.kind in "iu" and found.dtype.kind == "f":
        found = _np.rint(found)
    return _np.broadcast_to(found.astype(part.dtype), shape[:axis] + (width,) + shape[axis + 1:])


def _with_statistics(reduce, a, axis, widths, lengths):
    size, (left, right) = a.shape[axis], lengths
    left = size if left is None or left > size else left
    right = size if right is None or right > size else right
    before = _statistic(reduce, a[along(axis, slice(0, left))], axis, widths[0], a.shape)
    behind = _statistic(reduce, a[along(axis, slice(size - right, size))], axis, widths[1], a.shape)
    return _np.concatenate((before, a, behind), axis)


def _ramp(edge, end, width, dtype, axis):
    """np.linspace(end, edge, width, endpoint=False, dtype=dtype, axis=axis) of an array `edge`."""
    is_single = dtype == _np.float32 and edge.ndim > 0 and NUMPY_MAJOR < 2
    computed = _np.dtype(_np.float32 if is_single else _np.float64)
    start = _np.full(1, end, _np.float64).astype(computed)
    apart = edge.astype(computed) - start.reshape((1,) * edge.ndim)
    places = _np.arange(width).astype(computed).reshape((width,) + (1,) * edge.ndim)
    count = _np.full(1, width, computed).reshape((1,) * (edge.ndim + 1))
    step = apart[None] / count
    ramp = _np.where((step == 0).any(), places / count * apart[None], places * step)
    ramp = ramp + start.reshape((1,) * (edge.ndim + 1))
    if dtype.kind in "iu":
        ramp = _np.floor(ramp)
    return _np.moveaxis(ramp.astype(dtype), 0, axis)


def _with_ramps(a, axis, widths, ends):
    parts = [a]
    if widths[0]:
        parts = [_ramp(a[along(axis, 0)], ends[0], widths[0], a.dtype, axis), *parts]
    if widths[1]:
        ramp = _ramp(a[along(axis, a.shape[axis] - 1)], ends[1], widths[1], a.dtype, axis)
        parts.append(ramp[along(axis, slice(None, None, -1))])
    return _np.concatenate(parts, axis)


def _mean(part, axis, keepdims):
    return _np.mean(part.astype(_np.float64) if part.dtype.kind in "iu" else part, axis, keepdims=keepdims)


_STATISTICS = {"mean": _mean, "maximum": _np.max, "minimum": _np.min}


@decomposes("pad")
def _pad(array, pad_width, mode="constant", stat_length=None, end_values=0, **kwargs):
    a = _np.asarray(array)
    widths, lengths, ends = _pairs(pad_width, a.ndim), _pairs(stat_length, a.ndim), _pairs(end_values, a.ndim)
    is_known = mode in ("mean", "maximum", "minimum", "linear_ramp")
    if not is_known or kwargs or widths is None or lengths is None or ends is None or a.dtype.kind not in "iuf":
        return NotImplemented
    for axis in range(a.ndim):
        size, known = a.shape[axis], [*widths[axis], *[length for length in lengths[axis] if length is not None]]
        if not all([is_int(width) for width in known]) or min(widths[axis]) < 0 or not size:
            return NotImplemented
        if any([length is not None and length < 1 for length in lengths[axis]]):
            return NotImplemented
    for axis in range(a.ndim):
        if mode == "linear_ramp":
            a = _with_ramps(a, axis, widths[axis], ends[axis])
        else:
            a = _with_statistics(_STATISTICS[mode], a, axis, widths[axis], lengths[axis])
    return a
