"""What dynacc.explain returns: segments, graphs, guards, kernels and breaks of one call, as text and data."""
from dynacc._lines import lines_of, listing


class Explanation:
    """What DynaCC made of one call of a function; print it, or show it in a notebook.

    result    what the call returned
    segments  the function's stretches of captured code: dicts with "start_line", "visits" (times that control came
              there) and "entries", the compiled variants: dicts with "graph" (as captured), "optimized" (after the
              passes), "groups" (what was fused: dicts with "kind" and "nodes", numbers in "optimized"), "guards",
              "kernels" (schedule and source), "hits" (times that it ran) and "misses" (times that it did not fit)
    breaks    where and why capture stopped: dicts with "file", "line", "source", "function", "callers" (who called
              that function in the captured code, the innermost first: dicts with "file", "line", "function"),
              "reason" and "hint"
    recompiles   dicts with "line" and "reason": the guard that did not hold
    lines     for each line of source, a dict with "file", "number", "text", "state" ("captured", "partly", "break",
              "loop", "inlined", "plain" or ""), "notes" (nodes, groups and kernels that it became, or why it was left
              to CPython) and "bytecode" (dicts with "offset", "text" and "where")
    graphs, guards, kernels   of all entries of all segments, as text
    """

    def __init__(self, result, data, code=None):
        self.result = result
        self.name = data["name"]
        self.segments = data["segments"]
        self.breaks = [a_break | {"source": _source_line(a_break["file"], a_break["line"])}
                       for a_break in data["breaks"]]
        self.recompiles = data["recompiles"]
        self.lines = lines_of(data, code)

    def as_dict(self):
        """Everything but the result, as dicts, lists, strings and numbers (for json.dumps, say)."""
        import copy
        names = ("name", "segments", "breaks", "recompiles", "lines")
        return {name: copy.deepcopy(getattr(self, name)) for name in names}

    def listing(self, bytecode=True):
        """The source, each line with its bytecode and what became of it, as text."""
        return listing(self.lines, bytecode)

    def dot(self):
        """The graphs after the passes as Graphviz text: a frame for each fusion group, an arrow for each array."""
        lines = ["digraph dynacc {", "  node [shape=box, fontname=monospace];"]
        for number, entry in enumerate(self._entries()):
            lines += _dot_lines(number, entry)
        return "\n".join([*lines, "}"]) + "\n"

    @property
    def graphs(self):
        """The graphs of all entries, as they were captured."""
        return [entry["graph"] for entry in self._entries()]

    @property
    def guards(self):
        """The guards of all entries, a text each."""
        return [guard for entry in self._entries() for guard in entry["guards"]]

    @property
    def kernels(self):
        """The schedule and the kernels' source of each entry that has kernels."""
        return [entry["kernels"] for entry in self._entries() if entry["kernels"]]

    def _entries(self):
        return [entry for segment in self.segments for entry in segment["entries"]]

    def __str__(self):
        used = [segment for segment in self.segments if segment["entries"]]
        lines = [f"{self.name}: {_count(len(self.graphs), 'graph')} in {_count(len(used), 'segment')}, "
                 f"{_count(len(self.breaks), 'graph break')}"]
        lines += ["source:", self.listing(bytecode=False)]
        for segment in used:
            lines += _segment_lines(segment)
        for a_break in self.breaks:
            lines += _break_lines(a_break)
        return "\n".join(lines)

    def __repr__(self):
        return f"<dynacc.Explanation of {self.name}>"

    def _repr_pretty_(self, printer, cycle):
        """What IPython shows in a terminal."""
        printer.text(str(self))

    def _repr_html_(self):
        """What notebooks show."""
        from dynacc._explanation_page import fragment
        return fragment(self)


def _break_lines(a_break):
    lines = [f"break at {a_break['file']}:{a_break['line']}: {a_break['reason']}"]
    if a_break["source"]:
        lines.append(f"    {a_break['source']}")
    if a_break["callers"]:
        callers = [f"{place['function']} ({place['file']}:{place['line']})" for place in a_break["callers"]]
        lines.append(f"    in {a_break['function']}, called by {', by '.join(callers)}")
    return [*lines, f"  hint: {a_break['hint']}"]


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
