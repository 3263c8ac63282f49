#!/usr/bin/env python3
"""Prints the opcodes of the CPython that runs this, as the opcodes.def of its folder in frontend/cpython.

usage: PYTHON tools/opcode_table.py > frontend/cpython/v3_XX/opcodes.def

The rows come from the interpreter's own module `opcode`. Specialised and instrumented opcodes are left out: `co_code`
has none of them. So are those of its compiler alone, whose numbers are no byte.
"""
import dis
import opcode
import sys


def caches_of(name, number):
    """The code units of inline cache that follow the instruction."""
    entries = opcode._inline_cache_entries
    return entries.get(name, 0) if isinstance(entries, dict) else entries[number]


def jump_of(name, number):
    """Where the instruction may jump to, from the unit after it."""
    if number not in dis.hasjrel:
        return "kNone"
    return "kBackward" if dis._is_backward_jump(number) else "kForward"


def takes_argument(number):
    """Whether the argument means something."""
    return number in dis.hasarg if hasattr(dis, "hasarg") else number >= dis.HAVE_ARGUMENT


def rows():
    for name, number in sorted(dis.opmap.items(), key=lambda item: item[1]):
        if number < 256 and not name.startswith("INSTRUMENTED_"):
            argument = "true" if takes_argument(number) else "false"
            yield f"DYNACC_NATIVE_OPCODE({name}, {number}, {caches_of(name, number)}, {jump_of(name, number)}, {argument})"


def main():
    version = "%d.%d" % sys.version_info[:2]
    print(f"// The opcodes of CPython {version}, written by tools/opcode_table.py.\n//")
    print("// DYNACC_NATIVE_OPCODE(name, number, caches, jump, takes_argument): `caches` is the number of CACHE\n"
          "// units that follow; `jump` is kNone, kForward or kBackward, from the unit after them.")
    print(*rows(), sep="\n")


if __name__ == "__main__":
    main()
