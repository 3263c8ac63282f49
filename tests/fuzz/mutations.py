"""Functions that the compiler made, with their bytecode changed into what no compiler writes but
does the same.

The functions are those of other families of programs; mutator.mutated applies a list of changes to
one: instructions that do nothing, prefixes that are not needed, operands that are swapped and
swapped back, stretches of code that are moved elsewhere, with jumps there and back, conditions that
are turned round, line numbers that jump.
"""

import re

from program import Program, generate

KINDS = ("nop", "wide", "copy", "swap", "turn", "hop", "move", "line", "reload", "push")
SOURCES = (1, 1_000_000, 20_000_000, 20_000_000, 30_000_000, 40_000_000, 50_000_000, 60_000_000)

CALL = re.compile(r"call\('\w+', (\w+)[,)]")


class MutationProgram(Program):
    def source(self):
        """Another program's lines, where its calls begin, and the functions that it calls."""
        while True:
            lines = generate(self.pick(SOURCES) + self.random.randrange(400_000)).splitlines()
            calls = [number for number, line in enumerate(lines) if CALL.match(line)]
            if calls:
                return lines, calls[0], sorted({CALL.match(lines[number])[1] for number in calls})

    def text(self):
        lines, first, names = self.source()
        changes = [
            (self.pick(KINDS), self.random.randrange(10_000))
            for _ in range(self.pick((2, 5, 10, 30)))
        ]
        added = ["import mutator"]
        for name in names:
            added += [
                f"{name} = mutator.mutated({name}, [",
                *(f"    {change!r}," for change in changes),
                "])",
            ]
        return "\n".join(lines[:first] + added + lines[first:]) + "\n"
