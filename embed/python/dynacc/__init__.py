"""DynaCC: Python array programs as fused kernels inside stock CPython.

Under the launcher `dynacc-python` nothing needs to be imported: hot array code is captured by itself.
In a stock python3 only the functions named by `dynacc.compile` are captured.
"""
import functools as _functools
import types as _types

import _dynacc

__all__ = ["Explanation", "compile", "disable", "explain", "stats"]
__version__ = _dynacc.version


def compile(function=None, *, fullgraph=False, dynamic=None, fast_math=None, backend=""):
    """Returns a callable that runs `function` as compiled kernels; also a decorator.

    fullgraph  True: a graph break raises instead of splitting the function.
    dynamic    True: sizes are dynamic from the start; False: never; None: after they changed.
    fast_math  True allows results that differ from NumPy's in the last digits; None: DYNACC_FAST_MATH.
    backend    a target's name, "cpu" for one; "": DYNACC_TARGET.
    """
    if function is None:
        return _functools.partial(compile, fullgraph=fullgraph, dynamic=dynamic,
                                  fast_math=fast_math, backend=backend)
    if isinstance(function, _types.MethodType):
        compiled = compile(function.__func__, fullgraph=fullgraph, dynamic=dynamic,
                           fast_math=fast_math, backend=backend)
        return _types.MethodType(compiled, function.__self__)
    compiled = _dynacc.CompiledFunction(_plain(function), fullgraph, dynamic, fast_math, backend)
    return _functools.update_wrapper(compiled, _plain(function))


def disable(function):
    """Marks `function` to be left to CPython, whatever the policy; returns it. Also a decorator."""
    _dynacc.disable(_plain(function))
    return function


def explain(function):
    """Returns a callable that calls `function` compiled and returns an Explanation of what happened."""
    compiled = compile(function)
    plain = _plain(function)

    def run(*args, **kwargs):
        result = compiled(*args, **kwargs)
        return Explanation(plain.__qualname__, result, _dynacc.explain(plain)["segments"])

    return run


def stats():
    """The counters of this process: what was captured, compiled, launched, and why code broke off."""
    return _dynacc.stats()


def _plain(function):
    """The Python function inside a method or inside what `compile` returned."""
    function = getattr(function, "__func__", function)
    if isinstance(function, _dynacc.CompiledFunction):
        return function.__wrapped__
    return function


class Explanation:
    """What DynaCC made of one function; print it.

    result    what the call returned
    segments  the function's stretches, each a dict with its entries and breaks
    graphs, guards, kernels   of all entries of all segments, as text
    breaks    dicts with "file", "line" and "reason"
    """

    def __init__(self, name, result, segments):
        self.name = name
        self.result = result
        self.segments = segments

    @property
    def graphs(self):
        return [entry["graph"] for entry in self._entries()]

    @property
    def guards(self):
        return [guard for entry in self._entries() for guard in entry["guards"]]

    @property
    def kernels(self):
        return [kernel for entry in self._entries() for kernel in entry["kernels"]]

    @property
    def breaks(self):
        return [a_break for segment in self.segments for a_break in segment["breaks"]]

    def _entries(self):
        return [entry for segment in self.segments for entry in segment["entries"]]

    def __str__(self):
        lines = [f"{self.name}: {len(self.segments)} segments, {len(self.graphs)} graphs, "
                 f"{len(self.kernels)} kernels, {len(self.breaks)} graph breaks"]
        for segment in self.segments:
            lines += _segment_lines(segment)
        return "\n".join(lines)

    def __repr__(self):
        return f"<dynacc.Explanation of {self.name}>"


def _segment_lines(segment):
    lines = [f"segment at line {segment['start_line']}: {segment['hits']} hits"]
    for number, entry in enumerate(segment["entries"], 1):
        lines.append(f"  entry {number}: {entry['hits']} hits")
        lines += _block("graph", [entry["graph"]])
        lines += _block("guards", entry["guards"])
        lines += _block("kernels", entry["kernels"])
    for a_break in segment["breaks"]:
        lines.append(f"  break at {a_break['file']}:{a_break['line']}: {a_break['reason']}")
    return lines


def _block(title, texts):
    rows = [row for text in texts for row in str(text).rstrip().splitlines()]
    return [f"    {title}:"] + [f"      {row}" for row in rows] if rows else []
