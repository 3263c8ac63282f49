#!/usr/bin/env python3
"""An interpreter whose structs lie elsewhere than those that DynaCC was compiled with is left alone, with one line.

The interpreter tells where its structs' fields are; these tests change what it tells before DynaCC looks.

usage: layout_check_test.py BUILD [unittest arguments]
"""
import os
import pathlib
import subprocess
import sys
import unittest

BUILD = pathlib.Path()
# _Py_DebugOffsets: a cookie of 8 bytes and then numbers; those before `runtime_state` and its three, those of the
# interpreter, and so on.
OF_INTERPRETER = 13 if sys.version_info < (3, 14) else 16
COOKIE, FREE_THREADED = 0, 16
CURRENT_FRAME, EVALUATORS_CODE = 24 + 8 * (3 + OF_INTERPRETER + 4), 24 + 8 * (3 + OF_INTERPRETER + 9 + 2)
SPOIL = """
import ctypes
ctypes.c_uint64.from_address(ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, "_PyRuntime")) + {place}).value = {value}
"""
# The launcher looks when the library is imported, or before a main body that names it.
PROGRAM = """
import importlib
np = importlib.import_module("numpy")
def f(a):
    return np.sqrt(a * a + 1.0)
for _ in range(200):
    total = f(np.arange(4.0)).sum()
print(total)
"""
IMPORT = """
try:
    import dynacc
except ImportError as error:
    print(error)
"""


@unittest.skipIf(sys.version_info < (3, 13), "CPython tells nothing of its structs before 3.13")
class Layouts(unittest.TestCase):
    def run_program(self, command, text):
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(BUILD / "python")}
        done = subprocess.run([*command, "-c", text], env=environment, capture_output=True, text=True, check=True)
        return done.stdout, done.stderr

    def test_the_launcher_runs_as_plain_python3(self):
        launcher = [BUILD / "dynacc-python"]
        expected, told = self.run_program(launcher, PROGRAM)
        self.assertNotIn("running as plain python3", told)
        for place, value, words in ((CURRENT_FRAME, 80, "PyThreadState.current_frame is 80, not "),
                                    (EVALUATORS_CODE, 8, "_PyInterpreterFrame.f_executable is 8, not 0"),
                                    (COOKIE, 0, "does not tell how its structs are laid out"),
                                    (FREE_THREADED, 1, "this is a free-threaded build of CPython")):
            with self.subTest(words):
                out, err = self.run_program(launcher, SPOIL.format(place=place, value=value) + PROGRAM)
                self.assertEqual(out, expected)
                warnings = [line for line in err.splitlines() if line.startswith("dynacc: ")]
                self.assertEqual(len(warnings), 1, err)
                self.assertIn("running as plain python3: this ", warnings[0])
                self.assertIn(words, warnings[0])

    def test_the_module_is_not_imported(self):
        spoil = SPOIL.format(place=CURRENT_FRAME, value=80)
        self.assertEqual(self.run_program([sys.executable], IMPORT)[0], "")
        out, _ = self.run_program([sys.executable], spoil + IMPORT)
        self.assertIn("PyThreadState.current_frame is 80, not ", out)
        out, _ = self.run_program([sys.executable], spoil + IMPORT + IMPORT)
        self.assertEqual(out.count("current_frame"), 2, "each import is told")


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
