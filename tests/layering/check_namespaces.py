#!/usr/bin/env python3
"""Checks that namespaces follow the folders, so that a name says its room.

usage: check_namespaces.py ROOT       prints each offence; exit status 1 if there is one

The sources of a folder define their names in `dynacc::LAST`, where LAST is the folder's last component, or in a
namespace within it. Other namespaces of dynacc are opened for declarations of classes alone. Three kinds of folders
differ, and are listed below:

VOCABULARY   their names are words of every other folder, and lie in `dynacc` itself
PARTS        folders that are parts of one room to the reader
embed        the interface that hosts see: `dynacc`
"""
import pathlib
import re
import sys

VOCABULARY = {"runtime/base", "runtime/tensor", "runtime/ops", "runtime/scalar", "frontend/cpython",
              "codegen/extensions/dynacc"}
PARTS = {"runtime/cpu": "cpu", "codegen/targets/cpu": "cpu", "frontend/numpy": "numpy", "frontend/tracer": "tracer"}
LAYERS = ("runtime", "codegen", "frontend", "serve")
SUFFIXES = {".h", ".cc"}
OPENED = re.compile(r"^namespace (dynacc(?:::\w+)*) \{$(.*?)^\}", re.M | re.S)
FORWARD = re.compile(r"^\s*(?:(?:class|struct|enum class) \w+( : \w+)?;)?\s*(?://.*)?$")


VERSION = re.compile(r"(frontend/cpython)/v\d+_\d+(?:_on)?")  # the part of a folder that is for one version, or from it on


def namespace_of(folder):
    """The namespace of a folder, a path relative to the root."""
    folder = VERSION.sub(r"\1", folder)
    if folder in VOCABULARY or "/" not in folder:
        return "dynacc"
    for part, name in PARTS.items():
        if folder == part or folder.startswith(part + "/"):
            return f"dynacc::{name}"
    return f"dynacc::{folder.rpartition('/')[2]}"


def is_within(namespace, wanted, rooms):
    """Whether the namespace is the wanted one, or within it; in `dynacc` itself none may have a room's name."""
    if namespace == wanted:
        return True
    return namespace.startswith(wanted + "::") and not (wanted == "dynacc" and namespace.split("::")[1] in rooms)


def offences(root):
    rooms = {path.name for layer in LAYERS for path in (root / layer).rglob("*") if path.is_dir()}
    for layer in LAYERS:
        for path in sorted((root / layer).rglob("*")):
            if path.suffix not in SUFFIXES or "prelude" in path.parts:
                continue
            name = path.relative_to(root).as_posix()
            wanted = namespace_of(name.rpartition("/")[0])
            for opened in OPENED.finditer(path.read_text(encoding="utf-8")):
                inside = is_within(opened.group(1), wanted, rooms)
                if not inside and not all(FORWARD.match(line) for line in opened.group(2).splitlines()):
                    yield f"{name} defines names of {opened.group(1)}; its folder's are in {wanted}"


def main():
    found = list(offences(pathlib.Path(sys.argv[1]).resolve()))
    print(*found, sep="\n")
    print(f"{len(found)} offences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
