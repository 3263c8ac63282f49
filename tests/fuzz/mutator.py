"""Changes the bytecode of compiled functions, but not what they do.

    mutated(function, changes)   a function that does the same by other bytecode; `changes` are pairs (kind, number)

The code is taken apart into assembly.py's instructions. Each kind of change is a method of Mutator;
the number chooses where. Code that assembly.py has no names for (cells, generators) is given back
as it is.
"""

import dis
import random
import types

from assembly import Assembly, Instruction, uncaptured
from stack import Refused, verify

PURE = ("LOAD_FAST", "LOAD_CONST")
TURNED = {
    "POP_JUMP_FORWARD_IF_FALSE": "POP_JUMP_FORWARD_IF_TRUE",
    "POP_JUMP_FORWARD_IF_TRUE": "POP_JUMP_FORWARD_IF_FALSE",
    "POP_JUMP_FORWARD_IF_NONE": "POP_JUMP_FORWARD_IF_NOT_NONE",
    "POP_JUMP_FORWARD_IF_NOT_NONE": "POP_JUMP_FORWARD_IF_NONE",
}
CALLS = ("KW_NAMES", "PRECALL")
MOST = 2000  # instructions


def listing(code):
    """The Assembly of a code object; each instruction that anything names has a label."""
    made = Assembly(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    made.locals, made.names, made.constants = (
        list(code.co_varnames),
        list(code.co_names),
        list(code.co_consts),
    )
    numbers = {}
    wide = None
    for one in dis.get_instructions(code):
        wide = one.offset if wide is None else wide
        numbers[one.offset] = len(made.instructions)
        if one.opname == "EXTENDED_ARG":
            continue
        numbers[wide] = len(made.instructions)
        argument = one.argval if one.opcode in dis.hasjrel else one.arg or 0
        made.instructions.append(Instruction(one.opname, argument, one.positions.lineno or 0))
        wide = None
    made.ends = ["end"]

    def label(offset):
        if offset >= len(code.co_code):
            return "end"
        instruction = made.instructions[numbers[offset]]
        if not instruction.labels:
            instruction.labels.append(f"at{offset}")
        return instruction.labels[0]

    for instruction in made.instructions:
        if instruction.jumps:
            instruction.argument = label(instruction.argument)
    for entry in dis._parse_exception_table(code):
        made.ranges.append(
            (label(entry.start), label(entry.end), label(entry.target), entry.depth, entry.lasti)
        )
    return made


class Mutator:
    """Applies changes to an Assembly."""

    def __init__(self, assembly):
        self.assembly = assembly
        self.fresh = 0

    @property
    def instructions(self):
        return self.assembly.instructions

    def apply(self, kind, number):
        draw = random.Random(number)
        at = draw.randrange(1, len(self.instructions))
        getattr(self, kind)(at, draw)

    def is_inside_call(self, at):
        """Whether something put before instruction `at` would lie between the parts of a call, or
        before the code's start."""
        before = self.instructions[at - 1].name
        return (
            before in CALLS
            or before in ("RETURN_GENERATOR", "COPY_FREE_VARS", "MAKE_CELL")
            or self.instructions[at].name in ("RESUME", "CALL", "PRECALL")
        )

    def insert(self, at, *texts, labels=True):
        """Puts instructions before the one at `at`, whose labels they take; in its ranges, and on
        its line."""
        after = self.instructions[at]
        made = [Instruction(name, argument, after.line) for name, argument in texts]
        if labels:
            made[0].labels, after.labels = after.labels, []
        self.instructions[at:at] = made

    def next_of(self, names, at):
        """The first instruction from `at` on that has one of the names; None if there is none."""
        places = [*range(at, len(self.instructions)), *range(1, at)]
        return next((place for place in places if self.instructions[place].name in names), None)

    def label(self, at):
        self.fresh += 1
        name = f"new{self.fresh}"
        self.instructions[at].labels.append(name)
        return name

    # The changes.

    def nop(self, at, draw):
        if not self.is_inside_call(at):
            self.insert(at, *[("NOP", 0)] * draw.randint(1, 3))

    def wide(self, at, draw):
        if self.instructions[at].name not in ("CALL", "PRECALL", "KW_NAMES", "RESUME"):
            self.instructions[at].wide = True

    def copy(self, at, draw):
        """What was just loaded is copied and dropped."""
        at = self.next_of(PURE, at)
        if at is not None and at + 1 < len(self.instructions) and not self.is_inside_call(at + 1):
            self.insert(at + 1, ("COPY", 1), ("POP_TOP", 0))

    def swap(self, at, draw):
        """Two loads the other way round, and a SWAP; or two SWAPs after two loads."""
        places = (
            [
                p
                for p in range(1, len(self.instructions) - 1)
                if self.instructions[p].name == "LOAD_CONST"
                and self.instructions[p + 1].name in PURE
                and not self.instructions[p + 1].labels
                and not self.is_inside_call(p + 2)
            ]
            if len(self.instructions) > 3
            else []
        )
        if not places:
            return
        place = draw.choice(places)
        first, second = self.instructions[place : place + 2]
        if draw.random() < 0.5 and second.name == "LOAD_CONST":
            first.argument, second.argument = second.argument, first.argument
            self.insert(place + 2, ("SWAP", 2))
        else:
            self.insert(place + 2, ("SWAP", 2), ("SWAP", 2))

    def turn(self, at, draw):
        """A condition turned round, with a jump past a jump."""
        at = self.next_of(TURNED, at)
        if at is None or at + 1 >= len(self.instructions):
            return
        jump = self.instructions[at]
        target, jump.argument = jump.argument, self.label(at + 1)
        jump.name = TURNED[jump.name]
        self.insert(at + 1, ("JUMP_FORWARD", target), labels=False)
        self.instructions[at + 2].labels, self.instructions[at + 1].labels = (
            self.instructions[at + 1].labels + self.instructions[at + 2].labels,
            [],
        )

    def hop(self, at, draw):
        """A jump to the very next instruction, or over some that do nothing."""
        if self.is_inside_call(at):
            return
        label = self.label(at)
        kept, self.instructions[at].labels = self.instructions[at].labels, []
        self.insert(at, ("JUMP_FORWARD", label), *[("NOP", 0)] * draw.randint(0, 2), labels=False)
        place = self.instructions.index(
            next(one for one in self.instructions[at:] if one.argument == label)
        )
        self.instructions[place].labels = [one for one in kept if one != label]
        after = next(one for one in self.instructions[place + 1 :] if one.name != "NOP")
        after.labels.append(label)

    def push(self, at, draw):
        """Something is put on the stack, and dropped after a jump."""
        if self.is_inside_call(at):
            return
        self.insert(at, ("LOAD_CONST", 0), ("COPY", 1), ("NOP", 0), ("POP_TOP", 0), ("POP_TOP", 0))

    def reload(self, at, draw):
        """A stored local is loaded and stored once more."""
        at = self.next_of(("STORE_FAST",), at)
        if at is not None and at + 1 < len(self.instructions) and not self.is_inside_call(at + 1):
            local = self.instructions[at].argument
            self.insert(at + 1, ("LOAD_FAST", local), ("STORE_FAST", local))

    def line(self, at, draw):
        """Other line numbers; PRECALL and CALL share one, as CPython raises a call's error at
        either."""
        for one in self.instructions[at : at + draw.randint(1, 9)]:
            one.line = max(1, one.line + draw.choice((-2, -1, 1, 2, 100, -100)))
        for before, one in zip(self.instructions, self.instructions[1:]):
            if one.name == "CALL":
                one.line = before.line

    def move(self, at, draw):
        """A stretch without ranges or jumps goes to the end of the code, with jumps there and
        back."""
        end = min(at + draw.randint(1, 8), len(self.instructions) - 1)
        stretch = self.instructions[at:end]
        if not stretch:
            return
        ranged = any(self.assembly.handlers()[at : end + 1])
        if (
            ranged
            or self.is_inside_call(at)
            or self.is_inside_call(end)
            or any(one.jumps or one.labels for one in stretch[1:])
            or stretch[0].jumps
            or self.instructions[-1].name
            not in ("RETURN_VALUE", "RERAISE", "JUMP_BACKWARD", "JUMP_FORWARD", "RAISE_VARARGS")
        ):
            return
        back = self.label(end)
        labels, stretch[0].labels = stretch[0].labels, []
        self.fresh += 1
        there = f"new{self.fresh}"
        jump = Instruction("JUMP_FORWARD", there, stretch[0].line)
        jump.labels = labels
        stretch[0].labels = [there, *self.assembly.ends]
        ends = self.assembly.ends
        self.assembly.ends = [f"{one}_moved" for one in ends]
        self.instructions[at:end] = [jump]
        self.instructions.extend(
            [*stretch, Instruction("JUMP_BACKWARD_NO_INTERRUPT", back, stretch[-1].line)]
        )


def mutated(function, changes):
    """The function with its bytecode changed; itself, where that cannot be taken apart or has
    closures."""
    code = getattr(function, "__code__", None)
    if (
        code is None
        or code.co_freevars
        or code.co_cellvars
        or code.co_flags & 0x20
        or len(code.co_code) > 2 * MOST
    ):
        return function
    with uncaptured():
        try:
            made = mutated_code(code, changes)
        except Refused as why:
            print("not mutated:", why)
            return function
    new = types.FunctionType(made, function.__globals__, function.__name__, function.__defaults__)
    new.__kwdefaults__ = function.__kwdefaults__
    return new


def mutated_code(code, changes):
    assembly = listing(code)
    mutator = Mutator(assembly)
    for kind, number in changes:
        mutator.apply(kind, number)
    verify(assembly, ends=False)
    offsets, prefixes, arguments = assembly.layout()
    return code.replace(
        co_code=assembly.bytes(prefixes, arguments),
        co_linetable=assembly.line_table(offsets, code.co_firstlineno),
        co_exceptiontable=assembly.exception_table(offsets),
        co_stacksize=code.co_stacksize + 4,
    )
