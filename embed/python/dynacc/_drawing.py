"""Draws graphs: a place for each node, in layers from what is read to what is returned, and a picture of small ones."""
import html

from dynacc._graph_text import group_of_nodes, nodes_of

_ROW = 64       # from layer to layer
_GAP = 24       # between nodes of a layer
_HEIGHT = 30    # of a node
_LETTER = 7     # width of a character
_MOST_DRAWN = 150
_SWEEPS = 4


def layout(entry):
    """Where the nodes of an entry's optimised graph lie: {"nodes": [...], "edges": [[from, to]...], "width", "height"}.

    Each node has "x", "y" (its centre), "width", "label", "title", "group" (-1: none), "file" and "line". Edges name
    nodes by their places in the list.
    """
    nodes = nodes_of(entry["optimized"])
    place = {node["number"]: position for position, node in enumerate(nodes)}
    edges = [[place[operand], position] for position, node in enumerate(nodes)
             for operand in dict.fromkeys(node["operands"]) if operand in place]
    groups = group_of_nodes(entry["groups"])
    drawn = [{"label": f"{node['op']} {node['type']}", "title": f"%{node['number']}: {node['text']}",
              "width": _LETTER * len(f"{node['op']} {node['type']}") + 20, "group": groups.get(node["number"], -1),
              "file": node["file"], "line": node["line"]} for node in nodes]
    width, height = _place(drawn, edges)
    return {"nodes": drawn, "edges": edges, "width": width, "height": height}


def _place(nodes, edges):
    """Gives each node its x and y; the size of it all."""
    layer = [0] * len(nodes)
    for source, target in edges:  # a graph's text names no node before its operands
        layer[target] = max(layer[target], layer[source] + 1)
    rows = [[] for _ in range(max(layer, default=-1) + 1)]
    for position, number in enumerate(layer):
        rows[number].append(position)
    before, after = [[] for _ in nodes], [[] for _ in nodes]
    for source, target in edges:
        before[target].append(source)
        after[source].append(target)
    for row in rows:
        _spread(nodes, row)
    for sweep in range(_SWEEPS):  # each node to the middle of what it is connected with
        downwards = sweep % 2 == 0
        for row in rows if downwards else reversed(rows):
            neighbours = before if downwards else after
            row.sort(key=lambda one: _middle(nodes, neighbours[one], nodes[one]["x"]))
            _spread(nodes, row)
    for number, row in enumerate(rows):
        for position in row:
            nodes[position]["y"] = _ROW * number + _ROW // 2
    left = min((node["x"] - node["width"] / 2 for node in nodes), default=0) - _GAP
    for node in nodes:
        node["x"] = round(node["x"] - left)
    width = max((node["x"] + node["width"] / 2 for node in nodes), default=0) + _GAP
    return round(width), _ROW * len(rows)


def _middle(nodes, neighbours, otherwise):
    return sum(nodes[one]["x"] for one in neighbours) / len(neighbours) if neighbours else otherwise


def _spread(nodes, row):
    """Puts the nodes of a row beside each other, around 0."""
    x = -(sum(nodes[one]["width"] for one in row) + _GAP * (len(row) - 1)) / 2
    for one in row:
        nodes[one]["x"] = x + nodes[one]["width"] / 2
        x += nodes[one]["width"] + _GAP


def svg(entry):
    """The entry's graph as SVG, a colour for each fusion group; "" for one that is too large to be read so."""
    drawn = layout(entry)
    if not 0 < len(drawn["nodes"]) <= _MOST_DRAWN:
        return ""
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {drawn["width"]} {drawn["height"]}" '
             f'width="{drawn["width"]}" style="max-width:100%;height:auto" font-family="ui-monospace, monospace" '
             'font-size="11">']
    for source, target in drawn["edges"]:
        a, b = drawn["nodes"][source], drawn["nodes"][target]
        start, end = a["y"] + _HEIGHT // 2, b["y"] - _HEIGHT // 2
        bend = (start + end) // 2
        parts.append(f'<path d="M{a["x"]} {start}C{a["x"]} {bend} {b["x"]} {bend} {b["x"]} {end}" fill="none" '
                     'stroke="currentColor" stroke-opacity=".35"/>')
    for node in drawn["nodes"]:
        x, y = node["x"] - node["width"] / 2, node["y"] - _HEIGHT / 2
        parts.append(f'<g><title>{html.escape(node["title"])}</title><rect x="{x:g}" y="{y:g}" width="{node["width"]}" '
                     f'height="{_HEIGHT}" rx="6" fill="{_colour(node["group"])}" stroke="currentColor" '
                     f'stroke-opacity=".3"/><text x="{node["x"]}" y="{node["y"] + 4}" text-anchor="middle" '
                     f'fill="currentColor">{html.escape(node["label"])}</text></g>')
    return "".join([*parts, "</svg>"])


def _colour(group):
    return "transparent" if group < 0 else f"hsl({(210 + 47 * group) % 360} 60% 60% / .25)"
