"""The verifier of assembled code: follows every path with the kind of each stack slot, and refuses
what is not safe.

    verify(assembly)   the stack's greatest depth; ValueError says why code is refused

A slot is an object, a NULL, an iterator (with the place of the GET_ITER that made it), a list, dict
or set that is being built, an exception, the exception that was handled before, an instruction's
number, or a method's half.
"""

OBJECT, NULL, LIST, DICT, SET, ERROR, SAVED, COPIED, PLACE, METHOD, RECEIVER = (
    "object",
    "null",
    "list",
    "dict",
    "set",
    "error",
    "saved",
    "copied",
    "place",
    "method",
    "receiver",
)
PLAIN = {OBJECT, LIST, DICT, SET, ERROR}

# Instructions that take plain objects and give objects: how many of each, where the argument does
# not say.
SIMPLE = {
    "UNARY_NOT": (1, 1),
    "UNARY_NEGATIVE": (1, 1),
    "UNARY_POSITIVE": (1, 1),
    "UNARY_INVERT": (1, 1),
    "BINARY_OP": (2, 1),
    "BINARY_SUBSCR": (2, 1),
    "STORE_SUBSCR": (3, 0),
    "DELETE_SUBSCR": (2, 0),
    "COMPARE_OP": (2, 1),
    "IS_OP": (2, 1),
    "CONTAINS_OP": (2, 1),
    "LOAD_CONST": (0, 1),
    "LOAD_FAST": (0, 1),
    "STORE_FAST": (1, 0),
    "DELETE_FAST": (0, 0),
    "LOAD_NAME": (0, 1),
    "LOAD_ATTR": (1, 1),
    "STORE_ATTR": (2, 0),
    "DELETE_ATTR": (1, 0),
    "NOP": (0, 0),
    "RESUME": (0, 0),
    "STORE_GLOBAL": (1, 0),
    "DELETE_GLOBAL": (0, 0),
    "LOAD_ASSERTION_ERROR": (0, 1),
    "PRINT_EXPR": (1, 0),
}
QUIET = {
    "LOAD_CONST",
    "STORE_FAST",
    "NOP",
    "JUMP_FORWARD",
    "SWAP",
    "COPY",
    "POP_TOP",
    "PUSH_NULL",
    "IS_OP",
    "BUILD_TUPLE",
    "BUILD_LIST",
    "LIST_TO_TUPLE",
    "PUSH_EXC_INFO",
    "POP_EXCEPT",
    "RETURN_VALUE",
    "KW_NAMES",
    "RESUME",
    "LIST_APPEND",
    "POP_JUMP_FORWARD_IF_NONE",
    "POP_JUMP_FORWARD_IF_NOT_NONE",
    "POP_JUMP_BACKWARD_IF_NONE",
    "POP_JUMP_BACKWARD_IF_NOT_NONE",
}
LAST = {
    "RETURN_VALUE",
    "RERAISE",
    "RAISE_VARARGS",
    "JUMP_FORWARD",
    "JUMP_BACKWARD",
    "JUMP_BACKWARD_NO_INTERRUPT",
}


class Refused(ValueError):
    """Code that CPython's evaluator could not run safely, or for ever."""


def need(condition, *why):
    if not condition:
        raise Refused(" ".join(map(str, why)))


class State:
    """The kinds of a path's stack slots at one instruction."""

    def __init__(self, kinds):
        self.kinds = list(kinds)
        self.lowest = len(self.kinds)  # how many slots the instruction has not taken

    def pop(self, kinds=PLAIN):
        need(self.kinds, "the stack is empty")
        kind = self.kinds.pop()
        self.lowest = min(self.lowest, len(self.kinds))
        need(
            kind in kinds or (kinds >= PLAIN and kind.startswith("iterator")),
            "a",
            kind,
            "where something else is needed",
        )
        return kind

    def push(self, *kinds):
        self.kinds += kinds

    def at(self, depth):
        need(1 <= depth <= len(self.kinds), "nothing is that deep")
        return self.kinds[-depth]


class Verifier:
    def __init__(self, assembly, ends=True):
        self.assembly = assembly
        self.instructions = assembly.instructions
        self.places = assembly.label_places()
        self.handlers = assembly.handlers()
        self.ends = ends  # whether code must be seen to end
        self.states = {}
        self.waiting = []
        self.greatest = 0

    def reach(self, at, kinds):
        need(at < len(self.instructions), "control leaves the code's end")
        kinds = tuple(kinds)
        self.greatest = max(self.greatest, len(kinds))
        need(len(kinds) <= 60, "the stack is too deep")
        known = self.states.get(at)
        if known is None:
            self.states[at] = kinds
            self.waiting.append(at)
            return
        need(len(known) == len(kinds), "two depths meet at", at)
        merged = tuple(self.merge(a, b) for a, b in zip(known, kinds))
        if merged != known:
            self.states[at] = merged
            self.waiting.append(at)

    def merge(self, a, b):
        if a == b:
            return a
        if all(kind in PLAIN or kind.startswith("iterator") for kind in (a, b)):
            return OBJECT
        raise Refused(f"{a} and {b} meet")

    def run(self):
        for at, made in enumerate(self.instructions):
            if made.name in ("CALL", "PRECALL", "KW_NAMES"):
                self.check_call(at, made)
        self.reach(0, ())
        while self.waiting:
            at = self.waiting.pop()
            self.step(at, self.instructions[at], State(self.states[at]))
        return self.greatest + 2

    def check_call(self, at, made):
        """KW_NAMES, PRECALL and CALL are one: nothing jumps between them, and no prefix lies
        there."""
        before = self.instructions[at - 1] if at else None
        if made.name == "CALL":
            need(
                before and before.name == "PRECALL" and before.argument == made.argument,
                "CALL without its PRECALL",
            )
            need(
                not made.labels and not made.wide and made.argument < 256,
                "something lies before CALL",
            )
        elif made.name == "PRECALL" and before and before.name == "KW_NAMES":
            need(not made.labels, "a jump past KW_NAMES")
            names = self.assembly.constants[before.argument]
            need(
                isinstance(names, tuple)
                and all(type(n) is str for n in names)
                and len(names) <= made.argument
                and len(set(names)) == len(names),
                "these are no keywords",
            )
        elif made.name == "KW_NAMES":
            after = self.instructions[at + 1 : at + 2]
            need(after and after[0].name == "PRECALL", "KW_NAMES without a call")
        if made.name != "KW_NAMES" and at + 1 < len(self.handlers):
            need(
                made.name == "CALL" or self.handlers[at] == self.handlers[at + 1],
                "a call's parts in two ranges",
            )

    def step(self, at, made, state):
        before = tuple(state.kinds)
        operation = getattr(self, "do_" + made.name, None)
        if operation is not None:
            operation(at, made.argument, state)
        elif made.name in SIMPLE:
            takes, gives = SIMPLE[made.name]
            for _ in range(takes):
                state.pop()
            state.push(*[OBJECT] * gives)
        elif made.jumps:
            self.jump(at, made, state)
        else:
            raise Refused(f"{made.name} is not known")
        if made.name not in QUIET:
            self.raising(at, before[: state.lowest])
        if made.name not in LAST:
            self.reach(at + 1, state.kinds)

    def raising(self, at, kept):
        """Where an exception goes from here: what its handler finds, of what the instruction keeps;
        handled exceptions must be given back on the way."""
        saved = [depth for depth, kind in enumerate(kept) if kind == SAVED]
        if self.handlers[at] is None:
            need(not saved or not self.ends, "an exception would leave a handler unfinished")
            return
        handler, depth, lasti = self.handlers[at]
        need(handler > at, "a handler lies before what it covers") if self.ends else None
        need(depth <= len(kept), "a handler is deeper than what an instruction leaves")
        need(not saved or saved[-1] < depth, "a handler loses a handled exception")
        self.reach(handler, (*kept[:depth], *([PLACE] if lasti else []), ERROR))

    # Jumps.

    def target(self, at, argument):
        need(argument in self.places, "no label is named", argument)
        return self.places[argument]

    def jump(self, at, made, state):
        target = self.target(at, made.argument)
        if made.name == "FOR_ITER":
            kind = state.at(1)
            need(kind.startswith("iterator"), "FOR_ITER of", kind)
            self.reach(target, state.kinds[:-1])
            return state.push(OBJECT)
        if made.name == "JUMP_BACKWARD" and self.ends:
            loop = self.instructions[target]
            need(
                loop.name == "FOR_ITER" and state.kinds and state.kinds[-1].startswith("iterator"),
                "a loop that may not end",
            )
            need(
                target not in self.states or self.states[target][-1:] == tuple(state.kinds[-1:]),
                "another iterator each round",
            )
        if made.name == "POP_JUMP_BACKWARD_IF_TRUE" and self.ends:
            before = [one.name for one in self.instructions[max(at - 7, 0) : at]]
            need(
                before
                == [
                    "LOAD_FAST",
                    "LOAD_CONST",
                    "BINARY_OP",
                    "COPY",
                    "STORE_FAST",
                    "LOAD_CONST",
                    "COMPARE_OP",
                ],
                "a loop that may not end",
            )
        elif "BACKWARD" in made.name and made.name != "JUMP_BACKWARD":
            need(not self.ends, "a loop that may not end")
        if made.name.startswith("POP_JUMP"):
            state.pop()
        elif made.name.endswith("_OR_POP"):
            self.reach(target, state.kinds)
            state.pop()
            return
        else:
            need(
                made.name in ("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"),
                made.name,
                "is not known",
            )
        self.reach(target, state.kinds)

    # Instructions whose argument counts, or that know kinds.

    def do_LOAD_GLOBAL(self, at, argument, state):
        state.push(*([NULL] if argument & 1 else []), OBJECT)

    def do_PUSH_NULL(self, at, argument, state):
        state.push(NULL)

    def do_POP_TOP(self, at, argument, state):
        state.pop(PLAIN | {PLACE})

    def do_COPY(self, at, argument, state):
        kind = state.at(argument)
        need(kind not in (METHOD, RECEIVER), "a copy of half a method")
        state.push(COPIED if kind == SAVED else kind)

    def do_SWAP(self, at, argument, state):
        need(argument >= 2, "SWAP of one")
        kinds = state.kinds
        need(not {state.at(1), state.at(argument)} & {METHOD, RECEIVER}, "half a method moves")
        kinds[-1], kinds[-argument] = kinds[-argument], kinds[-1]

    def build(self, count, made, state):
        for _ in range(count):
            state.pop()
        state.push(made)

    def do_BUILD_TUPLE(self, at, argument, state):
        self.build(argument, OBJECT, state)

    def do_BUILD_LIST(self, at, argument, state):
        self.build(argument, LIST, state)

    def do_BUILD_SET(self, at, argument, state):
        self.build(argument, SET, state)

    def do_BUILD_MAP(self, at, argument, state):
        self.build(2 * argument, DICT, state)

    def do_BUILD_SLICE(self, at, argument, state):
        need(argument in (2, 3), "a slice of", argument)
        self.build(argument, OBJECT, state)

    def do_BUILD_STRING(self, at, argument, state):
        self.build(argument, OBJECT, state)

    def do_FORMAT_VALUE(self, at, argument, state):
        need(argument in (0, 1, 2, 3), "FORMAT_VALUE of", argument)
        self.build(1, OBJECT, state)

    def into(self, kind, argument, taken, state):
        for _ in range(taken):
            state.pop()
        need(state.at(argument) == kind, "what is added to is no", kind)

    def do_LIST_APPEND(self, at, argument, state):
        self.into(LIST, argument, 1, state)

    def do_LIST_EXTEND(self, at, argument, state):
        self.into(LIST, argument, 1, state)

    def do_SET_ADD(self, at, argument, state):
        self.into(SET, argument, 1, state)

    def do_SET_UPDATE(self, at, argument, state):
        self.into(SET, argument, 1, state)

    def do_MAP_ADD(self, at, argument, state):
        self.into(DICT, argument, 2, state)

    def do_DICT_UPDATE(self, at, argument, state):
        self.into(DICT, argument, 1, state)

    def do_LIST_TO_TUPLE(self, at, argument, state):
        state.pop({LIST})
        state.push(OBJECT)

    def do_UNPACK_SEQUENCE(self, at, argument, state):
        need(argument <= 20, "too much is unpacked")
        state.pop()
        state.push(*[OBJECT] * argument)

    def do_UNPACK_EX(self, at, argument, state):
        need(argument >> 8 <= 9 and argument & 255 <= 9, "too much is unpacked")
        state.pop()
        state.push(*[OBJECT] * (argument >> 8), LIST, *[OBJECT] * (argument & 255))

    def do_GET_ITER(self, at, argument, state):
        state.pop()
        state.push(f"iterator {at}")

    def do_GET_LEN(self, at, argument, state):
        need(state.at(1) in PLAIN, "the length of", state.at(1))
        state.push(OBJECT)

    def do_MATCH_SEQUENCE(self, at, argument, state):
        self.do_GET_LEN(at, argument, state)

    def do_MATCH_MAPPING(self, at, argument, state):
        self.do_GET_LEN(at, argument, state)

    def do_LOAD_METHOD(self, at, argument, state):
        state.pop()
        state.push(METHOD, RECEIVER)

    def do_KW_NAMES(self, at, argument, state):
        pass

    def do_PRECALL(self, at, argument, state):
        need(argument + 2 <= len(state.kinds), "a call of nothing")

    def do_CALL(self, at, argument, state):
        for _ in range(argument):
            state.pop()
        under, over = state.kinds[-2:]
        state.lowest = len(state.kinds) - 2
        need(
            (under, over) == (METHOD, RECEIVER)
            or (over in PLAIN and (under == NULL or under in PLAIN)),
            "a call of",
            under,
            over,
        )
        del state.kinds[-2:]
        state.push(OBJECT)

    def do_CALL_FUNCTION_EX(self, at, argument, state):
        need(argument in (0, 1), "flags")
        for _ in range(2 + argument):
            state.pop()
        state.pop({NULL})
        state.push(OBJECT)

    def do_PUSH_EXC_INFO(self, at, argument, state):
        state.pop({ERROR})
        state.push(SAVED, ERROR)

    def do_POP_EXCEPT(self, at, argument, state):
        if state.pop({SAVED, COPIED}) == COPIED:  # what it is a copy of has been given back, then
            owed = [at for at, kind in enumerate(state.kinds) if kind == SAVED]
            need(owed, "no handled exception")
            state.kinds[owed[-1]] = OBJECT

    def do_CHECK_EXC_MATCH(self, at, argument, state):
        state.pop()
        need(state.at(1) == ERROR, "a match of", state.at(1))
        state.push(OBJECT)

    def do_RERAISE(self, at, argument, state):
        need(argument <= 20, "RERAISE of", argument)
        state.pop({ERROR})
        need(not argument or state.at(argument) == PLACE, "RERAISE from nowhere")

    def do_RAISE_VARARGS(self, at, argument, state):
        need(argument in (0, 1, 2), "raise of", argument)
        for _ in range(argument):
            state.pop()

    def do_BEFORE_WITH(self, at, argument, state):
        state.pop()
        state.push(OBJECT, OBJECT)

    def do_WITH_EXCEPT_START(self, at, argument, state):
        need(
            [state.at(1), state.at(2), state.at(3)] == [ERROR, SAVED, PLACE]
            and state.at(4) in PLAIN,
            "no `with` ends here",
        )
        state.push(OBJECT)

    def do_RETURN_VALUE(self, at, argument, state):
        state.pop()
        need(not state.kinds, "a return with something on the stack")


def verify(assembly, **settings):
    """The depth that the code's stack needs; ValueError (Refused) if it is not safe."""
    return Verifier(assembly, **settings).run()
