#!/usr/bin/env python3
"""Checks the laws that docs/architecture.md states and a compiler does not enforce.

usage: check_layers.py ROOT      prints each offence as path:line: text; exit status 1 if there is one

Law                                            where it comes from
layers point downward                          serve -> embed -> frontend -> codegen -> runtime
a heavy dependency has one home                HOMES below
no version test outside frontend/cpython       a CPython version touches one folder
files <= 800 lines, functions <= 80            big files and functions are where codebases rot
"""
import pathlib
import re
import sys

LAYERS = ("runtime", "codegen", "frontend", "embed", "serve")
HOMES = {
    r"Python\.h|structmember\.h|frameobject\.h": ("frontend/", "embed/"),
    r"(internal/)?pycore_\w+\.h": ("frontend/cpython/",),
    r"(clang|clang-c|llvm|llvm-c|lld)/.*": ("codegen/targets/cpu/compiler/",),
    r"(cuda|nvrtc|cublasLt|cuda_runtime)\w*\.h": (),  # opened at run time, by declarations of our own
    r"openssl/.*": ("runtime/signing/",),
    r"(oneapi/dnnl/)?dnnl\w*\.h\w*": ("runtime/cpu/onednn/",),
    r"numpy/.*\.h": ("frontend/numpy/capi/",),
    r"boost/(asio|beast)/.*": ("serve/http/",),
    r"grpcpp/.*|google/protobuf/.*": ("serve/rpc/",),
    r"prometheus/.*": ("serve/metrics/",),
    r"simdjson.h": ("serve/protocol/",),
    r"absl/strings/str_format\.h": ("embed/host/",),  # cannot be linked into the module (cmake/OwnAbseil.cmake)
}
INCLUDE = re.compile(r'\s*#\s*include\s*[<"]([^>"]+)[>"]')
VERSION_TEST = re.compile(r"\s*#\s*(el)?if.*\bPY_(VERSION_HEX|MAJOR_VERSION|MINOR_VERSION)\b")
FUNCTION_START = re.compile(r"(?!namespace|class|struct|enum|union|using|typedef|static_assert)\w[^=]*\(")
LITERAL = re.compile(r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])\'', re.S)
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
            yield f"{name}:{number}: {included} belongs in {' or '.join(homes) or 'no layer'}"


def version_offences(name, number, line):
    if VERSION_TEST.match(line) and not name.startswith("frontend/cpython/"):
        yield f"{name}:{number}: a CPython version test outside frontend/cpython"


def without_literals(text):
    """The text with the insides of comments and literals blanked, line numbers kept."""
    return LITERAL.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def function_length(lines, start):
    """Lines from `start` to the brace that closes what is opened there; 0 for a statement without a body."""
    depth = 0
    for number in range(start, len(lines)):
        before = depth
        depth += sum((c in "({") - (c in ")}") for c in lines[number])
        if depth <= 0:
            ends_body = lines[number].rstrip(" ;").endswith("}")
            if ends_body or lines[number].rstrip().endswith(";") or before < 0:
                return number - start + 1 if ends_body else 0
    return 0


def function_offences(name, lines, indent):
    """Looks at functions whose head is indented by `indent`: members of a class by two blanks."""
    for start, line in enumerate(lines):
        if not line.startswith(indent) or not FUNCTION_START.match(line[len(indent):]):
            continue
        length = function_length(lines, start)
        if length > MAX_FUNCTION_LINES:
            yield f"{name}:{start + 1}: a function of {length} lines (limit {MAX_FUNCTION_LINES})"


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
            code = without_literals("\n".join(lines)).split("\n")
            yield from function_offences(name, code, "")
            yield from function_offences(name, code, "  ")


def main():
    found = list(offences(pathlib.Path(sys.argv[1]).resolve()))
    print(*found, sep="\n")
    print(f"{len(found)} offences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
