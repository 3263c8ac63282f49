"""A small template language, compiled to Python functions and rendered many times."""
import re


def compile_template(text):
    lines, indent = ["def render(context):", "    out = []"], 1
    for part in re.split(r"({{.*?}}|{%.*?%})", text):
        pad = "    " * indent
        if part.startswith("{{"):
            lines.append(f"{pad}out.append(escape(str({part[2:-2].strip()})))")
        elif part.startswith("{%"):
            words = part[2:-2].strip()
            if words == "end":
                indent -= 1
            else:
                lines.append(f"{pad}{words}:")
                indent += 1
        elif part:
            lines.append(f"{pad}out.append({part!r})")
    lines.append("    return ''.join(out)")
    names = {"escape": escape}
    exec("\n".join(lines), names)
    return names["render"]


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class Row:
    def __init__(self, name, price):
        self.name = name
        self.price = price

    def cells(self):
        return [self.name, f"{self.price:.2f}", self.price > 50]


PAGE = """<table><caption>{{ context['title'] }}</caption>
{% for row in context['rows'] %}<tr class="{{ 'dear' if row.price > 50 else 'cheap' }}">
{% for cell in row.cells() %}<td>{{ cell }}</td>{% end %}</tr>
{% end %}</table>"""

render = compile_template(PAGE)
rows = [Row(f"item <{i}>", i * 37 % 101) for i in range(150)]
size = 0
for page in range(2200):
    size += len(render({"title": f"page & {page}", "rows": rows}))
print(size)
