#!/usr/bin/env python3
"""tools/elf_report.py: each figure is told of files built with and without that guard.

usage: elf_report_test.py SOURCE COMPILER
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT, COMPILER = pathlib.Path(sys.argv[1]), sys.argv[2]
sys.path.insert(0, str(ROOT / "tools"))
import elf_report  # noqa: E402

PROGRAM = """
#include <cstdio>
#include <cstring>
extern "C" __attribute__((visibility("default"))) int exported(const char* text) {
  char copy[100];
  strcpy(copy, text);
  return puts(copy);
}
extern "C" __attribute__((visibility("hidden"))) int hidden() { return 1; }
int main(int count, char** arguments) { return exported(arguments[count - 1]) + hidden(); }
"""
GUARDED = ["-O2", "-fPIE", "-pie", "-fstack-protector-strong", "-D_FORTIFY_SOURCE=2", "-Wl,-z,relro", "-Wl,-z,now"]
BARE = ["-O2", "-fno-pie", "-no-pie", "-fno-stack-protector", "-U_FORTIFY_SOURCE", "-Wl,-z,norelro", "-Wl,-z,lazy",
        "-Wl,-z,execstack"]


class ElfReport(unittest.TestCase):
    def built(self, *flags, program_text=PROGRAM):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        source, program = pathlib.Path(folder.name, "a.cc"), pathlib.Path(folder.name, "a")
        source.write_text(program_text)
        subprocess.run([COMPILER, *flags, source, "-o", program], check=True, capture_output=True)
        return program

    def test_a_guarded_program(self):
        found = elf_report.report(self.built(*GUARDED))
        self.assertEqual(found.row("a")[1:], ("read-only", "not executable", "any (program)", "yes", "yes", "none"))

    def test_a_bare_program(self):
        found = elf_report.report(self.built(*BARE))
        self.assertEqual(found.row("a")[1:], ("none", "executable", "fixed", "no", "no", "none"))

    def test_relocations_that_are_read_only_in_part(self):
        self.assertEqual(elf_report.report(self.built("-Wl,-z,relro", "-Wl,-z,lazy")).relocations, "partly")

    def test_static_programs(self):
        found = elf_report.report(self.built("-static-pie", *GUARDED[:2], *GUARDED[3:]))
        self.assertEqual(found.row("a")[1:], ("read-only", "not executable", "any (program)", "yes", "yes", "none"))
        self.assertEqual(elf_report.report(self.built("-static", "-no-pie")).address, "fixed")
        self.assertEqual(elf_report.report(self.built("-static", "-s")).canary, "unknown")

    def test_exports_of_a_library(self):
        found = elf_report.report(self.built("-shared", "-fPIC"))
        self.assertEqual(found.address, "any (library)")
        self.assertIn("exported", found.exports)
        self.assertNotIn("hidden", found.exports)

    def test_segments_that_can_be_written_and_run(self):
        program = self.built("-nostdlib", "-static", "-no-pie", "-fno-pie", "-Wl,-N,-e,start",
                             program_text='int number = 3; extern "C" int start() { return ++number; }')
        self.assertEqual(elf_report.report(program).writable_code, "yes")

    def test_what_is_no_elf_file(self):
        with self.assertRaises(ValueError):
            elf_report.report(__file__)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
