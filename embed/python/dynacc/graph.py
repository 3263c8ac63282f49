"""Graphs as values: made of functions, built, read, changed, run and written as NumPy source.

    graph = make_graph(function, *examples)     # traced, not run and not compiled
    print(graph)                                # Graph.parse reads it back
    graph.run(*arrays)                          # a list of the outputs, as new arrays

docs/graphs-in-python.md is the guide. The names are torch.fx's where it has them.
"""
import contextlib as _contextlib
import hashlib as _hashlib
import inspect as _inspect
import operator as _operator
import re as _re
import types as _types

import _dynacc
from _dynacc import GraphBreak, GraphError, Node, Size

from dynacc import _graph_numpy, _objects

__all__ = ["CompiledGraph", "Graph", "GraphBreak", "GraphError", "Interpreter", "Node", "Signature", "Size",
           "Transformer", "default_decompositions", "make_graph", "run_text"]

_LOCATION = _re.compile(r"    # \S.*$", _re.MULTILINE)


class Graph(_dynacc.Graph):
    """An array computation: nodes in order, inputs and outputs.

    Graph() is empty; placeholder, call_function and output build one. make_graph traces a function, Graph.parse reads
    what print printed. Nodes can be added, changed and erased; lint() says whether the graph is legal, and whatever
    uses it (run, compile, copy, str ...) asks that first. GraphError says which node breaks which rule.

    signature  of make_graph: how the function's arguments and result belong to inputs and outputs; else None
    """

    signature = None

    def output(self, nodes, targets=()):
        """Has the graph give these nodes: one, or a sequence.

        targets  for each an input that it is written into after everything is computed, or None. GraphError if it has
                 another dtype or shape, or is the target of two.
        """
        self._set_outputs((nodes,) if isinstance(nodes, Node) else tuple(nodes), tuple(targets))

    def call_function(self, op, args=(), attrs=None, dtype=None, shape=None):
        """A new node: `op` of nodes (and, of elementwise ops, numbers). docs/graphs-in-python.md lists what ops take.

        op  the name of an op, or of a custom operator, "library::operator", which takes what a call of it takes, and
            gives a list of nodes if it gives several arrays.
        GraphError if the op does not take these, or if dtype or shape do not follow and are not given.
        """
        if "::" not in op:
            return super().call_function(op, args, attrs, dtype, shape)
        from dynacc import operators
        return _called_operator(self, operators.get(op), args)

    @_contextlib.contextmanager
    def inserting_before(self, node):
        """A context in which call_function makes its nodes before `node`; None: at the end."""
        before = self._insert_before(node)
        try:
            yield
        finally:
            self._insert_before(None if before is not None and before.is_erased else before)

    def inserting_after(self, node):
        """A context in which call_function makes its nodes right after `node`, one after the other."""
        return self.inserting_before(node.next)

    # --- From one graph to another --------------------------------------------------------------------------------------

    def copy(self):
        """The same graph, with nodes of its own."""
        copied = super().copy()
        copied.signature = self.signature
        return copied

    def copy_into(self, other, *args):
        """Makes this graph's nodes in `other`, at its insertion point, and returns its outputs there as a list.

        args  nodes of `other` in the place of this graph's inputs; without any, `other` gets new inputs. GraphError if
              they are too many or few, or of other dtypes or shapes. A Size of an input is what the node has there.
        """
        inputs = self.inputs
        if args and len(args) != len(inputs):
            raise GraphError(f"the graph has {len(inputs)} inputs, not {len(args)}")
        mapping = dict(zip(inputs, args))
        other._copy_from(self, mapping, True)
        return [mapping[node] for node in self.outputs]

    def inline(self, graph, *args):
        """Makes `graph`'s nodes here, on the nodes `args`; returns its outputs as a list: graph.copy_into(self, *args)."""
        return graph.copy_into(self, *args)

    def subgraph(self, outputs, inputs=None):
        """A new graph that computes the nodes `outputs` from the nodes `inputs`, which become its inputs.

        inputs  None: those of this graph that are needed, in their order. GraphError if an output needs an input of
                this graph that is not named.
        """
        outputs = (outputs,) if isinstance(outputs, Node) else tuple(outputs)
        chosen = None if inputs is None else tuple(inputs)
        needed, waiting = set(), list(outputs)
        while waiting:
            node = waiting.pop()
            if node in needed:
                continue
            needed.add(node)
            if chosen is None or node not in chosen:
                waiting += node.args
        if chosen is None:
            chosen = tuple(node for node in self.inputs if node in needed)
        other = type(self)()
        copier = _dynacc.NodeCopier(self, other)
        made = {node: copier.input(node) for node in chosen}
        for node in self.nodes:
            if node not in needed or node in made:
                continue
            if node.op == "input":
                raise GraphError(f"the subgraph needs {node!r}, which is not among its inputs")
            made[node] = copier.copy(node, [made[argument] for argument in node.args])
        other.output([made[node] for node in outputs])
        other.lint()
        return other

    def infer(self, *specs):
        """A new graph on inputs of other dtypes and sizes; dtypes and shapes of all nodes follow, without data.

        specs  for each input an array, a pair (dtype, shape), or None for what it is. Sizes that vary can be given (of
               other sizes only what they are), or be Sizes or None to stay. Constants take the dtype of what they meet.
        GraphError naming the node for which no dtype or shape follows.
        """
        inputs = self.inputs
        if len(specs) != len(inputs):
            raise GraphError(f"the graph has {len(inputs)} inputs, not {len(specs)}")
        inferred = self._infer([self._spec(node, spec) for node, spec in zip(inputs, specs)])
        inferred.signature = self.signature
        return inferred

    @staticmethod
    def _spec(node, spec):
        if spec is None:
            return node.dtype, node.shape
        return tuple(spec) if isinstance(spec, (tuple, list)) else (spec.dtype, spec.shape)

    # --- Running --------------------------------------------------------------------------------------------------------

    def compile(self, target="cpu"):
        """A CompiledGraph: the graph as it is now, compiled.

        target  "cpu" (Clang), "tile" (NumPy's loops, tile by tile: no compiler), "reference" (slow and plain), "cuda".
        GraphError if the graph is not legal, RuntimeError if the target cannot compile it.
        """
        return CompiledGraph(self, target)

    def run(self, *arrays, numbers=(), target="cpu"):
        """A list of the outputs for these arrays, one for each input, computed by `target`.

        numbers  what the graph takes besides (CompiledGraph.number_types). Outputs are new arrays, but for those with a
        target, which are written into the array that was given. GraphError if arrays or numbers do not fit.
        """
        return self.compile(target).run(*arrays, numbers=numbers)

    # --- Text -----------------------------------------------------------------------------------------------------------

    def to_python(self, name="graph"):
        """NumPy source of a function `name` of the input arrays, which gives a tuple of the outputs.

        Its results have the bytes that a run gives. What the graph takes besides arrays are keywords of the function.
        GraphError for what NumPy has no words for: dtypes that it lacks, and calls of functions whose arguments only
        the process knows that captured them.
        """
        return _PythonSource(self, name).text()

    def to_dot(self):
        """The graph in Graphviz's language: `dot -Tsvg` draws it."""
        lines = ["digraph graph_ {", "  node [shape=box, fontname=monospace];"]
        numbers = {node: number for number, node in enumerate(self.nodes)}
        quoted = lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
        for node, number in numbers.items():
            text = _re.sub(r"%\d+(, )?", "", repr(node).partition(" = ")[2]).strip()
            sizes = ", ".join(map(_graph_numpy.size, node.shape))
            style = ", style=rounded" if node.op == "input" else ", style=bold" if node.is_output else ""
            lines.append(f"  n{number} [label={quoted(f'%{number} {text}')}, tooltip={quoted(f'{node.dtype}[{sizes}]')}{style}];")
            lines += [f"  n{numbers[argument]} -> n{number};" for argument in node.args]
        return "\n".join([*lines, "}"]) + "\n"

    def fingerprint(self):
        """A text of 64 hexadecimal digits, the same for equal graphs in every process."""
        return _hashlib.sha256(self._plain_text().encode()).hexdigest()

    def _plain_text(self):
        self.lint()
        return _LOCATION.sub("", str(self))

    def __eq__(self, other):
        """Whether both print the same, but for source lines."""
        return self._plain_text() == other._plain_text() if isinstance(other, Graph) else NotImplemented

    __hash__ = None  # it can be changed; fingerprint() is a hash of what it is now

    def __repr__(self):
        return f"<dynacc.graph.Graph of {len(self)} nodes, {len(self.inputs)} inputs, {len(self.outputs)} outputs>"


def run_text(text, *arrays, target="cpu"):
    """A list of the outputs of the graph that a text says: for hosts that make graphs in C++ (dynacc/graph.h)."""
    return Graph.parse(text).run(*arrays, target=target)


def examples_of(nodes):
    """(arrays, dynamic): arrays of the nodes' dtypes and shapes, in which each Size is a number that no other one is.

    dynamic  whether there are such. GraphError for dtypes that NumPy lacks.
    """
    import numpy as np
    sizes = {}
    number = lambda size: size if isinstance(size, int) else sizes.setdefault(size, 11 + 2 * len(sizes))
    types = _graph_numpy.NUMPY_TYPES
    if not all(node.dtype in types for node in nodes):
        raise GraphError("an example is of a dtype that NumPy has")
    return [np.ones(tuple(map(number, node.shape)), getattr(np, types[node.dtype])) for node in nodes], bool(sizes)


def _called_operator(graph, operator, args):
    """The nodes of a call of a custom operator, made in the graph."""
    places = [place for place, arg in enumerate(args) if isinstance(arg, Node)]

    def call(*arrays):
        given = list(args)
        for place, array in zip(places, arrays):
            given[place] = array
        return operator(*given)

    nodes = [args[place] for place in places]
    examples, dynamic = examples_of(nodes)
    made = make_graph(call, *examples, dynamic=dynamic).copy_into(graph, *nodes)
    return made[0] if len(made) == 1 else made


def _number_places(graph):
    """Which of the scalar program's inputs `run` is given: those that are no sizes of inputs."""
    sizes, keywords = _size_sources(graph)
    free = [name for name, expression in _graph_numpy.scalar_definitions(str(graph)) if expression.startswith("input ")]
    return [free.index(name) for name in keywords]


class CompiledGraph:
    """A graph compiled for a target. Later changes of the graph do not reach it.

    Called, it takes what the graph's function took and gives what that gave, if make_graph made the graph and it still
    has the same inputs and outputs; else arrays and a list of arrays, as `run`.

    number_types  the types of the numbers that the graph takes besides arrays: "int", "float", "bool"
    """

    def __init__(self, graph, target="cpu"):
        self._runnable = _dynacc.compile_graph(graph, target)
        self._inputs = [(node.dtype, len(node.shape)) for node in graph.inputs]
        self._number_places = _number_places(graph)
        signature = graph.signature
        if signature is not None and (signature.num_inputs, signature.num_outputs) != (len(self._inputs), len(graph.outputs)):
            signature = None
        self.signature = signature
        self.target = target

    @property
    def number_types(self):
        """The types of the numbers that the graph takes besides arrays: "int", "float", "bool"."""
        return self._runnable.number_types

    def run(self, *arrays, numbers=()):
        """A list of the outputs for these arrays, one for each input. GraphError if they do not fit."""
        return self._runnable.run(arrays, numbers, None)

    def run_inputs(self, arrays, numbers):
        """As `run`, of all the graph's inputs: also the sizes among its numbers, as a backend's function gets them."""
        return self.run(*arrays, numbers=[numbers[place] for place in self._number_places])

    def __call__(self, *args, **kwargs):
        if self.signature is None:
            return self.run(*args, **kwargs)
        arrays, numbers = self.signature.flatten(*args, **kwargs)
        return self._runnable.run(arrays, numbers, self.signature.tree)

    def describe(self):
        """The schedule and the kernels, as text."""
        return self._runnable.describe()


class Signature:
    """How a function's arguments and result belong to a graph that make_graph made of it.

    inputs   for each input of the graph its path ("x", "params['w'][0]"), and whether it is an argument; others are
             arrays that the function reached otherwise, and are kept in `captured`, by path
    numbers  the paths of the numbers among the arguments that the graph takes
    """

    def __init__(self, function, rows, numbers, tree, num_outputs, args, kwargs):
        self._signature = signature_of(function)
        self.inputs = tuple((path, is_argument) for path, is_argument, _ in rows)
        self.captured = {path: value for path, is_argument, value in rows if not is_argument}
        self.numbers = tuple(numbers)
        self.tree = tree
        self.num_inputs = len(rows)
        self.num_outputs = num_outputs
        found = leaves_of(self._signature, args, kwargs)
        taken = {path for path, _ in self.inputs} | set(numbers)
        self._constants = {path: value for path, value in found.items() if path not in taken}

    def flatten(self, *args, **kwargs):
        """(arrays, numbers) for the graph. TypeError if the arguments are not like the examples."""
        found = leaves_of(self._signature, args, kwargs)
        for path, value in self._constants.items():
            if path not in found or not _same(found[path], value):
                raise TypeError(f"the graph was made for {path} = {value!r}, not {found.get(path)!r}")
        try:
            arrays = [found[path] if is_argument else self.captured[path] for path, is_argument in self.inputs]
            return arrays, [found[path] for path in self.numbers]
        except KeyError as missing:
            raise TypeError(f"the graph was made with {missing.args[0]}, which is not among these arguments") from None


def _visit(value, path, found, depth=0):
    """What is in lists, tuples and dicts, by paths as frontend/capture/make_graph.cc writes them."""
    if isinstance(value, tuple) or type(value) is list and depth < 32:
        for number, item in enumerate(value):
            _visit(item, f"{path}[{number}]", found, depth + 1)
    elif type(value) is dict and depth < 32:
        for key, item in value.items():
            _visit(item, f"{path}[{key!r}]", found, depth + 1)
    else:
        found[path] = value


def _same(a, b):
    if a is b:
        return True
    return type(a) is type(b) and isinstance(a, (bool, int, float, complex, str, bytes)) and repr(a) == repr(b)


def make_graph(function, *examples, dynamic=False, kwargs=None, decompositions=None):
    """The Graph of a Python function of arrays, traced on example arguments; it is not compiled.

    examples  arguments: arrays, and lists, tuples and dicts of such; dtypes and ranks hold for the graph, and so does
              everything else that is no array. kwargs: a dict of keyword arguments.
    dynamic   True: the arrays' sizes (but 0 and 1) and the ints and floats among the arguments may vary; sizes are
              then Sizes. False: they are constants.
    decompositions  a dict from functions of NumPy, ndarray's methods included, to Python functions of the same arguments,
              which are traced where the call itself would be a node of op library_call. One that returns NotImplemented
              leaves the call. default_decompositions() is such a dict. None: all such calls stay.
    The graph's inputs are all arrays among the arguments, in order, then those that the function reaches otherwise; its
    outputs are the arrays that the function returns, then what it writes into arguments, with these as targets.
    graph.signature says it in full.

    GraphBreak with file, line, reason and hint for every place in the code that no graph can hold. To find those behind
    the first one, the function is run once, on copies of the examples. GraphError for what else it does that no graph
    can: effects on objects of the caller's, random numbers, results that are made of something else than arrays,
    numbers, tuples, lists and dicts. TypeError if the examples are not arguments of the function. What the function
    raises where it is run is raised as it is.
    """
    function = _function_behind(function)
    kwargs = dict(kwargs or {})
    try:
        return trace(function, examples, kwargs, dynamic, decompositions=decompositions)
    except GraphBreak as error:
        found = str(error)
    others = [line for line in _further_breaks(function, examples, kwargs) if line.split(" (hint")[0] not in found]
    raise GraphBreak(found + "".join(f"\n  {line}" for line in others))


def trace(function, examples, kwargs, dynamic=False, axes=(), decompositions=None):
    """As make_graph, but the function is never run: GraphBreak names the first place only.

    axes  pairs (path, axis), as of Signature.inputs: the arrays' sizes that may vary without `dynamic`
    """
    function = _function_behind(function)
    try:
        graph, rows, numbers, tree = _dynacc.make_graph(Graph, function, examples, kwargs, dynamic, list(axes),
                                                         decompositions or None)
    except GraphBreak as error:
        name = getattr(function, "__qualname__", repr(function))
        raise GraphBreak(f"{name} is no single graph:\n  {error}") from None
    graph.signature = Signature(function, rows, numbers, tree, len(graph.outputs), examples, kwargs)
    return graph


def _function_behind(function):
    function = _objects.entry_behind(function)
    is_compiled = isinstance(function, (_dynacc.CompiledFunction, _dynacc.DisabledFunction))
    return function.__wrapped__ if is_compiled else function


def signature_of(function):
    """The inspect.Signature by which arguments are bound to a graph of the function."""
    is_plain = isinstance(function, (_types.FunctionType, _types.MethodType))
    return _inspect.signature(function if is_plain else function.__call__, follow_wrapped=False)


def leaves_of(signature, args, kwargs):
    """What is in the arguments' lists, tuples and dicts, by path ("params['w'][0]"). TypeError: they do not fit."""
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    found = {}
    for name, value in bound.arguments.items():
        _visit(value, name, found)
    return found


def default_decompositions(dynamic=False):
    """A new dict of NumPy's functions that can be written with the ops of graphs, for make_graph and dynacc.export.

    What they compute has the bits of NumPy's functions.
    dynamic  whether np.arange is among them, which a graph needs for a range of a size that varies.
    """
    from dynacc import _decompositions
    _decompositions.find_orders()
    return {**_decompositions.TABLE, **(_decompositions.OF_SIZES if dynamic else {})}


def _further_breaks(function, examples, kwargs):
    """The graph breaks of one call, as texts; none if it has no plain code, or the examples cannot be copied."""
    import copy
    import dynacc
    if not isinstance(function, _types.FunctionType):
        return []
    twin = _types.FunctionType(function.__code__.replace(), function.__globals__, function.__name__,
                               function.__defaults__, function.__closure__)
    twin.__kwdefaults__ = function.__kwdefaults__
    try:
        copies, named = copy.deepcopy((examples, kwargs))
    except Exception:
        return []
    found = dynacc.explain(twin)(*copies, **named).breaks
    return [f"{row['file']}:{row['line']}: {row['reason']}" + (f" (hint: {row['hint']})" if row["hint"] else "")
            for row in found]


class _PythonSource:
    """Graph.to_python's text."""

    def __init__(self, graph, name):
        graph.lint()
        self.graph = graph
        self.name = name
        self.names = {node: f"a{node.attrs['index']}" if node.op == "input" else f"t{number}"
                      for number, node in enumerate(graph.nodes)}

    def text(self):
        arrays = [self.names[node] for node in self.graph.inputs]
        sizes, keywords = _size_sources(self.graph)
        parameters = arrays + (["*", *keywords] if keywords else [])
        lines = ["import numpy as np", "", "", f"def {self.name}({', '.join(parameters)}):"]
        body = [f"{size} = {self.names[node]}.shape[{axis}]" for size, (node, axis) in sizes.items()]
        body += self.scalars(sizes, keywords)
        writer = _graph_numpy.Writer(self.names)
        try:
            for node in self.graph.nodes:
                if node.op != "input":
                    body += writer.statements(node)
        except _graph_numpy.Unwritable as problem:
            raise GraphError(f"to_python: {problem}") from None
        for module in ("scipy.special", "operator", "dynacc.operators"):
            if any(_re.search(rf"(?<![\w.]){module}\.", line) for line in body):
                lines.insert(0, f"import {module}")
        return "\n".join(lines + [f"    {line}" for line in body + self.results()]) + "\n"

    def scalars(self, sizes, keywords):
        lines = []
        for name, expression in _graph_numpy.scalar_definitions(str(self.graph)):
            if name not in sizes and name not in keywords and not expression.startswith(("input ", "late")):
                lines.append(f"{name} = {_re.sub(r'neg(?=[(])', '-', expression)}")
        return lines

    def results(self):
        """A tuple of the outputs; inputs are written into when all of them are there."""
        lines, given = [], []
        pairs = list(zip(self.graph.outputs, self.graph.targets))
        writes = any(target is not None for _, target in pairs)
        for number, (node, target) in enumerate(pairs):
            if target is None and (node.op == "input" or writes):
                lines.append(f'r{number} = np.array({self.names[node]}, order="K")')
                given.append(f"r{number}")
            else:
                given.append(self.names[node if target is None else target])
        for node, target in pairs:
            if target is not None:
                lines.append(f"np.copyto({self.names[target]}, {self.names[node]})")
        return [*lines, f"return ({''.join(f'{name}, ' for name in given).rstrip(' ')})"]


def _size_sources(graph):
    """Which input and axis gives each size that is an input of the scalar program, and the names of the other inputs."""
    program = _graph_numpy.scalar_definitions(str(graph))
    free = {name for name, expression in program if expression.startswith("input ")}
    sizes = {}
    for node in graph.inputs:
        for axis, size in enumerate(node.shape):
            name = None if isinstance(size, int) else size.name
            if name in free and name not in sizes:
                sizes[name] = (node, axis)
    return sizes, [name for name, expression in program if name in free and name not in sizes]


class Interpreter:
    """Runs a graph node by node; subclasses change what a node does, or look at values.

    target  None: by NumPy, as to_python writes it; else the name of a target, which runs each node as a graph of its
            own. Nodes that NumPy has no words for are run so in any case (by "tile").
    """

    def __init__(self, graph, target=None):
        graph.lint()
        self.graph = graph
        self.target = target
        self._compiled = {}

    def run(self, *arrays, numbers=()):
        """A list of the outputs. Every node's value is kept until the end; targets are written into as Graph.run does."""
        import numpy as np
        inputs = self.graph.inputs
        if len(arrays) != len(inputs):
            raise GraphError(f"the graph takes {len(inputs)} arrays, not {len(arrays)}")
        given = dict(zip(inputs, arrays))
        self._scalars = self._evaluate_scalars(given, numbers)
        values = {}
        for node in self.graph.nodes:
            values[node] = self.run_node(node, given[node] if node.op == "input" else [values[a] for a in node.args])
        results = []
        for node, target in zip(self.graph.outputs, self.graph.targets):
            results.append(np.array(values[node], order="K") if target is None else given[target])
        for node, target in zip(self.graph.outputs, self.graph.targets):
            if target is not None:
                np.copyto(given[target], values[node])
        return self.output(results)

    def run_inputs(self, arrays, numbers):
        """As `run`, of all the graph's inputs: also the sizes among its numbers, as a backend's function gets them."""
        return self.run(*arrays, numbers=[numbers[place] for place in _number_places(self.graph)])

    def run_node(self, node, value):
        """The value of a node: of its arguments' values, or of an input the array that was given."""
        return self.placeholder(node, value) if node.op == "input" else self.call_function(node, value)

    def placeholder(self, node, value):
        """The value of an input."""
        return value

    def call_function(self, node, args):
        """The value of any other node, an array; `args` are those of node.args."""
        if self.target is not None:
            return self._run_alone(node, args, self.target)
        try:
            return self._run_by_numpy(node, args)
        except _graph_numpy.Unwritable:
            return self._run_alone(node, args, "tile")

    def output(self, results):
        """What `run` returns; `results` is the list of the outputs."""
        return results

    def _evaluate_scalars(self, given, numbers):
        sizes, keywords = _size_sources(self.graph)
        values = {name: given[node].shape[axis] for name, (node, axis) in sizes.items()}
        if len(keywords) != len(numbers):
            raise GraphError(f"the graph takes {len(keywords)} numbers, not {len(numbers)}")
        values.update(zip(keywords, numbers))
        functions = _graph_numpy.scalar_functions()
        for name, expression in _graph_numpy.scalar_definitions(str(self.graph)):
            if name not in values and expression != "late":
                values[name] = eval(expression, {**functions, **values})
        return values

    def _run_by_numpy(self, node, args):
        import numpy as np
        names = {argument: f"x{number}" for number, argument in enumerate(dict.fromkeys(node.args))}
        names[node] = "result"
        source = "\n".join(_graph_numpy.Writer(names).statements(node))
        space = {"np": np, "operator": _operator, **_graph_numpy.modules(source), **self._scalars, **{names[argument]: value for argument, value in zip(node.args, args)}}
        with np.errstate(all="ignore"):
            exec(source, space)
        return space["result"]

    def _run_alone(self, node, args, target):
        import numpy as np
        key = (node, target)
        if key not in self._compiled:
            alone = Graph()
            copier = _dynacc.NodeCopier(self.graph, alone)
            made = {argument: copier.input(argument) for argument in dict.fromkeys(node.args)}
            alone.output(copier.copy(node, [made[argument] for argument in node.args]))
            self._compiled[key] = alone.compile(target), alone
        compiled, alone = self._compiled[key]
        values = dict(zip(node.args, args))
        arrays = [np.asarray(values[argument]) for argument in dict.fromkeys(node.args)]
        names = [name for name, expression in _graph_numpy.scalar_definitions(str(self.graph))
                 if expression.startswith("input ")]
        free = _size_sources(alone)[1]
        if free:
            order = [name for name, expression in _graph_numpy.scalar_definitions(str(alone))
                     if expression.startswith("input ")]
            return compiled.run(*arrays, numbers=[self._scalars[names[order.index(name)]] for name in free])[0]
        return compiled.run(*arrays)[0]


class Transformer:
    """Makes a new graph node by node; subclasses change what becomes of a node.

    new_graph  the graph that is made; call_function and others may add nodes to it
    """

    def __init__(self, graph):
        graph.lint()
        self.graph = graph
        self.new_graph = type(graph)()
        self._copier = _dynacc.NodeCopier(graph, self.new_graph)

    def transform(self):
        """The new graph, with the old one's signature. GraphError naming this class if it is not legal."""
        made = {}
        for node in self.graph.nodes:
            if node.op == "input":
                made[node] = self.placeholder(node)
            else:
                made[node] = self.call_function(node, [made[argument] for argument in node.args])
        self._copier.copy_conditions()
        outputs = self.output([made[node] for node in self.graph.outputs])
        targets = [None if node is None else made[node] for node in self.graph.targets]
        try:
            self.new_graph.output(outputs, targets[:len(outputs)])
            self.new_graph.lint()
        except GraphError as error:
            raise GraphError(f"{type(self).__name__}: {error}") from None
        self.new_graph.signature = self.graph.signature
        return self.new_graph

    def placeholder(self, node):
        """The node of the new graph for an input."""
        return self._copier.input(node)

    def call_function(self, node, args):
        """The node of the new graph for any other node; `args` are the new nodes for node.args."""
        return self.copy(node, args)

    def output(self, nodes):
        """The outputs of the new graph; `nodes` are the new nodes for the old ones."""
        return nodes

    def copy(self, node, args):
        """A node like `node`, with other arguments, in the new graph; its dtype and shape follow from them."""
        return self._copier.copy(node, args)
