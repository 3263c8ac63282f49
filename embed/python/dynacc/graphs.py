"""Graphs that DynaCC captured, as text: run them, compare the targets, shrink one that fails.

DYNACC_DEBUG_DIR writes each graph as a file graph.txt and a program run.py that calls this module.

usage: dynacc-python -m dynacc.graphs [check | show | shrink] FILE [--targets A,B] [--numbers N,...] [--seed N]
  check   runs the graph on made-up inputs on each target and compares with the target `reference`; the status is 1
          if something fails (the default)
  show    prints the inputs, the outputs and the schedule
  shrink  prints a smaller graph that fails in the same way
"""
import collections as _collections
import itertools as _itertools
import os as _os
import re as _re
import sys as _sys

import _dynacc

__all__ = ["CapturedGraph", "Failure", "Node", "check", "describe", "main", "run", "shrink"]

_NUMPY_TYPES = {"i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16",
                "u32": "uint32", "u64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64",
                "c64": "complex64", "c128": "complex128", "bool": "bool_"}
_TARGETS = ("tile", "cpu")
# Compared with `reference`, which adds in another order: the allowed relative difference.
_TOLERANCE = {"f16": 2e-2, "f32": 1e-4, "c64": 1e-4}
_NODE = _re.compile(r"^  %(\d+): (\w+)\[([^\]]*)\] = ([\w.]+)(.*?)(\s+# .*)?$")
# Of ops that mean something without the call, on whatever numbers.
_CALL = _re.compile(r" call \d+\b")
_OPS_WITHOUT_CALLS = ("cumsum", "cumprod", "argmax", "argmin", "mean")
_SIZES_TO_TRY = (7, 5, 12, 3, 64, 1000, 1, 2)
_NUMBERS_TO_TRY = 200


Node = _collections.namedtuple("Node", "number dtype shape op operands attributes")
Node.__doc__ = """One line of a graph: %number: dtype[shape] = op operands attributes.

dtype       "f64", "i32", "bool" ...
shape       a tuple of texts: sizes, or names such as "s0" of sizes that vary
operands    the numbers of the nodes that it computes with
attributes  the rest of the line, as text: "axes[1]"
"""


class CapturedGraph:
    """A graph as `dynacc.compile(backend=function)` is told it, and as that function may return it.

    text    the graph, as docs/extending.md describes it; CapturedGraph(text) of a text that was changed is a graph
            to compile in its place. It must take and give arrays of the same dtypes and shapes.
    label   the function, file and line that it was captured from
    nodes   its lines, as Nodes

    In place of a graph the function may return run(arrays, numbers), which is called whenever the graph would be run:
    with a list of NumPy arrays, copies of the graph's inputs, and one of its scalar inputs (sizes that vary, Python's
    numbers). It returns a sequence of new arrays, one for each output; for "%5 -> %0" what the input %0 shall hold.
    If it raises, that goes to sys.unraisablehook, and CPython runs the stretch.
    """

    def __init__(self, text, label=""):
        self.text = text
        self.label = label

    @property
    def nodes(self):
        """The graph's nodes, a Node each, in the order of the text."""
        return [_node_of(match) for match in map(_NODE.match, self.text.splitlines()) if match]

    @property
    def has_data_dependent_sizes(self):
        """Whether sizes are known only when part of the graph has run, such as how many elements a mask selects."""
        return " = late" in self.text

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"<dynacc.graphs.CapturedGraph of {self.label}>"


def _node_of(match):
    number, dtype, shape, op, rest, _ = match.groups()
    if rest.startswith("("):  # a library call: "numpy.sum(%0, axis=1) call 3", or with " of %0, %1" behind it
        _, _, named = rest.rpartition(" of ")
        return Node(int(number), dtype, tuple(size for size in shape.split(", ") if size), op,
                    tuple(int(name) for name in _re.findall(r"%(\d+)", named)), rest.strip())
    operands = _re.match(r"( %\d+,?)*", rest)[0]
    return Node(int(number), dtype, tuple(size for size in shape.split(", ") if size), op,
                tuple(int(name) for name in _re.findall(r"\d+", operands)), rest[len(operands):].strip())


class Failure(Exception):
    """What is wrong with a graph: `kind` (a word) and a message."""

    def __init__(self, kind, message):
        super().__init__(f"{kind}: {message}")
        self.kind = kind


def describe(graph):
    """The graph's scalar inputs, array inputs (dtype, shape), number of outputs and of library calls, as a dict."""
    return _dynacc.describe_graph(graph)


def run(graph, target="cpu", inputs=None, numbers=None, seed=0):
    """The graph's outputs, as arrays, computed by `target` from `inputs`, or else from made-up ones.

    numbers   values for the graph's scalar inputs; None: some for which its sizes fit together.
    Calls of the array library become inputs. ValueError: no legal graph.
    """
    plain = _plain_graph(graph, numbers)
    return _dynacc.run_graph(plain, target, _made_up(plain, seed) if inputs is None else inputs)


def check(graph, targets=_TARGETS, numbers=None, seed=0):
    """Runs the graph on each target, in a child process, and raises a Failure if one crashes, cannot compile it, or
    disagrees: tile and cpu must have the same bits, and reference the same values up to the order of additions."""
    plain = _plain_graph(graph, numbers)
    _in_child(lambda: _compare(plain, targets, seed))


def shrink(graph, targets=_TARGETS, numbers=None, seed=0, report=None):
    """The text of a smaller graph with a Failure of the same kind. ValueError if the graph passes `check`.

    `report` is called with the number of nodes whenever it has become smaller.
    """
    text = _plain_graph(graph, numbers)
    kind = _failure(text, targets, seed)
    if kind is None:
        raise ValueError("the graph passes: there is nothing to shrink")

    def fails(candidate):
        return _failure(candidate, targets, seed) == kind

    nodes = _Nodes.parse(text)
    while True:
        smaller = next((c for c in nodes.candidates() if fails(c.text())), None)
        if smaller is None:
            return nodes.text()
        nodes = smaller
        if report is not None:
            report(len(nodes.rows))


def main(graph=None, arguments=None):
    """The command line described above; `graph`, a text, takes the place of FILE. Returns the exit status."""
    import argparse
    parser = argparse.ArgumentParser(prog="dynacc.graphs", description="Runs, compares and shrinks a captured graph.")
    parser.add_argument("command", nargs="?", choices=("check", "show", "shrink"), default="check")
    if graph is None:
        parser.add_argument("file")
    parser.add_argument("--targets", default=",".join(_TARGETS))
    parser.add_argument("--numbers", help="values for the graph's scalar inputs, separated by commas")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    if graph is None:
        with open(options.file, encoding="utf-8") as file:
            graph = file.read()
    numbers = options.numbers and [float(n) if "." in n else int(n) for n in options.numbers.split(",")]
    return _command(options.command, graph, options.targets.split(","), numbers, options.seed)


def _command(command, graph, targets, numbers, seed):
    if command == "show":
        print(describe(graph))
        optimized, groups = _dynacc.schedule_graph(graph)
        print(optimized, end="")
        for number, (kind, nodes) in enumerate(groups):
            print(f"group {number} {kind}: {', '.join(f'%{node}' for node in nodes)}")
        return 0
    try:
        if command == "shrink":
            print(shrink(graph, targets, numbers, seed, lambda n: print(f"{n} nodes", file=_sys.stderr)), end="")
        else:
            check(graph, targets, numbers, seed)
            print(f"the targets agree: {', '.join(targets)}, reference")
    except (Failure, ValueError) as failure:
        print(failure, file=_sys.stderr)
        return 1
    return 0


def _plain_graph(graph, numbers):
    """The graph without library calls and scalar inputs: for these numbers, or for the first that fit."""
    graph = _without_library_calls(graph)
    types = describe(graph)["scalars"]
    if numbers is not None or not types:
        return _dynacc.specialize_graph(graph, numbers or ())
    choices = [(0.5, 2.0) if kind == "float" else (1, 0) if kind == "bool" else _SIZES_TO_TRY for kind in types]
    for choice in _itertools.islice(_itertools.product(*choices), _NUMBERS_TO_TRY):
        try:
            return _dynacc.specialize_graph(graph, choice)
        except ValueError as error:
            problem = error
    raise ValueError(f"no numbers were found that fit; give some ({problem})")


def _without_library_calls(graph):
    inputs = len(_re.findall(r"\] = input \d+", graph))
    lines = []
    for line in graph.splitlines():
        match = _NODE.match(line)
        if match and match[4] in _OPS_WITHOUT_CALLS:
            line = _CALL.sub("", line)
        elif match and (match[4] == "library_call" or match[5].startswith("(") or _CALL.search(match[5])):
            line = f"  %{match[1]}: {match[2]}[{match[3]}] = input {inputs}"
            inputs += 1
        lines.append(line)
    return "\n".join(lines) + "\n"


def _made_up(graph, seed):
    """Arrays for the inputs: mostly small numbers of both signs, and among the floats some special ones."""
    import numpy as np
    generator = np.random.default_rng(seed)
    arrays = []
    for dtype, shape in describe(graph)["inputs"]:
        if dtype not in _NUMPY_TYPES:
            raise ValueError(f"a graph with inputs of {dtype}, which NumPy lacks, cannot be run on arrays")
        kind = np.dtype(getattr(np, _NUMPY_TYPES[dtype]))
        if kind.kind in "fc":
            values = generator.normal(size=shape) * 3
            values = values + 1j * generator.normal(size=shape) if kind.kind == "c" else values
            special = generator.random(size=shape) < 0.02
            values = np.where(special, generator.choice([0.0, -0.0, np.inf, np.nan, 1.0], size=shape), values)
        else:
            values = generator.integers(0 if kind.kind in "bu" else -9, 2 if kind.kind == "b" else 10, size=shape)
        with np.errstate(all="ignore"):
            arrays.append(np.asarray(values).astype(kind).reshape(shape))
    return arrays


def _compare(graph, targets, seed):
    import numpy as np
    results = {}
    for target in (*targets, "reference"):
        try:
            with np.errstate(all="ignore"):
                results[target] = run(graph, target, _made_up(graph, seed))
        except RuntimeError as error:
            raise Failure("error", f"{target}: {error}") from error
    expected = results.pop("reference")
    for target, outputs in results.items():
        first = results[targets[0]]
        for number, (output, exact, plain) in enumerate(zip(outputs, first, expected)):
            if not _same_bits(output, exact):
                raise Failure("bits", f"output {number} of {target} differs from {targets[0]}'s: {output!r}, {exact!r}")
            if not _close(output, plain):
                raise Failure("values", f"output {number} of {target} differs from reference's: {output!r}, {plain!r}")


def _same_bits(a, b):
    import numpy as np
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.dtype.kind not in "fc":
        return bool((a == b).all())
    parts = [(a.real, b.real), (a.imag, b.imag)] if a.dtype.kind == "c" else [(a, b)]
    return all(bool((((x == y) & (np.signbit(x) == np.signbit(y))) | (np.isnan(x) & np.isnan(y))).all())
               for x, y in parts)


def _close(a, b):
    import numpy as np
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.dtype.kind not in "fc":
        return bool((a == b).all())
    dtype = next(text for text, name in _NUMPY_TYPES.items() if a.dtype == getattr(np, name))
    tolerance = _TOLERANCE.get(dtype, 1e-9)
    with np.errstate(all="ignore"):
        return bool(np.isclose(a, b, rtol=tolerance, atol=tolerance * 100, equal_nan=True).all())


def _failure(graph, targets, seed):
    """The kind of the graph's failure; None if it passes; "illegal" if it is no graph."""
    try:
        _in_child(lambda: _compare(graph, targets, seed))
    except Failure as failure:
        return failure.kind
    except ValueError:
        return "illegal"
    return None


def _in_child(function):
    """Calls `function` in a child process, so that a crash is a Failure."""
    read, write = _os.pipe()
    child = _os.fork()
    if child == 0:
        _os.close(read)
        outcome = ""
        try:
            function()
        except Failure as failure:
            outcome = f"F{failure}"
        except ValueError as error:
            outcome = f"V{error}"
        except BaseException as error:
            outcome = f"Ferror: {error!r}"
        _os.write(write, outcome[:4000].encode("utf-8", "replace"))
        _os._exit(0)
    _os.close(write)
    with _os.fdopen(read, "rb") as pipe:
        outcome = pipe.read().decode("utf-8", "replace")
    _, status = _os.waitpid(child, 0)
    if _os.WIFSIGNALED(status):
        raise Failure("crash", f"signal {_os.WTERMSIG(status)}")
    if outcome.startswith("V"):
        raise ValueError(outcome[1:])
    if outcome:
        kind, _, message = outcome[1:].partition(": ")
        raise Failure(kind, message)


class _Nodes:
    """A graph's lines, taken apart to be made smaller. `rows`: (type, sizes, op, operands and attributes)."""

    def __init__(self, rows, returned):
        self.rows = rows
        self.returned = returned  # (node, target or None)

    @classmethod
    def parse(cls, text):
        rows, returned = [], []
        for line in text.splitlines():
            match = _NODE.match(line)
            if match:
                rows.append((match[2], match[3], match[4], match[5].rstrip()))
            elif line.startswith("  return "):
                for part in line[len("  return "):].split(", "):
                    names = _re.findall(r"%(\d+)", part)
                    returned.append((int(names[0]), int(names[1]) if len(names) > 1 else None))
        return cls(rows, returned)

    def operands(self, number):
        return [int(name) for name in _re.findall(r"%(\d+)", self.rows[number][3])]

    def used(self):
        """The nodes that the returned ones need."""
        found, waiting = set(), [node for pair in self.returned for node in pair if node is not None]
        while waiting:
            node = waiting.pop()
            if node not in found:
                found.add(node)
                waiting += self.operands(node)
        return sorted(found)

    def text(self):
        """The graph again, without what is not needed, nodes and inputs numbered anew."""
        used = self.used()
        names = {old: new for new, old in enumerate(used)}
        rename = lambda text: _re.sub(r"%(\d+)", lambda match: f"%{names[int(match[1])]}", text)
        lines, inputs = ["graph {"], 0
        for node in used:
            dtype, sizes, op, rest = self.rows[node]
            if op == "input":
                rest = f" {inputs}"
                inputs += 1
            lines.append(f"  %{names[node]}: {dtype}[{sizes}] = {op}{rename(rest)}")
        returned = [f"%{names[a]}" + ("" if b is None else f" -> %{names[b]}") for a, b in self.returned]
        return "\n".join([*lines, f"  return {', '.join(returned)}", "}"]) + "\n"

    def candidates(self):
        """Smaller graphs, the smallest first; not all of them are legal."""
        used = self.used()
        for node in used:
            if len(used) > 1 and [(node, None)] != self.returned:
                yield _Nodes(self.rows, [(node, None)])
        for output in range(len(self.returned)):
            if len(self.returned) > 1:
                yield _Nodes(self.rows, self.returned[:output] + self.returned[output + 1:])
        for node in reversed(used):
            yield from self._without(node)
        yield from self._with_smaller_sizes(used)

    def _without(self, node):
        """The node cut off from its operands, or left out in favour of one of them."""
        dtype, sizes, op, _ = self.rows[node]
        if op in ("input", "full", "scalar"):
            return
        yield self._replaced({node: (dtype, sizes, "input", " 0")})
        for operand in self.operands(node):
            if self.rows[operand][:2] == (dtype, sizes):
                yield self._renamed(node, operand)

    def _replaced(self, changes):
        return _Nodes([changes.get(number, row) for number, row in enumerate(self.rows)], self.returned)

    def _renamed(self, node, other):
        rename = lambda text: _re.sub(rf"%{node}\b", f"%{other}", text)
        rows = [row if number <= node else (*row[:3], rename(row[3])) for number, row in enumerate(self.rows)]
        return _Nodes(rows, [(other if a == node else a, b) for a, b in self.returned])

    def _with_smaller_sizes(self, used):
        """One size made smaller wherever it stands."""
        sizes = {int(size) for node in used for size in self.rows[node][1].split(", ") if size.isdigit()}
        for size in sorted(sizes, reverse=True):
            for smaller in sorted({1, 2, 3, size // 2}):
                if 0 < smaller < size:
                    yield self._resized(size, smaller)

    def _resized(self, size, smaller):
        change = lambda text: _re.sub(rf"(?<![%\w.]){size}(?![\w.])", str(smaller), text)
        return _Nodes([(dtype, change(sizes), op, rest if op in ("full", "scalar") else change(rest))
                       for dtype, sizes, op, rest in self.rows], self.returned)


if __name__ == "__main__":
    _sys.exit(main())
