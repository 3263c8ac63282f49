#!/usr/bin/env python3
"""Compiles a Python package's files to a C++ table of marshalled code, for CPython's frozen importer.

usage: freeze_module.py PACKAGE OUTPUT FOLDER FILE...

The files are those of the package in FOLDER, and of packages in it. What is no .py file of a package becomes text in
FILES, a dict by name, of its module _assets.

The interpreter that runs this must have the version of the interpreter that will import the result.
"""
import marshal
import pathlib
import sys


def module_name(package, path):
    """The module of a file; `path` is from the package's folder."""
    parts = [package, *path.parent.parts, *([] if path.stem == "__init__" else [path.stem])]
    return ".".join(parts)


def bytes_of(source, name):
    """The code of a module, as rows of numbers."""
    code = compile(source, f"<frozen {name}>", "exec", dont_inherit=True)
    data = marshal.dumps(code)
    return ",\n    ".join(", ".join(map(str, data[i:i + 20])) for i in range(0, len(data), 20))


def modules_of(package, folder, paths):
    """Name, source and whether it is a package, of each module."""
    modules, assets = [], {}
    for path in sorted(paths):
        text, place = path.read_text(encoding="utf-8"), path.relative_to(folder)
        if path.suffix == ".py":
            modules.append((module_name(package, place), text, path.stem == "__init__"))
        else:
            assets.setdefault(module_name(package, place.with_name("_assets.py")), {})[path.name] = text
    return modules + [(name, f"FILES = {files!r}\n", False) for name, files in assets.items()]


def frozen_source(package, folder, paths):
    arrays, rows = [], []
    for number, (name, source, is_package) in enumerate(modules_of(package, folder, paths)):
        arrays.append(f"constexpr unsigned char kCode{number}[] = {{\n    {bytes_of(source, name)}}};\n")
        rows.append(f'    {{"{name}", kCode{number}, sizeof(kCode{number}), {"true" if is_package else "false"}}},\n')
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
    package, output, folder, *files = sys.argv[1:]
    text = frozen_source(package, pathlib.Path(folder), map(pathlib.Path, files))
    pathlib.Path(output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
