"""Calls of NumPy written with the ops of graphs (dynacc.graph.default_decompositions).

TABLE is a dict from a function of NumPy, or a method of ndarray, to a Python function of the same arguments. That is
traced where the call itself would be left to NumPy, and computes the same bits. It returns NotImplemented for arguments
that it does not cover, and for those with which NumPy's function raises.

OF_SIZES has those that only sizes which vary need.
"""
import numpy as _np

TABLE, OF_SIZES = {}, {}

# What functions of several results give: tuples since NumPy 2.
_several = tuple if int(_np.__version__.partition(".")[0]) >= 2 else list


def _decomposes(*names, method=None):
    """Registers the decorated function for those functions of NumPy that this version has, and a method of ndarray."""
    def register(function):
        for name in names:
            found = _np
            for part in name.split("."):
                found = getattr(found, part, None)
            if found is not None:
                TABLE[found] = function
        if method is not None and hasattr(_np.ndarray, method):
            TABLE[getattr(_np.ndarray, method)] = function
        return function

    return register


def _is_int(value):
    return isinstance(value, (int, _np.integer)) and not isinstance(value, bool)


def _is_ints(value):
    """Whether it is a list or tuple of ints, not empty."""
    return isinstance(value, (list, tuple)) and len(value) > 0 and all([_is_int(item) for item in value])


def _flat(a, axis):
    """The array and axis for a function whose axis None stands for all elements."""
    return (a.reshape(-1), 0) if axis is None else (a, axis % a.ndim)


def _along(axis, part):
    return (slice(None),) * axis + (part,)


# --- Elements that are moved -----------------------------------------------------------------------------------------

@_decomposes("take", method="take")
def _take(a, indices, axis=None, out=None, mode="raise"):
    a = _np.asarray(a)
    if out is not None or a.ndim == 0:
        return NotImplemented
    a, axis = _flat(a, axis)
    indices = _np.asarray(indices)
    if indices.dtype.kind not in "iu":
        return NotImplemented
    if mode == "wrap":
        indices = indices % a.shape[axis]
    elif mode == "clip":
        indices = _np.clip(indices, 0, a.shape[axis] - 1)
    if a.ndim == 1 and indices.ndim == 0:
        return a[indices[None]][0]
    return _np.ascontiguousarray(a[_along(axis, indices)])


@_decomposes("repeat", method="repeat")
def _repeat(a, repeats, axis=None):
    a = _np.asarray(a)
    if a.ndim == 0:
        return NotImplemented
    a, axis = _flat(a, axis)
    if _is_ints(repeats) and len(repeats) == 1:
        repeats = repeats[0]
    if _is_ints(repeats) and len(repeats) == a.shape[axis] and min(repeats) >= 0:
        return _take(a, [place for place, count in enumerate(repeats) for _ in range(count)], axis)
    if not _is_int(repeats) or repeats < 0:
        return NotImplemented
    before, size, behind = a.shape[:axis], a.shape[axis], a.shape[axis + 1:]
    spread = _np.broadcast_to(a.reshape(before + (size, 1) + behind), before + (size, repeats) + behind)
    return spread.copy().reshape(before + (size * repeats,) + behind)


@_decomposes("tile")
def _tile(A, reps):
    a = _np.asarray(A)
    reps = (reps,) if _is_int(reps) else reps
    if not _is_ints(reps) or min(reps) < 0:
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


@_decomposes("resize")
def _resize(a, new_shape):
    new_shape = (new_shape,) if _is_int(new_shape) else new_shape
    if not _is_ints(new_shape):
        return NotImplemented
    a = _np.ravel(a)
    size = 1
    for length in new_shape:
        size *= length
    if size <= 0 or a.size == 0:
        return NotImplemented
    return a[_np.arange(size) % a.size].reshape(tuple(new_shape))


def _concatenated(parts, axis):
    """np.concatenate of parts that may be of several dtypes."""
    dtype = _np.result_type(*parts)
    return _np.concatenate([part.astype(dtype) for part in parts], axis=axis)


@_decomposes("append")
def _append(arr, values, axis=None):
    arr, values = _np.asarray(arr), _np.asarray(values)
    if axis is None:
        arr, values, axis = arr.reshape(-1), values.reshape(-1), 0
    return _concatenated((arr, values), axis)


def _deleted(obj, size):
    """The places that np.delete's `obj` names, in order; None for those of which NumPy says more."""
    if isinstance(obj, slice):
        return sorted(list(range(size))[obj])
    places = [obj] if _is_int(obj) else obj
    if not _is_ints(places) or min(places) < -size or max(places) >= size:
        return None
    return sorted({place + size if place < 0 else place for place in places})


@_decomposes("delete")
def _delete(arr, obj, axis=None):
    arr = _np.asarray(arr)
    arr, axis = _flat(arr, axis)
    size = arr.shape[axis]
    deleted = _deleted(obj, size)
    if deleted is None:
        return NotImplemented
    parts, start = [], 0
    for place in deleted:
        parts.append(arr[_along(axis, slice(start, place))])
        start = place + 1
    return _np.concatenate([*parts, arr[_along(axis, slice(start, size))]], axis)


@_decomposes("insert")
def _insert(arr, obj, values, axis=None):
    arr = _np.asarray(arr)
    arr, axis = _flat(arr, axis)
    size = arr.shape[axis]
    places = [obj] if _is_int(obj) else obj
    if not _is_ints(places) or min(places) < -size or max(places) > size:
        return NotImplemented
    values = _np.asarray(values)
    values = values.reshape((1,) * max(arr.ndim - values.ndim, 0) + values.shape).astype(arr.dtype)
    if _is_int(obj):
        values = _np.moveaxis(values, 0, axis)
    count = values.shape[axis] if len(places) == 1 else len(places)
    values = _np.broadcast_to(values, arr.shape[:axis] + (count,) + arr.shape[axis + 1:])
    before = [place + size if place < 0 else place for place in places]
    if len(before) == 1:
        parts = arr[_along(axis, slice(0, before[0]))], values, arr[_along(axis, slice(before[0], size))]
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
    return _concatenated([_joined(item, depth - 1, rank) for item in arrays], -depth)


def _is_even(arrays, depth):
    """Whether all lists are equally deep, and none is empty."""
    if not isinstance(arrays, list):
        return depth == 0
    return len(arrays) > 0 and depth > 0 and all([_is_even(item, depth - 1) for item in arrays])


@_decomposes("block")
def _block(arrays):
    depth = _depth(arrays)
    if depth == 0 or not _is_even(arrays, depth):
        return NotImplemented
    return _joined(arrays, depth, max(depth, _rank(arrays)))


@_decomposes("meshgrid")
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
    return _several([grid.copy() if copy else grid for grid in grids])


def diagonal(a, offset=0, axis1=0, axis2=1):
    """np.diagonal, which is a view and so needs no decomposition, as an array."""
    a = _np.moveaxis(a, (axis1, axis2), (-2, -1))
    row, column = max(-offset, 0), max(offset, 0)
    places = _np.arange(max(min(a.shape[-2] - row, a.shape[-1] - column), 0))
    return a[..., places + row, places + column]


@_decomposes("diag")
def _diag(v, k=0):
    v = _np.asarray(v)
    if v.ndim != 1:
        return diagonal(v, k) if v.ndim == 2 else NotImplemented
    size = v.shape[0] + abs(k)
    places = _np.arange(v.shape[0])
    result = _np.zeros((size, size), v.dtype)
    result[places + max(-k, 0), places + max(k, 0)] = v
    return result


@_decomposes("diagflat")
def _diagflat(v, k=0):
    return _diag(_np.asarray(v).reshape(-1), k)


def _lower(m, k):
    """np.tri of a matrix's size, as bools."""
    rows, columns = m.shape[-2:]
    return _np.arange(rows)[:, None] >= _np.arange(columns) - k


@_decomposes("tril")
def _tril(m, k=0):
    m = _np.asarray(m)
    return _np.where(_lower(m, k), m, _np.zeros(1, m.dtype)) if m.ndim > 1 else NotImplemented


@_decomposes("triu")
def _triu(m, k=0):
    m = _np.asarray(m)
    return _np.where(_lower(m, k - 1), _np.zeros(1, m.dtype), m) if m.ndim > 1 else NotImplemented


def _axes(x, axes):
    return tuple(range(x.ndim)) if axes is None else (axes,) if _is_int(axes) else tuple(axes)


@_decomposes("fft.fftshift")
def _fftshift(x, axes=None):
    x = _np.asarray(x)
    axes = _axes(x, axes)
    return _np.roll(x, tuple([x.shape[axis] // 2 for axis in axes]), axes)


@_decomposes("fft.ifftshift")
def _ifftshift(x, axes=None):
    x = _np.asarray(x)
    axes = _axes(x, axes)
    return _np.roll(x, tuple([-(x.shape[axis] // 2) for axis in axes]), axes)


def _arange(start, stop=None, step=1, dtype=None, **kwargs):
    if stop is None:
        start, stop = 0, start
    if not (_is_int(start) and _is_int(stop) and _is_int(step)) or step == 0 or kwargs:
        return NotImplemented
    count = max((stop - start + step + (-1 if step > 0 else 1)) // step, 0)
    numbers = (_np.cumsum(_np.ones(count, _np.int64)) - 1) * step + start
    return numbers if dtype is None else numbers.astype(dtype)


OF_SIZES[_np.arange] = _arange


# --- Element by element ----------------------------------------------------------------------------------------------

@_decomposes("nan_to_num")
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


@_decomposes("isclose")
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


@_decomposes("allclose")
def _allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return bool(_np.isclose(a, b, rtol, atol, equal_nan).all())


@_decomposes("isin")
def _isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    element, tests = _np.asarray(element), _np.asarray(test_elements).reshape(-1)
    if element.ndim == 0 or element.dtype.kind not in "biuf" or tests.dtype.kind not in "biuf":
        return NotImplemented
    found = (element[..., None] == tests).any(-1)
    return ~found if invert else found


@_decomposes("round", "around", "round_", method="round")
def _round(a, decimals=0, out=None):
    a = _np.asarray(a)
    if out is not None or a.dtype.kind != "f" or not _is_int(decimals):
        return NotImplemented
    scale = float(10 ** abs(decimals))
    if decimals == 0:
        return _np.rint(a)
    return _np.rint(a * scale) / scale if decimals > 0 else _np.rint(a / scale) * scale


@_decomposes("divmod")
def _divmod(x1, x2):
    return x1 // x2, x1 % x2


@_decomposes("modf")
def _modf(x):
    x = _np.asarray(x)
    if x.dtype.kind != "f":
        return NotImplemented
    whole = _np.trunc(x)
    return _np.copysign(_np.where(_np.isinf(x), x.dtype.type(0), x - whole), x), whole


@_decomposes("polyval")
def _polyval(p, x):
    x = _np.asarray(x)
    y = _np.zeros_like(x)
    for coefficient in p:
        y = y * x + coefficient
    return y


@_decomposes("interp")
def _interp(x, xp, fp, left=None, right=None, period=None):
    x, xp, fp = _np.asarray(x), _np.asarray(xp), _np.asarray(fp)
    if period is not None or x.ndim == 0 or fp.dtype.kind not in "biuf" or xp.shape[0] < 2:
        return NotImplemented
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


# --- Differences and sums --------------------------------------------------------------------------------------------

@_decomposes("ediff1d")
def _ediff1d(ary, to_end=None, to_begin=None):
    if to_end is not None or to_begin is not None:
        return NotImplemented
    ary = _np.asarray(ary).reshape(-1)
    return ary[1:] - ary[:-1]


def _derivative(f, step, axis, edge_order):
    """np.gradient's along one axis, of points that are `step` apart."""
    f = _np.moveaxis(f, axis, 0)
    inner = (f[2:] - f[:-2]) / (2.0 * step)
    if edge_order == 1:
        first, last = (f[1] - f[0]) / step, (f[-1] - f[-2]) / step
    else:
        first = -1.5 / step * f[0] + 2.0 / step * f[1] + -0.5 / step * f[2]
        last = 0.5 / step * f[-3] + -2.0 / step * f[-2] + 1.5 / step * f[-1]
    whole = _np.concatenate((first[None].astype(f.dtype), inner.astype(f.dtype), last[None].astype(f.dtype)))
    return _np.ascontiguousarray(_np.moveaxis(whole, 0, axis))


@_decomposes("gradient")
def _gradient(f, *varargs, axis=None, edge_order=1):
    f = _np.asarray(f)
    if f.ndim == 0 or f.dtype.kind not in "iuf" or edge_order not in (1, 2):
        return NotImplemented
    axes = tuple(range(f.ndim)) if axis is None else (axis % f.ndim,) if _is_int(axis) else None
    steps = varargs * len(axes) if len(varargs) == 1 else varargs or (1.0,) * len(axes)
    if axes is None or len(steps) != len(axes) or not all([isinstance(step, (int, float)) for step in steps]):
        return NotImplemented
    for each in axes:
        if f.shape[each] < edge_order + 1:
            return NotImplemented
    if f.dtype.kind != "f":
        f = f.astype(_np.float64)
    found = [_derivative(f, step, each, edge_order) for step, each in zip(steps, axes)]
    return found[0] if len(found) == 1 else _several(found)


@_decomposes("trapz", "trapezoid")
def _trapezoid(y, x=None, dx=1.0, axis=-1):
    y = _np.moveaxis(_np.asarray(y), axis, -1)
    if x is None:
        d = dx
    else:
        x = _np.asarray(x)
        d = _np.diff(x) if x.ndim == 1 else _np.diff(_np.moveaxis(x, axis, -1))
    return (d * (y[..., 1:] + y[..., :-1]) / 2.0).sum(-1)


@_decomposes("ptp", method="ptp")
def _ptp(a, axis=None, out=None, keepdims=False):
    if out is not None:
        return NotImplemented
    return _np.max(a, axis, keepdims=keepdims) - _np.min(a, axis, keepdims=keepdims)


@_decomposes("trace", "linalg.trace", method="trace")
def _trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    a = _np.asarray(a)
    if out is not None or a.ndim != 2 or (axis1, axis2) != (0, 1):
        return NotImplemented
    return diagonal(a, offset).sum(dtype=dtype)


@_decomposes("average")
def _average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    if weights is not None or returned:
        return NotImplemented  # weights whose sum is zero raise
    return _np.mean(a, axis, keepdims=keepdims)


def _without_nans(a, value):
    """The array with `value` for its NaNs, and where they are."""
    is_nan = _np.isnan(a)
    return _np.where(is_nan, a.dtype.type(value), a), is_nan


def _of_floats(a, *others):
    return _np.asarray(a).dtype.kind == "f" and _np.ndim(a) > 0 and all([other is None for other in others])


@_decomposes("nansum")
def _nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    if not _of_floats(a, out, initial, where):
        return NotImplemented
    return _np.sum(_without_nans(_np.asarray(a), 0)[0], axis, dtype=dtype, keepdims=keepdims)


@_decomposes("nanprod")
def _nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    if not _of_floats(a, out, initial, where):
        return NotImplemented
    return _np.prod(_without_nans(_np.asarray(a), 1)[0], axis, dtype=dtype, keepdims=keepdims)


@_decomposes("nancumsum")
def _nancumsum(a, axis=None, dtype=None, out=None):
    if not _of_floats(a, out):
        return NotImplemented
    return _np.cumsum(_without_nans(_np.asarray(a), 0)[0], axis, dtype=dtype)


@_decomposes("nancumprod")
def _nancumprod(a, axis=None, dtype=None, out=None):
    if not _of_floats(a, out):
        return NotImplemented
    a, axis = _flat(_without_nans(_np.asarray(a), 1)[0], axis)
    return _np.cumprod(a, axis, dtype=dtype)


def _divided(total, count):
    return (total / count).astype(total.dtype)


@_decomposes("nanmean")
def _nanmean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=None):
    if not _of_floats(a, out, where, dtype):
        return NotImplemented
    a, is_nan = _without_nans(_np.asarray(a), 0)
    return _divided(a.sum(axis, keepdims=keepdims), (~is_nan).sum(axis, keepdims=keepdims))


@_decomposes("nanvar")
def _nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, mean=None, correction=None):
    if not _of_floats(a, out, where, dtype, mean, correction):
        return NotImplemented
    a, is_nan = _without_nans(_np.asarray(a), 0)
    mean = _divided(a.sum(axis, keepdims=True), (~is_nan).sum(axis, keepdims=True))
    apart = _np.where(is_nan, a.dtype.type(0), a - mean)
    degrees = (~is_nan).sum(axis, keepdims=keepdims) - ddof
    variance = _divided((apart * apart).sum(axis, keepdims=keepdims), degrees)
    return _np.where(degrees <= 0, a.dtype.type(_np.nan), variance) if _np.ndim(variance) else NotImplemented


@_decomposes("nanstd")
def _nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, mean=None, correction=None):
    variance = _nanvar(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)
    return variance if variance is NotImplemented else _np.sqrt(variance)


@_decomposes("unwrap")
def _unwrap(p, discont=None, axis=-1, *, period=2 * _np.pi):
    p = _np.asarray(p)
    if p.dtype.kind != "f":
        return NotImplemented
    dtype = _np.result_type(p, period)
    if dtype.kind != "f":
        return NotImplemented
    p = _np.moveaxis(p, axis, -1)
    apart = _np.diff(p)
    high = period / 2
    near = _np.mod(apart + high, period) - high
    near = _np.where((near == -high) & (apart > 0), high, near)
    change = _np.where(_np.abs(apart) < (high if discont is None else discont), 0, near - apart)
    whole = _np.concatenate((p[..., :1].astype(dtype), (p[..., 1:] + change.cumsum(-1)).astype(dtype)), axis=-1)
    return _np.ascontiguousarray(_np.moveaxis(whole, -1, axis))


# --- Products --------------------------------------------------------------------------------------------------------

@_decomposes("kron")
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


@_decomposes("inner")
def _inner(a, b):
    a, b = _np.asarray(a), _np.asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    return _np.dot(a, b if b.ndim == 1 else _np.swapaxes(b, -1, -2))


@_decomposes("vdot")
def _vdot(a, b):
    a, b = _np.ravel(a), _np.ravel(b)
    return NotImplemented if a.dtype.kind == "c" or b.dtype.kind == "c" else _np.dot(a, b)


@_decomposes("tensordot")
def _tensordot(a, b, axes=2):
    a, b = _np.asarray(a), _np.asarray(b)
    if _is_int(axes):
        of_a, of_b = list(range(a.ndim - axes, a.ndim)), list(range(axes))
    else:
        of_a, of_b = axes
        of_a = [of_a % a.ndim] if _is_int(of_a) else [axis % a.ndim for axis in of_a]
        of_b = [of_b % b.ndim] if _is_int(of_b) else [axis % b.ndim for axis in of_b]
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


@_decomposes("cross")
def _cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    a, b = _np.asarray(a), _np.asarray(b)
    if axis is not None or (axisa, axisb, axisc) != (-1, -1, -1) or a.shape[-1] != 3 or b.shape[-1] != 3:
        return NotImplemented
    dtype = _np.promote_types(a.dtype, b.dtype)
    a, b = a.astype(dtype), b.astype(dtype)
    a0, a1, a2 = a[..., 0], a[..., 1], a[..., 2]
    b0, b1, b2 = b[..., 0], b[..., 1], b[..., 2]
    return _np.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], axis=-1)


@_decomposes("cov")
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


@_decomposes("corrcoef")
def _corrcoef(x, y=None, rowvar=True):
    c = _cov(x, y, rowvar)
    if c is NotImplemented or c.ndim == 0:
        return NotImplemented
    deviation = _np.sqrt(_np.diagonal(c))
    return _np.clip(c / deviation[:, None] / deviation[None, :], -1, 1)


@_decomposes("linalg.matrix_power")
def _matrix_power(a, n):
    if not _is_int(n) or n < 1:
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


@_decomposes("linalg.multi_dot")
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


@_decomposes("vander")
def _vander(x, N=None, increasing=False):
    x = _np.asarray(x)
    x = x.astype(_np.promote_types(x.dtype, int))
    columns = [_np.ones_like(x)]
    for _ in range((x.shape[0] if N is None else N) - 1):
        columns.append(columns[-1] * x if len(columns) > 1 else x)
    if x.ndim != 1 or N == 0:
        return NotImplemented
    return _np.stack(columns if increasing else columns[::-1], axis=1)


@_decomposes("linalg.norm", "linalg.vector_norm")
def _norm(x, ord=None, axis=None, keepdims=False):
    x = _np.asarray(x)
    if x.dtype.kind not in "iufb":
        return NotImplemented
    if x.dtype.kind != "f":
        x = x.astype(float)
    if axis is None and ord is None:
        flat = x.ravel()
        root = _np.sqrt(_np.dot(flat, flat))
        return root.reshape((1,) * x.ndim) if keepdims else root
    axes = _axes(x, axis)
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


# --- Order -----------------------------------------------------------------------------------------------------------

@_decomposes("lexsort")
def _lexsort(keys, axis=-1):
    if not isinstance(keys, (list, tuple)) or not keys or any([_np.ndim(key) != 1 for key in keys]):
        return NotImplemented
    order = _np.argsort(keys[0], kind="stable")
    for key in keys[1:]:
        order = order[_np.argsort(key[order], kind="stable")]
    return order


@_decomposes("quantile")
def _quantile(a, q, axis=None, **kwargs):
    if not isinstance(q, (list, tuple)) or not q or kwargs:
        return NotImplemented
    return _np.concatenate([_np.quantile(a, each, axis)[None] for each in q])


@_decomposes("percentile")
def _percentile(a, q, axis=None, **kwargs):
    if not isinstance(q, (list, tuple)) or not q or kwargs:
        return NotImplemented
    return _np.concatenate([_np.percentile(a, each, axis)[None] for each in q])
