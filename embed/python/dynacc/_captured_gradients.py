"""grad and its family inside of a trace: what they are given is traced as a graph of its own, and the graph of its
derivatives becomes part of the one around it. `graph` is the subgraph that _arrays.begin_subgraph has begun.
"""
import math as _math

import _dynacc
import numpy as _np

from dynacc import _creation, _manipulation
from dynacc._control_flow import _filled, _flat, _parameters

_arrays = _dynacc.arrays()


def _value(fun, *args, **kwargs):
    """What `fun` gives, traced so that NumPy's own functions have their gradients (_gradient_rules.py)."""
    _arrays.begin_derivatives()
    value = fun(*args, **kwargs)
    _arrays.end_derivatives()
    return value


def gradient(transform, graph, args, kwargs):
    """The call in a trace: `fun` is traced as a graph of its own, and the joint graph becomes part of the trace."""
    positions = transform.positions(args)
    trees = [args[n] for n in positions]
    leaves, _ = _flat(trees)
    own = list(args)
    parameters = _filled(trees, _parameters(graph, leaves, False))
    for n, tree in zip(positions, parameters):
        own[n] = tree
    value = _value(transform.fun, *own, **kwargs)
    loss, aux = value if transform.has_aux else (value, None)
    if len(getattr(loss, "shape", ())) != 0:
        _arrays.refuse("a gradient is of one number: sum what the function returns, or use jacobian or vjp")
    aux_leaves, _ = _flat(aux)
    _arrays.end_subgraph(graph, loss, *aux_leaves)
    results = _arrays.derivatives_of(graph, "unit", tuple(range(len(leaves))), (0,), *leaves)
    count = 1 + len(aux_leaves)
    gradient = transform.packed(tuple(_filled(trees, results[count:])))
    aux = _filled(aux, results[1:count])
    if not transform.with_value:
        return (gradient, aux) if transform.has_aux else gradient
    return ((results[0], aux) if transform.has_aux else results[0]), gradient


def jacobian(transform, graph, args, kwargs):
    """The call in a trace: a batch of cotangents, each of which is 1 in one place."""
    positions = transform.positions(args)
    trees = [args[n] for n in positions]
    leaves, _ = _flat(trees)
    own = list(args)
    for n, tree in zip(positions, _filled(trees, _parameters(graph, leaves, False))):
        own[n] = tree
    value = _value(transform.fun, *own, **kwargs)
    result, aux = value if transform.has_aux else (value, None)
    outputs, _ = _flat(result)
    aux_leaves, _ = _flat(aux)
    _arrays.end_subgraph(graph, *outputs, *aux_leaves)
    blocks = [transform.packed(tuple(_filled(trees, _rows_of(graph, leaves, place, output))))
              for place, output in enumerate(outputs)]
    tree = _filled(result, blocks)
    if not transform.has_aux:
        return tree
    values = _arrays.derivatives_of(graph, "joint", (), (), *leaves)
    return tree, _filled(aux, values[len(outputs):])


def vjp(graph, fun, primals, has_aux):
    """vjp(fun, *primals, has_aux=has_aux): the pullback is part of the trace, too. What has no gradient is refused
    here, as it is outside of a trace, whether or not the pullback is called."""
    leaves, _ = _flat(primals)
    value = _value(fun, *_filled(primals, _parameters(graph, leaves, False)))
    result, aux = value if has_aux else (value, None)
    own, names = _flat(result)
    aux_leaves, _ = _flat(aux)
    _arrays.end_subgraph(graph, *own, *aux_leaves)
    by, of = tuple(range(len(leaves))), tuple(range(len(own)))
    values = _arrays.derivatives_of(graph, "values", by, of, *leaves)
    result, aux = _filled(result, values[:len(own)]), _filled(aux, values[len(own):])

    def pull(cotangent):
        given = _ordered(cotangent, names, "the cotangent is another tree than the result")
        values = _arrays.derivatives_of(graph, "joint", by, of, *leaves, *given)
        return _filled(primals, values[len(values) - len(leaves):])

    return (result, pull, aux) if has_aux else (result, pull)


def _ordered(tree, names, error):
    """The tree's leaves in the order of these names, which it must have: dicts may have another one."""
    leaves, own = _flat(tree)
    if len(own) != len(names):
        raise ValueError(error)
    ordered = []
    for name in names:
        if name not in own:
            raise ValueError(error)
        ordered.append(leaves[own.index(name)])
    return ordered


def jvp(graph, fun, primals, tangents, has_aux):
    """jvp(fun, primals, tangents, has_aux)."""
    leaves, names = _flat(primals)
    given = _ordered(tangents, names, "the tangents are another tree than the primals")
    value = _value(fun, *_filled(primals, _parameters(graph, leaves, False)))
    result, aux = value if has_aux else (value, None)
    own, _ = _flat(result)
    aux_leaves, _ = _flat(aux)
    _arrays.end_subgraph(graph, *own, *aux_leaves)
    values = _arrays.derivatives_of(graph, "tangent", tuple(range(len(leaves))), tuple(range(len(own))), *leaves,
                                    *given)
    out = _filled(result, values[:len(own)])
    tangent = _filled(result, values[len(own) + len(aux_leaves):])
    if not has_aux:
        return out, tangent
    return out, tangent, _filled(aux, values[len(own):len(own) + len(aux_leaves)])


def _units(size, output):
    """A unit matrix of the output's dtype; of a tensor a tensor."""
    if isinstance(output, _arrays.Tensor):
        return _creation.eye(size, dtype=output.dtype)
    return _np.eye(size, dtype=output.dtype)


def _shaped(array, shape):
    return _manipulation.reshape(array, shape) if isinstance(array, _arrays.Tensor) else array.reshape(shape)


def _rows_of(graph, leaves, place, output):
    """In a trace: the derivatives of result `place` of the subgraph by each leaf, of that shape before the leaf's."""
    shape = output.shape
    size = _math.prod(shape)
    units = _shaped(_units(size, output), (size, *shape))
    batch = _arrays.begin_subgraph()
    cotangent = _arrays.parameter(batch, units, True)
    values = _arrays.derivatives_of(graph, "joint", tuple(range(len(leaves))), (place,), *leaves, cotangent)
    _arrays.end_subgraph(batch, *values[len(values) - len(leaves):])
    blocks = _arrays.batch_of(batch, size, units)
    return [_shaped(block, (*shape, *leaf.shape)) for block, leaf in zip(blocks, leaves)]
