"""A dynacc.Explanation as HTML, for notebooks. Whatever the program gave a name is escaped."""
from html import escape

from dynacc._drawing import svg

# Of a notebook's own colours, so that it fits light and dark ones.
_STYLE = """<style>
.dynacc{font:13px/1.5 system-ui,sans-serif}
.dynacc table{border-collapse:collapse;width:100%;font:12px/1.6 ui-monospace,monospace}
.dynacc td{padding:0 .8em 0 0;text-align:left!important;vertical-align:top;white-space:pre-wrap}
.dynacc td:first-child{text-align:right!important;opacity:.5;font-variant-numeric:tabular-nums;white-space:nowrap}
.dynacc tr{border-left:3px solid transparent;background:none!important}
.dynacc .captured,.dynacc .loop,.dynacc .inlined{border-left-color:#2a9d6f}
.dynacc .partly{border-left-color:#8fbf6a}.dynacc .break{border-left-color:#d9822b}
.dynacc pre{font:12px/1.5 ui-monospace,monospace;overflow:auto;max-height:30em}
.dynacc details{margin:.2em 0}.dynacc summary{cursor:pointer}.dynacc .note{opacity:.7}
</style>"""


def fragment(explanation):
    """HTML to stand in a page."""
    used = [segment for segment in explanation.segments if segment["entries"]]
    parts = [_STYLE, '<div class="dynacc">', f"<p>{escape(str(explanation).splitlines()[0])}</p>",
             "<table>", *map(_line, explanation.lines), "</table>"]
    for number, segment in enumerate(used, 1):
        for entry in segment["entries"]:
            parts.append(f"<details><summary>segment {number}, from line {segment['start_line']}: {entry['hits']} hits, "
                         f"{entry['misses']} misses, {len(entry['groups'])} groups</summary>")
            parts += [svg(entry), _block("graph", entry["graph"]), _block("guards", "\n".join(entry["guards"])),
                      _block("schedule and kernels", entry["kernels"]), "</details>"]
    for each in explanation.breaks:
        parts.append(f"<p>break at {escape(each['file'])}:{each['line']}: {escape(each['reason'])}<br>"
                     f"<span class=note>hint: {escape(each['hint'])}</span></p>")
    for each in explanation.recompiles:
        parts.append(f"<p>traced again at line {each['line']}: {escape(each['reason'])}</p>")
    return "".join([*parts, "</div>"])


def _line(row):
    notes = "\n".join(row["notes"])
    bytecode = "\n".join(f"{each['offset']:4} {each['text']:40} {each['where']}" for each in row["bytecode"])
    became = f"<details><summary>{escape(notes) or '&middot;'}</summary><pre>{escape(bytecode)}</pre></details>" \
        if bytecode else escape(notes)
    return (f'<tr class="{row["state"]}"><td>{row["number"]}</td><td>{escape(row["text"])}</td>'
            f"<td class=note>{became}</td></tr>")


def _block(title, text):
    return f"<details><summary>{title}</summary><pre>{escape(text)}</pre></details>" if text else ""
