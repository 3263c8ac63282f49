"""dynacc.debug_nans: where a NaN in a value or a derivative comes from (docs/gradients.md)."""
import contextvars as _contextvars

import _dynacc
import numpy as _np

__all__ = ["debug_nans"]

contexts = 0  # that are open, in all threads: captured code asks for it, and then leaves derivatives to CPython
_is_on = _contextvars.ContextVar("debug_nans", default=False)


@_dynacc.DisabledFunction  # a graph break, before what is inside
def debug_nans(enabled=True):
    """A context in which derivatives that hold a NaN are errors, as in JAX's context of this name.

    enabled  False: no errors inside, in the middle of a context in which there are

    Inside, `grad` and its family raise FloatingPointError where a value or a derivative has a NaN. The message names
    the first operation that made one, and its line. Arguments are copied before each call, and a call with a NaN is
    computed once more, with all that it computes on the way kept. It holds for this thread and context. Meanwhile no
    derivative becomes part of a captured function, in all threads; so derivatives by tensors, which are captured, are
    errors.
    """
    return _Context(enabled)


class _Context:
    """What debug_nans returns; it holds from here on."""

    def __init__(self, enabled):
        global contexts
        contexts += 1
        self._token = _is_on.set(enabled)

    def __enter__(self):
        return None

    def __exit__(self, *error):
        global contexts
        contexts -= 1
        _is_on.reset(self._token)


def is_on():
    return _is_on.get()


def check(outputs, program, arrays, numbers, label):
    """FloatingPointError if there are NaNs among the outputs, which the program gave for these arrays."""
    if not any(map(_has_nan, outputs)):
        return
    with_values, nodes = program.every_value()
    values, _ = with_values.run(arrays, numbers, False)
    is_nan = [_has_nan(values[output]) if output >= 0 else input >= 0 and _has_nan(arrays[input])
              for _, _, _, _, input, output in nodes]
    text, file, line, _, input, _ = nodes[_origin(nodes, is_nan, program.outputs)]
    if input >= 0:
        raise FloatingPointError(f"{label}: there is a NaN in an array that it computes with: {text}")
    raise FloatingPointError(f"{label}: the first NaN is made at {file}:{line}, or in the derivative of that line, by "
                             f"'{text}'")


def _origin(nodes, is_nan, outputs):
    """The first of the nodes from which NaNs came to the outputs."""
    waiting = [number for number, (*_, output) in enumerate(nodes) if is_nan[number] and 0 <= output < outputs]
    reached = set()
    while waiting:
        number = waiting.pop()
        if number not in reached:
            reached.add(number)
            waiting += [operand for operand in nodes[number][3] if is_nan[operand]]
    return min(reached, default=is_nan.index(True))


def _has_nan(array):
    return array.dtype.kind in "fc" and bool(_np.isnan(array).any())
