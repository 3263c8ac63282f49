"""Decompositions of NumPy's differences, sums and statistics (_decompositions.py says what these are)."""
import numpy as _np

from dynacc._decomposition_table import (
    along, decomposes, diagonal, end_run_if, flat, is_int, joined, of_one_dtype, scalar_of, several)


@decomposes("ediff1d")
def _ediff1d(ary, to_end=None, to_begin=None):
    if to_end is not None or to_begin is not None:
        return NotImplemented
    ary = _np.asarray(ary).reshape(-1)
    return ary[1:] - ary[:-1]


@decomposes("diff")
def _diff(a, n=1, axis=-1, prepend=None, append=None):
    a = _np.asarray(a)
    if not is_int(n) or n < 1 or a.ndim == 0 or (prepend is None and append is None):
        return NotImplemented
    axis = axis % a.ndim
    parts = [a]
    for end, place in ((prepend, 0), (append, 2)):
        if end is None:
            continue
        end = _np.asarray(end)
        end = _np.broadcast_to(end, a.shape[:axis] + (1,) + a.shape[axis + 1:]) if end.ndim == 0 else end
        parts.insert(place, end)
    return _np.diff(joined(parts, axis), n, axis)


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


@decomposes("gradient")
def _gradient(f, *varargs, axis=None, edge_order=1):
    f = _np.asarray(f)
    if f.ndim == 0 or f.dtype.kind not in "iuf" or edge_order not in (1, 2):
        return NotImplemented
    axes = tuple(range(f.ndim)) if axis is None else (axis % f.ndim,) if is_int(axis) else None
    steps = varargs * len(axes) if len(varargs) == 1 else varargs or (1.0,) * len(axes)
    if axes is None or len(steps) != len(axes) or not all([isinstance(step, (int, float)) for step in steps]):
        return NotImplemented
    for each in axes:
        if f.shape[each] < edge_order + 1:
            return NotImplemented
    if f.dtype.kind != "f":
        f = f.astype(_np.float64)
    found = [_derivative(f, step, each, edge_order) for step, each in zip(steps, axes)]
    return found[0] if len(found) == 1 else several(found)


@decomposes("trapz", "trapezoid")
def _trapezoid(y, x=None, dx=1.0, axis=-1):
    y = _np.moveaxis(_np.asarray(y), axis, -1)
    if x is None:
        d = dx
    else:
        x = _np.asarray(x)
        d = _np.diff(x) if x.ndim == 1 else _np.diff(_np.moveaxis(x, axis, -1))
    return (d * (y[..., 1:] + y[..., :-1]) / 2.0).sum(-1)


@decomposes("ptp", method="ptp")
def _ptp(a, axis=None, out=None, keepdims=False):
    if out is not None:
        return NotImplemented
    return _np.max(a, axis, keepdims=keepdims) - _np.min(a, axis, keepdims=keepdims)


@decomposes("trace", "linalg.trace", method="trace")
def _trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    a = _np.asarray(a)
    if out is not None or a.ndim != 2 or (axis1, axis2) != (0, 1):
        return NotImplemented
    return diagonal(a, offset).sum(dtype=dtype)


def _as_floats(a):
    """Integers as NumPy sums them for a mean: as float64, whose sums have one result in any order up to 2 ** 53."""
    numbers = a.astype(_np.float64)
    if a.dtype.itemsize < 8:
        return numbers
    return numbers + end_run_if((_np.abs(numbers) > 2.0 ** 53 / a.size).any(), _np.float64)


def _of_ints(a, *others):
    return _np.asarray(a).dtype.kind in "biu" and all([other is None for other in others])


@decomposes("mean", method="mean")
def _mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=None):
    if not _of_ints(a, dtype, out, where):
        return NotImplemented
    return _np.mean(_as_floats(_np.asarray(a)), axis, keepdims=keepdims)


@decomposes("var", method="var")
def _var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, **kwargs):
    if not _of_ints(a, dtype, out, where) or kwargs:
        return NotImplemented
    return _np.var(_as_floats(_np.asarray(a)), axis, ddof=ddof, keepdims=keepdims)


@decomposes("std", method="std")
def _std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, **kwargs):
    if not _of_ints(a, dtype, out, where) or kwargs:
        return NotImplemented
    return _np.std(_as_floats(_np.asarray(a)), axis, ddof=ddof, keepdims=keepdims)


@decomposes("average")
def _average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    if returned:
        return NotImplemented
    if weights is None:
        return _np.mean(a, axis, keepdims=keepdims)
    a, weights = _np.asarray(a), _np.asarray(weights)
    if weights.shape != a.shape:
        if weights.ndim != 1 or not is_int(axis):
            return NotImplemented
        shape = [1] * a.ndim
        shape[axis] = weights.shape[0]
        weights = weights.reshape(tuple(shape))
    # NumPy raises an error where weights have no sum.
    of_ints = a.dtype.kind in "biu"
    dtype = _np.result_type(a.dtype, weights.dtype, *((_np.dtype("f8"),) if of_ints else ()))
    a, weights = a.astype(dtype), weights.astype(dtype)
    total = weights.sum(axis, keepdims=keepdims)
    total = total + end_run_if(total == 0, dtype)
    return (a * weights).sum(axis, keepdims=keepdims) / total


@decomposes("count_nonzero")
def _count_nonzero(a, axis=None, *, keepdims=False):
    a = _np.asarray(a)
    if axis is None and not keepdims:
        return NotImplemented
    return a.astype(_np.bool_).sum(axis, dtype=_np.intp, keepdims=keepdims)


def _without_nans(a, value):
    """The array with `value` for its NaNs, and where they are."""
    is_nan = _np.isnan(a)
    return _np.where(is_nan, a.dtype.type(value), a), is_nan


def _of_floats(a, *others):
    return _np.asarray(a).dtype.kind == "f" and _np.ndim(a) > 0 and all([other is None for other in others])


@decomposes("nansum")
def _nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    if not _of_floats(a, out, initial, where):
        return NotImplemented
    return _np.sum(_without_nans(_np.asarray(a), 0)[0], axis, dtype=dtype, keepdims=keepdims)


@decomposes("nanprod")
def _nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    if not _of_floats(a, out, initial, where):
        return NotImplemented
    return _np.prod(_without_nans(_np.asarray(a), 1)[0], axis, dtype=dtype, keepdims=keepdims)


def _nan_extreme(reduce, neutral, a, axis, keepdims, unused):
    """The greatest or least of the numbers, NaN where there is none; NumPy's fmax and fmin, which reduce so."""
    a = _np.asarray(a)
    if any([each is not None for each in unused]) or a.ndim == 0 or a.dtype.kind not in "biuf":
        return NotImplemented
    if a.dtype.kind != "f":
        return reduce(a, axis, keepdims=keepdims)
    numbers, is_nan = _without_nans(a, neutral)
    found, no_number = reduce(numbers, axis, keepdims=keepdims), is_nan.all(axis, keepdims=keepdims)
    return scalar_of(_np.where(no_number, a.dtype.type(_np.nan), found))


@decomposes("nanmax")
def _nanmax(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    return _nan_extreme(_np.max, -_np.inf, a, axis, keepdims, (out, initial, where))


@decomposes("nanmin")
def _nanmin(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    return _nan_extreme(_np.min, _np.inf, a, axis, keepdims, (out, initial, where))


@decomposes("nancumsum")
def _nancumsum(a, axis=None, dtype=None, out=None):
    if not _of_floats(a, out):
        return NotImplemented
    return _np.cumsum(_without_nans(_np.asarray(a), 0)[0], axis, dtype=dtype)


@decomposes("nancumprod")
def _nancumprod(a, axis=None, dtype=None, out=None):
    if not _of_floats(a, out):
        return NotImplemented
    a, axis = flat(_without_nans(_np.asarray(a), 1)[0], axis)
    return _np.cumprod(a, axis, dtype=dtype)


def _divided(total, count):
    return (total / count).astype(total.dtype)


@decomposes("nanmean")
def _nanmean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=None):
    if not _of_floats(a, out, where, dtype):
        return NotImplemented
    a, is_nan = _without_nans(_np.asarray(a), 0)
    return _divided(a.sum(axis, keepdims=keepdims), (~is_nan).sum(axis, keepdims=keepdims))


@decomposes("nanvar")
def _nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, mean=None, correction=None):
    if not _of_floats(a, out, where, dtype, mean, correction):
        return NotImplemented
    a, is_nan = _without_nans(_np.asarray(a), 0)
    mean = _divided(a.sum(axis, keepdims=True), (~is_nan).sum(axis, keepdims=True))
    apart = _np.where(is_nan, a.dtype.type(0), a - mean)
    degrees = (~is_nan).sum(axis, keepdims=keepdims) - ddof
    variance = _divided((apart * apart).sum(axis, keepdims=keepdims), degrees)
    return _np.where(degrees <= 0, a.dtype.type(_np.nan), variance) if _np.ndim(variance) else NotImplemented


@decomposes("nanstd")
def _nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, mean=None, correction=None):
    variance = _nanvar(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)
    return variance if variance is NotImplemented else _np.sqrt(variance)


@decomposes("unwrap")
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


# --- Sums of products of neighbours ----------------------------------------------------------------------------------

_LONGEST = 64  # more terms would make a large graph


def _in_order(a, v):
    """np.correlate of all overlaps of a with a shorter v, where each sum is added from its first term to its last."""
    sums = []
    for place in range(-len(v) + 1, len(a)):
        total = a.dtype.type(0)
        for offset in range(max(-place, 0), min(len(a) - place, len(v))):
            total = total + a[place + offset] * v[offset]
        sums.append(total)
    return _np.array(sums, a.dtype)


def _orders_of_sums():
    """Whether this NumPy's np.correlate adds in order: {(dtype, mode, whether v has at most 11 elements)}.

    It does so itself for v of at most 11 elements that overlap in full, and leaves the other sums to BLAS.
    """
    orders, random = {}, _np.random.RandomState(5)
    for dtype in (_np.float32, _np.float64):
        for is_short, counts in ((True, (2, 3, 5, 8, 11)), (False, (12, 17, 33, _LONGEST))):
            samples = [[random.normal(size=size).astype(dtype) for size in (_LONGEST + 5, count)] for count in counts]
            for mode in ("valid", "full"):
                orders[_np.dtype(dtype).char, mode, is_short] = all([
                    _np.correlate(a, v, mode).tobytes()
                    == (_in_order(a, v) if mode == "full" else _in_order(a, v)[len(v) - 1:1 - len(v) or None]).tobytes()
                    for a, v in samples])
    return orders


_ORDERS_OF_SUMS = {}


def find_orders():
    """Looks at what this NumPy does, once; before functions are traced."""
    if not _ORDERS_OF_SUMS:
        _ORDERS_OF_SUMS.update(_orders_of_sums())


def _has_order(dtype, mode, count):
    kind = "valid" if mode == "valid" else "full"
    return dtype.kind in "iu" or _ORDERS_OF_SUMS.get((dtype.char, kind, count <= 11), False)


def _correlated(a, v, mode):
    """np.correlate of a v that is not the longer one."""
    count, rest = v.shape[0], v.shape[0] - 1
    if mode not in ("valid", "same", "full") or not isinstance(count, int) or not 0 < count <= _LONGEST:
        return NotImplemented
    if not _has_order(a.dtype, mode, count):
        return NotImplemented
    is_inside = None
    if mode != "valid":
        outside = _np.zeros(rest, _np.bool_)
        is_inside = _np.concatenate((outside, _np.ones(a.shape, _np.bool_), outside))
        a = _np.concatenate((_np.zeros(rest, a.dtype), a, _np.zeros(rest, a.dtype)))
    size = a.shape[0] - rest
    sums = _np.zeros(size, a.dtype)
    for place in range(count):
        terms = a[place:place + size] * v[place]
        if is_inside is not None:
            terms = _np.where(is_inside[place:place + size], terms, a.dtype.type(0))
        sums = sums + terms
    if mode == "same":
        first = rest - count // 2
        sums = sums[first:first + size - rest]
    return _np.ascontiguousarray(sums)


def _are_vectors(a, v):
    return a.ndim == 1 and v.ndim == 1 and a.dtype.kind in "iuf"


@decomposes("correlate")
def _correlate(a, v, mode="valid"):
    a, v = of_one_dtype(a, v)
    if not _are_vectors(a, v) or a.shape[0] < v.shape[0]:
        return NotImplemented
    return _correlated(a, v, mode)


@decomposes("convolve")
def _convolve(a, v, mode="full"):
    a, v = of_one_dtype(a, v)
    if not _are_vectors(a, v):
        return NotImplemented
    if v.shape[0] > a.shape[0]:
        a, v = v, a
    return _correlated(a, v[::-1], mode)
