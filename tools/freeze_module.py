#!/usr/bin/env python3
"""Compiles a Python package's files to a C++ table of marshalled code, for CPython's frozen importer.

usage: freeze_module.py PACKAGE OUTPUT FILE...      the files are modules of the package and its __init__.py

The interpreter that runs this must have the version of the interpreter that will import the result.
"""
import marshal
import pathlib
import sys


def module_name(package, path):
    return package if path.stem == "__init__" else f"{package}.{path.stem}"


def bytes_of(path, name):
    """The module's code, as rows of numbers."""
    code = compile(path.read_text(encoding="utf-8"), f"<frozen {name}>", "exec", dont_inherit=True)
    data = marshal.dumps(code)
    return ",\n    ".join(", ".join(map(str, data[i:i + 20])) for i in range(0, len(data), 20))


def frozen_source(package, paths):
    arrays, rows = [], []
    for number, path in enumerate(sorted(paths)):
        name = module_name(package, path)
        arrays.append(f"constexpr unsigned char kCode{number}[] = {{\n    {bytes_of(path, name)}}};\n")
        is_package = "true" if name == package else "false"
        rows.append(f'    {{"{name}", kCode{number}, sizeof(kCode{number}), {is_package}}},\n')
    return (
        f"// Made by tools/freeze_module.py from the package {package}.\n"
        '#include "embed/interpreter/frozen_package.h"\n\n'
        "namespace dynacc {\n\n"
        "namespace {\n"
        f"{''.join(arrays)}"
        "}  // namespace\n\n"
        f"const FrozenModule kFrozenModules[] = {{\n{''.join(rows)}}};\n"
        f"const int kNumFrozenModules = {len(rows)};\n\n"
        "}  // namespace dynacc\n"
    )


def main():
    package, output, *files = sys.argv[1:]
    pathlib.Path(output).write_text(frozen_source(package, map(pathlib.Path, files)), encoding="utf-8")


if __name__ == "__main__":
    main()
