"""The tables of decompositions, and what several of them use (_decompositions.py says what these are).

TABLE is a dict from a function of NumPy, or a method of ndarray, to a Python function of the same arguments. That is
traced where the call itself would be left to NumPy, and computes the same bits. It returns NotImplemented for arguments
that it does not cover, and for those with which NumPy's function raises.

OF_SIZES has those that only sizes which vary need.
"""
import numpy as _np

TABLE, OF_SIZES = {}, {}

NUMPY_MAJOR = int(_np.__version__.partition(".")[0])

# What functions of several results give: tuples since NumPy 2.
several = tuple if NUMPY_MAJOR >= 2 else list


def decomposes(*names, method=None, table=TABLE):
    """Registers the decorated function for those functions of NumPy that this version has, and a method of ndarray."""
    def register(function):
        for name in names:
            found = _np
            for part in name.split("."):
                found = getattr(found, part, None)
            if found is not None:
                table[found] = function
        if method is not None and hasattr(_np.ndarray, method):
            table[getattr(_np.ndarray, method)] = function
        return function

    return register


def is_int(value):
    return isinstance(value, (int, _np.integer)) and not isinstance(value, bool)


def is_ints(value):
    """Whether it is a list or tuple of ints, not empty."""
    return isinstance(value, (list, tuple)) and len(value) > 0 and all([is_int(item) for item in value])


def flat(a, axis):
    """The array and axis for a function whose axis None stands for all elements."""
    return (a.reshape(-1), 0) if axis is None else (a, axis % a.ndim)


def along(axis, part):
    return (slice(None),) * axis + (part,)


def axes_of(x, axes):
    return tuple(range(x.ndim)) if axes is None else (axes,) if is_int(axes) else tuple(axes)


def joined(parts, axis):
    """np.concatenate of parts that may be of several dtypes."""
    dtype = _np.result_type(*parts)
    return _np.concatenate([part.astype(dtype) for part in parts], axis=axis)


def of_one_dtype(a, b):
    """Both as arrays of the dtype that they promote to."""
    a, b = _np.asarray(a), _np.asarray(b)
    dtype = _np.promote_types(a.dtype, b.dtype)
    return a.astype(dtype), b.astype(dtype)


def scalar_of(a):
    """What NumPy's functions of one result element give: a scalar where the array has no axes."""
    return a[None][0] if a.ndim == 0 else a


def diagonal(a, offset=0, axis1=0, axis2=1):
    """np.diagonal, which is a view and so needs no decomposition, as an array."""
    a = _np.moveaxis(a, (axis1, axis2), (-2, -1))
    row, column = max(-offset, 0), max(offset, 0)
    places = _np.arange(max(min(a.shape[-2] - row, a.shape[-1] - column), 0))
    return a[..., places + row, places + column]


_END_OF_RUN = -2 ** 63  # kEndOfRun of runtime/executor/gather_plan.h


def end_run_if(condition, dtype=_np.int64):
    """0, or the end of the run where the condition, a bool or an array of such, is true anywhere: where NumPy raises.

    What it gives has to be part of the result.
    """
    is_any = _np.any(condition) if _np.ndim(condition) else condition
    return _np.zeros(1, dtype)[_np.where(is_any, _END_OF_RUN, 0)[None]][0]
