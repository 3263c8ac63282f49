"""Derivatives by tensors (docs/gradients.md): a call is captured as one graph, so that tensors stay where they are."""
import contextvars as _contextvars

import _dynacc
import numpy as _np

from dynacc import _tree
from dynacc._compile import compile as _compile

Tensor = _dynacc.arrays().Tensor  # those on devices are of a type below it

_is_inside = _contextvars.ContextVar("tensor_gradients", default=False)


class ByTensors(Exception):
    """What differentiates by NumPy's arrays has found a tensor in their place."""


def captured(function):
    """The function, compiled as one graph. RuntimeError in a call that the graph does not hold."""
    compiled = _compile(function, fullgraph=True)

    def run(*args, **kwargs):
        if _is_inside.get():
            raise RuntimeError("a derivative by tensors was not captured")
        token = _is_inside.set(True)
        try:
            return compiled(*args, **kwargs)
        finally:
            _is_inside.reset(token)

    return run


def call(transform, args, kwargs):
    """The call of what grad or jacobian returned; its graphs are kept with that."""
    if transform.captured is None:
        transform.captured = captured(lambda *args, **kwargs: transform(*args, **kwargs))
    return transform.captured(*args, **kwargs)


def jvp(jvp, fun, primals, tangents, has_aux):
    """What `jvp` gives of the same arguments in a trace."""
    return captured(lambda primals, tangents: jvp(fun, primals, tangents, has_aux))(tuple(primals), tuple(tangents))


def vjp(vjp, fun, primals, has_aux):
    """What `vjp` gives of the same arguments."""
    kept = _tree.map_leaves(lambda path, leaf: leaf + 0 if isinstance(leaf, Tensor) else leaf, primals)
    result = captured(lambda *primals: fun(*primals))(*primals)
    pullback = _Pullback(captured(lambda primals, cotangent: vjp(fun, *primals, has_aux=has_aux)[1](cotangent)), kept)
    return (result[0], pullback, result[1]) if has_aux else (result, pullback)


class _Pullback:
    """As that of arrays, but all is computed again of the primals."""

    def __init__(self, pull, primals):
        self._pull = pull
        self._primals = primals
        self.saved = "saved: the primals; what is computed of tensors is computed again\n"
        self.saved_bytes = sum(_bytes_of(leaf) for _, leaf in _tree.leaves(primals))

    def __call__(self, cotangent):
        return self._pull(self._primals, cotangent)


def _bytes_of(leaf):
    return leaf.size * leaf.dtype.itemsize if isinstance(leaf, Tensor) else _np.asarray(leaf).nbytes
