"""Calls of NumPy written with the ops of graphs (dynacc.graph.default_decompositions).

Here are those that move and map elements, and products; the others are in the modules that are imported for their rows.
"""
import numpy as _np

from dynacc import _order_decompositions, _padding_decompositions  # noqa: F401
from dynacc._decomposition_table import (
    NUMPY_MAJOR, OF_SIZES, TABLE, along, axes_of, decomposes, diagonal, end_run_if, flat, is_int, is_ints, joined, scalar_of,
    several)
from dynacc._sum_decompositions import find_orders  # noqa: F401

# --- Elements that are moved -----------------------------------------------------------------------------------------

@decomposes("take", method="take")
def _take(a, indices, axis=None, out=None, mode="raise"):
    a = _np.asarray(a)
    if out is not None or a.ndim == 0:
        return NotImplemented
    a, axis = flat(a, axis)
    indices = _np.asarray(indices)
    if indices.dtype.kind not in "iu":
        return NotImplemented
    if mode == "wrap":
        indices = indices % a.shape[axis]
    elif mode == "clip":
        indices = _np.clip(indices, 0, a.shape[axis] - 1)
    if a.ndim == 1 and indices.ndim == 0:
        return a[indices[None]][0]
    return _np.ascontiguousarray(a[along(axis, indices)])


@decomposes("repeat", method="repeat")
def _repeat(a, repeats, axis=None):
    a = _np.asarray(a)
    if a.ndim == 0:
        return NotImplemented
    a, axis = flat(a, axis)
    if is_ints(repeats) and len(repeats) == 1:
        repeats = repeats[0]
    if is_ints(repeats) and len(repeats) == a.shape[axis] and min(repeats) >= 0:
        return _take(a, [place for place, count in enumerate(repeats) for _ in range(count)], axis)
    if not is_int(repeats) or repeats < 0:
        return NotImplemented
    before, size, behind = a.shape[:axis], a.shape[axis], a.shape[axis + 1:]
    spread = _np.broadcast_to(a.reshape(before + (size, 1) + behind), before + (size, repeats) + behind)
    return spread.copy().reshape(before + (size * repeats,) + behind)


@decomposes("tile")
def _tile(A, reps):
    a = _np.asarray(A)
    reps = (reps,) if is_int(reps) else reps
    if not is_ints(reps) or min(reps) < 0:
        return NotImplemented
    reps = tuple(reps)
    rank = max(a.ndim, len(reps))
    shape = (1,) * (rank - a.ndim) + a.shape
    reps = (1,) * (rank - len(reps)) + reps
    ones, spread, result = (), (), ()
    for size, count in zip(shape, reps):
        ones += (1, size)
        spread += (count, size)
        result += (count * size,)
    return _np.broadcast_to(a.reshape(ones), spread).copy().reshape(result)


def _are_numbers(items):
    return all([isinstance(item, (int, float, _np.generic)) for item in items])


def _rows(items):
    """An array of numbers, and of lists of such; None for what else is in it, and for rows of several lengths."""
    if not isinstance(items, (list, tuple)) or not items:
        return None
    if _are_numbers(items):
        return joined([_np.asarray(item)[None] for item in items], 0)
    rows = [_rows(item) for item in items]
    if any([row is None or row.shape != rows[0].shape for row in rows]):
        return None
    return joined([row[None] for row in rows], 0)


@decomposes("array")
def _array(object, dtype=None, **kwargs):
    rows = None if kwargs else _rows(object)
    return NotImplemented if rows is None else rows if dtype is None else rows.astype(dtype)


@decomposes("concatenate")
def _concatenate(arrays, axis=0, out=None, **kwargs):
    if out is not None or kwargs or not isinstance(arrays, (list, tuple)) or not arrays or not is_int(axis):
        return NotImplemented
    parts = [_np.asarray(part) for part in arrays]
    return NotImplemented if any([part.ndim == 0 for part in parts]) else joined(parts, axis)


@decomposes("stack")
def _stack(arrays, axis=0, out=None, **kwargs):
    if out is not None or kwargs or not isinstance(arrays, (list, tuple)) or not arrays or not is_int(axis):
        return NotImplemented
    parts = [_np.asarray(part) for part in arrays]
    if any([part.shape != parts[0].shape for part in parts]):
        return NotImplemented
    return joined([_np.expand_dims(part, axis) for part in parts], axis)


@decomposes("resize")
def _resize(a, new_shape):
    new_shape = (new_shape,) if is_int(new_shape) else new_shape
    if not is_ints(new_shape):
        return NotImplemented
    a = _np.ravel(a)
    size = 1
    for length in new_shape:
        size *= length
    if size <= 0 or a.size == 0:
        return NotImplemented
    return a[_np.arange(size) % a.size].reshape(tuple(new_shape))


@decomposes("append")
def _append(arr, values, axis=None):
    arr, values = _np.asarray(arr), _np.asarray(values)
    if axis is None:
        arr, values, axis = arr.reshape(-1), values.reshape(-1), 0
    return joined((arr, values), axis)


def _deleted(obj, size):
    """The places that np.delete's `obj` names, in order; None for those of which NumPy says more."""
    if isinstance(obj, slice):
        return sorted(list(range(size))[obj])
    places = [obj] if is_int(obj) else obj
    if not is_ints(places) or min(places) < -size or max(places) >= size:
        return None
    return sorted({place + size if place < 0 else place for place in places})


@decomposes("delete")
def _delete(arr, obj, axis=None):
    arr = _np.asarray(arr)
    arr, axis = flat(arr, axis)
    size = arr.shape[axis]
    deleted = _deleted(obj, size)
    if deleted is None:
        return NotImplemented
    parts, start = [], 0
    for place in deleted:
        parts.append(arr[along(axis, slice(start, place))])
        start = place + 1
    return _np.concatenate([*parts, arr[along(axis, slice(start, size))]], axis)


@decomposes("insert")
def _insert(arr, obj, values, axis=None):
    arr = _np.asarray(arr)
    arr, axis = flat(arr, axis)
    size = arr.shape[axis]
    places = [obj] if is_int(obj) else obj
    if not is_ints(places) or min(places) < -size or max(places) > size:
        return NotImplemented
    values = _np.asarray(values)
    values = values.reshape((1,) * max(arr.ndim - values.ndim, 0) + values.shape).astype(arr.dtype)
    if is_int(obj):
        values = _np.moveaxis(values, 0, axis)
    count = values.shape[axis] if len(places) == 1 else len(places)
    values = _np.broadcast_to(values, arr.shape[:axis] + (count,) + arr.shape[axis + 1:])
    before = [place + size if place < 0 else place for place in places]
    if len(before) == 1:
        parts = arr[along(axis, slice(0, before[0]))], values, arr[along(axis, slice(before[0], size))]
        return _np.concatenate(parts, axis)
    order = [size + number for number in range(count)]
    whole = []
    for place in range(size + 1):
        whole += [number for number, own in zip(order, before) if own == place]
        if place < size:
            whole.append(place)
    return _take(_np.concatenate((arr, values), axis), whole, axis)


def _depth(arrays):
    return 1 + max([_depth(item) for item in arrays]) if isinstance(arrays, list) else 0


def _rank(arrays):
    return max([_rank(item) for item in arrays]) if isinstance(arrays, list) else _np.asarray(arrays).ndim


def _joined(arrays, depth, rank):
    if not isinstance(arrays, list):
        leaf = _np.asarray(arrays)
        return leaf.reshape((1,) * (rank - leaf.ndim) + leaf.shape)
    return joined([_joined(item, depth - 1, rank) for item in arrays], -depth)


def _is_even(arrays, depth):
    """Whether all lists are equally deep, and none is empty."""
    if not isinstance(arrays, list):
        return depth == 0
    return len(arrays) > 0 and depth > 0 and all([_is_even(item, depth - 1) for item in arrays])


@decomposes("block")
def _block(arrays):
    depth = _depth(arrays)
    if depth == 0 or not _is_even(arrays, depth):
        return NotImplemented
    return _joined(arrays, depth, max(depth, _rank(arrays)))


@decomposes("meshgrid")
def _meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    if indexing not in ("xy", "ij") or not xi:
        return NotImplemented
    rank = len(xi)
    places = list(range(rank))
    if indexing == "xy" and rank > 1:
        places[0], places[1] = 1, 0
    grids = [_np.asarray(x).reshape((1,) * place + (-1,) + (1,) * (rank - 1 - place)) for x, place in zip(xi, places)]
    if not sparse:
        shape = [1] * rank
        for grid, place in zip(grids, places):
            shape[place] = grid.size
        grids = [_np.broadcast_to(grid, tuple(shape)) for grid in grids]
    return several([grid.copy() if copy else grid for grid in grids])


@decomposes("diag")
def _diag(v, k=0):
    v = _np.asarray(v)
    if v.ndim != 1:
        return diagonal(v, k) if v.ndim == 2 else NotImplemented
    size = v.shape[0] + abs(k)
    places = _np.arange(v.shape[0])
    result = _np.zeros((size, size), v.dtype)
    result[places + max(-k, 0), places + max(k, 0)] = v
    return result


@decomposes("diagflat")
def _diagflat(v, k=0):
    return _diag(_np.asarray(v).reshape(-1), k)


def _lower(m, k):
    """np.tri of a matrix's size, as bools."""
    rows, columns = m.shape[-2:]
    return _np.arange(rows)[:, None] >= _np.arange(columns) - k


@decomposes("tril")
def _tril(m, k=0):
    m = _np.asarray(m)
    return _np.where(_lower(m, k), m, _np.zeros(1, m.dtype)) if m.ndim > 1 else NotImplemented


@decomposes("triu")
def _triu(m, k=0):
    m = _np.asarray(m)
    return _np.where(_lower(m, k - 1), _np.zeros(1, m.dtype), m) if m.ndim > 1 else NotImplemented


@decomposes("fft.fftshift")
def _fftshift(x, axes=None):
    x = _np.asarray(x)
    axes = axes_of(x, axes)
    return _np.roll(x, tuple([x.shape[axis] // 2 for axis in axes]), axes)


@decomposes("fft.ifftshift")
def _ifftshift(x, axes=None):
    x = _np.asarray(x)
    axes = axes_of(x, axes)
    return _np.roll(x, tuple([-(x.shape[axis] // 2) for axis in axes]), axes)


def _arange(start, stop=None, step=1, dtype=None, **kwargs):
    if stop is None:
        start, stop = 0, start
    if not (is_int(start) and is_int(stop) and is_int(step)) or step == 0 or kwargs:
        return NotImplemented
    count = max((stop - start + step + (-1 if step > 0 else 1)) // step, 0)
    numbers = (_np.cumsum(_np.ones(count, _np.int64)) - 1) * step + start
    return numbers if dtype is None else numbers.astype(dtype)


OF_SIZES[_np.arange] = _arange


@decomposes("linspace", table=OF_SIZES)
def _linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, **kwargs):
    are_plain = isinstance(start, (int, float)) and isinstance(stop, (int, float)) and is_int(num)
    if not are_plain or retstep or dtype is not None or num < 2 or kwargs:
        return NotImplemented
    start, stop = float(start), float(stop)
    numbers = _arange(num).astype(_np.float64) * ((stop - start) / (num - 1 if endpoint else num)) + start
    if endpoint:
        numbers[-1] = stop
    return numbers


@decomposes("eye", table=OF_SIZES)
def _eye(N, M=None, k=0, dtype=float, order="C", **kwargs):
    columns = N if M is None else M
    if not (is_int(N) and is_int(columns) and is_int(k)) or order != "C" or kwargs:
        return NotImplemented
    return (_arange(N)[:, None] == _arange(columns) - k).astype(dtype)


@decomposes("identity", table=OF_SIZES)
def _identity(n, dtype=None, **kwargs):
    return NotImplemented if kwargs else _eye(n, dtype=float if dtype is None else dtype)


@decomposes("tri", table=OF_SIZES)
def _tri(N, M=None, k=0, dtype=float, **kwargs):
    columns = N if M is None else M
    if not (is_int(N) and is_int(columns) and is_int(k)) or kwargs:
        return NotImplemented
    return (_arange(N)[:, None] >= _arange(columns) - k).astype(dtype)


@decomposes("choose", method="choose")
def _choose(a, choices, out=None, mode="raise"):
    a = _np.asarray(a)
    if out is not None or not isinstance(choices, (list, tuple)) or a.dtype.kind not in "iu" or a.ndim == 0:
        return NotImplemented
    if mode == "wrap":
        places = a % len(choices)
    elif mode == "clip":
        places = _np.clip(a, 0, len(choices) - 1)
    else:
        places = _np.where(a < 0, len(choices), a)  # beyond the end, as an index that is negative would not be
    if all([isinstance(choice, (int, float)) for choice in choices]):
        return _np.asarray(choices)[places]
    if any([_np.shape(choice) != a.shape or choice.dtype != choices[0].dtype for choice in choices]):
        return NotImplemented
    return _np.take_along_axis(_np.stack(choices), places[None].astype(_np.int64), axis=0)[0]


# --- Indices of elements ---------------------------------------------------------------------------------------------

def _is_outside(indices, size):
    return (indices < 0) | (indices >= size)


@decomposes("unravel_index")
def _unravel_index(indices, shape, order="C"):
    shape = (shape,) if is_int(shape) else shape
    indices = _np.asarray(indices)
    if not is_ints(shape) or indices.dtype.kind not in "iu" or order != "C":
        return NotImplemented
    size = 1
    for length in shape:
        size *= length
    rest = indices.astype(_np.int64) + end_run_if(_is_outside(indices, size))
    found = []
    for length in shape[::-1]:
        found.append(scalar_of(rest % length))
        rest = rest // length
    return tuple(found[::-1])


@decomposes("ravel_multi_index")
def _ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    dims = (dims,) if is_int(dims) else dims
    if not is_ints(dims) or not isinstance(multi_index, tuple) or len(multi_index) != len(dims) or order != "C":
        return NotImplemented
    if mode not in ("raise", "wrap", "clip"):
        return NotImplemented
    place = 0
    for indices, size in zip(multi_index, dims):
        indices = _np.asarray(indices)
        if indices.dtype.kind not in "iu":
            return NotImplemented
        indices = indices.astype(_np.int64)
        if mode == "raise":
            indices = indices + end_run_if(_is_outside(indices, size))
        place = place * size + (indices % size if mode == "wrap" else _np.clip(indices, 0, size - 1))
    return scalar_of(place)


# --- Element by element ----------------------------------------------------------------------------------------------

@decomposes("nan_to_num")
def _nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    x = _np.asarray(x)
    if not copy or x.ndim == 0 or x.dtype.kind == "c":
        return NotImplemented
    if x.dtype.kind != "f":
        return x.copy()
    info, of_type = _np.finfo(x.dtype), x.dtype.type
    d = _np.where(_np.isnan(x), of_type(nan), x)
    d = _np.where(d == _np.inf, of_type(info.max if posinf is None else posinf), d)
    return _np.where(d == -_np.inf, of_type(info.min if neginf is None else neginf), d)


@decomposes("isclose")
def _isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    x = _np.asarray(a)
    y = float(b) if isinstance(b, (int, float)) else _np.asarray(b)
    if x.ndim == 0 and (isinstance(y, float) or y.ndim == 0):
        return NotImplemented
    if not isinstance(y, float):
        y = y.astype(_np.result_type(y, 1.0))
    is_near = _np.abs(x - y) <= atol + rtol * _np.abs(y)
    result = _np.where(_np.isfinite(x) & _np.isfinite(y), is_near, x == y)
    return result | (_np.isnan(x) & _np.isnan(y)) if equal_nan else result


@decomposes("allclose")
def _allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return bool(_np.isclose(a, b, rtol, atol, equal_nan).all())


@decomposes("isin")
def _isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    element, tests = _np.asarray(element), _np.asarray(test_elements).reshape(-1)
    if element.ndim == 0 or element.dtype.kind not in "biuf" or tests.dtype.kind not in "biuf":
        return NotImplemented
    found = (element[..., None] == tests).any(-1)
    return ~found if invert else found


@decomposes("in1d")
def _in1d(ar1, ar2, assume_unique=False, invert=False, *, kind=None):
    return _isin(_np.asarray(ar1).reshape(-1), ar2, assume_unique, invert)


@decomposes("round", "around", "round_", method="round")
def _round(a, decimals=0, out=None):
    a = _np.asarray(a)
    if out is not None or a.dtype.kind != "f" or not is_int(decimals):
        return NotImplemented
    scale = float(10 ** abs(decimals))
    if decimals == 0:
        return _np.rint(a)
    return _np.rint(a * scale) / scale if decimals > 0 else _np.rint(a / scale) * scale


@decomposes("fix")
def _fix(x, out=None):
    x = _np.asarray(x)
    return NotImplemented if out is not None or x.dtype.kind != "f" or x.ndim == 0 else _np.trunc(x)


@decomposes("isposinf")
def _isposinf(x, out=None):
    x = _np.asarray(x)
    return NotImplemented if out is not None or x.dtype.kind != "f" or x.ndim == 0 else x == _np.inf


@decomposes("isneginf")
def _isneginf(x, out=None):
    x = _np.asarray(x)
    return NotImplemented if out is not None or x.dtype.kind != "f" or x.ndim == 0 else x == -_np.inf


@decomposes("isreal")
def _isreal(x):
    x = _np.asarray(x)
    return NotImplemented if x.dtype.kind not in "biuf" or x.ndim == 0 else _np.ones(x.shape, _np.bool_)


@decomposes("divmod")
def _divmod(x1, x2):
    return x1 // x2, x1 % x2


@decomposes("modf")
def _modf(x):
    x = _np.asarray(x)
    if x.dtype.kind != "f":
        return NotImplemented
    whole = _np.trunc(x)
    return _np.copysign(_np.where(_np.isinf(x), x.dtype.type(0), x - whole), x), whole


def _beside(a, number):
    """The number in the dtype that it has beside the array: NumPy 1 goes by its value."""
    number = _np.asarray(number)
    return number if a.ndim == 0 or number.ndim > 0 else (_np.ones(1, a.dtype) * number)[0]


@decomposes("clip", method="clip")
def _clip(a, a_min=None, a_max=None, out=None, **kwargs):
    a = _np.asarray(a)
    bounds = [_beside(a, bound) for bound in (a_min, a_max) if bound is not None]
    if out is not None or kwargs or any([bound.dtype != a.dtype for bound in bounds]):
        return NotImplemented
    # To NumPy 1 a single NaN is no bound.
    if a_min is not None:
        low = bounds[0]
        is_none = _np.isnan(low) if NUMPY_MAJOR < 2 and low.ndim == 0 else False
        a = _np.where(_np.isnan(a) | (a > low) | is_none, a, low)
    if a_max is not None:
        high = bounds[-1]
        is_none = _np.isnan(high) if NUMPY_MAJOR < 2 and high.ndim == 0 else False
        a = _np.where(_np.isnan(a) | (a < high) | is_none, a, high)
    return scalar_of(a)


@decomposes("polyval")
def _polyval(p, x):
    x = _np.asarray(x)
    y = _np.zeros_like(x)
    for coefficient in p:
        y = y * x + coefficient
    return y


@decomposes("polyder")
def _polyder(p, m=1):
    p = _np.asarray(p)
    if not is_int(m) or m < 0 or p.ndim != 1:
        return NotImplemented
    for _ in range(m):
        p = p[:-1] * _np.arange(p.shape[0] - 1, 0, -1)
    return p


@decomposes("polyint")
def _polyint(p, m=1, k=None):
    p = _np.asarray(p)
    if not is_int(m) or m < 0 or p.ndim != 1 or k is not None:
        return NotImplemented
    for _ in range(m):
        p = p / _np.arange(p.shape[0], 0, -1)
        p = _np.concatenate((p, _np.zeros(1, p.dtype)))
    return p


@decomposes("interp")
def _interp(x, xp, fp, left=None, right=None, period=None):
    x, xp, fp = _np.asarray(x), _np.asarray(xp), _np.asarray(fp)
    if period is not None or fp.dtype.kind not in "biuf" or xp.shape[0] < 2:
        return NotImplemented
    if x.ndim == 0:
        return _interp(x.reshape(1), xp, fp, left, right)[0]
    x, xp, fp = x.astype(_np.float64), xp.astype(_np.float64), fp.astype(_np.float64)
    last = xp.shape[0] - 1
    place = _np.searchsorted(xp, x, side="right") - 1
    j = _np.clip(place, 0, last - 1)
    x0, x1, y0, y1 = xp[j], xp[j + 1], fp[j], fp[j + 1]
    slope = (y1 - y0) / (x1 - x0)
    y = slope * (x - x0) + y0
    # NumPy's way around slopes and ordinates that are infinite.
    y = _np.where(_np.isnan(y), slope * (x - x1) + y1, y)
    y = _np.where(_np.isnan(y) & (y0 == y1), y0, y)
    y = _np.where(x == x0, y0, y)
    y = _np.where(place == last, fp[last], y)
    y = _np.where(x > xp[last], fp[last] if right is None else right, y)
    y = _np.where(place < 0, fp[0] if left is None else left, y)
    return _np.where(_np.isnan(x), x, y)


# --- Products --------------------------------------------------------------------------------------------------------

@decomposes("kron")
def _kron(a, b):
    a, b = _np.asarray(a), _np.asarray(b)
    rank = max(a.ndim, b.ndim)
    if rank == 0:
        return NotImplemented
    of_a, of_b, result = (), (), ()
    for m, n in zip((1,) * (rank - a.ndim) + a.shape, (1,) * (rank - b.ndim) + b.shape):
        of_a += (m, 1)
        of_b += (1, n)
        result += (m * n,)
    return (a.reshape(of_a) * b.reshape(of_b)).reshape(result)


@decomposes("inner")
def _inner(a, b):
    a, b = _np.asarray(a), _np.asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    return _np.dot(a, b if b.ndim == 1 else _np.swapaxes(b, -1, -2))


@decomposes("vdot")
def _vdot(a, b):
    a, b = _np.ravel(a), _np.ravel(b)
    return NotImplemented if a.dtype.kind == "c" or b.dtype.kind == "c" else _np.dot(a, b)


@decomposes("tensordot")
def _tensordot(a, b, axes=2):
    a, b = _np.asarray(a), _np.asarray(b)
    if is_int(axes):
        of_a, of_b = list(range(a.ndim - axes, a.ndim)), list(range(axes))
    else:
        of_a, of_b = axes
        of_a = [of_a % a.ndim] if is_int(of_a) else [axis % a.ndim for axis in of_a]
        of_b = [of_b % b.ndim] if is_int(of_b) else [axis % b.ndim for axis in of_b]
    kept_a = [axis for axis in range(a.ndim) if axis not in of_a]
    kept_b = [axis for axis in range(b.ndim) if axis not in of_b]
    summed = 1
    for axis, other in zip(of_a, of_b):
        if a.shape[axis] != b.shape[other]:
            return NotImplemented
        summed *= a.shape[axis]
    rows = tuple([a.shape[axis] for axis in kept_a])
    columns = tuple([b.shape[axis] for axis in kept_b])
    left = a.transpose(kept_a + of_a).reshape(_size(rows), summed)
    return _np.dot(left, b.transpose(of_b + kept_b).reshape(summed, _size(columns))).reshape(rows + columns)


def _size(shape):
    size = 1
    for length in shape:
        size *= length
    return size


def _spare_letters(text, count):
    return [letter for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if letter not in text][:count]


def _labels_of(subscripts, ranks):
    """The labels of the operands and of the result, where an ellipsis is letters; None for what NumPy refuses."""
    sides = subscripts.replace(" ", "").split("->")
    inputs = sides[0].split(",")
    if len(inputs) != len(ranks) or len(sides) > 2:
        return None
    wide = [rank - len(labels) + 3 if "..." in labels else 0 for labels, rank in zip(inputs, ranks)]
    if min(wide) < 0:
        return None
    dots = _spare_letters(subscripts, max(wide))
    inputs = [labels.replace("...", "".join(dots[len(dots) - count:])) for labels, count in zip(inputs, wide)]
    if len(sides) == 2:
        return inputs, sides[1].replace("...", "".join(dots))
    joined_inputs = sides[0].replace(",", "").replace("...", "")
    once = [letter for letter in sorted(set(joined_inputs)) if joined_inputs.count(letter) == 1]
    return inputs, "".join(dots + once)


@decomposes("einsum")
def _einsum(subscripts, *operands, out=None, optimize=False, **kwargs):
    """Says all labels, for the function of ours; NumPy gives a view where there is no sum and one operand."""
    if not isinstance(subscripts, str) or out is not None or optimize is not False or kwargs:
        return NotImplemented
    operands = [_np.asarray(each) for each in operands]
    found = _labels_of(subscripts, [each.ndim for each in operands])
    if found is None:
        return NotImplemented
    inputs, output = found
    if len(inputs) == 1 and sorted(inputs[0]) == sorted(output):
        return operands[0].transpose([inputs[0].index(label) for label in output])
    if len(inputs) == 1 and set(inputs[0]) == set(output) and len(inputs[0]) == 2 and operands[0].ndim == 2:
        # Read-only, as what is written into NumPy's view is written into the matrix.
        view = diagonal(operands[0])
        return _np.broadcast_to(view, view.shape)
    return _np.einsum(",".join(inputs) + "->" + output, *operands)


@decomposes("cross")
def _cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    a, b = _np.asarray(a), _np.asarray(b)
    if axis is not None or (axisa, axisb, axisc) != (-1, -1, -1) or a.shape[-1] != 3 or b.shape[-1] != 3:
        return NotImplemented
    dtype = _np.promote_types(a.dtype, b.dtype)
    a, b = a.astype(dtype), b.astype(dtype)
    a0, a1, a2 = a[..., 0], a[..., 1], a[..., 2]
    b0, b1, b2 = b[..., 0], b[..., 1], b[..., 2]
    return _np.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], axis=-1)


@decomposes("cov")
def _cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    x = _np.asarray(m)
    if any([each is not None for each in (y, fweights, aweights, dtype)]) or x.ndim > 2 or x.dtype.kind not in "biuf":
        return NotImplemented
    x = x.astype(_np.result_type(x, _np.float64))
    if x.ndim == 2 and not rowvar and x.shape[0] != 1:
        x = x.T
    x = x.reshape((1,) * (2 - x.ndim) + x.shape)
    degrees = x.shape[1] - ((0 if bias else 1) if ddof is None else ddof)
    if degrees <= 0 or x.shape[0] == 0:
        return NotImplemented
    x = x - _np.mean(x, 1)[:, None]
    return (_np.dot(x, x.T) * (1 / degrees)).squeeze()


@decomposes("corrcoef")
def _corrcoef(x, y=None, rowvar=True):
    c = _cov(x, y, rowvar)
    if c is NotImplemented or c.ndim == 0:
        return NotImplemented
    deviation = _np.sqrt(_np.diagonal(c))
    return _np.clip(c / deviation[:, None] / deviation[None, :], -1, 1)


@decomposes("linalg.matrix_power")
def _matrix_power(a, n):
    if not is_int(n) or n < 1:
        return NotImplemented
    if n == 3:
        return a @ a @ a
    power, result = a, None
    while n:
        if n % 2:
            result = power if result is None else result @ power
        n //= 2
        if n:
            power = power @ power
    return result


@decomposes("linalg.multi_dot")
def _multi_dot(arrays, *, out=None):
    if out is not None or len(arrays) not in (2, 3) or any([_np.ndim(each) != 2 for each in arrays]):
        return NotImplemented
    if len(arrays) == 2:
        return _np.dot(arrays[0], arrays[1])
    a, b, c = arrays
    rows, inner, outer, columns = a.shape[0], a.shape[1], c.shape[0], c.shape[1]
    if rows * outer * (inner + columns) < inner * columns * (rows + outer):
        return _np.dot(_np.dot(a, b), c)
    return _np.dot(a, _np.dot(b, c))


@decomposes("vander")
def _vander(x, N=None, increasing=False):
    x = _np.asarray(x)
    x = x.astype(_np.promote_types(x.dtype, int))
    columns = [_np.ones_like(x)]
    for _ in range((x.shape[0] if N is None else N) - 1):
        columns.append(columns[-1] * x if len(columns) > 1 else x)
    if x.ndim != 1 or N == 0:
        return NotImplemented
    return _np.stack(columns if increasing else columns[::-1], axis=1)


@decomposes("linalg.norm", "linalg.vector_norm")
def _norm(x, ord=None, axis=None, keepdims=False):
    x = _np.asarray(x)
    if x.dtype.kind not in "iufb":
        return NotImplemented
    if x.dtype.kind != "f":
        x = x.astype(float)
    if axis is None and ord is None:
        elements = x.ravel()
        root = _np.sqrt(_np.dot(elements, elements))
        return root.reshape((1,) * x.ndim) if keepdims else root
    axes = axes_of(x, axis)
    if len(axes) == 1:
        return _vector_norm(x, ord, axes, keepdims)
    return _matrix_norm(x, ord, axes, keepdims) if len(axes) == 2 else NotImplemented


def _vector_norm(x, ord, axis, keepdims):
    if ord is None or ord == 2:
        return _np.sqrt(_np.add.reduce(x * x, axis=axis, keepdims=keepdims))
    if ord == _np.inf:
        return _np.abs(x).max(axis, keepdims=keepdims)
    if ord == -_np.inf:
        return _np.abs(x).min(axis, keepdims=keepdims)
    if ord == 1:
        return _np.add.reduce(_np.abs(x), axis=axis, keepdims=keepdims)
    return (x != 0).astype(x.dtype).sum(axis, keepdims=keepdims) if ord == 0 else NotImplemented


def _matrix_norm(x, ord, axes, keepdims):
    if ord in (None, "fro", "f"):
        return _np.sqrt(_np.add.reduce(x * x, axis=axes, keepdims=keepdims))
    summed, kept = axes if ord in (1, -1) else axes[::-1]
    if ord in (1, _np.inf):
        return _np.add.reduce(_np.abs(x), axis=summed, keepdims=True).max(axes, keepdims=keepdims)
    if ord in (-1, -_np.inf):
        return _np.add.reduce(_np.abs(x), axis=summed, keepdims=True).min(axes, keepdims=keepdims)
    return NotImplemented
