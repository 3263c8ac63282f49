#!/usr/bin/env python3
"""Checks the laws that docs/architecture.md states and a compiler does not enforce.

usage: check_layers.py ROOT      prints each offence as path:line: text; exit status 1 if there is one

Law                                            where it comes from
layers point downward                          embed -> frontend -> codegen -> runtime
a heavy dependency has one home                HOMES below
no version test outside frontend/cpython       a CPython version touches one folder
files <= 800 lines, functions <= 80            big files and functions are where codebases rot
"""
import pathlib
import re
import sys

LAYERS = ("runtime", "codegen", "frontend", "embed")
HOMES = {
    r"Python\.h|structmember\.h|frameobject\.h": ("frontend/", "embed/"),
    r"(internal/)?pycore_\w+\.h": ("frontend/cpython/",),
    r"(clang|clang-c|llvm|llvm-c|lld)/.*": ("codegen/targets/cpu/compiler/",),
    r"(cuda|nvrtc|cublasLt|cuda_runtime)\w*\.h": ("codegen/targets/cuda/",),
    r"numpy/.*\.h": ("frontend/arrays/numpy/",),
}
INCLUDE = re.compile(r'\s*#\s*include\s*[<"]([^>"]+)[>"]')
VERSION_TEST = re.compile(r"\s*#\s*(el)?if.*\bPY_(VERSION_HEX|MAJOR_VERSION|MINOR_VERSION)\b")
FUNCTION_START = re.compile(r"(?!namespace|class|struct|enum|union|using|typedef|static_assert)\w[^=]*\(")
MAX_FILE_LINES = 800
MAX_FUNCTION_LINES = 80


def sources(root):
    for layer in LAYERS + ("tests", "bench"):
        for path in sorted((root / layer).rglob("*")):
            if path.suffix in {".h", ".cc", ".def"}:
                yield path


def include_offences(name, number, line):
    match = INCLUDE.match(line)
    if not match:
        return
    included = match.group(1)
    own, other = name.split("/")[0], included.split("/")[0]
    if own in LAYERS and other in LAYERS and LAYERS.index(other) > LAYERS.index(own):
        yield f"{name}:{number}: {own} includes the higher layer {other}: {included}"
    for pattern, homes in HOMES.items():
        if own in LAYERS and re.fullmatch(pattern, included) and not name.startswith(homes):
            yield f"{name}:{number}: {included} belongs in {' or '.join(homes)}"


def version_offences(name, number, line):
    if VERSION_TEST.match(line) and not name.startswith("frontend/cpython/"):
        yield f"{name}:{number}: a CPython version test outside frontend/cpython"


def function_offences(name, lines, indent):
    """A function whose head is indented by `indent` (members by two blanks) ends with a brace there."""
    start = None
    for number, line in enumerate(lines, 1):
        if start is None and line.startswith(indent) and FUNCTION_START.match(line[len(indent):]):
            start = number
        if start is None:
            continue
        text = "".join(lines[start - 1:number]) if number - start < 8 else "{"
        declaration = line.endswith(";") and "{" not in text
        one_line = line.endswith("}") and text.count("{") == text.count("}") > 0
        if line.startswith(indent + "}"):
            if number - start + 1 > MAX_FUNCTION_LINES:
                yield f"{name}:{start}: a function of {number - start + 1} lines (limit {MAX_FUNCTION_LINES})"
            start = None
        elif declaration or one_line:
            start = None


def offences(root):
    for path in sources(root):
        name = path.relative_to(root).as_posix()
        lines = path.read_text(encoding="utf-8").splitlines()
        if len(lines) > MAX_FILE_LINES:
            yield f"{name}:1: {len(lines)} lines (limit {MAX_FILE_LINES})"
        for number, line in enumerate(lines, 1):
            yield from include_offences(name, number, line)
            yield from version_offences(name, number, line)
        if path.suffix == ".cc":
            yield from function_offences(name, lines, "")
            yield from function_offences(name, lines, "  ")


def main():
    found = list(offences(pathlib.Path(sys.argv[1]).resolve()))
    print(*found, sep="\n")
    print(f"{len(found)} offences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
