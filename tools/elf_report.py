#!/usr/bin/env python3
"""What guards ELF files against memory errors, as `checksec` would tell it; and what they export.

usage: elf_report.py [--exports] FILE...

Prints a Markdown table, a row a file; --exports lists the dynamic symbols instead. Reads the headers itself, so that
nothing need be installed. A canary and checked functions are found by the C library's functions that they call: in the
dynamic symbols, or in the full symbol table of what is linked statically, which a stripped program has not ("unknown").
"""
import dataclasses
import pathlib
import struct
import sys

SECTION_SYMTAB, SECTION_DYNSYM, SECTION_DYNAMIC = 2, 11, 6
SEGMENT_LOAD, SEGMENT_INTERP, SEGMENT_STACK, SEGMENT_RELRO = 1, 3, 0x6474e551, 0x6474e552
TAG_TEXTREL, TAG_BIND_NOW, TAG_FLAGS, TAG_FLAGS_1, TAG_RPATH, TAG_RUNPATH = 22, 24, 30, 0x6ffffffb, 15, 29
TYPE_PROGRAM, TYPE_SHARED = 2, 3
COLUMNS = ("file", "relocations", "stack", "address", "canary", "checked functions", "writable code")


@dataclasses.dataclass
class Report:
    """One file's figures, in the words of the table's columns."""
    relocations: str
    stack: str
    address: str
    canary: str
    checked_functions: str
    writable_code: str
    exports: list

    def row(self, name):
        return (name, self.relocations, self.stack, self.address, self.canary, self.checked_functions, self.writable_code)


class Elf:
    """The parts of a 64-bit little-endian ELF file that Report needs."""

    def __init__(self, content):
        if content[:6] != b"\x7fELF\x02\x01":
            raise ValueError("no 64-bit little-endian ELF file")
        self.content = content
        self.type, = struct.unpack_from("<H", content, 16)
        start, sections_at = struct.unpack_from("<QQ", content, 32)
        segment_size, segments, section_size, sections = struct.unpack_from("<HHHH", content, 54)
        self.segments = [struct.unpack_from("<IIQQQQQQ", content, start + i * segment_size) for i in range(segments)]
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", content, sections_at + i * section_size)
                         for i in range(sections)]

    def tags(self):
        """The dynamic section's tags and their values."""
        tags = {}
        for section in self.sections:
            if section[1] == SECTION_DYNAMIC:
                for at in range(section[4], section[4] + section[5], 16):
                    tag, value = struct.unpack_from("<qQ", self.content, at)
                    tags.setdefault(tag, value)
        return tags

    def symbols(self, kind):
        """Pairs of a name and whether it is defined here, of the tables of that kind."""
        for section in self.sections:
            if section[1] != kind:
                continue
            names = self.sections[section[6]][4]
            for at in range(section[4] + 24, section[4] + section[5], 24):
                name, info, _, index = struct.unpack_from("<IBBH", self.content, at)
                start = names + name
                yield self.content[start:self.content.index(b"\0", start)].decode(), index != 0 and info >> 4 != 0


def report(path):
    """The Report of the file at `path`."""
    elf = Elf(pathlib.Path(path).read_bytes())
    kinds = [segment[0] for segment in elf.segments]
    tags = elf.tags()
    binds_now = TAG_BIND_NOW in tags or tags.get(TAG_FLAGS, 0) & 8 or tags.get(TAG_FLAGS_1, 0) & 1
    is_linked_statically = SEGMENT_INTERP not in kinds and elf.type == TYPE_PROGRAM or bool(
        tags.get(TAG_FLAGS_1, 0) & 0x08000000) and SEGMENT_INTERP not in kinds
    dynamic = list(elf.symbols(SECTION_DYNSYM))
    known = {name for name, _ in dynamic} | {name for name, _ in elf.symbols(SECTION_SYMTAB)}
    is_blind = is_linked_statically and not any(True for _ in elf.symbols(SECTION_SYMTAB))

    def found(is_there):
        return "yes" if is_there else "unknown" if is_blind else "no"

    relocations = "none" if SEGMENT_RELRO not in kinds else "read-only" if binds_now or is_linked_statically else "partly"
    stack = [segment[1] for segment in elf.segments if segment[0] == SEGMENT_STACK]
    is_program = SEGMENT_INTERP in kinds or is_linked_statically
    return Report(
        relocations=relocations,
        stack="not executable" if stack and not stack[0] & 1 else "executable",
        address="fixed" if elf.type == TYPE_PROGRAM else "any (program)" if is_program else "any (library)",
        canary=found("__stack_chk_fail" in known),
        checked_functions=found(any(name.startswith("__") and name.endswith("_chk") for name in known)),
        writable_code="yes" if TAG_TEXTREL in tags or any(
            segment[0] == SEGMENT_LOAD and segment[1] & 3 == 3 for segment in elf.segments) else "none",
        exports=sorted(name for name, is_defined in dynamic if is_defined))


def table(paths):
    """The Markdown table of these files."""
    rows = [COLUMNS, ("---",) * len(COLUMNS)]
    rows += [report(path).row(f"`{pathlib.Path(path).name}`") for path in paths]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main(arguments):
    if not arguments or arguments[0].startswith("-") and arguments[0] != "--exports" or arguments == ["--exports"]:
        print(__doc__, file=sys.stderr)
        return 2
    if arguments[0] != "--exports":
        print(table(arguments), end="")
        return 0
    for path in arguments[1:]:
        print(f"{path}:", *report(path).exports, sep="\n  ")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
