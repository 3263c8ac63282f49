#!/usr/bin/env python3
"""Compiles a Python package's __init__.py to a C++ table of marshalled code, for CPython's frozen importer.

usage: freeze_module.py NAME SOURCE OUTPUT

The interpreter that runs this must have the version of the interpreter that will import the result.
"""
import marshal
import pathlib
import sys


def frozen_source(name, source):
    code = compile(source, f"<frozen {name}>", "exec", dont_inherit=True)
    data = marshal.dumps(code)
    rows = [", ".join(map(str, data[i:i + 20])) for i in range(0, len(data), 20)]
    array = ",\n    ".join(rows)
    return (
        f"// Made by tools/freeze_module.py from the package {name}.\n"
        '#include "embed/interpreter/frozen_package.h"\n\n'
        "namespace dynacc {\n\n"
        "namespace {\n"
        f"constexpr unsigned char kCode[] = {{\n    {array}}};\n"
        "}  // namespace\n\n"
        f'const FrozenPackage kFrozenPackage = {{"{name}", kCode, sizeof(kCode)}};\n\n'
        "}  // namespace dynacc\n"
    )


def main():
    name, source, output = sys.argv[1:]
    text = frozen_source(name, pathlib.Path(source).read_text(encoding="utf-8"))
    pathlib.Path(output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
