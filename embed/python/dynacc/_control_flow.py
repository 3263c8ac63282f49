"""Control flow that a graph can hold: cond, while_loop, scan, map, associative_scan and vmap, with JAX's signatures.

Each function computes the same in plain Python and in captured code. A trace makes a graph of each branch or body
(codegen/ir/subgraph.h) and one node of the graph around it, which runs them: `begin_subgraph` gives None where nothing
is traced, and then plain Python follows. docs/control-flow.md is the guide.
"""
import functools as _functools
import types as _types

import _dynacc
import numpy as _np

__all__ = ["associative_scan", "cond", "map", "scan", "vmap", "while_loop"]

_arrays = _dynacc.arrays()


def cond(pred, true_fun, false_fun, *operands):
    """true_fun(*operands) if pred, else false_fun(*operands).

    pred       a bool or number, also one that arrays compute: an array of one element and no axes
    true_fun, false_fun  functions that return trees of arrays and numbers, of one structure, dtypes and shapes; they
               change nothing that was there before

    Numbers in the result are NumPy scalars. In captured code only the branch that is taken runs. A pred that is a
    Python number, and no array's, is a branch of the trace itself.

    Captured with fullgraph=True, branches that differ, or change something, raise RuntimeError naming the difference
    and the line; otherwise Python takes the branch, whatever the other one would give.
    """
    if type(pred) in (bool, int, float):  # not NumPy's scalars, of which some are floats
        return _normal(true_fun(*operands) if pred else false_fun(*operands))
    first = _arrays.begin_subgraph()
    if first is None:
        return _normal(true_fun(*operands) if pred else false_fun(*operands))
    taken = true_fun(*operands)
    leaves, names = _flat(taken)
    _arrays.end_subgraph(first, *leaves)
    second = _arrays.begin_subgraph()
    other_leaves, other_names = _flat(false_fun(*operands))
    _arrays.end_subgraph(second, *other_leaves)
    if names != other_names:
        _arrays.refuse(f"dynacc.cond: the branches give different trees: {_named(names)} and {_named(other_names)}")
    return _filled(taken, _arrays.cond_of(_np.not_equal(pred, False), first, second))


def while_loop(cond_fun, body_fun, init_val, *, bound=None):
    """The last of the values that body_fun gives, from init_val on, as long as cond_fun(value) holds.

    cond_fun   a function from a tree like init_val to a bool
    body_fun   a function from such a tree to the next one, of the same structure, dtypes and shapes
    bound      the most rounds that are made, an int, or None. With a bound there are gradients (reverse mode), which
               keep `bound` times the value's bytes; jvp needs none

    Numbers in init_val become NumPy scalars. TypeError for a body that gives another tree, dtype or shape.
    """
    init = _normal(init_val)
    leaves, names = _flat(init)
    body = _arrays.begin_subgraph()
    if body is None:
        value, rounds = _copied(init), 0
        while (bound is None or rounds < bound) and cond_fun(value):
            following = _normal(body_fun(value))
            _check_carry("dynacc.while_loop", value, following)
            value, rounds = following, rounds + 1
        return value
    given, given_names = _flat(body_fun(_filled(init, _parameters(body, leaves, False))))
    _arrays.end_subgraph(body, *given)
    condition = _arrays.begin_subgraph()
    holds = cond_fun(_filled(init, _parameters(condition, leaves, False)))
    _arrays.end_subgraph(condition, _np.not_equal(holds, False))
    if names != given_names:
        _arrays.refuse(f"dynacc.while_loop: a round gives a tree {_named(given_names)} where it takes {_named(names)}")
    return _filled(init, _arrays.loop_of(body, condition, len(leaves), bound, False, *leaves))


def scan(f, init, xs=None, length=None, reverse=False, unroll=1):
    """(carry, ys): f(carry, x) -> (carry, y) over the slices of xs along their first axes, with the ys stacked.

    init     the first carry, a tree of arrays and numbers; each round gives one of the same structure, dtypes, shapes
    xs       a tree of arrays whose first axes are equally long, or None: then `length` says how many rounds there are
    reverse  True: from the last slice to the first; the ys are where their xs are
    unroll   there for JAX's sake; it changes nothing

    Numbers are NumPy scalars, in f and in the result. TypeError for a carry that changes its structure, dtype or
    shape; ValueError for arrays that are not equally long.
    """
    del unroll
    start = _normal(init)
    arrays = _flat(xs)[0]
    rounds = _common_length("dynacc.scan", arrays, length)
    leaves, names = _flat(start)
    body = _arrays.begin_subgraph()
    if body is None:
        return _scan_plainly(f, start, xs, rounds, reverse)
    carry = _filled(start, _parameters(body, leaves, False))
    after, y = f(carry, _filled(xs, _parameters(body, arrays, True)))
    given, given_names = _flat(after)
    y_leaves, _ = _flat(y)
    _arrays.end_subgraph(body, *given, *y_leaves)
    if names != given_names:
        _arrays.refuse(f"dynacc.scan: a round gives a tree {_named(given_names)} where it takes {_named(names)}")
    results = _arrays.loop_of(body, None, len(leaves), rounds, reverse, *leaves, *arrays)
    return _filled(start, results[:len(leaves)]), _filled(y, results[len(leaves):])


def map(f, xs, *, batch_size=None):
    """f of each slice of xs along its first axis, with the results stacked: a loop, one slice after the other.

    batch_size  there for JAX's sake; it changes nothing. `vmap` computes all slices at once
    """
    del batch_size
    return scan(lambda carry, x: (carry, f(x)), (), xs)[1]


def associative_scan(fn, elems, reverse=False, axis=0):
    """The results of fn over all prefixes of elems along an axis: e0, fn(e0, e1), fn(fn(e0, e1), e2), ...

    fn     an associative function of two trees like elems, whose leaves are any number of slices, elementwise in
           them; it is called on many pairs at once, about 2 * log2(n) times
    elems  a tree of arrays, equally long along `axis`

    The results are computed as a tree of pairs, so floating-point sums may differ in the last digits from those of a
    loop. ValueError for arrays that are not equally long.
    """
    leaves, _ = _flat(elems)
    _common_length("dynacc.associative_scan", [_np.moveaxis(leaf, axis, 0) for leaf in leaves], None)
    moved = [_np.moveaxis(leaf, axis, 0) for leaf in leaves]
    if reverse:
        moved = [leaf[::-1] for leaf in moved]

    def combine(a, b):
        front = [_np.moveaxis(leaf, 0, axis) for leaf in a]
        behind = [_np.moveaxis(leaf, 0, axis) for leaf in b]
        given, _ = _flat(fn(_filled(elems, front), _filled(elems, behind)))
        return [_np.moveaxis(leaf, axis, 0) for leaf in given]

    scanned = _prefixes(combine, moved)
    if reverse:
        scanned = [leaf[::-1] for leaf in scanned]
    return _filled(elems, [_np.moveaxis(leaf, 0, axis) for leaf in scanned])


def _prefixes(combine, leaves):
    """The prefixes of equally long leaves: those of pairs, and between them one more element."""
    count = leaves[0].shape[0]
    if count < 2:
        return leaves
    pairs = combine([leaf[:-1:2] for leaf in leaves], [leaf[1::2] for leaf in leaves])
    odd = _prefixes(combine, pairs)
    before = [leaf[:-1] for leaf in odd] if count % 2 == 0 else odd
    even = combine(before, [leaf[2::2] for leaf in leaves]) if count > 2 else []
    scanned = []
    for place, leaf in enumerate(leaves):
        result = _np.empty(leaf.shape, odd[place].dtype)
        result[1::2] = odd[place]
        result[:1] = leaf[:1]
        if count > 2:
            result[2::2] = even[place]
        scanned.append(result)
    return scanned


def vmap(fun, in_axes=0, out_axes=0):
    """A function that computes `fun` for all slices of its arguments at once, and stacks the results.

    fun       a function of trees of arrays. It must be one graph: what would break one is a RuntimeError with the line
    in_axes   which axis of each positional argument is sliced: an int, None (the argument is the same for all), or a
              tuple or list of these and of trees of them that begin like the arguments. Keyword arguments are sliced
              along axis 0
    out_axes  where the axis goes in the results: an int or None (results that are the same for all), or a tree of
              these that begins like the result

    It nests, is captured as part of what calls it, and combines with grad, jvp, jacobian, cond, scan and compile.
    Results have the bits of a loop over the slices, but for products of matrices and sums over several axes.

    ValueError for axes that are not there or not equally long.
    """
    if not callable(fun):
        raise TypeError(f"dynacc.vmap: {fun!r} is not callable")

    def mapped(*args, **kwargs):
        if _arrays.is_traced():
            return _batched(fun, in_axes, out_axes, args, kwargs)
        try:
            return _runner_of(fun)(fun, in_axes, out_axes, args, kwargs)
        except RuntimeError as error:
            _explain_failure(fun, in_axes, args, kwargs)
            if not isinstance(error, _dynacc.GraphBreak):
                raise
            # Whoever called vmap knows nothing of the compile that it makes.
            raise _dynacc.GraphBreak(f"dynacc.vmap: graph break at {error.description}") from None

    return mapped if _arrays.is_traced() else _functools.update_wrapper(mapped, fun)


def _batched(fun, in_axes, out_axes, args, kwargs):
    """What vmap(fun, in_axes, out_axes)(*args, **kwargs) computes."""
    leaves, axes = _sliced(args, kwargs, in_axes)
    batch, size = _axes_in_front(leaves, axes)
    graph = _arrays.begin_subgraph()
    if graph is None:
        return _vmap_plainly(fun, args, kwargs, leaves, axes, batch, size, out_axes)
    own_args, own_kwargs = _filled((args, kwargs), _merged(leaves, axes, _parameters(graph, batch, True)))
    result = fun(*own_args, **own_kwargs)
    given, _ = _flat(result)
    _arrays.end_subgraph(graph, *given)
    return _placed(result, _arrays.batch_of(graph, size, *batch), out_axes)


_runners = {}  # by the id of a function's code: (the code, `_batched` compiled for such functions)


def _runner_of(fun):
    """`_batched` as one graph, with entries of its own for functions of the same code."""
    code = getattr(fun, "__code__", None)
    kept = _runners.get(id(code))
    if kept is None:
        from dynacc import compile
        own = _types.FunctionType(_batched.__code__.replace(), globals(), "vmap")
        kept = _runners[id(code)] = code, compile(own, fullgraph=True)
    return kept[1]


def _parameters(graph, arrays, drops_axis):
    """For each array one that stands for any like it, or like its slices, in the subgraph that is being traced."""
    return [_arrays.parameter(graph, array, drops_axis) for array in arrays]


def _explain_failure(fun, in_axes, args, kwargs):
    """After an error: ValueError if the axes do not fit; RuntimeError, with the line in `fun` and the reason, if that
    is no graph by itself."""
    leaves, axes = _sliced(args, kwargs, in_axes)
    _axes_in_front(leaves, axes)
    slices = [_scalar(_np.take(leaf, 0, at)) for leaf, at in zip(leaves, axes) if at is not None]
    own_args, own_kwargs = _filled((args, kwargs), _merged(leaves, axes, slices))
    try:
        _dynacc.TracedCall(fun, own_args, own_kwargs, False)
    except TypeError:
        pass  # it is no Python function


# --- Plain Python --------------------------------------------------------------------------------


def _scan_plainly(f, carry, xs, rounds, reverse):
    arrays = _flat(xs)[0]
    carry = _copied(carry)
    ys, template = [None] * rounds, None
    for i in reversed(range(rounds)) if reverse else range(rounds):
        after, y = f(carry, _filled(xs, [_scalar(array[i]) for array in arrays]))
        after = _normal(after)
        _check_carry("dynacc.scan", carry, after)
        carry, template = after, y
        ys[i] = _flat(_normal(y))[0]
    if rounds == 0:  # the body says what an empty array of results is like
        template = f(carry, _filled(xs, [_scalar(_np.zeros(array.shape[1:], array.dtype)) for array in arrays]))[1]
        return carry, _filled(template, [_np.zeros((0, *_np.shape(leaf)), _np.asarray(leaf).dtype)
                                         for leaf in _flat(template)[0]])
    return carry, _filled(template, [_np.stack(column) for column in zip(*ys)])


def _vmap_plainly(fun, args, kwargs, leaves, axes, batch, size, out_axes):
    results = []
    for i in range(size):
        slices = [_scalar(array[i]) for array in batch]
        own_args, own_kwargs = _filled((args, kwargs), _merged(leaves, axes, slices))
        results.append(fun(*own_args, **own_kwargs))
    columns = zip(*[_flat(_normal(result))[0] for result in results])
    return _placed(results[0], [_np.stack(column) for column in columns], out_axes)


def _check_carry(name, before, after):
    (old, old_names), (new, new_names) = _flat(before), _flat(after)
    if old_names != new_names:
        raise TypeError(f"{name}: a round gives a tree {_named(new_names)} where it takes {_named(old_names)}")
    for place, (a, b) in enumerate(zip(old, new)):
        a, b = _np.asarray(a), _np.asarray(b)
        if a.dtype != b.dtype or a.shape != b.shape:
            raise TypeError(f"{name}: carry {place}{old_names[place] or ''} is {a.dtype}{list(a.shape)} before a round "
                            f"and {b.dtype}{list(b.shape)} after it. Convert one of them")


def _copied(tree):
    return _filled(tree, [leaf.copy() for leaf in _flat(tree)[0]])


# --- Trees ---------------------------------------------------------------------------------------
# Lists, tuples, named tuples, dicts and None; everything else is a leaf. These functions are traced.


def _flat(tree):
    """The leaves of a tree, and where they are: a list of texts like "[0]['w']"."""
    leaves, names = [], []
    _collect(tree, "", leaves, names)
    return leaves, names


def _collect(tree, name, leaves, names):
    if tree is None:
        return
    if isinstance(tree, (list, tuple)):
        for place, item in enumerate(tree):
            _collect(item, f"{name}[{place}]", leaves, names)
    elif type(tree) is dict:
        for key, item in tree.items():
            _collect(item, f"{name}[{key!r}]", leaves, names)
    else:
        leaves.append(tree)
        names.append(name)


def _named(names):
    """The names of a tree's leaves as a text."""
    return "of " + (", ".join(names) or "one leaf") if names else "without leaves"


def _filled(tree, leaves):
    """A tree like this one with other leaves, in its order."""
    return _fill(tree, list(leaves))


def _fill(tree, leaves):
    """Takes them from the front of the list."""
    if tree is None:
        return None
    if isinstance(tree, (list, tuple)):
        items = [_fill(item, leaves) for item in tree]
        if type(tree) is list:
            return items
        return tuple(items) if type(tree) is tuple else type(tree)(*items)
    if type(tree) is dict:
        return {key: _fill(item, leaves) for key, item in tree.items()}
    return leaves.pop(0)


def _scalar(leaf):
    """A NumPy scalar in the place of an array without axes, or of a Python number."""
    return leaf if _has_axes(leaf) else _np.asarray(leaf)[()]


def _has_axes(leaf):
    return isinstance(leaf, _np.ndarray) and leaf.ndim > 0


def _normal(tree):
    return _filled(tree, [_scalar(leaf) for leaf in _flat(tree)[0]])


def _common_length(name, arrays, length):
    """How long the first axes are; ValueError if they are not equally long."""
    for array in arrays:
        if not _has_axes(array):
            raise ValueError(f"{name}: an argument that is no NumPy array, or one without axes, has no slices")
        if length is None:
            length = array.shape[0]
        elif array.shape[0] != length:
            raise ValueError(f"{name}: arrays of {array.shape[0]} and of {length} slices")
    if length is None:
        raise ValueError(f"{name}: give xs, arrays to loop over, or length")
    return length


# --- Axes of vmap --------------------------------------------------------------------------------


def _sliced(args, kwargs, in_axes):
    """The leaves of the arguments, and for each the axis along which it is sliced, or None."""
    leaves, axes = [], []
    if isinstance(in_axes, (tuple, list)):
        if len(in_axes) != len(args):
            raise ValueError(f"dynacc.vmap: in_axes has {len(in_axes)} entries for {len(args)} arguments")
        for arg, at in zip(args, in_axes):
            _spread(arg, at, leaves, axes)
    else:
        for arg in args:
            _spread(arg, in_axes, leaves, axes)
    _spread(kwargs, 0, leaves, axes)
    return leaves, axes


def _spread(tree, at, leaves, axes):
    """Appends the tree's leaves, and for each the entry of `at`, a tree that begins like it."""
    if tree is None:
        return
    below = isinstance(at, (list, tuple, dict))
    if isinstance(tree, (list, tuple)):
        for place, item in enumerate(tree):
            _spread(item, at[place] if below else at, leaves, axes)
    elif type(tree) is dict:
        for key, item in tree.items():
            _spread(item, at[key] if below else at, leaves, axes)
    else:
        leaves.append(tree)
        axes.append(at)


def _axes_in_front(leaves, axes):
    """What is sliced, with that axis in front, and how many slices there are."""
    batch = [_np.moveaxis(leaf, at, 0) for leaf, at in zip(leaves, axes) if at is not None]
    if not batch:
        raise ValueError("dynacc.vmap: in_axes is None for all arguments: give one of them an axis")
    return batch, _common_length("dynacc.vmap", batch, None)


def _merged(leaves, axes, slices):
    """The leaves, with the slices in the place of those that are sliced."""
    return [leaf if at is None else slices.pop(0) for leaf, at in zip(leaves, axes)]


def _placed(tree, arrays, out_axes):
    """The tree with these arrays, whose first axes go where out_axes says."""
    leaves, axes = [], []
    _spread(tree, out_axes, leaves, axes)
    return _filled(tree, [array[0] if at is None else _np.moveaxis(array, 0, at) for array, at in zip(arrays, axes)])
