#!/usr/bin/env python3
"""Writes code objects as the CPython that runs this compiles them, with what its module dis says of them.

usage: PYTHON write_samples.py > X.Y.txt

bytecode_formats_test.cc decodes them, whichever CPython it is built for. A code object is

    code NAME STACKSIZE              its name and co_stacksize
    bytecode HEX                     co_code
    kinds HEX                        co_localspluskinds
    handler START END TARGET DEPTH LASTI     a row of the exception table, in code units
    at OFFSET NAME ARGUMENT TARGET   an instruction; TARGET is that of a jump, in code units, or -1
"""
import dis
import types

import samples


def local_kinds(code):
    """co_localspluskinds, which Python code does not see: the kinds of names, in their order."""
    local, cell, free = 0x20, 0x40, 0x80
    kinds = [local | (cell if name in code.co_cellvars else 0) for name in code.co_varnames]
    kinds += [cell for name in code.co_cellvars if name not in code.co_varnames]
    return bytes(kinds + [free] * len(code.co_freevars))


def code_objects(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from code_objects(constant)


def print_code(code):
    print(f"code {code.co_name} {code.co_stacksize}")
    print(f"bytecode {code.co_code.hex()}")
    print(f"kinds {local_kinds(code).hex()}")
    for row in dis._parse_exception_table(code):
        print("handler", row.start // 2, row.end // 2, row.target // 2, row.depth, int(row.lasti))
    for at in dis.get_instructions(code):
        if at.opname != "EXTENDED_ARG":
            target = at.argval // 2 if at.opcode in dis.hasjrel else -1
            print("at", at.offset // 2, at.opname, at.arg or 0, target)


def main():
    methods = [samples.Derived.method]
    for value in [*vars(samples).values(), *methods]:
        if isinstance(value, types.FunctionType):
            for code in code_objects(value.__code__):
                print_code(code)


if __name__ == "__main__":
    main()
