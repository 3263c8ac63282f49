"""Programs made of templates: statements that are drawn from a table, with blanks that are filled.

A family is a subclass of TemplateProgram with a PRELUDE, a table of statements and one of
expressions for each kind of blank. A blank is a letter in braces, {a}; its makers are rows of
`blanks`: a tuple to draw from, or the name of a table whose entries have blanks themselves. {{ and
}} are braces, " // " ends a line, "~" indents one.
"""

import re

from program import Program
from shrinking import compiles

CAUGHT = "except Exception as error:"


def table(text):
    """The entries of a table, separated by semicolons with a space and by ends of lines."""
    return tuple(
        entry.strip()
        for line in text.strip().splitlines()
        for entry in line.split("; ")
        if entry.strip()
    )


class TemplateProgram(Program):
    """A program of functions whose statements are filled templates."""

    head = ()  # lines before the functions
    statements = ()  # templates of statements
    blanks = {}  # letter: strings to draw from
    arguments = ("x", "y")
    results = ("x", "y")
    blocks = ("for _ in range(2):", "if {c}:", "try:")
    conditions = ("len(x)", "x is y", "bool(len(y))")

    def fill(self, form, depth=3):
        """The form with its blanks filled, each from its letter's row."""

        def made(found):
            letter = found[1]
            if letter == "c":
                return self.fill(self.pick(self.conditions), depth - 1)
            row = self.blanks.get(letter)
            if row is None:
                return found[0]
            if depth <= 0:
                row = [entry for entry in row if "{" not in entry] or row
            return self.fill(self.pick(row), depth - 1)

        return re.sub(r"\{(\w)\}", made, form)

    def drawn_statement(self):
        """The lines of a filled template that is Python; `pass` if twenty are not."""
        for _ in range(20):
            text = self.fill(self.pick(self.statements)).replace("{{", "{").replace("}}", "}")
            lines = text.replace("~", "    ").split(" // ")
            if compiles(["async def f():", " while True:", *("  " + line for line in lines)]):
                return lines
        return ["pass"]

    def statement(self, indent):
        """One statement, or a block of some; half of what can raise is caught."""
        if indent < 3 and self.chance(0.18):
            return self.compound(indent)
        lines = self.drawn_statement()
        if self.chance(0.3):
            self.emit(indent, "try:")
            self.emit_lines(indent + 1, lines)
            self.emit(indent, CAUGHT)
            self.emit(indent + 1, "print('caught', type(error).__name__, str(error)[:90])")
        else:
            self.emit_lines(indent, lines)

    def emit_lines(self, indent, lines):
        for line in lines:
            self.emit(indent, line)

    def compound(self, indent):
        head = self.fill(self.pick(self.blocks)).replace("{{", "{").replace("}}", "}")
        if not compiles([head, " pass", "finally: pass" if head == "try:" else ""]):
            head = "if x is not y:"
        self.emit(indent, head)
        for _ in range(self.random.randint(1, 2)):
            self.statement(indent + 1)
        if head == "try:":
            self.emit(indent, self.pick(("finally:", CAUGHT)))
            self.emit(indent + 1, "log.append('after')")

    def function(self, name):
        self.emit(0, f"def {name}({', '.join(self.arguments)}):")
        for _ in range(self.random.randint(3, 8)):
            self.statement(1)
        self.emit(1, f"return {', '.join(self.results)}")

    def argument(self):
        """The text of an argument of a call."""
        size = self.pick((5, 5, 5, 1, 8, 0, 300))
        dtype = self.pick(
            ("float64", "float64", "float32", "int64", "int32", "bool", "complex128", "float16")
        )
        layout = self.pick(("c", "c", "c", "strided", "negative", "offset"))
        return f"make(({size},), {dtype!r}, {layout!r}, {self.random.randrange(1000)})"

    def calls(self, name):
        """The same call thrice, so that what was captured runs, then others."""
        repeated = [self.argument() for _ in self.arguments]
        for _ in range(3):
            self.emit(0, f"call('{name}', {name}, {', '.join(repeated)})")
        for _ in range(2):
            self.emit(
                0, f"call('{name}', {name}, {', '.join(self.argument() for _ in self.arguments)})"
            )

    def text(self):
        self.lines = ["log = []", *self.head]
        for name in ("f", "g")[: self.random.randint(1, 2)]:
            self.function(name)
            self.calls(name)
        self.emit(0, "print([str(item)[:80] for item in log[-40:]])")
        return "\n".join(self.lines) + "\n"
