"""A page that shows what DynaCC did in one run of a program.

    dynacc-python -m dynacc.report prog.py -o report.html

runs the program and writes one file that needs nothing else: timeline, functions, segments, graphs, kernels, guards
that failed, graph breaks, memory.
"""
import json
import os
import re
import time

from dynacc._drawing import layout
from dynacc._graph_text import kernels_of
from dynacc._lines import lines_of
from dynacc._recording import is_worth_showing

__all__ = ["page"]

_SCRIPTS = ("dom.js", "timeline.js", "graph.js", "detail.js", "page.js")
_LABEL = re.compile(r"(.*) \((.*):(\d+)\)", re.S)


def page(recording):
    """The page of a dynacc._recording.Recording, as text."""
    text = _asset("page.html").replace("<!--STYLE-->", _asset("page.css"))
    text = text.replace("<!--SCRIPT-->", "\n".join(map(_asset, _SCRIPTS)))
    return text.replace("<!--DATA-->", _block(data_of(recording)))


def _asset(name):
    """The text of a file beside this one; in the launcher, whose package has no files, of the same frozen."""
    try:
        from dynacc.report._assets import FILES
        return FILES[name]
    except ModuleNotFoundError:
        with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
            return file.read()


def _block(data):
    """JSON that may stand in a script element: nothing in it ends that, or begins a comment."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def data_of(recording):
    """What the page shows, as dicts and lists."""
    import dynacc
    worth_showing = filter(is_worth_showing, recording.functions or ())
    codes = recording.codes()
    functions = [_function(number, each, codes.get((each["file"], each["name"], each["line"])))
                 for number, each in enumerate(worth_showing)]
    by_name = {(each["name"], each["file"]): each for each in functions}
    spans, moments = _timeline(recording, by_name)
    for span in spans:
        counts = span["kind"] in ("trace", "compile", "autotune") and span["within"] not in ("autotune", "candidate")
        if span["function"] >= 0 and counts:
            functions[span["function"]]["spent"] += span["us"] * 1000
    counters = {name: value for name, value in (recording.counters or {}).items() if isinstance(value, int) and value}
    facts = dynacc.info()
    return {
        "program": recording.program, "arguments": recording.arguments, "status": recording.status,
        "outcome": _outcome(recording), "microseconds": recording.seconds * 1e6,
        "trace_us": sum(each["us"] for each in spans if each["kind"] == "trace"),
        "compile_us": sum(each["us"] for each in spans if each["kind"] == "compile"),
        "spans": spans, "moments": moments, "functions": functions, "counters": counters,
        "memory": [[at - recording.start, amount] for at, amount in recording.memory],
        "empty": _why_empty(recording), "copy_rate": _copy_rate(), **_arithmetic_rates(),
        "versions": f"DynaCC {facts['dynacc']}, CPython {facts['python']}, built for NumPy {facts['numpy_built_for']}, "
                    f"{facts['processor']}, target {facts['target']}"}


def _copy_rate():
    """What this machine copies in memory by one thread: bytes read and written in a nanosecond, the best of some."""
    size = 32 << 20
    source, copy = memoryview(bytearray(size)), memoryview(bytearray(size))
    times = []
    for _ in range(5):
        start = time.perf_counter_ns()
        copy[:] = source
        times.append(time.perf_counter_ns() - start)
    return 2 * size / min(times)


def _arithmetic_rates():
    """What kernels compute here at best by one thread on elements in the first cache, in bytes of operands in a
    nanosecond: products and sums as compiled polynomials have them, and NumPy's exp as an example of functions."""
    import numpy

    import dynacc
    x = numpy.linspace(0.1, 0.9, 2048)
    polynomials = dynacc.compile(_polynomials, fullgraph=True, options={"tier_up": 0})
    return {"arithmetic_rate": 4 * _DEGREE * x.nbytes / _least_time(lambda: polynomials(x)),
            "function_rate": x.nbytes / _least_time(lambda: numpy.exp(x))}


_DEGREE, _UNROLLED = 16, 8  # a loop of so few rounds is part of the graph


def _polynomials(x):
    """The sum of two, which do not wait for each other."""
    y, z = x, x
    for _ in range(_DEGREE // _UNROLLED):
        y, z = _terms(y, z, x)
    return y + z


def _terms(y, z, x):
    for _ in range(_UNROLLED):
        y, z = y * x + 0.5, z * x + 0.25
    return y, z


def _least_time(function):
    """Nanoseconds, the least of some rounds of calls."""
    function()
    times = []
    for _ in range(20):
        start = time.perf_counter_ns()
        for _ in range(20):
            function()
        times.append((time.perf_counter_ns() - start) / 20)
    return min(times)


def _outcome(recording):
    told = "" if recording.functions is not None else \
        "; it left no account of its functions, so the timeline is all that is known"
    number = "another process" if recording.others == 1 else f"{recording.others} more processes"
    others = f" It started {number} with DynaCC; this page is of the first." if recording.others else ""
    return f"The program {recording.outcome()}{told}.{others}"


def _why_empty(recording):
    if recording.functions is None:
        return "The process was ended before it could tell what was captured."
    return ("Nothing was captured: the program has no arrays, or ended before capture would have paid. "
            "DYNACC_POLICY=always captures at once.")


def _function(number, data, code):
    entries = [_entry(segment, entry) for segment in data["segments"] for entry in segment["entries"]]
    savings = [entry["won"] for entry in entries if entry["won"] is not None]
    notes = ["dynacc.compile" if data["compiled"] else "",
             "left to CPython in the end: capture brought too little" if data["left_alone"] else ""]
    lines = [{name: row[name] for name in ("file", "number", "text", "state", "notes")} for row in lines_of(data, code)]
    breaks = [each | {"source": _source(each["file"], each["line"])} for each in data["breaks"]]
    return {"number": number, "name": data["name"], "file": data["file"], "short": os.path.basename(data["file"]),
            "line": data["line"], "note": ", ".join(filter(None, notes)), "entries": entries, "lines": lines,
            "breaks": breaks, "recompiles": data["recompiles"], "hits": sum(each["hits"] for each in entries),
            "won": sum(savings) if savings else None, "spent": 0, "runs": sum(each["runs"] for each in entries),
            "nanoseconds": sum(each["nanoseconds"] for each in entries)}


def _source(file, line):
    import linecache
    return linecache.getline(file, line).strip()


def _entry(segment, entry):
    kernels = [{"name": kernel["name"], "source": kernel["source"],
                "lines": ", ".join(f"{os.path.basename(file)}:{line}"
                                  for file, line in sorted({(file, line) for _, file, line in kernel["steps"]}))}
               for kernel in kernels_of(entry["kernels"])]
    end = entry["end"]
    return {"start_line": segment["start_line"], "hits": entry["hits"], "misses": entry["misses"],
            "end": "to the return" if end["kind"] == "return" else f"to line {end['line']}",
            "guards": entry["guards"], "optimized": entry["optimized"], "graph": layout(entry), "kernels": kernels,
            "schedule": re.split(r"^(?=kernel \w+\()", entry["kernels"], maxsplit=1, flags=re.M)[0].strip(),
            "groups": _groups(entry), "runs": entry["runs"], "nanoseconds": entry["nanoseconds"],
            "won": None if entry["saving"] is None else entry["saving"] * entry["hits"]}


def _groups(entry):
    """The fusion groups with what was measured; those that run within another's step name that."""
    rows = [{"number": number, "kind": group["kind"], "nodes": len(group["nodes"]), "within": -1, "runs": 0,
             "nanoseconds": 0, "bytes_read": 0, "bytes_written": 0, "arithmetic": 0, "functions": 0} for number, group in enumerate(entry["groups"])]
    for step in entry["steps"]:
        if 0 <= step["group"] < len(rows):
            row = rows[step["group"]]
            row["runs"] = max(row["runs"], step["runs"])
            for name in ("nanoseconds", "bytes_read", "bytes_written", "arithmetic", "functions"):
                row[name] += step[name]
    last = -1
    for row in rows:
        if row["runs"]:
            last = row["number"]
        elif any(each["runs"] for each in rows):
            row["within"] = last
    return rows


def _timeline(recording, by_name):
    """Spans and moments, each with its time from the start in microseconds, the nesting depth and the function."""
    spans, moments, open_spans = [], [], {}
    for event in recording.events:
        at, phase = event["ts"] - recording.start, event["ph"]
        stack = open_spans.setdefault(event["tid"], [])
        if phase == "B":
            stack.append((event, at))
        elif phase == "E" and stack:
            begun, start = stack.pop()
            spans.append(_span(begun, event["args"], start, at - start, stack, by_name))
        elif phase == "i":
            moments.append(_moment(event, at, by_name))
    for stack in open_spans.values():  # what was going on when the process was ended
        for depth, (begun, start) in enumerate(stack):
            spans.append(_span(begun, {}, start, recording.seconds * 1e6 - start, stack[:depth], by_name))
    return sorted(spans, key=lambda span: span["at"]), moments


def _span(event, arguments, at, length, around, by_name):
    """`around`: the spans, with their starts, that it is in."""
    return {"kind": event["cat"], "name": event["name"], "at": at, "us": max(length, 0), "depth": len(around),
            "within": around[-1][0]["cat"] if around else "",
            "thread": event["tid"], "text": ", ".join(f"{name}: {value}" for name, value in arguments.items()),
            **_function_of(event["name"], by_name)}


def _moment(event, at, by_name):
    arguments = event["args"]
    place = (arguments.get("places") or [{}])[0]
    label = f"{place['function']} ({place['file']}:{place['line']})" if place else event["name"]
    return {"kind": event["cat"], "name": event["name"], "at": at, "text": arguments.get("reason", ""),
            **_function_of(label, by_name)}


def _function_of(label, by_name):
    match = _LABEL.fullmatch(label)
    found = by_name.get((match.group(1), match.group(2))) if match else None
    return {"function": found["number"] if found else -1, "line": int(match.group(3)) if match else 0}
