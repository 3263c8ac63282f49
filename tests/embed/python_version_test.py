#!/usr/bin/env python3
"""Interpreters that DynaCC does not support are refused in words: by CMake, by the package, by the launcher.

usage: python_version_test.py SOURCE BUILD [unittest arguments]
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import unittest

SOURCE = pathlib.Path()
BUILD = pathlib.Path()
SUPPORTED = f"3.{sys.version_info.minor}"  # of those that are supported, the one that runs this
# What stands for an interpreter: tells cmake/PythonVersion.cmake what it asks for.
FAKE = "#!/bin/sh\nprintf '%s' '{facts};.cpython-XX.so;/nowhere;/nowhere'\n"
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(asks LANGUAGES NONE)
set(PROJECT_SOURCE_DIR "{source}")
include({source}/cmake/PythonVersion.cmake)
message(STATUS "builds for ${{DYNACC_PYTHON_VERSION}}")
"""
# A program with the names of an interpreter that the launcher's library refers to, and its version.
LOADED = """
const unsigned long Py_Version = {version:#x};
{names}
int main(int argc, char** argv) {{ return argc == 2 && argv[1][0] == '7' ? 7 : 1; }}
"""


def supported_versions():
    table = (SOURCE / "frontend/cpython/versions.def").read_text(encoding="utf-8")
    return [f"{major}.{minor}" for major, minor in re.findall(r"^DYNACC_CPYTHON\((\d+), (\d+)\)", table, re.M)]


class Refusals(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name).resolve()

    def configure(self, facts):
        python = self.folder / "python3"
        python.write_text(FAKE.format(facts=facts))
        python.chmod(0o755)
        (self.folder / "CMakeLists.txt").write_text(PROJECT.format(source=SOURCE))
        done = subprocess.run(["cmake", "-S", self.folder, "-B", self.folder / "build", f"-DDYNACC_PYTHON={python}"],
                              capture_output=True, text=True)
        return done.returncode, " ".join((done.stdout + done.stderr).split())

    def test_cmake(self):
        status, text = self.configure(f"{SUPPORTED};cpython;plain")
        self.assertEqual(status, 0, text)
        self.assertIn(f"builds for {SUPPORTED}", text)
        for facts, words in (("3.12;cpython;plain", "is cpython 3.12. DynaCC knows the frames"),
                             (f"{SUPPORTED};pypy;plain", f"is pypy {SUPPORTED}. DynaCC knows the frames"),
                             (f"{SUPPORTED};cpython;debug", "is a debug build of CPython"),
                             (f"{SUPPORTED};cpython;free-threaded", "is a free-threaded build of CPython")):
            status, text = self.configure(facts)
            self.assertNotEqual(status, 0, facts)
            self.assertIn(words, text)
            for version in supported_versions():
                self.assertRegex(text, rf"CPython (3\.\d+, )*{re.escape(version)}", facts)

    def test_an_interpreter_that_does_not_run(self):
        (self.folder / "CMakeLists.txt").write_text(PROJECT.format(source=SOURCE))
        done = subprocess.run(["cmake", "-S", self.folder, "-B", self.folder / "build", "-DDYNACC_PYTHON=/no/such/python"],
                              capture_output=True, text=True)
        self.assertIn("does not run", done.stderr)

    def imports(self, *folders):
        environment = {"PYTHONPATH": ":".join(map(str, folders)), "PATH": os.environ["PATH"]}
        done = subprocess.run([sys.executable, "-c", "import dynacc; print(dynacc.__version__)"], env=environment,
                              capture_output=True, text=True)
        return done.stdout, done.stderr

    def package(self, name, core=None):
        """A folder with the dynacc package and, under the name `core`, its compiled half."""
        folder = self.folder / name
        shutil.copytree(BUILD / "python" / "dynacc", folder / "dynacc")
        if core:
            shutil.copy(next((BUILD / "python").glob("_dynacc*.so")), folder / core)
        return folder

    def test_a_core_for_another_python(self):
        out, err = self.imports(self.package("other", "_dynacc.cpython-39-x86_64-linux-gnu.so"))
        self.assertEqual(out, "")
        self.assertIn(f"ImportError: dynacc: this is CPython {SUPPORTED}, and the installation in {self.folder}/other is for "
                      "CPython 3.9.", err)
        out, err = self.imports(self.package("none"))
        self.assertIn(f"{self.folder}/none has no compiled core", err)

    def test_two_installations(self):
        core = "_dynacc" + sysconfig.get_config_var("EXT_SUFFIX")
        whole, second = self.package("whole", core), self.package("second", core)
        self.assertNotEqual(self.imports(whole)[0], "")
        self.assertNotEqual(self.imports(whole, second)[0], "", "the first is whole")
        (whole / core).unlink()
        out, err = self.imports(whole, second)
        self.assertEqual(out, "")
        self.assertIn(f"two installations are mixed: the package of {whole} and the core of {second}.", err)
        shutil.rmtree(second / "dynacc")
        self.assertNotEqual(self.imports(whole, second)[0], "", "one installation in two folders")

    def test_the_launcher(self):
        library = BUILD / "libdynacc_start.so"
        if not library.exists():
            self.skipTest("the launcher is linked in one piece")
        told = subprocess.run(["nm", "-D", "--undefined-only", library], capture_output=True, text=True, check=True).stdout
        needed = re.findall(r" U (_?Py\w+)$", told, re.M)
        self.assertIn("PyImport_FrozenModules", needed)
        ours = sys.hexversion
        for version, symbol, words in ((0x030C0000, "", "this is CPython 3.12; DynaCC supports CPython "),
                                       (ours, "_Py_NegativeRefcount", "a debug build"),
                                       (ours, "_Py_MergeZeroLocalRefcount", "a free-threaded build")):
            source, program = self.folder / "main.c", self.folder / "program"
            names = "\n".join(f"long {name}[8];" for name in [*needed, symbol] if name)
            source.write_text(LOADED.format(version=version, names=names))
            subprocess.run(["cc", source, "-o", program, "-rdynamic"], check=True)
            environment = {"LD_PRELOAD": str(library), "_DYNACC_LAUNCHER": "/nowhere"}
            done = subprocess.run([program, "7"], env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 7, done.stderr)
            self.assertIn(words, done.stderr)
            self.assertTrue(all(version in done.stderr for version in supported_versions()), done.stderr)


if __name__ == "__main__":
    SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
