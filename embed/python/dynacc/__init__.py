"""DynaCC: Python array programs as fused kernels inside stock CPython.

Under the launcher `dynacc-python` nothing needs to be imported: hot array code is captured by itself.
In a stock python3 only the functions named by `dynacc.compile` are captured.
"""
import functools as _functools
import types as _types

try:
    import _dynacc
except ModuleNotFoundError as error:
    if error.name != "_dynacc":
        raise
    from dynacc import _installation
    raise _installation.missing_core(__file__) from None

if getattr(_dynacc, "__file__", None):  # not the launcher's, which is built in
    from dynacc import _installation as _found
    _found.check_one(__file__, _dynacc.__file__)
    del _found

# dynacc is a namespace of the Python array API standard, too. Its names (asarray, Tensor, float32, linalg ...) are made
# when the first of them is asked for, as they need NumPy. Some of them are names of builtins (all, any, sum, abs, bool,
# min, max, pow, round), so this file calls none of those.

__all__ = ["Explanation", "compile", "disable", "explain", "stats"]
__version__ = _dynacc.version

# Functions of dynacc._gradients, which is imported when the first of them is asked for.
_GRADIENTS = ("checkpoint", "custom_gradient", "grad", "hessian", "jacobian", "jvp", "stop_gradient", "value_and_grad",
              "vjp")
_CONTROL_FLOW = ("associative_scan", "cond", "map", "scan", "vmap", "while_loop")  # of dynacc._control_flow, likewise
_OPERATORS = ("OperatorError", "op")  # of dynacc.operators, the same
_PROGRAM = ("export", "load_program")  # of dynacc.program, the same
# Modules that are imported when they are first asked for.
_MODULES = ("graph", "initializers", "losses", "operators", "optim", "passes", "program", "testing", "tree")


def compile(function=None, *, fullgraph=False, dynamic=None, fast_math=None, backend="", device=None):
    """Returns a callable that runs `function` as compiled kernels; also a decorator.

    fullgraph  True: a graph break raises RuntimeError instead of splitting the function.
    dynamic    True: sizes are dynamic from the start; False: never; None: after they changed.
    fast_math  True allows results that differ from NumPy's in the last digits; None: DYNACC_FAST_MATH.
    backend    a target's name (see dynacc-python --dynacc-info); "": DYNACC_TARGET; or a callable, called with each
               graph that is captured, a dynacc.graphs.CapturedGraph, before its first run. It returns None (the graph
               is compiled as without it), a target's name, a CapturedGraph to compile in its place, or a function
               run(arrays, numbers) that computes the graph's outputs (dynacc.graphs.CapturedGraph says how). What it
               raises, the call of `function` raises.
    device     "cuda": array work runs on the GPU, with copies there and back that DYNACC_LOGS=device counts;
               results may differ from NumPy's in the last digits. RuntimeError if there is none. "cpu" or
               None: as backend says.
    """
    backend = _target_of(device, backend)
    if function is None:
        return _functools.partial(compile, fullgraph=fullgraph, dynamic=dynamic,
                                  fast_math=fast_math, backend=backend)
    if isinstance(function, _types.MethodType):
        compiled = compile(function.__func__, fullgraph=fullgraph, dynamic=dynamic,
                           fast_math=fast_math, backend=backend)
        return _types.MethodType(compiled, function.__self__)
    if callable(backend):
        from dynacc._backend import asked
        backend = asked(backend)
    compiled = _dynacc.CompiledFunction(_plain(function), fullgraph, dynamic, fast_math, backend)
    return _functools.update_wrapper(compiled, _plain(function))


def _target_of(device, backend):
    """The backend that the argument `device` asks for."""
    if device is None or device == "cpu":
        return backend
    if device not in ("cuda", "cuda:0"):
        raise ValueError(f"dynacc.compile: no device is called {device!r}; there are 'cpu' and 'cuda'")
    if backend not in ("", "cuda"):
        raise ValueError(f"dynacc.compile: backend {backend!r} does not run on device {device!r}")
    _dynacc.check_target("cuda")
    return "cuda"


def disable(function):
    """Marks `function` to be left to CPython, whatever the policy; returns it. Also a decorator."""
    _dynacc.disable(_plain(function))
    return function


def explain(function, *, fresh=True):
    """Returns a callable that calls `function` compiled and returns an Explanation of what happened.

    fresh  True: everything is compiled again, and for DYNACC_TARGET at once; False: what earlier calls of a function
           under `dynacc.compile` compiled is shown, too, with all its hits and misses.
    """
    compiled = function if _is_compiled(function) else compile(function)
    plain = _plain(function)

    @_functools.wraps(plain)
    def run(*args, **kwargs):
        if fresh:
            _dynacc.prepare_explain(plain)
        result = compiled(*args, **kwargs)
        return Explanation(plain.__qualname__, result, **_dynacc.explain(plain))

    return run


def stats():
    """The counters of this process: what was captured, compiled, launched, and why code broke off."""
    return _dynacc.stats()


def load_ipython_extension(shell):
    """What `%load_ext dynacc` calls: makes the cell magic %%dynacc known, which shows what became of a cell."""
    from dynacc import _notebook
    _notebook.register(shell)


def __getattr__(name):
    """Loads the array namespace when one of its names is asked for."""
    if name in _GRADIENTS:
        from dynacc import _gradients
        globals().update({each: getattr(_gradients, each) for each in _GRADIENTS})  # where a trace finds them
        return globals()[name]
    if name in _CONTROL_FLOW:
        from dynacc import _control_flow
        globals().update({each: getattr(_control_flow, each) for each in _CONTROL_FLOW})
        return globals()[name]
    if name in _OPERATORS:
        from dynacc import operators
        return getattr(operators, name)
    if name in _PROGRAM:
        from dynacc import program
        return getattr(program, name)
    if name in _MODULES:
        import importlib
        return importlib.import_module(f"dynacc.{name}")
    if name in ("__array_namespace_info__", "__array_api_version__") or not name.startswith("_"):
        try:
            names = _array_namespace()
        except ImportError as error:
            raise AttributeError(f"dynacc.{name} is not there: {error}") from error
        if name in names:
            return names[name]
    raise AttributeError(f"module 'dynacc' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *_array_namespace(), *_GRADIENTS, *_CONTROL_FLOW, *_OPERATORS, *_PROGRAM, *_MODULES})


def _array_namespace():
    """The names that the array API standard gives to this module, which has them from now on."""
    from dynacc import _array_api
    names = _array_api.namespace()
    globals().update(names)
    return names


def _is_compiled(function):
    return isinstance(getattr(function, "__func__", function), _dynacc.CompiledFunction)


def _plain(function):
    """The Python function inside a method or inside what `compile` returned."""
    function = getattr(function, "__func__", function)
    if isinstance(function, _dynacc.CompiledFunction):
        return function.__wrapped__
    return function


class Explanation:
    """What DynaCC made of one call of a function; print it.

    result    what the call returned
    segments  the function's stretches of captured code: dicts with "start_line", "visits" (times that control came
              there) and "entries", the compiled variants: dicts with "graph" (as captured), "optimized" (after the
              passes), "groups" (what was fused: dicts with "kind" and "nodes", numbers in "optimized"), "guards",
              "kernels" (schedule and source), "hits" (times that it ran) and "misses" (times that it did not fit)
    breaks    where and why capture stopped: dicts with "file", "line", "source", "reason" and "hint"
    graphs, guards, kernels   of all entries of all segments, as text
    """

    def __init__(self, name, result, segments, breaks):
        self.name = name
        self.result = result
        self.segments = segments
        self.breaks = [a_break | {"source": _source_line(a_break["file"], a_break["line"])} for a_break in breaks]

    def as_dict(self):
        """Everything but the result, as dicts, lists, strings and numbers (for json.dumps, say)."""
        import copy
        return {"name": self.name, "segments": copy.deepcopy(self.segments), "breaks": copy.deepcopy(self.breaks)}

    def dot(self):
        """The graphs after the passes as Graphviz text: a frame for each fusion group, an arrow for each array."""
        lines = ["digraph dynacc {", "  node [shape=box, fontname=monospace];"]
        for number, entry in enumerate(self._entries()):
            lines += _dot_lines(number, entry)
        return "\n".join([*lines, "}"]) + "\n"

    @property
    def graphs(self):
        return [entry["graph"] for entry in self._entries()]

    @property
    def guards(self):
        return [guard for entry in self._entries() for guard in entry["guards"]]

    @property
    def kernels(self):
        return [entry["kernels"] for entry in self._entries() if entry["kernels"]]

    def _entries(self):
        return [entry for segment in self.segments for entry in segment["entries"]]

    def __str__(self):
        used = [segment for segment in self.segments if segment["entries"]]
        lines = [f"{self.name}: {_count(len(self.graphs), 'graph')} in {_count(len(used), 'segment')}, "
                 f"{_count(len(self.breaks), 'graph break')}"]
        for segment in used:
            lines += _segment_lines(segment)
        for a_break in self.breaks:
            lines += [f"break at {a_break['file']}:{a_break['line']}: {a_break['reason']}",
                      *([f"    {a_break['source']}"] if a_break["source"] else []),
                      f"  hint: {a_break['hint']}"]
        return "\n".join(lines)

    def __repr__(self):
        return f"<dynacc.Explanation of {self.name}>"


def _source_line(file, line):
    import linecache
    return linecache.getline(file, line).strip()


def _dot_lines(number, entry):
    """The nodes and arrows of one entry; `entry["optimized"]` has a line "  %5: f64[3] = add %3, %4" for each node."""
    import re
    nodes, arrows = {}, []
    for node, text in re.findall(r"^  %(\d+): (.*?)(?: +#.*)?$", entry["optimized"], re.M):
        label = text.replace("\\", "\\\\").replace('"', '\\"')
        nodes[int(node)] = f'e{number}_{node} [label="%{node}: {label}"];'
        arrows += [f"  e{number}_{operand} -> e{number}_{node};" for operand in re.findall(r"%(\d+)", text)]
    lines = [f"  subgraph cluster_{number} {{", f'    label="entry {number}";']
    for position, group in enumerate(entry["groups"]):
        lines += [f"    subgraph cluster_{number}_{position} {{", f'      label="{group["kind"]}"; style=filled;',
                  *[f"      {nodes.pop(node)}" for node in group["nodes"]], "    }"]
    return [*lines, *[f"    {text}" for text in nodes.values()], "  }", *arrows]


def _count(number, thing):
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _segment_lines(segment):
    lines = []
    for number, entry in enumerate(segment["entries"], 1):
        lines.append(f"segment from line {segment['start_line']}, entry {number}: "
                     f"{_count(entry['hits'], 'hit')}, {entry['misses']} misses")
        lines += _block("graph", entry["graph"])
        lines += _block("guards", "\n".join(entry["guards"]))
        lines += _block("fused", "\n".join(f"{group['kind']}: {', '.join(f'%{node}' for node in group['nodes'])}"
                                           for group in entry["groups"]))
        lines += _block("schedule and kernels", entry["kernels"])
    return lines


def _block(title, text):
    rows = text.rstrip().splitlines()
    return [f"  {title}:"] + [f"    {row}" for row in rows] if rows else []
