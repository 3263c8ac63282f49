#!/usr/bin/env python3
"""The shipped files: guards against memory errors as in the table of docs/security.md, and no symbol too many.

usage: hardening_test.py SOURCE FILE... [unittest arguments after --]
"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(ROOT / "tools"))
import elf_report  # noqa: E402

FILES = [pathlib.Path(name) for name in sys.argv[2:]]
COMPILER_API = "codegen/targets/cpu/compiler/compiler_api.h"


def by_name(path):
    """The file's name without version and suffix: libdynacc_embed."""
    return path.name.split(".")[0]


def declared(header, pattern):
    return set(re.findall(pattern, (ROOT / header).read_text()))


class Hardening(unittest.TestCase):
    maxDiff = None

    def test_every_file_has_every_guard(self):
        for path in FILES:
            with self.subTest(path.name):
                found = elf_report.report(path)
                self.assertEqual(found.relocations, "read-only")
                self.assertEqual(found.stack, "not executable")
                self.assertIn(found.address, ("any (program)", "any (library)"))
                self.assertEqual(found.canary, "yes")
                self.assertEqual(found.writable_code, "none")

    def test_the_table_of_the_page_is_true(self):
        page = (ROOT / "docs/security.md").read_text()
        told = {line.split("`")[1].split(".")[0]: line.strip() for line in page.splitlines()
                if line.startswith("| `") and line.count("|") == len(elf_report.COLUMNS) + 1}
        for path in FILES:
            row = elf_report.table([path]).splitlines()[2].strip()
            self.assertEqual(told.get(by_name(path)), re.sub(r"cpython-\d+", "cpython-311", row))
        self.assertEqual(set(told), {by_name(path) for path in FILES})

    def allowed(self, name):
        """What a file may export: names of its interface, read from its header."""
        return {
            "_dynacc": {"PyInit__dynacc", "DynaccCore"},
            "dynacc-python": set(),
            "dynacc-serve": {"stdout", "stderr"},
            "libdynacc_serve_python": {"dynacc_serve_start_python_models"},
            "dynacc-program": {"stdout", "stderr", "__libc_single_threaded"},  # its copies of the C library's
            "libdynacc_program": declared("embed/include/dynacc/program_c.h", r"\b(dynacc_\w+)\("),
            "libdynacc_start": {"__libc_start_main", "pthread_exit"},
            "libdynacc_cpu_compiler": declared(COMPILER_API, r"\b(DynaccCompile\w*)\("),
            "libdynacc_embed": declared("embed/include/dynacc/dynacc.h", r"\b(dynacc_\w+)\(")
            | declared("codegen/extensions/dynacc/graph.h", r"\b(dynacc_\w+)\("),
        }[name]

    def test_nothing_else_is_exported(self):
        for path in FILES:
            with self.subTest(path.name):
                found = set(elf_report.report(path).exports)
                if by_name(path) == "libdynacc_embed":  # and the C++ interface of its headers: dynacc::v0::
                    found = {name for name in found if not re.match(r"_ZNK?6dynacc2v0\d", name)
                             and not re.match(r"_ZN6dynacc2v0[a-z]", name)}
                if "serve" in path.name:  # templates of the C++ library, which gRPC's libraries share
                    found = {name for name in found if not re.match(r"_Z(T[ISV]|Z?NK?)?St", name)}
                if "." not in path.name:  # a program's copy of a library's data
                    found = {name for name in found if not name.startswith("_ZN4absl")}
                self.assertEqual(found - self.allowed(by_name(path)), set())
                self.assertEqual({name for name in self.allowed(by_name(path)) - found
                                  if not name.endswith("Request")}, set(), "declared and not exported")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
