"""Functions that are traced in the place of others, of NumPy's and SciPy's, that call back or look at their arguments.

They have the same arguments and the same bits; of SciPy's that is looked at once, as its versions differ, and a function
with other bits is left as it is. So they have gradients by what they are written with (docs/gradients.md).
"""
import sys as _sys

import _dynacc
import numpy as _np

_arrays = _dynacc.arrays()


def _piecewise(x, condlist, funclist, *args, **kw):
    x = _np.asarray(x)
    is_one = not isinstance(condlist, (list, tuple)) and _np.ndim(condlist) == 0
    if is_one or (x.ndim > 0 and not isinstance(condlist[0], (list, _np.ndarray))):
        condlist = [condlist]
    conditions = [_np.asarray(condition).astype(bool) for condition in condlist]
    if len(funclist) == len(conditions) + 1:
        others = conditions[0]
        for condition in conditions[1:]:
            others = others | condition
        conditions.append(~others)
    elif len(funclist) != len(conditions):
        raise ValueError(f"with {len(conditions)} condition(s), either {len(conditions)} or {len(conditions) + 1} functions "
                         "are expected")
    y = _np.zeros_like(x)
    for condition, function in zip(conditions, funclist):
        y[condition] = function(x[condition], *args, **kw) if callable(function) else function
    return y


def _apply_along_axis(func1d, axis, arr, *args, **kwargs):
    arr = _np.asarray(arr)
    axis = axis % arr.ndim
    rows = _np.moveaxis(arr, axis, -1)
    before, behind = arr.shape[:axis], arr.shape[axis + 1:]
    found = [_np.asarray(func1d(row, *args, **kwargs)) for row in rows.reshape(-1, arr.shape[axis])]
    rank = found[0].ndim
    whole = _np.stack(found).reshape(before + behind + found[0].shape)
    places = list(range(axis)) + [axis + len(behind) + place for place in range(rank)]
    return _np.ascontiguousarray(whole.transpose(places + [axis + place for place in range(len(behind))]))


# --- scipy.special ---------------------------------------------------------------------------------------------------

def _softmax(x, axis=None):
    x = _np.asarray(x)
    e = _np.exp(x - _np.max(x, axis=axis, keepdims=True))
    return e / _np.sum(e, axis=axis, keepdims=True)


def _log_softmax(x, axis=None):
    x = _np.asarray(x)
    greatest = _np.max(x, axis=axis, keepdims=True)
    apart = x - _np.where(_np.isfinite(greatest), greatest, x.dtype.type(0))
    return apart - _np.log(_np.sum(_np.exp(apart), axis=axis, keepdims=True))


def _logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
    a = _np.asarray(a)
    dtype = _np.result_type(a.dtype, _np.float64) if a.dtype.kind in "biu" else a.dtype
    if b is not None:
        b = _np.asarray(b)
        dtype = _np.result_type(dtype, b.dtype)
        a, b = _np.broadcast_arrays(a.astype(dtype), b.astype(dtype))
    if return_sign or dtype.kind != "f" or a.size == 0:
        raise NotImplementedError("logsumexp of complex numbers or of none, or with return_sign")
    a = a.astype(dtype)
    a = a.reshape(1) if a.ndim == 0 else a
    axis = tuple(range(a.ndim)) if axis is None else axis
    terms = _np.exp(a) if b is None else b * _np.exp(a)
    plain = _np.log(_np.sum(terms, axis=axis, keepdims=True))
    # Apart from the greatest terms, which are 1 each.
    low = dtype.type(-_np.inf)
    a = a if b is None else _np.where(b == 0, low, a)
    greatest = _np.max(a, axis=axis, keepdims=True)
    is_greatest = a == greatest
    weights = is_greatest.astype(dtype) if b is None else b * is_greatest.astype(dtype)
    count = _np.sum(weights, axis=axis, keepdims=True)
    rest = _np.exp(_np.where(is_greatest, low, a) - greatest)
    total = _np.sum(rest if b is None else b * rest, axis=axis, keepdims=True)
    total = _np.where(total == 0, total, total / count)
    sign = _np.sign(total + 1) * _np.sign(count)
    total = _np.where(total < -1, -total - 2, total)
    found = _np.log1p(total) + _np.log(_np.abs(count)) + greatest
    found = _np.where(sign < 0, dtype.type(_np.nan), found)
    found = _np.where(_np.isfinite(found), found, plain)
    if keepdims:
        return found
    rank = len(axis) if isinstance(axis, tuple) else 1
    return found[(0,) * rank] if rank == found.ndim else _np.squeeze(found, axis=axis)


def _logsumexp_of_all(a, axis=None, b=None, keepdims=False, return_sign=False):
    """That of SciPy's versions that do not keep the greatest terms apart."""
    a = _np.asarray(a)
    if return_sign or a.dtype.kind != "f" or a.ndim == 0 or (b is not None and _np.asarray(b).dtype.kind != "f"):
        raise NotImplementedError("logsumexp of complex numbers or of none, or with return_sign")
    if b is not None:
        a, b = _np.broadcast_arrays(a, b)
        a = _np.where(b == 0, a.dtype.type(-_np.inf), a)
    greatest = _np.max(a, axis=axis, keepdims=True)
    greatest = _np.where(_np.isfinite(greatest), greatest, a.dtype.type(0))
    terms = _np.exp(a - greatest)
    found = _np.log(_np.sum(terms if b is None else b * terms, axis=axis, keepdims=keepdims))
    if keepdims:
        return found + greatest
    return found + (greatest[(0,) * a.ndim] if axis is None else _np.squeeze(greatest, axis=axis))


_FORMS_OF_SPECIAL = {"softmax": [_softmax], "log_softmax": [_log_softmax],
                     "logsumexp": [_logsumexp, _logsumexp_of_all]}
_learned = set()


def _has_bits(function, form):
    """Whether both give the same on a few arrays, with numbers that are not finite and equal ones."""
    random = _np.random.RandomState(5)
    for dtype in (_np.float64, _np.float32):
        for size in (2, 5, 40):
            x = (random.normal(size=(3, size)) * 4).astype(dtype)
            x[0, 0] = x[2, 1] = x[2].max()
            for a in (x, x[0], _np.where(x < -4, dtype(-_np.inf), x)):
                for axis in (None, 0, -1):
                    if function(a, axis=axis).tobytes() != form(a, axis=axis).tobytes():
                        return False
    return True


def learn():
    """Lets the functions of NumPy, and of SciPy where it is imported, be traced by their forms."""
    if "numpy" not in _learned:
        _learned.add("numpy")
        _arrays.trace_as(_np.piecewise, _piecewise)
        _arrays.trace_as(_np.apply_along_axis, _apply_along_axis)
    special = _sys.modules.get("scipy.special")
    if special is None or "scipy" in _learned:
        return
    _learned.add("scipy")
    for name, forms in _FORMS_OF_SPECIAL.items():
        function = getattr(special, name, None)
        with _np.errstate(all="ignore"):
            fitting = [form for form in forms if function is not None and _has_bits(function, form)]
        if fitting:
            _arrays.trace_as(function, fitting[0])
