"""Tells of each line of a function what became of it: its bytecode, the graph's nodes, kernels, and why not."""
import dis
import linecache

from dynacc._graph_text import group_of_nodes, kernels_of, nodes_of


def lines_of(data, code=None):
    """A dict for each line of a function, from its first to its last, and those of functions that it inlined.

    data   what is known of the function (dynacc.Explanation.data)
    code   its code object, or None where there is none: then nothing is said of bytecode

    Each dict has "file", "number", "text", "state", "notes" (lines of text) and "bytecode" (dicts with "offset", "text"
    and "where"). The state is "captured", "partly", "break", "loop" (translated as a loop over single elements),
    "inlined", "plain" (left to CPython) or "" (nothing is executed there).
    """
    bytecode = _bytecode(data, code) if code is not None else {}
    notes = _nodes_by_place(data)
    loops = {loop["line"] for loop in data["loops"] if loop["translated"]}
    own = {line for file, line in notes if file == data["file"]} if not bytecode else set()
    numbers = {*bytecode, *own, *loops, data["line"]}
    rows = [_row(data, data["file"], number, notes, bytecode.get(number, []))
            for number in range(min(numbers), max(numbers) + 1)]
    for row in rows:
        if row["number"] in loops:
            row["state"] = "loop"
            row["notes"].append("a loop over single elements, translated as a whole")
        if row["state"] == "plain":
            row["notes"].append(_why_plain(data))
    inside = {(row["file"], row["number"]) for row in rows}
    elsewhere = {*notes, *((each["file"], each["line"]) for each in data["breaks"])} - inside
    return rows + [_row(data, file, number, notes, []) | {"state": "inlined"} for file, number in sorted(elsewhere)]


def _row(data, file, number, notes, bytecode):
    row = {"file": file, "number": number, "text": linecache.getline(file, number).rstrip("\n"), "state": "",
           "notes": list(dict.fromkeys(notes.get((file, number), ()))), "bytecode": bytecode}
    row["state"] = _state(row)
    for each in data["breaks"]:
        if (each["file"], each["line"]) == (file, number):
            row["state"] = "break"
            row["notes"] += [f"break: {each['reason']}", f"hint: {each['hint']}"]
    return row


def listing(rows, bytecode=True):
    """The rows as text."""
    width = min(max((len(row["text"]) for row in rows), default=0), 70)
    lines, file = [], rows[0]["file"] if rows else None
    for row in rows:
        if row["file"] != file:
            file = row["file"]
            lines.append(f"inlined from {file}:")
        first, *others = row["notes"] or [""]
        mark = _MARKS[row["state"]]
        lines.append(f"{row['number']:5} {mark} {row['text']:{width}}  {first}".rstrip())
        lines += [f"{'':5} {mark} {'':{width}}  {note}" for note in others]
        if bytecode:
            lines += [f"{'':5} {mark}   {each['offset']:4} {each['text']:{max(width - 7, 36)}}  {each['where']}".rstrip()
                      for each in row["bytecode"]]
    return "\n".join(lines)


# One column that shows at a glance where the compiled stretches are.
_MARKS = {"captured": "|", "partly": ":", "break": "!", "loop": "|", "inlined": "|", "plain": " ", "": " "}


def _segments(data):
    """(its number, segment, entry) of each entry."""
    return [(number, segment, entry) for number, segment in enumerate(
        [segment for segment in data["segments"] if segment["entries"]], 1) for entry in segment["entries"]]


def _bytecode(data, code):
    """The instructions of each line: line to dicts."""
    found, line = {}, code.co_firstlineno
    for each in dis.get_instructions(code):
        position = each.positions.lineno if each.positions else None
        line = position or line
        text = f"{each.opname} {'' if each.arg is None else each.argrepr or each.arg}".rstrip()
        found.setdefault(line, []).append({"offset": each.offset, "text": text, "where": _where(data, each.offset)})
    return found


def _where(data, offset):
    """What runs the instruction."""
    numbers = dict.fromkeys(number for number, _, entry in _segments(data)
                            if any(first <= offset < end for first, end in entry["covered"]))
    if numbers:
        return f"segment {', '.join(map(str, numbers))}"
    for _, _, entry in _segments(data):
        end = entry["end"]
        if end["kind"] != "return" and end["offset"] == offset:
            return "break" if end["kind"] == "break" else "step of the loop"
    return "CPython" if data["segments"] else ""


def _nodes_by_place(data):
    """What the graphs compute at each (file, line)."""
    notes = {}
    for number, _, entry in _segments(data):
        groups = group_of_nodes(entry["groups"])
        kernels = kernels_of(entry["kernels"])
        for node in nodes_of(entry["optimized"]):
            place = (node["file"], node["line"])
            if node["number"] not in groups or not node["line"]:
                continue
            group = groups[node["number"]]
            names = [kernel["name"] for kernel in kernels if (node["op"], *place) in kernel["steps"]]
            kernel = f", kernel {', '.join(names)}" if names else ""
            notes.setdefault(place, []).append(f"%{node['number']} {node['op']}: segment {number}, group {group} "
                                               f"{entry['groups'][group]['kind']}{kernel}")
    return notes


def _state(row):
    inside = [each["where"].startswith("segment") for each in row["bytecode"]]
    if inside:
        return "captured" if all(inside) else "partly" if any(inside) else "plain"
    return "captured" if row["notes"] else ""


def _why_plain(data):
    if not data["segments"]:
        return "left to CPython: the function was not captured"
    if data["left_alone"]:
        return "left to CPython: capture brought too little here"
    return "left to CPython: no array work here that pays, or not reached"
