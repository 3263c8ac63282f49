#!/usr/bin/env python3
"""The tools that people run programs with, under dynacc-python and under python3, output compared.

usage: tools_test.py LAUNCHER [unittest arguments]

Each tool runs an array program under python3 and under the launcher with each policy. What names the
executable, and times, are made neutral. Tools that are not installed are skipped.
"""
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PYTHON = sys.executable
LAUNCHER = ""
POLICIES = ("hot", "always")
INHERITED = {k: v for k, v in os.environ.items() if not k.startswith(("DYNACC_", "PYTHON", "VIRTUAL_ENV"))}
TIMES = re.compile(r"\b\d+\.\d{3}\b|\bin \d+\.\d+s|[\d.]+ [mun]?sec|\b0x[0-9a-f]+\b")

PROGRAM = '''
import sys
import numpy as np

def mean_of_squares(a):
    total = a * a + 1.0
    return total.sum() / len(a)

class Filter:
    def __init__(self, n):
        self.weights = np.linspace(0.0, 1.0, n)
    def apply(self, a):
        b = a * self.weights
        for step in range(3):
            b = b + a * 0.5
        return b

def failing(a):
    b = a * 2 + 1
    return b.reshape(7, 1000)

def main():
    a = np.arange(100.0)
    f = Filter(100)
    for i in range(20):
        a = f.apply(a) / mean_of_squares(a)
    print(a.sum())
    try:
        failing(a)
    except ValueError as error:
        print(type(error), error, error.__traceback__.tb_next.tb_lineno)
    return a

if __name__ == "__main__":
    main()
'''

UNIT = '''
import unittest
import numpy as np
import program

class Works(unittest.TestCase):
    def setUp(self):
        self.a = np.arange(6.0)
    def test_mean(self):
        for _ in range(5):
            self.assertEqual(program.mean_of_squares(self.a), 61 / 6)
    def test_filter(self):
        for n in (1, 2, 6):
            with self.subTest(n=n):
                self.assertEqual(program.Filter(6).apply(self.a).shape, (n,))
    def test_fails(self):
        program.failing(self.a)
    @unittest.skip("not now")
    def test_skipped(self):
        pass

def test_plain():
    a = np.arange(4.0)
    b = a * 2 + 1
    assert (b == np.array([1, 3, 5, 8])).all(), b
'''


class Tools(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name).resolve()
        (self.folder / "program.py").write_text(PROGRAM)
        (self.folder / "test_unit.py").write_text(UNIT)

    def outcome(self, executable, arguments, stdin, **variables):
        environment = INHERITED | {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "80"}
        done = subprocess.run([executable, *arguments], input=stdin, text=True, capture_output=True,
                              cwd=self.folder, env=environment | variables, timeout=240)
        neutral = lambda text: TIMES.sub("TIME", text.replace(executable, "EXECUTABLE"))
        return done.returncode, neutral(done.stdout), neutral(done.stderr)

    def same(self, *arguments, stdin="", keep=lambda text: text, contains=""):
        """`keep` takes out of an output what may differ; `contains` must be in python3's."""
        status, out, err = self.outcome(PYTHON, arguments, stdin)
        self.assertIn(contains, out + err)
        for policy in POLICIES:
            with self.subTest(policy=policy):
                seen = self.outcome(LAUNCHER, arguments, stdin, DYNACC_POLICY=policy)
                self.assertEqual((seen[0], keep(seen[1]), keep(seen[2])), (status, keep(out), keep(err)))

    def test_options(self):
        for options in (["-O"], ["-OO"], ["-W", "error"], ["-X", "dev"], ["-b"], ["-X", "faulthandler"],
                        ["-X", "tracemalloc=5"], ["-u"], ["-I"], ["-v"]):
            with self.subTest(options=options):
                keep = (lambda text: "") if options == ["-v"] else (lambda text: text)
                self.same(*options, "program.py", keep=keep)

    def test_interactive(self):
        self.same("-i", "program.py", stdin="a = main()\nprint(a.shape)\nfailing(a)\nimport sys\nsys.last_value\n",
                  contains="cannot reshape")

    def test_import_times(self):
        # The launcher imports atexit before the program does.
        names = lambda text: sorted(set(re.findall(r"\| +(\S+)$", text, re.M)) - {"atexit"})
        self.same("-X", "importtime", "program.py", keep=names, contains="core._multiarray_umath")

    def test_profile(self):
        # A profile lists the functions of the process, whoever started it, by name.
        mine = lambda text: sorted(re.findall(r"^ +(\S+) .*program\.py:(.*)$", text, re.M))
        self.same("-m", "cProfile", "program.py", keep=mine, contains="mean_of_squares")
        self.same("-m", "profile", "program.py", keep=mine, contains="mean_of_squares")

    def test_trace(self):
        self.same("-m", "trace", "--trace", "--ignore-dir=/usr", "program.py", contains="b = b + a * 0.5")
        self.same("-m", "trace", "--listfuncs", "--ignore-dir=/usr", "program.py", contains="mean_of_squares")

    def test_debugger(self):
        keys = ("b mean_of_squares\nc\np a.sum()\nn\np total[:3]\nr\nc\ncl 1\nb failing\nc\nw\nargs\ns\ns\ns\np b\nu\nll\nd\nc\nq\n")
        self.same("-m", "pdb", "program.py", stdin=keys, contains="failing")
        self.same("-m", "pdb", "-c", "c", "-c", "q", "test_unit.py")

    def test_unittest(self):
        self.same("-m", "unittest", "-v", "test_unit", contains="test_skipped")

    @unittest.skipUnless(importlib.util.find_spec("pytest"), "pytest is not installed")
    def test_pytest(self):
        self.same("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_unit.py", contains="assert")

    def test_timeit(self):
        numbers = lambda text: re.sub(r"[\d.]+", "N", text)
        self.same("-m", "timeit", "-n", "20", "-r", "1", "-s", "import numpy as np; a = np.ones(9)", "a * 2 + 1",
                  keep=numbers, contains="20 loops")

    @unittest.skipUnless(importlib.util.find_spec("coverage"), "coverage is not installed")
    def test_coverage(self):
        self.same("-m", "coverage", "run", "--include=program.py", "program.py")
        self.same("-m", "coverage", "report", "-m", contains="100%")

    def test_doctest(self):
        (self.folder / "doc.py").write_text(
            'import numpy as np\ndef f(a):\n    """\n    >>> f(np.arange(3.0))\n    array([1., 3., 5.])\n'
            '    >>> f(np.arange(2))\n    array([1, 4])\n    """\n    return a * 2 + 1\n')
        self.same("-m", "doctest", "doc.py", contains="Failed example")

    def test_warnings_as_errors(self):
        (self.folder / "warns.py").write_text(
            "import warnings\nimport numpy as np\ndef f(a): return (np.log(a) * 2 + 1).sum()\n"
            "for i in range(4):\n    try: f(np.arange(3.0) - i)\n    except RuntimeWarning as w: print(repr(w))\n")
        for options in (["-W", "error"], ["-W", "always"], ["-W", "ignore"], ["-W", "once"], ["-W", "error::DeprecationWarning"], []):
            with self.subTest(options=options):
                self.same(*options, "warns.py")

    def test_memory_snapshots(self):
        (self.folder / "memory.py").write_text(
            "import tracemalloc\nimport numpy as np\ntracemalloc.start(3)\ndef f(n):\n    a = np.ones(n)\n"
            "    return a * 2 + 1\nkept = [f(10**5) for _ in range(5)]\n"
            "print(sum(t.size for t in tracemalloc.take_snapshot().traces if t.size >= 8 * 10**5) // 10**5)\n")
        self.same("memory.py", contains="40")

    def test_a_crash_is_reported(self):
        (self.folder / "crash.py").write_text(
            "import ctypes\nimport faulthandler\nimport numpy as np\nfaulthandler.enable()\ndef f(a):\n"
            "    b = a * 2 + 1\n    ctypes.string_at(0)\n    return b\nf(np.ones(9))\n")
        self.same("crash.py", contains='File')

    def test_audit_hooks_see_what_the_program_does(self):
        (self.folder / "audit.py").write_text(
            "import sys\nseen = []\nsys.addaudithook(lambda event, args: seen.append((event, args[0] if event == 'import' else '')))\n"
            "import numpy as np\ndef f(a): return a * 2 + 1\nfor _ in range(4): f(np.ones(9))\nprint(len(seen), seen[-1], \n"
            "      [e for e in seen if 'audit' in e[0]])\n")
        self.same("audit.py")

    # While an import runs, a script's loops have no traps (frontend/fallback/osr_entries.h).
    def test_an_import_switches_tracing_on(self):
        (self.folder / "traces.py").write_text(
            "import sys\nimport numpy\nlines = []\ndef trace(frame, event, arg):\n"
            "    if frame.f_code.co_filename.endswith('loops.py'): lines.append((event, frame.f_lineno))\n    return trace\n"
            "sys.settrace(trace)\nframe = sys._getframe()\nwhile not frame.f_code.co_filename.endswith('loops.py'): frame = frame.f_back\n"
            "frame.f_trace = trace\n")
        (self.folder / "loops.py").write_text(
            "import sys\nfor i in range(3):\n    if i == 1:\n        import traces\nimport numpy as np\na = np.arange(5.0)\n"
            "for i in range(6):\n    a = a * 2 + 1\nsys.settrace(None)\nprint(a, traces.lines)\n")
        self.same("loops.py", contains="('line', 8)")

    def test_an_import_gets_hold_of_the_running_code(self):
        (self.folder / "takes.py").write_text(
            "import sys, numpy\nframe = sys._getframe()\nwhile not frame.f_code.co_filename.endswith('taken.py'): frame = frame.f_back\n"
            "code = frame.f_code\n")
        (self.folder / "taken.py").write_text(
            "import types\nimport numpy as np\nif __name__ == '__main__': import takes\na, n = np.arange(5.0), 0\n"
            "for i in range(6):\n    a = a * 2 + 1\n    n += 1\nprint(a, n)\nif __name__ == '__main__':\n"
            "    again = {'__name__': 'again'}\n    exec(takes.code, again)\n    print(again['n'])\n"
            "    print(types.FunctionType(takes.code, {'__name__': 'function', '__builtins__': __builtins__})())\n")
        self.same("taken.py", contains="None")


if __name__ == "__main__":
    LAUNCHER = os.path.realpath(sys.argv.pop(1))
    unittest.main()
