"""Functions frozen to files that a small library runs without Python (docs/program.md).

    program = dynacc.export(f, *examples)       # traced and compiled, not run
    program.save("f.dynacc")                    # for libdynacc_program: C++, C, dynacc-program
    again = dynacc.load_program("f.dynacc")     # takes what f took, gives what f gave
"""
import inspect as _inspect
import json as _json

import _dynacc
from _dynacc import ProgramError

__all__ = ["Program", "ProgramError", "export", "load_program"]

_LEVELS = ("x86-64-v3", "x86-64-v4")


def export(function, *examples, dynamic=None, targets=None, fast_math=False, weights=None, libraries=None,
           kwargs=None):
    """A Program of a function of arrays, traced on example arguments; the function is not run.

    examples   arguments, as of dynacc.graph.make_graph: dtypes, ranks and all that is no array hold for the program.
               kwargs: a dict of keyword arguments.
    dynamic    None or False: sizes and numbers are those of the examples. True: the arrays' sizes (but 0 and 1) and the
               ints and floats among the arguments may vary. A dict names the axes that may vary, with bounds if there are
               any: {"x": [0], "y": {0: (1, 64)}}; all other sizes and numbers are those of the examples. What sizes have to
               do with each other (a sum of two arrays) is checked at every call.
    targets    levels of CPUs to have code for; None: x86-64-v3 and x86-64-v4. On another one the program runs on loops
               that are compiled beforehand, with the same bits.
    fast_math  True: as dynacc.compile's: the kernels have functions (exp, log, tanh) of their own.
    weights    what becomes of arrays that the function reaches otherwise, as globals. None: they are in the program's
               file. "external": they are in a file of the format safetensors, which `save` writes and load_program takes;
               any file will do that has arrays of these names, dtypes and shapes. "pinned": the same, and they must have
               these elements. Complex arrays, and those that NumPy makes of nothing (np.arange(5)), stay in the program.

    libraries  {"lapack": NAME} names the library of the system, as "liblapack.so.3", that computes np.linalg's solve, inv, det
               and cholesky. Its results are compared with NumPy's, which must come from it; it must be there, too, where
               the program runs.

    GraphBreak with file, line and reason for code that is no single graph. ProgramError, with a line for each place, for
    what only NumPy can do or does with its own bits (without fast_math most functions of float64), and for a function
    that writes into its arguments.
    """
    from dynacc import graph as graphs
    from dynacc._gradients import _plain
    import numpy as np
    function, kwargs = _plain(function), dict(kwargs or {})
    if not isinstance(dynamic, (dict, bool, type(None))):
        raise TypeError(f"dynacc.export: dynamic is {dynamic!r}: it is True, False, None or a dict, as {{'x': [0]}}")
    axes = _axes(graphs, function, examples, kwargs, dynamic) if isinstance(dynamic, dict) else {}
    graph = graphs.trace(function, examples, kwargs, dynamic is True, axes,
                         graphs.default_decompositions(dynamic=bool(dynamic)))
    _require_bounds(graph, axes)
    signature = graph.signature
    if isinstance(targets, str):
        raise TypeError(f"dynacc.export: targets is {targets!r}: it is a list of levels, as [{targets!r}]")
    if weights not in (None, "external", "pinned"):
        raise ValueError(f"dynacc.export: weights={weights!r} is none of None, 'external', 'pinned'")
    if unknown := set(libraries or ()) - {"lapack"}:
        raise ValueError(f"dynacc.export: libraries names {sorted(unknown)[0]!r}; there is 'lapack'")
    rows = [(path, None if is_argument else np.asarray(signature.captured[path], order="C"), weights is not None)
            for path, is_argument in signature.inputs]
    rows += [(text, np.asarray(value, order="C"), False) for text, value in _computed_calls(graph)]
    tree = _dynacc.result_tree_rows(signature.tree)
    names = {}
    _name_outputs(tree, "result", names)
    outputs = [names.get(index, f"output {index}") for index in range(len(graph.outputs))]
    python = {"parameters": _parameters(signature._signature), "constants": _plain_constants(signature._constants),
              "tree": _plain_tree(tree)}
    levels = list(_LEVELS if targets is None else targets)
    return Program(_dynacc.export_program(graph, _label(function), rows, list(signature.numbers), outputs,
                                          _json.dumps(python), bool(fast_math), levels, weights == "pinned",
                                          (libraries or {}).get("lapack", "")))


def load_program(path, weights=None):
    """The Program of a file. `weights`: the safetensors file with the arrays that are outside of it.

    ProgramError with the reason for a file that is none, is damaged or for others, and for weights that do not fit,
    naming the array.
    """
    return Program(_dynacc.load_program(path, weights))


class Program:
    """A frozen function: call it with what the function took, and it gives what that gave.

    inputs, outputs  (name, type) of each array: ("x", "f64[s0, 3]"), where s0 is a size that calls tell
    numbers          (name, type) of each number that calls tell
    weights          (name, type) of each array that is outside of the program's file
    levels           the levels of CPUs that there is code for, and `level` the one that runs here ("": loops)
    graph            what it computes, as text
    """

    def __init__(self, source):
        self._files = source if isinstance(source, tuple) else None  # the bytes of the program's and of the weights'
        self._program = _dynacc.load_program_bytes(*source) if isinstance(source, tuple) else source
        info = self._program.info()
        self.function = info["function"]
        self.inputs = tuple((name, kind) for name, kind, is_argument in info["inputs"] if is_argument)
        self.outputs = tuple(info["outputs"])
        self.weights = tuple(info["weights"])
        self.numbers = tuple(info["numbers"])
        self.levels = tuple(info["levels"])
        self.level = info["level"]
        self.graph = info["graph"]
        self.size = info["size"]
        self._python = _json.loads(info["python"] or "null")
        self._wanted = []
        if self._python is not None:
            self._signature = _signature(self._python["parameters"])
            _numbers_of(self._python["tree"], self._wanted)
        # Whether the arguments are the arrays, in order: then a call need not bind them.
        self._is_plain = self._python is not None and not self.numbers and not self._python["constants"] and (
            [name for name, _ in self.inputs] == [name for name, kind, *_ in self._python["parameters"] if kind <= 1])

    def save(self, path, weights=None):
        """Writes the file, under another name first, so that `path` is whole at any time.

        weights   where the safetensors file with the arrays that are outside goes; it is written first. None: it is not
                  written.
        """
        if self._files is None:
            raise ProgramError("this program was loaded from a file: copy that")
        program, arrays = self._files
        if weights is not None:
            if not arrays:
                raise ProgramError("this program has all of its arrays: export it with weights=\"external\"")
            _dynacc.write_program(weights, arrays)
        _dynacc.write_program(path, program)

    def run(self, *arrays, numbers=()):
        """A list of the results' arrays, for the arrays in the order of `inputs`."""
        return self._program.run(arrays, numbers, ())[0]

    def __call__(self, *args, **kwargs):
        if self._python is None:
            return self.run(*args, **kwargs)
        if self._is_plain and not kwargs and len(args) == len(self._python["parameters"]):
            arrays, numbers = args, ()
        else:
            arrays, numbers = self._flatten(args, kwargs)
        outputs, values = self._program.run(arrays, numbers, self._wanted)
        return _build(self._python["tree"], outputs, dict(zip(self._wanted, values)))

    def _flatten(self, args, kwargs):
        from dynacc.graph import _same, _visit
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        found = {}
        for name, value in bound.arguments.items():
            _visit(value, name, found)
        for path, value in self._python["constants"].items():
            if path not in found or not _same(found[path], value):
                raise TypeError(f"the program was made for {path} = {value!r}, not {found.get(path)!r}")
        try:
            return [found[name] for name, _ in self.inputs], [found[name] for name, _ in self.numbers]
        except KeyError as missing:
            raise TypeError(f"the program takes {missing.args[0]}, which is not among these arguments") from None

    def __repr__(self):
        inputs = ", ".join(f"{name}: {kind}" for name, kind in (*self.inputs, *self.numbers))
        return f"<dynacc.program.Program {self.function}({inputs})>"


def _label(function):
    plain = getattr(function, "__wrapped__", function)
    code = getattr(plain, "__code__", None)
    name = getattr(plain, "__qualname__", type(plain).__qualname__)
    if code is None:
        return name
    import os
    return f"{name} ({os.path.basename(code.co_filename)}:{code.co_firstlineno})"


def _computed_calls(graph):
    """Makes inputs of the calls of NumPy that depend on nothing, as np.arange(5); (text, value) of each."""
    found = []
    for node in graph.nodes:
        if node.op != "library_call" or node.args or not all(isinstance(size, int) for size in node.shape):
            continue
        compiled = graph.subgraph([node], []).compile("tile")
        value, = compiled.run(numbers=[1] * len(compiled.number_types))  # on which nothing here depends
        with graph.inserting_before(node):
            node.replace_all_uses_with(graph.placeholder(node.dtype, node.shape))
        found.append((node.call, value))
    if found:
        graph.eliminate_dead_code()
    return found


def _axes(graphs, function, args, kwargs, dynamic):
    """What a dict `dynamic` says: {(path, axis): (least, most), or None for any size}."""
    leaves = graphs.leaves_of(graphs.signature_of(function), args, kwargs)
    shapes = {path: leaf.shape for path, leaf in leaves.items() if hasattr(leaf, "shape")}
    if unknown := [name for name in dynamic if name not in shapes]:
        raise TypeError(f"dynacc.export: dynamic names {unknown[0]!r}, which is none of {', '.join(sorted(shapes))}")
    return {(path, axis): bounds for path, named in dynamic.items()
            for axis, bounds in _bounds(path, named, shapes[path]).items()}


def _require_bounds(graph, axes):
    """Lets the graph hold for the bounds. ProgramError: it cannot."""
    from dynacc.graph import Size
    inputs = {path: node for (path, is_argument), node in zip(graph.signature.inputs, graph.inputs) if is_argument}
    for (path, axis), bounds in axes.items():
        size = inputs[path].shape[axis]
        if not isinstance(size, Size):
            raise ProgramError(f"dynacc.export: axis {axis} of {path} cannot vary: the function's graph has {size} there. "
                               "Sizes of 0 and 1 are always constants: give an example of 2 or more")
        if bounds is None:
            continue
        least, most = size.range
        wanted_least, wanted_most = bounds
        if (least or 0) > wanted_least or most is not None and most < wanted_most:
            raise ProgramError(f"dynacc.export: axis {axis} of {path} may be {wanted_least} to {wanted_most} by `dynamic`, "
                               f"but the function's graph holds for {least or 0} to {'any size' if most is None else most}")
    for (path, axis), bounds in axes.items():
        if bounds is not None:
            graph.require(inputs[path].shape[axis], ">=", bounds[0])
            graph.require(inputs[path].shape[axis], "<=", bounds[1])


def _bounds(path, axes, shape):
    """What `dynamic` says of an array: a dict from an axis to (least, most), or None for any size."""
    if not isinstance(axes, (dict, list, tuple, set, frozenset)):
        raise TypeError(f"dynacc.export: dynamic[{path!r}] is {axes!r}: it is the axes that may vary, as [0], or a dict of "
                        "them with bounds, as {0: (1, 64)}")
    bounds = axes if isinstance(axes, dict) else dict.fromkeys(axes)
    for axis, pair in bounds.items():
        if not isinstance(axis, int) or not 0 <= axis < len(shape):
            raise TypeError(f"dynacc.export: {path} has no axis {axis!r}")
        if pair is None:
            continue
        if not isinstance(pair, (list, tuple)) or len(pair) != 2 or not all(isinstance(size, int) for size in pair):
            raise TypeError(f"dynacc.export: dynamic[{path!r}][{axis}] is {pair!r}: it is (least, most), two ints, or None")
        if not 0 <= pair[0] <= pair[1] < 2**63:
            raise ValueError(f"dynacc.export: dynamic[{path!r}][{axis}] is {pair!r}: there is no such size")
        if not pair[0] <= shape[axis] <= pair[1]:
            raise ValueError(f"dynacc.export: axis {axis} of {path} is {shape[axis]} in the example, which is not from "
                             f"{pair[0]} to {pair[1]}")
    return bounds


# --- What is kept of the function's parameters and its result, as JSON ------------------------------------------------

_PLAIN = (type(None), bool, int, float, str)


def _parameters(signature):
    """[[name, kind]] with a default where it has a plain one."""
    rows = []
    for parameter in signature.parameters.values():
        row = [parameter.name, int(parameter.kind)]
        if type(parameter.default) in _PLAIN:
            row.append(parameter.default)
        rows.append(row)
    return rows


def _signature(rows):
    parameters, required_follow = [], False
    for name, kind, *default in rows:
        parameters.append(_inspect.Parameter(name, _inspect._ParameterKind(kind),
                                             default=default[0] if default else _inspect.Parameter.empty))
    # A default that is no plain value (an array) is not kept: the ones before it are then required, too.
    for at in reversed(range(len(parameters))):
        parameter = parameters[at]
        if parameter.kind > _inspect.Parameter.POSITIONAL_OR_KEYWORD:
            continue
        if required_follow:
            parameters[at] = parameter.replace(default=_inspect.Parameter.empty)
        required_follow = required_follow or parameters[at].default is _inspect.Parameter.empty
    return _inspect.Signature(parameters)


def _plain_constants(constants):
    for path, value in constants.items():
        if type(value) not in _PLAIN:
            raise ProgramError(f"{path} is a {type(value).__name__}: a program takes arrays, numbers, strs, None, and "
                               "lists, tuples and dicts of such")
    return constants


def _plain_tree(row):
    kind, value = row
    if kind == "subclass":
        raise ProgramError("the function returns an instance of a subclass of tuple: let it return a tuple or a dict")
    if kind == "constant" and type(value) not in _PLAIN:
        raise ProgramError(f"the function returns a {type(value).__name__}: a program gives arrays, numbers, strs, None, "
                           "and lists, tuples and dicts of such")
    return [kind, [_plain_tree(item) for item in value]] if isinstance(value, list) else [kind, value]


def _name_outputs(row, path, names):
    """Names by output: "result", "result[0]", "result['rows']"."""
    kind, value = row
    if kind in ("array", "scalar", "item"):
        names.setdefault(value, path)
    elif kind in ("tuple", "subclass", "list"):
        for number, item in enumerate(value):
            _name_outputs(item, f"{path}[{number}]", names)
    elif kind == "dict":
        for key, item in zip(value[::2], value[1::2]):
            _name_outputs(item, f"{path}[{key[1]!r}]", names)


def _numbers_of(row, wanted):
    kind, value = row
    if kind == "number" and value not in wanted:
        wanted.append(value)
    elif isinstance(value, list):
        for item in value:
            _numbers_of(item, wanted)


def _build(row, outputs, values):
    kind, value = row
    if kind == "array":
        return outputs[value]
    if kind == "scalar":
        return outputs[value][()]
    if kind == "item":
        return outputs[value].item()
    if kind == "number":
        return values[value]
    if kind == "constant":
        return value
    items = [_build(item, outputs, values) for item in value]
    if kind == "dict":
        return dict(zip(items[::2], items[1::2]))
    return tuple(items) if kind == "tuple" else items
