"""Reads the text of graphs, for what draws them or tells of them line by line."""
import re

_NODE = re.compile(r"^  %(\d+): (\S+\[[^\]]*\]) = ([^\s(]+)(.*?)(?:    # (.*):(\d+))?$", re.M)


def nodes_of(graph):
    """The nodes of a graph's text, in its order: dicts with "number", "type", "op", "text", "operands", "file", "line".

    "text" is what stands behind the number; "operands" are numbers of nodes; "file" is None where none is known.
    """
    found = []
    for number, kind, op, rest, file, line in _NODE.findall(graph):
        found.append({"number": int(number), "type": kind, "op": op, "text": f"{kind} = {op}{rest}".rstrip(),
                      "operands": [int(operand) for operand in re.findall(r"%(\d+)", rest)],
                      "file": file or None, "line": int(line) if line else 0})
    return found


def group_of_nodes(groups):
    """Node number to the number of its fusion group."""
    return {node: position for position, group in enumerate(groups) for node in group["nodes"]}


def kernels_of(description):
    """The kernels in the text of an entry: dicts with "name", "source" and "steps", a set of (op, file, line)."""
    found = []
    for block in re.split(r"^(?=kernel \w+\()", description, flags=re.M)[1:]:
        steps = {(op, file, int(line)) for op, file, line in re.findall(r"// (\S+), (.*):(\d+)$", block, re.M)}
        found.append({"name": re.match(r"kernel (\w+)", block).group(1), "source": block.strip(), "steps": steps})
    return found
