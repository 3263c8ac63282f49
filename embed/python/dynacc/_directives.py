"""What a program says about captures besides dynacc.compile: mark_dynamic, mark_static, set_stance (docs/compile.md)."""
import functools as _functools
import operator as _operator
import weakref as _weakref

import _dynacc

from dynacc._compile import did_you_mean

STANCES = ("default", "force_eager", "eager_on_recompile", "fail_on_recompile")
_marked = {}  # weak references of marked arrays, by address
_stance = "default"


def mark_dynamic(array, axis, *, min=None, max=None):
    """Says that the size of an array's axis varies: code traced for it works for other sizes, too.

    axis      an int, or a sequence of ints
    min, max  the least and the largest size that it works for; others are traced by themselves. None: any.
    The array is marked as long as it exists. ValueError for an axis that it has not, and for a size out of these bounds.
    """
    least = 0 if min is None else _operator.index(min)
    most = -1 if max is None else _operator.index(max)
    if least < 0 or max is not None and most < least:
        raise ValueError(f"dynacc.mark_dynamic: there are no sizes from {min} to {max}")
    for one in _axes("mark_dynamic", array, axis):
        size = array.shape[one]
        if size < least or max is not None and size > most:
            raise ValueError(f"dynacc.mark_dynamic: the size of axis {one} is {size}, which is not from {min} to {max}")
        _mark(array, one, True, least, most)


def mark_static(array, axis=None):
    """Says that the size of an array's axis (None: of each) is a constant: code is traced for each size by itself.

    The array is marked as long as it exists. ValueError for an axis that it has not.
    """
    for one in _axes("mark_static", array, range(array.ndim) if axis is None and hasattr(array, "ndim") else axis):
        _mark(array, one, False, 0, -1)


class set_stance:
    """Says what calls do where compiled code may run or be made; as a statement, a context manager or a decorator.

    "default"             compiled code runs and is made
    "force_eager"         everything runs as plain Python
    "eager_on_recompile"  compiled code runs; where a stretch has compiled variants and none fits, it runs as plain Python
    "fail_on_recompile"   the same, and in what dynacc.compile returned it raises RuntimeError, with the guard that failed

    It holds for the whole process, until the `with` block or the decorated call ends, or for good.
    """

    def __init__(self, stance):
        if stance not in STANCES:
            raise ValueError(f"dynacc.set_stance: there is no stance {stance!r}{did_you_mean(stance, STANCES)}")
        self._stance, self._before = stance, _take(stance)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        _take(self._before)

    def __call__(self, function):
        _take(self._before)  # it was no statement

        @_functools.wraps(function)
        def run(*args, **kwargs):
            with set_stance(self._stance):
                return function(*args, **kwargs)

        return run


def _take(stance):
    global _stance
    _dynacc.set_stance(stance)
    before, _stance = _stance, stance
    return before


def _axes(caller, array, axis):
    import numpy as np
    if not isinstance(array, np.ndarray):
        raise TypeError(f"dynacc.{caller}: only arrays are marked, not {type(array).__name__}")
    axes = [axis] if hasattr(axis, "__index__") else list(axis) if axis is not None else None
    if axes is None:
        raise TypeError(f"dynacc.{caller}: an axis is an int or a sequence of ints, not {axis!r}")
    for one in axes:
        if not -array.ndim <= _operator.index(one) < array.ndim:
            raise ValueError(f"dynacc.{caller}: an array of {array.ndim} axes has no axis {one}")
    return [_operator.index(one) % array.ndim for one in axes]


def _mark(array, axis, dynamic, least, most):
    address = id(array)
    if address not in _marked:
        def forget(_, address=address):
            _dynacc.unmark_sizes(address)
            _marked.pop(address, None)
        _marked[address] = _weakref.ref(array, forget)
    _dynacc.mark_size(array, axis, dynamic, least, most)
