"""What a function says of its own derivatives: stop_gradient, checkpoint, custom_gradient (docs/gradients.md)."""
import functools as _functools

import _dynacc
import numpy as _np

from dynacc import _dtypes, _manipulation, _tree
from dynacc import tree as _trees

__all__ = ["checkpoint", "custom_gradient", "stop_gradient"]

_arrays = _dynacc.arrays()


def stop_gradient(value):
    """The value, which counts as a constant in derivatives of the function that calls this.

    value  an array or number, or lists, tuples and dicts of them; anything else comes back as it is

    Outside of a differentiated function it does nothing.
    """
    if isinstance(value, list):
        return [stop_gradient(item) for item in value]
    if isinstance(value, tuple):
        return tuple([stop_gradient(item) for item in value])
    if isinstance(value, dict):
        return {key: stop_gradient(item) for key, item in value.items()}
    return _arrays.stop_gradient(value)


def checkpoint(fun, policy=None):
    """Returns `fun` with another memory use in derivatives: what it computes is not kept, but computed again.

    fun     a function of arrays, numbers, and lists, tuples and dicts of them
    policy  None or "nothing_saveable": nothing that `fun` computes of the arrays among its arguments is kept, but for
            its results and for calls of NumPy's own functions; "everything_saveable": `fun` as it is

    Results are the same bits. It matters in `grad`, `value_and_grad` and `vjp` of a function that calls the returned
    one. Arrays inside other objects, and those that `fun` reaches as globals, may be kept, and so may what it
    computes of these alone. ValueError: another policy.
    """
    if policy not in (None, "nothing_saveable", "everything_saveable"):
        raise ValueError("dynacc.checkpoint: the policies are None, 'nothing_saveable' and 'everything_saveable', not "
                         f"{policy!r}")
    if not callable(fun):
        raise TypeError(f"dynacc.checkpoint: {fun!r} is not callable")
    if policy == "everything_saveable":
        return fun

    def checkpointed(*args, **kwargs):
        if not _arrays.is_traced():
            return fun(*args, **kwargs)
        marked = [_marked(_begin_checkpoint, value) for value in (args, kwargs)]
        return _marked(_arrays.end_checkpoint, _called_with("checkpoint", fun, *marked))

    return _named_as(fun, checkpointed)


def _begin_checkpoint(value):
    return _as_view(_arrays.checkpoint(value))


def _as_view(value):
    """The array, which may not be written into: what is marked is another array than the caller's, who would not see
    it."""
    return _np.broadcast_to(value, value.shape) if isinstance(value, _np.ndarray) else value


def _called_with(name, fun, args, kwargs):
    """fun(*args, **kwargs) of arguments that are copies for marked arrays. RuntimeError, which leaves the call to
    CPython, where it changes a list or dict of them."""
    before = _tree.leaves([args, kwargs])
    result = fun(*args, **kwargs)
    after = _tree.leaves([args, kwargs])
    if len(before) != len(after):
        raise RuntimeError(f"dynacc.{name}: the function changes an argument")
    for (_, one), (_, other) in zip(before, after):
        if one is not other:
            raise RuntimeError(f"dynacc.{name}: the function changes an argument")
    return result


def _named_as(fun, wrapper):
    """The wrapper, as functools.wraps makes it; in a trace nobody sees its names."""
    return wrapper if _arrays.is_traced() else _functools.update_wrapper(wrapper, fun)


def _marked(mark, value):
    """The value with marks on the arrays in it; outside of a trace they do nothing."""
    if type(value) is list:
        return [_marked(mark, item) for item in value]
    if type(value) is tuple:
        return tuple([_marked(mark, item) for item in value])
    if type(value) is dict:
        return {key: _marked(mark, item) for key, item in value.items()}
    return mark(value)


def custom_gradient(fun):
    """Returns a function with a gradient of its own, as JAX's function of this name does.

    fun  a function that returns a pair (result, pull). result: an array, or a tree of arrays (lists, tuples, dicts,
         dataclasses). pull: a function from the result's cotangent, which is like the result, to the cotangents of the
         positional arguments: a tuple, or the one there is. Of an array this is an array of its shape (it is cast to
         its dtype), of a tree one like it, of others None. None stands for zeros, also of a whole tree

    The returned function returns the result. In derivatives of a function that calls it, `pull` is what is computed,
    and what `fun` does need have no gradient of its own. `pull` need not be linear, is part of the graph, and is
    itself differentiated for second derivatives. Outside of derivatives it is not called. Arrays of several dtypes in
    one result pass through the widest of them, which changes no value.

    Errors, of the derivative: RuntimeError naming the line where `pull` is no graph, or gives something else than
    said; NotImplementedError where the result depends on a differentiated array that is no argument.
    """
    if not callable(fun):
        raise TypeError(f"dynacc.custom_gradient: {fun!r} is not callable")

    def with_gradient(*args, **kwargs):
        if not _arrays.is_traced():
            return _pair_of(fun(*args, **kwargs))[0]
        args = _tree.map_leaves(_as_argument, args)
        result, pull = _pair_of(_called_with("custom_gradient", fun, args, kwargs))
        if _tree.items(result) is None:
            return _with_pull(result, pull, args)
        flat, unravel = _ravel(result)
        return unravel(_with_pull(flat, lambda cotangent: pull(unravel(cotangent)), args))

    return _named_as(fun, with_gradient)


def _as_argument(path, value):
    """The array as a value of its own: what depends on it depends on it as an argument, and not on what the caller
    computed it of, or on the same array as somebody else sees it."""
    if isinstance(value, _arrays.Tensor):
        is_known = _arrays.is_of_kind(value.dtype, "fc") and value.dtype not in _dtypes.LOW_PRECISION
    else:
        is_known = isinstance(value, (_np.ndarray, _np.generic)) and value.dtype.kind in "fc"
    if not is_known:
        return value
    cotangent = _arrays.cotangent(value)
    return _as_view(_arrays.custom_gradient(value, cotangent, 1, value, cotangent))


def _pair_of(made):
    """What the function of custom_gradient returned. TypeError: it is no pair."""
    if type(made) is not tuple or len(made) != 2:
        raise TypeError("dynacc.custom_gradient: the function returns a pair (result, pull), not "
                        f"{type(made).__name__}{f' of {len(made)}' if type(made) is tuple else ''}")
    return made


def _ravel(tree):
    """tree.ravel of arrays, and the same of tensors."""
    leaves = [leaf for _, leaf in _tree.leaves(tree)]
    for leaf in leaves:
        if not isinstance(leaf, _arrays.Tensor):
            return _trees.ravel(tree)

    def unravel(flat):
        parts, end = [], 0
        for leaf in leaves:
            start, end = end, end + leaf.size
            parts.append(_dtypes.astype(_manipulation.reshape(flat[start:end], leaf.shape), leaf.dtype))
        remaining = iter(parts)
        return _tree.map_leaves(lambda path, leaf: next(remaining), tree)

    return _manipulation.concat([_manipulation.reshape(leaf, (-1,)) for leaf in leaves]), unravel


def _with_pull(result, pull, args):
    """The array with the gradients by the arguments that `pull` makes of its cotangent."""
    cotangent = _arrays.cotangent(result)
    before = _arrays.errors_off()
    gradients = pull(cotangent)
    _arrays.errors_back(before)
    if type(gradients) is not tuple:
        gradients = (gradients,)
    gradients = _along(args, gradients)
    args = [leaf for _, leaf in _tree.leaves(args)]
    return _arrays.custom_gradient(result, cotangent, len(args), *args, *gradients)


def _along(argument, gradient):
    """The gradients by the leaves of an argument; fewer or more than these where it is no tree like the argument."""
    children = _tree.items(argument)
    if children is None:
        return [gradient]
    if gradient is None:
        return [None] * len(_tree.leaves(argument))
    parts = [part for _, part in _tree.items(gradient) or []]
    if len(parts) != len(children):
        return parts
    return [below for (_, child), part in zip(children, parts) for below in _along(child, part)]
