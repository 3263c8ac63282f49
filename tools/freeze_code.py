#!/usr/bin/env python3
"""Compiles one Python file to a C++ array of its marshalled code.

usage: freeze_code.py SOURCE HEADER NAMESPACE NAME OUTPUT   defines NAMESPACE::kNAME and kNAMESize, as HEADER declares

The interpreter that runs this must have the version of the interpreter that will execute the code.
"""
import pathlib
import sys

import freeze_module


def main():
    source, header, namespace, name, output = sys.argv[1:]
    data = freeze_module.bytes_of(pathlib.Path(source).read_text(encoding="utf-8"), pathlib.Path(source).stem)
    pathlib.Path(output).write_text(
        f"// Made by tools/freeze_code.py.\n"
        f'#include "{header}"\n\n'
        f"namespace {namespace} {{\n\n"
        f"const unsigned char k{name}[] = {{\n    {data}}};\n"
        f"const size_t k{name}Size = sizeof(k{name});\n\n"
        f"}}  // namespace {namespace}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
