#!/usr/bin/env python3
"""Every file and folder of this project that a comment or a page names must be there.

usage: check_mentions.py ROOT      prints each offence as path:line: text; exit status 1 if there is one

Looked at are paths that begin with a top folder (`codegen/passes`, the `.h` of a module may be left out) and names of
C++ and CMake files, with the last of their folders or without (`prelude/rows.h`). Names of Python files in C++ are
mostly those of a user's program, and are not looked at. A page that says "new file `codegen/a.cc`" makes that file up
(docs/worked-examples.md).
"""
import pathlib
import re
import sys

TOP = ("bench", "cmake", "codegen", "docs", "embed", "examples", "frontend", "runtime", "serve", "tests", "tools")
COMMENT = {".h": "//", ".cc": "//", ".def": "//", ".py": "#", ".cmake": "#", "CMakeLists.txt": "#", ".md": None}
LEFT_OUT = ("tests/programs/", "tests/layering/check_", "build/")  # programs, and the tests' own wrong names
PATH = re.compile(rf"(?<![\w./<{{$-])(?:{'|'.join(TOP)})/[\w./*-]*\w")
FILE = re.compile(r"(?<![\w./<{$*-])(?:[\w-]+/)*\w[\w-]*\.(?:h|cc|def|cmake)\b(?!\.)")
URL = re.compile(r"https?://\S+")
# Other projects' files, as comments call them, and what only a program writes.
FOREIGN = re.compile(
    r"(numpy|absl|gtest|gmock|oneapi|Lib|Objects|tools/perf)/.*|Python\.h|opcode\.h|tracemalloc\.h|pycore_\w+\.h|cuda\.h|nvrtc\.h|cublasLt\.h|"
    r"fast_loop_macros\.h|npy_simd_data\.h|sysinfo\.cc|kernel-N\.cc|server\.cc|PREFIX_\w+\.cc")


MADE_UP = re.compile(r"[Nn]ew file `([^`]+)`")


def kind_of(path):
    return path.name if path.name in COMMENT else path.suffix


def words(path):
    """(line number, text) of what a file says to people: comments, or all of a page."""
    mark = COMMENT[kind_of(path)]
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = URL.sub("", line)
        if mark is None:
            yield number, line
        elif mark in line:
            yield number, line.split(mark, 1)[1]


def files(root):
    for top in (*TOP, "README.md", "CMakeLists.txt"):
        for path in sorted((root / top).rglob("*")) if (root / top).is_dir() else [root / top]:
            name = path.relative_to(root).as_posix()
            if path.is_file() and kind_of(path) in COMMENT and not name.startswith(LEFT_OUT):
                yield name, path


def offences(root):
    listed = list(files(root))
    endings = {name[start.end():] for name, _ in listed for start in re.finditer("^|/", name)}
    for name, path in listed:
        made_up = set(MADE_UP.findall(path.read_text(encoding="utf-8"))) if path.suffix == ".md" else set()
        known = endings | {made[start.end():] for made in made_up for start in re.finditer("^|/", made)}
        for number, text in words(path):
            for mentioned in PATH.findall(text):
                there = (root / mentioned).exists() or (root / f"{mentioned}.h").exists() or any(root.glob(mentioned))
                if not there and mentioned not in made_up and not FOREIGN.fullmatch(mentioned):
                    yield f"{name}:{number}: there is no {mentioned}"
            for mentioned in FILE.findall(text):
                if mentioned.split("/")[0] in TOP or mentioned in known or FOREIGN.fullmatch(mentioned):
                    continue
                yield f"{name}:{number}: no file is named {mentioned}"


def main():
    found = list(offences(pathlib.Path(sys.argv[1]).resolve()))
    print(*found, sep="\n")
    print(f"{len(found)} offences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
