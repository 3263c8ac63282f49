"""Passes over graphs that users write: patterns that are NumPy functions, and lists of passes by name.

    replace_pattern(graph, lambda a, b: np.sqrt(a * a + b * b), np.hypot)

    @register("hypot")                          # a pass is a function of a dynacc.graph.Graph
    def use_hypot(graph):
        replace_pattern(graph, ...)

    @dynacc.compile(backend=backend(("mine", use_hypot)))   # a pass for the graphs of one function
    def f(a, b): ...
"""
import collections as _collections

import _dynacc

from dynacc._compile import did_you_mean as _did_you_mean
from dynacc._graph_numpy import OPS
from dynacc.graph import Graph, GraphError, examples_of, make_graph

__all__ = ["Match", "apply", "backend", "register", "registered", "replace_pattern", "unregister"]

Match = _collections.namedtuple("Match", "node args")
Match.__doc__ = """Where a pattern was found: `node` computes what the pattern returns, of the nodes `args`, its parameters."""


def replace_pattern(graph, pattern, replacement, where=None, examples=None):
    """Has `replacement` computed wherever `graph` computes `pattern`; returns the Matches that were replaced.

    pattern      a function of arrays, of which each parameter stands for any node; or a Graph with one output
    replacement  a function of the same parameters. It is traced on arrays of the dtypes and shapes that were found, and
                 must give what the pattern gives there: the same dtype and shape. Whether it has the same bits is its
                 writer's word.
    where        a function of a Match that says whether it shall be replaced; None: each
    examples     arrays on which the pattern is traced to see which ops it has; None: float64 matrices of one shape

    A place matches if the pattern, traced on arrays of the dtypes and shapes found there, has the very ops, attributes
    and numbers; operands of commutative ops may be swapped. Nodes inside a match that others use stay for those. What
    a replacement makes is not matched again. Where sizes vary, a place is left alone if pattern or replacement ask
    something of them that the graph does not require. GraphError if pattern or replacement are no single graph, or
    give anything else than one array; then the graph is as it was.
    """
    shown = pattern if isinstance(pattern, Graph) else _trace(pattern, examples or _matrices(pattern))
    root = _only_output(shown)
    trees = {}
    found = []
    for node in graph.nodes:
        if node.op == "input" or node.is_erased:
            continue
        bound = {}
        if not _looks_like(root, node, bound) or len(bound) != len(shown.inputs):
            continue
        match = Match(node, tuple(bound[parameter] for parameter in shown.inputs))
        if not _is_exactly(graph, pattern, match, trees) or where is not None and not where(match):
            continue
        if _replace(graph, replacement, match, trees):
            found.append(match)
    return found


def _matrices(function):
    import inspect
    import numpy as np
    return [np.ones((3, 4)) for _ in inspect.signature(function).parameters]


def _trace(function, examples, dynamic=False):
    call = function if hasattr(function, "__code__") else lambda *args: function(*args)  # a ufunc, say
    graph = make_graph(call, *examples, dynamic=dynamic)
    _only_output(graph)
    if len(graph.inputs) != len(examples):
        raise GraphError(f"{function!r} uses arrays that are not among its parameters")
    return graph


def _only_output(graph):
    if len(graph.outputs) != 1 or graph.targets[0] is not None:
        raise GraphError(f"a pattern or replacement gives one array, not {len(graph.outputs)}")
    return graph.outputs[0]


def _orders(node):
    """The arguments of a node, in the orders in which they mean the same."""
    args = node.args
    return (args, args[::-1]) if OPS[node.op][2] and len(args) == 2 and args[0] != args[1] else (args,)


def _looks_like(pattern, node, bound):
    """Whether the ops are the pattern's, whatever dtypes and shapes; then `bound` has the parameters' nodes."""
    if pattern.op == "input":
        return bound.setdefault(pattern, node) == node
    if "view" in (pattern.op, node.op) and pattern.op != node.op:  # what is broadcast depends on shapes
        pattern, node = (one.args[0] if one.op == "view" else one for one in (pattern, node))
        return _looks_like(pattern, node, bound)
    if pattern.op != node.op or len(pattern.args) != len(node.args):
        return False
    for args in _orders(node):
        trial = dict(bound)
        if all(_looks_like(one, other, trial) for one, other in zip(pattern.args, args)):
            bound.update(trial)
            return True
    return False


def _for_types(function, args, traced):
    """The function's graph for nodes of these types."""
    if isinstance(function, Graph):
        return function
    key = (function, tuple((node.dtype, node.shape) for node in args))
    if key not in traced:
        examples, dynamic = examples_of(args)
        traced[key] = _trace(function, examples, dynamic)
    return traced[key]


class _Trial:
    """A function's nodes made in a graph, before a node; they go again unless they are kept."""

    def __init__(self, graph, function, match, traced):
        other = _for_types(function, match.args, traced)
        self.graph = graph
        self.mapping = dict(zip(other.inputs, match.args))
        self.inputs = other.inputs
        with graph.inserting_before(match.node):
            self.known = graph._copy_from(other, self.mapping, False)
        self.result = self.mapping[other.outputs[0]]

    def drop(self):
        for source, node in reversed(list(self.mapping.items())):
            if source not in self.inputs and not node.is_erased:
                self.graph.erase_node(node)


def _is_exactly(graph, pattern, match, traced):
    try:
        trial = _Trial(graph, pattern, match, traced)
    except GraphError:
        if isinstance(pattern, Graph):
            return False  # of another type
        raise
    same = trial.known and _same(trial.result, match.node, set(match.args))
    trial.drop()
    return same


def _same(one, other, leaves):
    """Whether two nodes of a graph compute the same from `leaves`."""
    if one == other:
        return True
    if one in leaves or (one.op, one.dtype, one.shape, one.attrs) != (other.op, other.dtype, other.shape, other.attrs):
        return False
    return any(all(_same(a, b, leaves) for a, b in zip(one.args, args)) for args in _orders(other))


def _replace(graph, replacement, match, traced):
    trial = _Trial(graph, replacement, match, traced)
    made = trial.result
    if not trial.known:
        trial.drop()
        return False
    if (made.dtype, made.shape) != (match.node.dtype, match.node.shape):
        text = f"the replacement of {match.node!r} gives {made!r}"
        trial.drop()
        raise GraphError(f"{text}, which is of another dtype or shape")
    match.node.replace_all_uses_with(made)
    return True


# --- Passes by name ------------------------------------------------------------------------------------------------------

_passes = {}  # by name, in their order


def register(name, function=None, before=None, after=None):
    """Adds a pass for every graph that the process captures from then on; also a decorator.

    function  is called with a Graph, which it changes in place, or returns another one. Graphs of functions that have a
              backend of their own, of arrays on a device, and of sizes that values decide are left alone. If a pass
              raises, or makes what is no legal graph, a RuntimeWarning says so, and the graph is compiled as it was.
    before, after  the name of a registered pass that it runs before, or after; by default it is the last.
    ValueError if the name is taken, or if there is no pass of the other name.
    """
    if function is None:
        return lambda decorated: register(name, decorated, before, after)
    if name in _passes:
        raise ValueError(f"dynacc.passes.register: there is a pass {name!r} already")
    names = list(_passes)
    for other in (before, after):
        if other is not None and other not in names:
            raise _no_pass(other)
    place = names.index(before) if before is not None else names.index(after) + 1 if after is not None else len(names)
    if before is not None and after is not None and names.index(after) >= place:
        raise ValueError(f"dynacc.passes.register: {after!r} does not run before {before!r}")
    names.insert(place, name)
    known = {**_passes, name: function}
    _passes.clear()
    _passes.update((one, known[one]) for one in names)
    _tell()
    return function


def unregister(name):
    """Takes a pass away. ValueError if there is none of that name."""
    if _passes.pop(name, None) is None:
        raise _no_pass(name)
    _tell()


def _no_pass(name):
    return ValueError(f"dynacc.passes: there is no pass {name!r}{_did_you_mean(name, _passes) if _passes else ''}")


def _tell():
    """Has the compiler ask about each graph as long as there are passes."""
    from dynacc.backends import asked
    _dynacc.set_process_backend(asked(_compile_registered) if _passes else None)


def _compile_registered(captured):
    import warnings
    if captured.has_data_dependent_sizes:
        return None
    try:
        return _compile_changed(captured, None)
    except Exception as error:
        warnings.warn(f"{captured.label}: {type(error).__name__}: {error}; the graph is compiled without the registered "
                      "passes", RuntimeWarning, stacklevel=2)
        return None


def _compile_changed(captured, passes):
    graph = Graph.parse(captured.text)
    changed = apply(graph, passes)
    return None if changed == graph else changed


def registered():
    """The names of the registered passes, in their order."""
    return list(_passes)


def apply(graph, passes=None):
    """A new graph: what the passes make of this one, which stays as it is.

    passes  names of registered passes, or pairs (name, function); None: all that are registered. After each the graph
            must be legal, and have inputs and outputs of the same dtypes and shapes. GraphError naming the pass and
            the node if it is not. An exception of a pass is passed on.
    """
    graph = graph.copy()
    for one in list(_passes.items()) if passes is None else passes:
        name, function = (one, _named(one)) if isinstance(one, str) else one
        before = _interface(graph)
        answer = function(graph)
        graph = graph if answer is None else answer
        try:
            if not isinstance(graph, Graph):
                raise GraphError(f"gives {graph!r}, which is no graph")
            graph.lint()
            if _interface(graph) != before:
                raise GraphError("changes the inputs or outputs of the graph")
        except GraphError as error:
            raise GraphError(f"pass {name!r}: {error}") from None
    return graph


def _named(name):
    if name not in _passes:
        raise _no_pass(name)
    return _passes[name]


def _interface(graph):
    typed = lambda nodes: [None if node is None else (node.dtype, tuple(map(str, node.shape))) for node in nodes]
    return typed(graph.inputs), typed(graph.outputs), typed(graph.targets)


def backend(*passes):
    """For dynacc.compile(backend=...): compiles what these passes, as `apply` takes them, make of each graph.

    What a pass raises, the call of the function raises.
    """
    return lambda captured: _compile_changed(captured, passes)
