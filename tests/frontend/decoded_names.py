"""What DynaCC's decoder makes of CPython's instructions, by name (frontend/cpython/opcodes.def).

Tests know by it which rows of a table of DynaCC's a program drives.
"""
import dis
import re

# CPython's name -> the names of DynaCC's that it may become, where that is not the same name.
BECOMES = {
    "CACHE": (), "EXTENDED_ARG": (),  # parts of other instructions
    "PRECALL": (), "KW_NAMES": ("CALL_KW",),
    "LOAD_FAST_CHECK": ("LOAD_FAST",), "LOAD_ATTR": ("LOAD_ATTR", "LOAD_METHOD"),
    "LOAD_FAST": ("LOAD_FAST", "LOAD_CLOSURE"), "LOAD_FAST_BORROW": ("LOAD_FAST", "LOAD_CLOSURE"),
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": ("LOAD_FAST_LOAD_FAST",),
    "LOAD_ASSERTION_ERROR": ("LOAD_COMMON_CONSTANT",),
    "NOT_TAKEN": ("NOP",), "POP_ITER": ("POP_TOP",),
    "LOAD_SPECIAL": ("BEFORE_WITH", "BEFORE_ASYNC_WITH"), "BINARY_OP": ("BINARY_OP", "BINARY_SUBSCR"),
    "FORMAT_SIMPLE": ("FORMAT_VALUE",), "FORMAT_WITH_SPEC": ("FORMAT_VALUE",),
    "CALL_INTRINSIC_1": ("CALL_INTRINSIC_1", "UNARY_POSITIVE", "LIST_TO_TUPLE"),
    "BUILD_TEMPLATE": (), "BUILD_INTERPOLATION": (),  # template strings, which are no instruction of ours
    "RESERVED": (), "ENTER_EXECUTOR": (), "EXIT_INIT_CHECK": (), "INTERPRETER_EXIT": (),
}
INTRINSICS = {5: "UNARY_POSITIVE", 6: "LIST_TO_TUPLE"}
SPECIAL = {1: "BEFORE_WITH", 3: "BEFORE_ASYNC_WITH"}  # by what the first LOAD_SPECIAL of a `with` loads
SUBSCRIPT = 26  # of BINARY_OP
HAS_METHOD_BIT = dis.opmap.get("LOAD_METHOD", 256) > 255  # what is above, only CPython's compiler has


def names_of_opcode(name):
    """All names that an instruction of that name may get."""
    name = re.sub("_(FORWARD|BACKWARD)_IF_", "_IF_", name)
    return BECOMES.get(name, (name,))


def name_of(instruction, code):
    """The name that an instruction of `code`, as `dis` gives it, gets; None if it is part of another one."""
    names = names_of_opcode(instruction.opname)
    if instruction.opname == "LOAD_ATTR":
        return "LOAD_METHOD" if HAS_METHOD_BIT and instruction.arg & 1 else "LOAD_ATTR"
    if instruction.opname in ("LOAD_FAST", "LOAD_FAST_BORROW"):
        cells = code.co_cellvars + code.co_freevars
        return "LOAD_CLOSURE" if HAS_METHOD_BIT and instruction.argval in cells else "LOAD_FAST"
    if instruction.opname == "CALL_INTRINSIC_1":
        return INTRINSICS.get(instruction.arg, "CALL_INTRINSIC_1")
    if instruction.opname == "LOAD_SPECIAL":
        return SPECIAL.get(instruction.arg)
    if instruction.opname == "BINARY_OP" and instruction.arg == SUBSCRIPT:
        return "BINARY_SUBSCR"
    return names[0] if names else None


def possible_names():
    """Those that code of the running CPython may have."""
    names = {name for name, number in dis.opmap.items() if number < 256 and not name.startswith("INSTRUMENTED_")}
    return {possible for name in names for possible in names_of_opcode(name)}
