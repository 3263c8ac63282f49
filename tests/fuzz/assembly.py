"""Assembles code objects for CPython 3.11 from text, and refuses those that CPython's evaluator
could not run safely.

    function(name, parameters, text, names)  a function of the assembled code, with `names` as its globals

A line is `OPCODE argument`, `label:`, `line N` (of what follows), or `try FIRST END HANDLER DEPTH
LASTI`: between two labels an exception unwinds the stack to DEPTH and goes to HANDLER. `wide`
before an opcode gives it an EXTENDED_ARG it does not need. An argument is a number, a name, a
constant as Python writes it, or a label. `BACK label` is a jump backward that is taken at most some
times in a call, so that every program ends; CALL stands for PRECALL and CALL.

What is refused raises ValueError: the verifier of stack.py follows every path with the kind of each
stack slot.
"""

import contextlib
import dis
import opcode
import sys
import types

CACHES = opcode._inline_cache_entries
RELATIVE, NAMED = set(dis.hasjrel), set(dis.hasname)
FUEL = "fuel"
ROUNDS = 12  # how often a call's BACKs may be taken, together
BACK = (
    "LOAD_FAST fuel",
    "LOAD_CONST 1",
    "BINARY_OP -",
    "COPY 1",
    "STORE_FAST fuel",
    "LOAD_CONST 0",
    "COMPARE_OP >",
    "POP_JUMP_BACKWARD_IF_TRUE",
)
OPERATORS = [symbol for _, symbol in opcode._nb_ops]


class Instruction:
    """One instruction: its name, argument (a number or a label), line and whether it has a needless
    EXTENDED_ARG."""

    def __init__(self, name, argument, line, wide=False):
        self.name, self.argument, self.line, self.wide = name, argument, line, wide
        self.labels = []  # that stand before it

    @property
    def code(self):
        return dis.opmap[self.name]

    @property
    def jumps(self):
        return self.code in RELATIVE


class Assembly:
    """Instructions, exception ranges and the tables of a code object in the making."""

    def __init__(self, parameters=()):
        self.parameters = list(parameters)
        self.locals = [*parameters, FUEL]
        self.names, self.constants = [], []
        self.instructions, self.ranges = [], []
        self.ends = []  # labels after the last instruction

    def index(self, row, value):
        """Where `value` is in a table of names or constants; it is added if it is new."""
        for at, other in enumerate(row):
            if type(other) is type(value) and repr(other) == repr(value):
                return at
        row.append(value)
        return len(row) - 1

    def resolve(self, name, argument):
        """The number that an argument's text stands for; a label stays text."""
        code = dis.opmap[name]
        if code in RELATIVE:
            return argument
        if name == "LOAD_CONST" or name == "KW_NAMES":
            return self.index(
                self.constants, eval(argument, {"nan": float("nan"), "inf": float("inf")})
            )
        if name == "LOAD_GLOBAL":
            null, _, word = argument.rpartition("+")
            return self.index(self.names, word) * 2 + bool(null)
        if code in NAMED:
            return self.index(self.names, argument)
        if code in dis.haslocal:
            return self.index(self.locals, argument)
        if name == "BINARY_OP":
            return OPERATORS.index(argument)
        if name == "COMPARE_OP":
            return dis.cmp_op.index(argument)
        return int(argument or 0)

    def add(self, name, argument, line, wide, labels):
        made = Instruction(name, self.resolve(name, argument), line, wide)
        made.labels = labels
        self.instructions.append(made)

    def parse(self, text):
        """Reads the lines of a text."""
        line, labels = 1, []
        for row in text.splitlines():
            words = row.strip().split(None, 1)
            if not words:
                continue
            head, rest = words[0], words[1] if len(words) > 1 else ""
            if head == "line":
                line = int(rest)
            elif head == "try":
                first, end, handler, depth, lasti = rest.split()
                self.ranges.append((first, end, handler, int(depth), lasti == "1"))
            elif head.endswith(":"):
                labels.append(head[:-1])
            elif head == "BACK":
                for part in BACK:
                    name, _, argument = part.partition(" ")
                    self.add(name, argument or rest, line, False, labels)
                    labels = []
            else:
                wide = head == "wide"
                head, _, rest = rest.partition(" ") if wide else (head, "", rest)
                self.add_line(head, rest.strip(), line, wide, labels)
                labels = []
        self.ends = labels
        return self

    def add_line(self, head, rest, line, wide, labels):
        if head not in dis.opmap:
            raise ValueError(f"no opcode is named {head}")
        if head == "CALL":
            self.add("PRECALL", rest, line, wide, labels)
            wide, labels = False, []
        self.add(head, rest, line, wide, labels)

    def label_places(self):
        """The index of the instruction that each label stands before."""
        places = {label: at for at, made in enumerate(self.instructions) for label in made.labels}
        return places | {label: len(self.instructions) for label in self.ends}

    def handlers(self):
        """For each instruction (handler's index, depth, lasti) or None; the last range that covers
        it counts."""
        places = self.label_places()
        found = [None] * len(self.instructions)
        for first, end, handler, depth, lasti in self.ranges:
            for at in range(places.get(first, 0), places.get(end, 0)):
                found[at] = (places[handler], depth, lasti)
        return found

    # The code object.

    def layout(self):
        """The offset of each instruction, in code units, and how many EXTENDED_ARGs it has; jumps
        get their distances."""
        places = self.label_places()
        prefixes = [int(made.wide) for made in self.instructions]
        while True:
            offsets, at = [], 0
            for made, extra in zip(self.instructions, prefixes):
                offsets.append(at)
                at += extra + 1 + CACHES[made.code]
            offsets.append(at)
            arguments = [
                self.distance(made, number, places, offsets, prefixes)
                for number, made in enumerate(self.instructions)
            ]
            needed = [
                max(extra, (max(argument.bit_length(), 1) - 1) // 8)
                for argument, extra in zip(arguments, prefixes)
            ]
            if needed == prefixes:
                return offsets, prefixes, arguments
            prefixes = needed

    def distance(self, made, number, places, offsets, prefixes):
        if not made.jumps:
            return made.argument
        if made.argument not in places:
            raise ValueError(f"no label is named {made.argument}")
        after = offsets[number] + prefixes[number] + 1 + CACHES[made.code]
        distance = offsets[places[made.argument]] - after
        distance = -distance if "BACKWARD" in made.name else distance
        if distance < 0:
            raise ValueError(f"{made.name} goes the other way")
        return distance

    def bytes(self, prefixes, arguments):
        code = bytearray()
        for made, extra, argument in zip(self.instructions, prefixes, arguments):
            for step in range(extra, 0, -1):
                code += bytes((dis.EXTENDED_ARG, argument >> 8 * step & 255))
            code += bytes((made.code, argument & 255)) + bytes(2 * CACHES[made.code])
        return bytes(code)

    def line_table(self, offsets, first):
        """Entries of form 13: lines without columns; 15: no line at all."""
        table, line = bytearray(), first
        for number, made in enumerate(self.instructions):
            units = offsets[number + 1] - offsets[number]
            while units > 0:
                part = min(units, 8)
                table.append(0x80 | (13 if made.line else 15) << 3 | part - 1)
                if made.line:
                    table += signed(made.line - line)
                    line = made.line
                units -= part
        return bytes(table)

    def exception_table(self, offsets):
        table = bytearray()
        handlers = self.handlers()
        start = 0
        for at in range(1, len(handlers) + 1):
            if at < len(handlers) and handlers[at] == handlers[start] and at % 5:
                continue  # a range is cut in parts now and then
            if handlers[start]:
                handler, depth, lasti = handlers[start]
                for field, value in enumerate(
                    (
                        offsets[start],
                        offsets[at] - offsets[start],
                        offsets[handler],
                        depth << 1 | lasti,
                    )
                ):
                    table += groups(value, 0x80 if field == 0 else 0)
            start = at
        return bytes(table)

    def code(self, name, stack_size, filename="fuzz-assembled.py"):
        offsets, prefixes, arguments = self.layout()
        count = len(self.parameters)
        return types.CodeType(
            count,
            0,
            0,
            len(self.locals),
            stack_size,
            3,
            self.bytes(prefixes, arguments),
            tuple(self.constants),
            tuple(self.names),
            tuple(self.locals),
            filename,
            name,
            name,
            1,
            self.line_table(offsets, 1),
            self.exception_table(offsets),
        )


def groups(value, mark):
    """A number of the exception table: six bits a byte, the first ones first; all but the last say
    that more follow."""
    parts = [value & 63]
    while value := value >> 6:
        parts.append(value & 63)
    parts.reverse()
    parts = [part | 64 for part in parts[:-1]] + parts[-1:]
    parts[0] |= mark
    return bytes(parts)


def signed(value):
    """A signed number of the line table: six bits a byte, the last ones first."""
    value = -value << 1 | 1 if value < 0 else value << 1
    made = bytearray()
    while value >= 64:
        made.append(64 | value & 63)
        value >>= 6
    made.append(value)
    return bytes(made)


@contextlib.contextmanager
def uncaptured():
    """While a trace function is set DynaCC leaves all code to CPython: what makes the code objects
    is not what is tested."""
    sys.settrace(lambda frame, event, argument: None)
    try:
        yield
    finally:
        sys.settrace(None)


def function(name, parameters, text, names, **settings):
    """A function of the assembled text, that has been verified; it gets FUEL with its first
    instructions."""
    from stack import verify

    with uncaptured():
        assembly = Assembly(parameters.split()).parse(
            f"RESUME 0\nLOAD_CONST {ROUNDS}\nSTORE_FAST {FUEL}\n" + text
        )
        depth = verify(assembly, **settings)
        return types.FunctionType(assembly.code(name, depth), names, name)
