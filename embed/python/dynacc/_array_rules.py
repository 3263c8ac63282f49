"""Derivatives of NumPy's functions that move, order, sum and map elements (_gradient_rules.py says how)."""
import math as _math
import operator as _operator

import _dynacc
import numpy as _np

from dynacc import _bessel, _decompositions
from dynacc._gradient_rules import (LEFT, RULES, as_array, filled, functions, has_arrays, is_complex, pull, stand_in,
                                    through, unbroadcast, widest)

_arrays = _dynacc.arrays()

# --- Functions whose decompositions have their derivatives -------------------------------------------------------------

for _names, _count in (
        (("block", "meshgrid"), 0),
        (("diag", "diagflat", "ediff1d", "fft.fftshift", "fft.ifftshift", "polyder", "polyint", "ptp", "resize", "tile",
          "tril", "triu"), 1),
        (("append", "kron", "polyval", "trapezoid", "trapz"), 2)):
    for _function in functions(_names):
        stand_in(_function, arrays=_count)(_decompositions.TABLE[_function])
del _names, _count
stand_in(methods=("ptp",))(_decompositions.TABLE[_np.ptp])
del _function

# --- Operators of NumPy's scalars, whose bits are not the ufuncs' ----------------------------------------------------

for _operator_function, _ufunc in ((_operator.pow, _np.power), (_operator.mod, _np.remainder),
                                   (_operator.add, _np.add), (_operator.sub, _np.subtract),
                                   (_operator.truediv, _np.true_divide), (_operator.neg, _np.negative)):
    stand_in(_operator_function)(_ufunc)
del _operator_function, _ufunc


stand_in(abs)(_np.absolute)


@stand_in(max)
def _greatest(first, *others, **kwargs):
    for other in others:
        first = _np.maximum(first, other)
    return LEFT if kwargs or not others else first


@stand_in(min)
def _least(first, *others, **kwargs):
    for other in others:
        first = _np.minimum(first, other)
    return LEFT if kwargs or not others else first


@stand_in(_operator.floordiv, round)
def _constant_between_steps(a, b=None):
    return None


@stand_in(_operator.getitem)
def _item(a, key):
    if isinstance(key, tuple):
        return _item_by_mask(a, key)
    if _np.asarray(key).dtype.kind not in "iu" or _np.ndim(a) != 1:
        return LEFT
    return _np.take_along_axis(a, _np.full(1, key), 0)[0]


def _item_by_mask(a, key):
    """Of a key with a mask among other things: the indices of what the mask selects are in its place."""
    places = []
    for part in key:
        is_mask = isinstance(part, _np.ndarray) and part.dtype.kind == "b" and part.ndim > 0
        places += _np.nonzero(part) if is_mask else [part]
    return LEFT if len(places) == len(key) and places[0] is key[0] and places[-1] is key[-1] else a[tuple(places)]


# --- The module math, of a number that arrays compute -----------------------------------------------------------------

for _name, _ufunc in (
        ("acos", _np.arccos), ("acosh", _np.arccosh), ("asin", _np.arcsin), ("asinh", _np.arcsinh),
        ("atan", _np.arctan), ("atan2", _np.arctan2), ("atanh", _np.arctanh), ("cbrt", _np.cbrt),
        ("copysign", _np.copysign), ("cos", _np.cos), ("cosh", _np.cosh), ("degrees", _np.degrees), ("exp", _np.exp),
        ("exp2", _np.exp2), ("expm1", _np.expm1), ("fabs", _np.fabs), ("fmod", _np.fmod), ("log10", _np.log10),
        ("log1p", _np.log1p), ("log2", _np.log2), ("pow", _np.power), ("radians", _np.radians), ("sin", _np.sin),
        ("sinh", _np.sinh), ("sqrt", _np.sqrt), ("tan", _np.tan), ("tanh", _np.tanh)):
    if hasattr(_math, _name):  # cbrt and exp2 came with Python 3.11
        stand_in(getattr(_math, _name))(_ufunc)
del _name, _ufunc


@stand_in(_math.log)
def _logarithm(x, base=None):
    return _np.log(x) if base is None else _np.log(x) / _np.log(base)


@stand_in(_math.hypot)
def _length(*coordinates):
    square = 0.0
    for each in coordinates:
        square = square + each * each
    return _np.sqrt(square)


@stand_in(_math.floor, _math.ceil, _math.trunc)
def _whole(x):
    return None


@pull(_math.erf)
def _erf(g, y, x):
    return (g * (2 / _math.sqrt(_math.pi)) * _np.exp(-x * x),)


@pull(_math.erfc)
def _erfc(g, y, x):
    return (g * (-2 / _math.sqrt(_math.pi)) * _np.exp(-x * x),)


# --- Ufuncs of arrays and scalars whose common dtype the scalar's value decides ---------------------------------------

def _copied(a, dtype):
    """A copy in C order, of which the graph computes the function itself."""
    return _np.asarray(as_array(a)).astype(dtype).copy()


def _of_result_dtype(function):
    """The rule of a call: the function's derivative where both operands have the result's dtype."""
    def rule(result, a, b, **kwargs):
        if kwargs:
            return result
        dtype = result.dtype
        of_that = lambda a, b: function(_copied(a, dtype), _copied(b, dtype))
        return through(result, of_that, (a, b), {})

    return rule


def _ignoring_nans(ufunc):
    """As fmax and fmin, whose loops some versions of NumPy have to compute themselves."""
    return lambda a, b: _np.where(_np.isnan(a), b, _np.where(_np.isnan(b), a, ufunc(a, b)))


for _ufunc in (_np.add, _np.subtract, _np.true_divide, _np.maximum, _np.minimum, _np.arctan2, _np.hypot, _np.logaddexp,
               _np.logaddexp2, _np.fmod, _np.remainder, _np.copysign):
    RULES[_ufunc] = _of_result_dtype(_ufunc)
RULES[_np.fmax] = _of_result_dtype(_ignoring_nans(_np.maximum))
RULES[_np.fmin] = _of_result_dtype(_ignoring_nans(_np.minimum))
del _ufunc


def _where(result, condition, x=None, y=None):
    """The rule of a choice of lists, or by a scalar whose value decides the dtype. A condition alone has indices."""
    if x is None:
        return result
    dtype = result.dtype
    of_that = lambda condition, x, y: _np.where(_np.asarray(as_array(condition)), _copied(x, dtype), _copied(y, dtype))
    return through(result, of_that, (condition, x, y), {})


RULES[_np.where] = _where


@stand_in("logaddexp.reduce", arrays=1)
def _logarithm_of_sum(array, axis=0, **kwargs):
    if kwargs:
        return LEFT
    greatest = _np.max(array, axis=axis, keepdims=True)
    return _np.log(_np.sum(_np.exp(array - greatest), axis=axis)) + _np.max(array, axis=axis)


# --- Ufuncs that a graph leaves to NumPy, where its loop gives an array other bits than elements one by one -----------

def _like_operand(g, operand):
    """The sum over axes that broadcasting gave to the operand, and the real part for a real one."""
    operand = _np.asarray(operand)
    g = unbroadcast(g, operand.shape)
    return _np.real(g) if is_complex(g) and not is_complex(operand) else g


@pull(_operator.mul, "multiply", arrays=2)
def _product(g, y, a, b):
    return _like_operand(g * b, a), _like_operand(g * a, b)


@pull("power", "float_power", arrays=2)
def _power(g, y, a, b):
    a, b = _np.asarray(a), _np.asarray(b)
    of_base = g * (b * _np.power(a, _np.where(b == 0, 0, b - 1)))  # x ** 0 has 0
    of_exponent = g * (_np.log(_np.where(a == 0, 1, a)) * y)
    return _like_operand(of_base, a), _like_operand(of_exponent, b)


@pull("absolute", arrays=1)
def _absolute(g, y, x):
    return (g * (_np.conj(x) / _np.where(y == 0, 1, y)),)


# --- Functions with an op, where the graph leaves them to NumPy: arguments that the op has not, or an array of which it
# does not know how it lies in memory ----------------------------------------------------------------------------------

def _taking_part(a, where, neutral, dtype=None):
    """A copy in C order, of which the graph computes the reduction itself; what takes no part is neutral."""
    a = _np.asarray(a).copy() if dtype is None else _np.asarray(a).astype(dtype)
    return a if where is True else _np.where(_np.asarray(where), a, neutral)


def _of_a_copy(ufunc):
    return lambda x, **kwargs: LEFT if kwargs else ufunc(_np.asarray(x).copy())


# NumPy 2's loops of these have other bits for arrays that lie otherwise.
for _ufunc in functions(("arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "cbrt", "cos", "cosh", "exp", "exp2",
                         "expm1", "log", "log10", "log1p", "log2", "sin", "sinh", "sqrt", "tan", "tanh")):
    stand_in(_ufunc, arrays=1)(_of_a_copy(_ufunc))
del _ufunc


@stand_in("sum", methods=("sum",), arrays=1)
def _sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=0, where=True):
    return _np.sum(_taking_part(a, where, 0, dtype), axis=axis, keepdims=keepdims) + initial


@stand_in("prod", methods=("prod",), arrays=1)
def _prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=1, where=True):
    return _np.prod(_taking_part(a, where, 1, dtype), axis=axis, keepdims=keepdims) * initial


@stand_in("max", methods=("max",), arrays=1)
def _max(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    found = _np.max(_taking_part(a, where, initial), axis=axis, keepdims=keepdims)
    return found if initial is None else _np.maximum(found, initial)


@stand_in("min", methods=("min",), arrays=1)
def _min(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    found = _np.min(_taking_part(a, where, initial), axis=axis, keepdims=keepdims)
    return found if initial is None else _np.minimum(found, initial)


@stand_in("mean", methods=("mean",), arrays=1)
def _mean(a, axis=None, dtype=None, out=None, keepdims=False, where=True):
    total = _np.sum(_taking_part(a, where, 0, dtype), axis=axis, keepdims=keepdims)
    return total / _np.sum(_np.ones(_np.shape(a)) * _np.asarray(where), axis=axis, keepdims=keepdims)


@stand_in("var", methods=("var",), arrays=1)
def _var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True, **kwargs):
    if kwargs:
        return LEFT
    a = _taking_part(a, where, 0, dtype)
    part = _np.ones(_np.shape(a)) * _np.asarray(where)
    count = _np.sum(part, axis=axis, keepdims=True)
    apart = _np.abs((a - _np.sum(a, axis=axis, keepdims=True) / count) * part)
    count = count if keepdims else _np.sum(part, axis=axis)
    return _np.sum(apart * apart, axis=axis, keepdims=keepdims) / (count - ddof)


@stand_in("std", methods=("std",), arrays=1)
def _std(a, *args, **kwargs):
    variance = _var(a, *args, **kwargs)
    return LEFT if variance is LEFT else _np.sqrt(variance)


def _cumulated(cumulate, a, axis):
    return cumulate(a.ravel()) if axis is None else cumulate(a, axis=axis)


@stand_in("cumsum", methods=("cumsum",), arrays=1)
def _cumsum(a, axis=None, dtype=None, out=None):
    return _cumulated(_np.cumsum, _taking_part(a, True, 0, dtype), axis)


@stand_in("cumprod", methods=("cumprod",), arrays=1)
def _cumprod(a, axis=None, dtype=None, out=None):
    return _cumulated(_np.cumprod, _taking_part(a, True, 1, dtype), axis)


def _cast(a, dtype):
    return a if dtype is None else a.astype(dtype)


@stand_in("array", "asarray", "asanyarray")
def _array(values, dtype=None, order=None, *, ndmin=0, **kwargs):
    if dtype is not None and _np.dtype(dtype).kind not in "fc":
        return None
    if isinstance(values, (list, tuple)):
        if not has_arrays(values):
            return None
        values = filled(values)
    made = _cast(_np.asarray(values) * 1, dtype)
    return made if made.ndim >= ndmin else made.reshape((1,) * (ndmin - made.ndim) + made.shape)


@stand_in("zeros_like", "ones_like", "empty_like")
def _constant_like(a, *args, **kwargs):
    return None


@stand_in("full")
def _full(shape, fill_value, dtype=None, order="C"):
    return _cast(_np.ones(shape) * fill_value, dtype)


@stand_in("full_like")
def _full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None):
    if shape is not None:
        return LEFT
    dtype = a.dtype if dtype is None else _np.dtype(dtype)
    return _np.zeros(a.shape, dtype) + _np.asarray(fill_value).astype(dtype)


@stand_in("linspace")
def _linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    if retstep or axis != 0:
        return LEFT
    steps = _np.linspace(0.0, 1.0, num, endpoint=endpoint)
    start, stop = _np.asarray(start), _np.asarray(stop)
    steps = steps.reshape((-1,) + (1,) * max(start.ndim, stop.ndim))
    return _cast(start * (1 - steps) + stop * steps, dtype)


@stand_in(_np.multiply.outer)
def _outer(a, b):
    a, b = _np.asarray(a), _np.asarray(b)
    return a.reshape(a.shape + (1,) * b.ndim) * b


@stand_in("stack")
def _stack(arrays, axis=0):
    return _np.moveaxis(filled(arrays), 0, axis)


@stand_in("diff", arrays=1)
def _diff(a, n=1, axis=-1, prepend=None, append=None):
    if not 0 < n <= 16:
        return LEFT
    one = list(a.shape)
    one[axis] = 1
    ends = [_np.broadcast_to(as_array(end), one) if _np.ndim(as_array(end)) == 0 else as_array(end)
            for end in (prepend, append) if end is not None]
    parts = ([] if prepend is None else ends[:1]) + [a] + ([] if append is None else ends[-1:])
    whole = _np.moveaxis(_joined(parts, axis) if ends else a, axis, 0)
    for _ in range(n):
        whole = whole[1:] - whole[:-1]
    return _np.moveaxis(whole, 0, axis)


# --- Joins of lists and numbers beside arrays ------------------------------------------------------------------------

@stand_in("concatenate")
def _concatenate(arrays, axis=0, out=None, dtype=None, casting=None):
    return _joined([as_array(part) for part in arrays], axis, dtype)


def _joined(parts, axis=0, dtype=None):
    """The parts one after the other, all of one dtype, as the graph joins them itself."""
    dtype = widest(parts) if dtype is None else dtype
    parts = [_np.asarray(part).astype(dtype) for part in parts]
    return _np.concatenate([part.ravel() for part in parts] if axis is None else parts, 0 if axis is None else axis)


@stand_in("hstack")
def _hstack(tup, **kwargs):
    parts = [_np.atleast_1d(as_array(part)) for part in tup]
    return LEFT if kwargs else _joined(parts, 0 if parts[0].ndim == 1 else 1)


@stand_in("vstack")
def _vstack(tup, **kwargs):
    return LEFT if kwargs else _joined([_np.atleast_2d(as_array(part)) for part in tup])


@stand_in("column_stack")
def _column_stack(tup):
    parts = [_np.atleast_1d(as_array(part)) for part in tup]
    return _joined([part[:, None] if part.ndim == 1 else part for part in parts], 1)


@stand_in(_np.r_.__getitem__.__func__)
def _of_grid(grid, key):
    """Of r_ and c_, for arrays, lists and numbers."""
    if not isinstance(key, tuple):
        return LEFT
    for part in key:
        if isinstance(part, (slice, str)):
            return LEFT
    return _column_stack(key) if grid is _np.c_ else _joined([_np.atleast_1d(as_array(part)) for part in key])


@stand_in("outer", arrays=2)
def _outer_of_lists(a, b, out=None):
    return _np.ravel(a)[:, None] * _np.ravel(b)


@stand_in("roll", arrays=1)
def _roll(a, shift, axis=None):
    return _np.roll(a, shift, axis)


# --- Functions that only move elements -------------------------------------------------------------------------------

def _moved(move, *arrays):
    """What move(*arrays) gives, of elements taken one by one; zeros that it adds are constants."""
    places, parts, first = [], [_np.zeros(1, _np.result_type(*arrays))], 1
    for array in arrays:
        array = _np.asarray(array)
        places.append(_np.arange(first, first + array.size).reshape(array.shape))
        parts.append(array.ravel())
        first += array.size
    return _np.concatenate(parts)[move(*places)]


@stand_in("take", methods=("take",), arrays=1)
def _take(a, indices, axis=None, **kwargs):
    return _moved(lambda a: _np.take(a, indices, axis, **kwargs), a)


@stand_in("repeat", methods=("repeat",), arrays=1)
def _repeat(a, repeats, axis=None):
    return _moved(lambda a: _np.repeat(a, repeats, axis), a)


@stand_in("delete", arrays=1)
def _delete(arr, obj, axis=None):
    return _moved(lambda a: _np.delete(a, obj, axis), arr)


@stand_in("insert", arrays=1)
def _insert(arr, obj, values, axis=None):
    values = _np.atleast_1d(values) if _np.ndim(_np.asarray(values)) == 0 else values
    return _moved(lambda a, b: _np.insert(a, obj, b, axis), arr, values)


@stand_in("pad", arrays=1)
def _pad(array, pad_width, mode="constant", **kwargs):
    if mode not in ("constant", "edge", "reflect", "symmetric", "wrap") or kwargs.get("reflect_type", "even") != "even":
        return LEFT
    return _moved(lambda a: _np.pad(a, pad_width, mode), array)


stand_in("diagonal", "linalg.diagonal", methods=("diagonal",), arrays=1)(_decompositions.diagonal)


@stand_in("choose", methods=("choose",))
def _choose(a, choices, mode="raise"):
    if mode != "raise":
        return LEFT
    chosen = _np.asarray(a)
    result = choices[0] * _np.ones(_np.shape(chosen))
    for number in range(1, len(choices)):
        result = _np.where(chosen == number, choices[number], result)
    return result


@stand_in("select")
def _select(condlist, choicelist, default=0):
    result = default
    for condition, choice in zip(condlist[::-1], choicelist[::-1]):
        result = _np.where(condition, choice, result)
    return result


# --- Order -----------------------------------------------------------------------------------------------------------

def _in_order(a, order, axis):
    return _np.take_along_axis(a, order, axis)


@stand_in("sort", methods=("sort",), arrays=1)
def _sort(a, axis=-1, kind=None, order=None):
    if axis is None:
        a, axis = a.ravel(), -1
    return _in_order(a, _np.argsort(a, axis, "stable"), axis)


@stand_in("partition", methods=("partition",), arrays=1)
def _partition(a, kth, axis=-1, kind="introselect", order=None):
    if axis is None:
        a, axis = a.ravel(), -1
    return _in_order(a, _np.argpartition(a, kth, axis), axis)


def _quantile_of(a, q, axis, method, keepdims):
    """The linear interpolation between the two elements next to place q * (n - 1) in sorted order."""
    if method != "linear" or isinstance(axis, tuple) or _np.asarray(a).dtype.kind != "f":
        return LEFT
    dims = _np.ndim(a)
    if axis is None:
        a, axis = a.ravel(), 0
        kept = (1,) * dims
    else:
        axis = axis % dims
        kept = a.shape[:axis] + (1,) + a.shape[axis + 1:]
    ordered = _np.moveaxis(_in_order(a, _np.argsort(a, axis, "stable"), axis), axis, 0)
    q = _np.asarray(q, dtype=ordered.dtype)
    place = q * (ordered.shape[0] - 1)
    low = _np.floor(place)
    weight = place - low
    if q.ndim:
        weight = weight.reshape(q.shape + (1,) * (ordered.ndim - 1))
    below = ordered[low.astype(_np.intp)]
    above = ordered[_np.ceil(place).astype(_np.intp)]
    result = below * (1 - weight) + above * weight
    return result.reshape(q.shape + kept) if keepdims else result


@stand_in("median", arrays=1)
def _median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    return _quantile_of(a, 0.5, axis, "linear", keepdims)


@stand_in("quantile", arrays=1)
def _quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, **kwargs):
    return LEFT if kwargs else _quantile_of(a, q, axis, method, keepdims)


@stand_in("percentile", arrays=1)
def _percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, **kwargs):
    return LEFT if kwargs else _quantile_of(a, _np.true_divide(q, 100), axis, method, keepdims)


def _quantile_of_numbers(a, q, axis, method, keepdims):
    """As _quantile_of, of the elements that are not NaN, which come first in sorted order."""
    if method != "linear" or isinstance(axis, tuple) or _np.asarray(a).dtype.kind != "f" or not isinstance(q, (int, float)):
        return LEFT
    dims = _np.ndim(a)
    a, along = (a.ravel(), 0) if axis is None else (a, axis)
    ordered = _in_order(a, _np.argsort(a, along, "stable"), along)
    place = (_np.sum(~_np.isnan(a), axis=along, keepdims=True) - 1) * q
    low = _np.floor(place)
    below = _np.take_along_axis(ordered, low.astype(_np.intp), along)
    above = _np.take_along_axis(ordered, _np.ceil(place).astype(_np.intp), along)
    result = below * (1 - (place - low)) + above * (place - low)
    if keepdims:
        return result.reshape((1,) * dims) if axis is None else result
    return _np.squeeze(result, along)


@stand_in("nanmedian", arrays=1)
def _nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    return _quantile_of_numbers(a, 0.5, axis, "linear", keepdims)


@stand_in("nanquantile", arrays=1)
def _nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, **kwargs):
    return LEFT if kwargs else _quantile_of_numbers(a, q, axis, method, keepdims)


@stand_in("nanpercentile", arrays=1)
def _nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, **kwargs):
    return LEFT if kwargs else _quantile_of_numbers(a, q / 100, axis, method, keepdims)


# --- Sums and statistics ---------------------------------------------------------------------------------------------

def _leaving_out_nan(reduce, **standard):
    """The stand-in of a reduction that takes NaN for nothing."""
    def of_numbers(a, *args, where=True, **kwargs):
        return reduce(a, *args, where=~_np.isnan(a) & where, **{**standard, **kwargs})

    return of_numbers


stand_in("nansum", arrays=1)(_leaving_out_nan(_sum))
stand_in("nanprod", arrays=1)(_leaving_out_nan(_prod))
stand_in("nanmax", arrays=1)(_leaving_out_nan(_max, initial=-_np.inf))
stand_in("nanmin", arrays=1)(_leaving_out_nan(_min, initial=_np.inf))
stand_in("nanmean", arrays=1)(_leaving_out_nan(_mean))
stand_in("nanvar", arrays=1)(_leaving_out_nan(_var))
stand_in("nanstd", arrays=1)(_leaving_out_nan(_std))


@stand_in("nancumsum", arrays=1)
def _nancumsum(a, axis=None, dtype=None, out=None):
    return _cumsum(_np.where(_np.isnan(a), 0, a), axis, dtype)


@stand_in("nancumprod", arrays=1)
def _nancumprod(a, axis=None, dtype=None, out=None):
    return _cumprod(_np.where(_np.isnan(a), 1, a), axis, dtype)


@stand_in("average", arrays=1)
def _average(a, axis=None, weights=None, returned=False, keepdims=False):
    if weights is None:
        mean = _np.mean(a, axis=axis, keepdims=keepdims)
        return (mean, None) if returned else mean
    weights = _np.asarray(weights)
    if weights.shape != a.shape:
        if weights.ndim != 1 or not isinstance(axis, int):
            return LEFT
        weights = weights.reshape((-1,) + (1,) * (a.ndim - 1 - axis % a.ndim))
    total = _np.sum(weights * _np.ones_like(a), axis=axis, keepdims=keepdims)
    mean = _np.sum(a * weights, axis=axis, keepdims=keepdims) / total
    return (mean, total) if returned else mean


@stand_in("cov", arrays=1)
def _cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, **kwargs):
    if kwargs or fweights is not None or aweights is not None or is_complex(m):
        return LEFT
    x = _np.atleast_2d(m)
    if not rowvar and x.shape[0] != 1:
        x = x.T
    if y is not None:
        other = _np.atleast_2d(y)
        x = _np.concatenate([x, other.T if not rowvar and other.shape[0] != 1 else other])
    ddof = ddof if ddof is not None else 0 if bias else 1
    apart = x - _np.mean(x, axis=1, keepdims=True)
    result = apart @ apart.T / (x.shape[1] - ddof)
    return result if result.shape != (1, 1) else result[0, 0]


@stand_in("corrcoef", arrays=1)
def _corrcoef(x, y=None, rowvar=True, **kwargs):
    covariance = LEFT if kwargs else _cov(x, y, rowvar)
    if covariance is LEFT or _np.ndim(covariance) == 0:
        return covariance if covariance is LEFT else covariance / covariance
    deviation = _np.sqrt(_np.diagonal(covariance))
    return covariance / deviation[:, None] / deviation


@stand_in("gradient", arrays=1)
def _gradient(f, *varargs, axis=None, edge_order=1):
    if len(varargs) > 1 or edge_order != 1 or (varargs and not isinstance(varargs[0], (int, float))):
        return LEFT
    step = varargs[0] if varargs else 1.0
    axes = tuple(range(f.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    slopes = []
    for one in axes:
        x = _np.moveaxis(f, one, 0)
        slope = _np.concatenate([x[1:2] - x[:1], (x[2:] - x[:-2]) / 2, x[-1:] - x[-2:-1]]) / step
        slopes.append(_np.moveaxis(slope, 0, one))
    return slopes[0] if len(slopes) == 1 else slopes


@stand_in(_np.add.reduceat)
def _sums_between(array, indices, axis=0, dtype=None):
    """Of add.reduceat with known indices: each sum goes to the next index, or is one element."""
    if dtype is not None or not isinstance(indices, (list, tuple)):
        return LEFT
    rows = _np.moveaxis(array, axis, 0)
    ends = [*indices[1:], rows.shape[0]]
    return _np.moveaxis(filled([rows[start:end].sum(axis=0) if start < end else rows[start]
                                 for start, end in zip(indices, ends)]), 0, axis)


def _running(accumulate):
    """The rule of an extreme of the elements so far: it is the last of them that equals it."""
    def rule(array, axis=0, dtype=None, out=None):
        if dtype is not None or _np.asarray(array).dtype.kind != "f":
            return LEFT
        rows = _np.moveaxis(array, axis, 0)
        numbers = _np.arange(rows.shape[0]).reshape((-1,) + (1,) * (rows.ndim - 1))
        constant = _arrays.stop_gradient(rows)
        last = _np.maximum.accumulate(_np.where(constant == accumulate(constant), numbers, 0))
        return _np.moveaxis(_in_order(rows, last, 0), 0, axis)

    stand_in(accumulate, arrays=1)(rule)


_running(_np.maximum.accumulate)
_running(_np.minimum.accumulate)


def _bincount(result, x, weights=None, minlength=0):
    def sums(weights):
        made = _np.zeros(result.shape)
        _np.add.at(made, as_array(x), as_array(weights))
        return made

    return result if weights is None else through(result, sums, (weights,), {})


RULES[_np.bincount] = _bincount


@stand_in("unwrap", arrays=1)
def _unwrap(p, discont=None, axis=-1, **kwargs):
    return p * 1.0  # turns are constants


# --- Elementwise functions -------------------------------------------------------------------------------------------

@stand_in("clip", methods=("clip",))
def _clip(a, a_min=None, a_max=None, out=None, min=None, max=None, **kwargs):
    if kwargs:
        return LEFT
    low, high = a_min if min is None else min, a_max if max is None else max
    clipped = _np.asarray(as_array(a)).copy()
    if low is not None:
        clipped = _np.maximum(clipped, _np.asarray(as_array(low)).copy())
    return clipped if high is None else _np.minimum(clipped, _np.asarray(as_array(high)).copy())


@stand_in("round", "around", "round_", methods=("round",))
def _rounded(a, decimals=0, out=None):
    return None  # constant between steps


@stand_in("angle", arrays=1)
def _angle(z, deg=False):
    if not is_complex(z):
        return None
    angle = _np.arctan2(_np.imag(z).copy(), _np.real(z).copy())
    return angle * (180 / _math.pi) if deg else angle


@stand_in("polyfit")
def _polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    if full or cov or w is not None or is_complex(as_array(y)):
        return LEFT
    powers = _np.vander(as_array(x) * 1.0, deg + 1)
    scale = _np.sqrt((powers * powers).sum(axis=0))
    return ((_np.linalg.pinv(powers / scale) @ as_array(y)).T / scale).T


@stand_in("sinc", arrays=1)
def _sinc(x):
    y = _np.pi * x
    near = _np.abs(y) < 1e-3
    far = _np.where(near, 1.0, y)
    square = y * y
    return _np.where(near, 1 - square / 6 * (1 - square / 20), _np.sin(far) / far)


@stand_in("i0", arrays=1)
def _i0(x):
    return _bessel.i0(x * 1.0)


@stand_in("ldexp", arrays=2)
def _ldexp(x1, x2):
    return x1 * _np.exp2(x2)


@stand_in("modf", arrays=1)
def _modf(x):
    return x - _np.trunc(x), None


@stand_in("nan_to_num", arrays=1)
def _nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    return _np.where(_np.isfinite(x), x, 0) if copy else LEFT


@stand_in("interp", arrays=3)
def _interp(x, xp, fp, left=None, right=None, period=None):
    if period is not None or is_complex(fp):
        return LEFT
    x, xp, fp = _np.asarray(x), _np.asarray(xp), _np.asarray(fp)
    upper = _np.clip(_np.searchsorted(xp, x, "right"), 1, xp.shape[0] - 1)
    x0, x1, y0, y1 = xp[upper - 1], xp[upper], fp[upper - 1], fp[upper]
    inside = y0 + (x - x0) * ((y1 - y0) / (x1 - x0))
    before = _np.where(x < xp[0], fp[0] if left is None else left, inside)
    return _np.where(x > xp[-1], fp[-1] if right is None else right, before)


@stand_in("vander", arrays=1)
def _vander(x, N=None, increasing=False):
    count = _np.shape(x)[0] if N is None else N
    powers = _np.arange(count, dtype=float)
    return _np.power(x[:, None], powers if increasing else powers[::-1])
