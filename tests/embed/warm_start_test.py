#!/usr/bin/env python3
"""What a process leaves on disk for the next one: kernels, and the plans of graphs (codegen/compile/kept_plan.h).

usage: warm_start_test.py LAUNCHER [unittest arguments]

Each program runs in processes of its own. Its output is python3's, and the counters say what was found.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PYTHON = sys.executable
LAUNCHER = ""
INHERITED = {k: v for k, v in os.environ.items() if not k.startswith(("DYNACC_", "PYTHON"))}

# Functions whose plans have steps of all kinds that are kept: kernels, reductions, blocks of rows, products, stores,
# writes into arguments, gathers, scans, places of extremes, masks, calls of NumPy, numbers.
PROGRAM = '''
import sys
import numpy as np

def kernel(a, b): return np.sqrt(a * a + 1.0) - b
def reduction(a, b): return (a * b).sum(axis=1), a.max()
def rows(a, b): return np.exp(a - a.max(axis=1, keepdims=True)) / np.exp(b).sum(axis=1, keepdims=True)
def product(a, b): return a @ b.T + 1.0
def store(a, b):
    c = a * 2.0
    c[1:-1] += b[1:-1]
    return c
def into_argument(a, b):
    a += b
    a[0] = 7.0
    return a.sum()
def gather(a, b): return a[np.array([2, 0, 1])] * 2.0 + b[np.arange(3)]
def scan(a, b): return np.cumsum(a, axis=1) + np.cumprod(b, axis=1)
def extremes(a, b): return np.argmax(a, axis=1), np.argmin(b)
def mask(a, b): return a[a > 0.25] * 3.0
def call(a, b): return np.sort(a, axis=1) + np.median(b)
def numbers(a, b): return a * len(b) + a.shape[0] ** 2 - b * 0.5
def reshaped(a, b): return a.reshape(-1, 2).sum(axis=0), np.concatenate([a, b], axis=1)

FUNCTIONS = [kernel, reduction, rows, product, store, into_argument, gather, scan, extremes, mask, call, numbers, reshaped]
try:
    import dynacc
except ImportError:
    dynacc = None
for f in FUNCTIONS:
    compiled = f if dynacc is None else dynacc.compile(f)
    for n in (4, 6, 4):
        a, b = np.linspace(-1.0, 1.0, n * 6).reshape(n, 6), np.linspace(2.0, 0.1, n * 6).reshape(n, 6)
        result = compiled(a, b)
        print(f.__name__, n, [np.asarray(r).tobytes().hex() for r in (result if isinstance(result, tuple) else (result,))],
              a.tobytes().hex()[:64])
if dynacc is not None and sys.argv[1:]:
    import json
    json.dump(dynacc.stats(), open(sys.argv[1], "w"))
    print(*(dynacc.explain(compiled, fresh=False)(a, b).as_dict()["segments"][0]["entries"]), file=sys.stderr)
'''


class WarmStart(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name).resolve()
        self.cache = self.folder / "cache"
        self.program = self.folder / "program.py"
        self.program.write_text(PROGRAM)
        plain = subprocess.run([PYTHON, self.program], env=INHERITED, capture_output=True, text=True, check=True)
        self.expected = plain.stdout

    def run_program(self, **variables):
        """The counters, and what explain says of the last function. The output is python3's."""
        stats = self.folder / "stats.json"
        environment = INHERITED | {"DYNACC_POLICY": "explicit", "DYNACC_TIER_UP": "0",
                                   "DYNACC_CACHE_DIR": str(self.cache)} | variables
        done = subprocess.run([LAUNCHER, self.program, stats], env=environment, capture_output=True, text=True,
                              timeout=300, stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, done.stdout), (0, self.expected), done.stderr)
        return json.loads(stats.read_text()), done.stderr

    def entries(self):
        return sorted(self.cache.glob("*.kernel"))

    def test_the_next_process_finds_all_plans(self):
        cold, text = self.run_program()
        self.assertEqual(cold["plans_found"], 0)
        self.assertGreater(cold["kernels_compiled"], 0)
        warm, again = self.run_program()
        self.assertEqual(warm["kernels_compiled"], 0)
        self.assertEqual(warm["segments_compiled"], cold["segments_compiled"])
        self.assertEqual(warm["plans_found"], warm["segments_compiled"], "each graph's plan is kept")
        self.assertEqual(again, text, "explain says the same of a plan that was found")

    def test_background_compiles_keep_plans_too(self):
        self.run_program(DYNACC_TIER_UP="1")
        warm, _ = self.run_program(DYNACC_TIER_UP="1")
        self.assertGreater(warm["plans_found"], 0)

    def test_a_cache_folder_may_be_copied_and_read_only(self):
        self.run_program()
        other = self.folder / "elsewhere"
        shutil.copytree(self.cache, other)
        shutil.rmtree(self.cache)
        for path in [*other.iterdir(), other]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        self.addCleanup(other.chmod, 0o755)
        before = {path.name: path.stat().st_mtime_ns for path in other.iterdir()}
        warm, _ = self.run_program(DYNACC_CACHE_DIR=str(other))
        self.assertEqual(warm["kernels_compiled"], 0)
        self.assertEqual(warm["plans_found"], warm["segments_compiled"])
        self.assertEqual({path.name: path.stat().st_mtime_ns for path in other.iterdir()}, before)

    def test_broken_entries_are_made_anew(self):
        cold, _ = self.run_program()
        whole = [path.read_bytes() for path in self.entries()]
        for damage in (lambda b: b"", lambda b: b[:-1], lambda b: b + b"x", lambda b: b[:200] + bytes([b[200] ^ 1]) + b[201:]):
            for path, content in zip(self.entries(), whole):
                path.write_bytes(damage(content))
            found, _ = self.run_program()
            self.assertEqual(found["plans_found"], 0)
            self.assertEqual([path.read_bytes() for path in self.entries()], whole)

    def test_what_decides_is_in_the_key(self):
        self.run_program()
        for variables in ({"DYNACC_DISABLE_PASSES": "fuse-rows"}, {"DYNACC_FAST_MATH": "1"},
                          {"DYNACC_CPU": "x86-64-v2"}):
            expected, self.expected = self.expected, self.output(**variables)
            found, _ = self.run_program(**variables)
            self.assertEqual(found["plans_found"], found["segments_compiled"], variables)
            self.expected = expected

    def output(self, **variables):
        """What the program prints with these, of which no plan may be found yet."""
        environment = INHERITED | {"DYNACC_POLICY": "explicit", "DYNACC_TIER_UP": "0",
                                   "DYNACC_CACHE_DIR": str(self.cache)} | variables
        stats = self.folder / "stats.json"
        done = subprocess.run([LAUNCHER, self.program, stats], env=environment, capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(stats.read_text())["plans_found"], 0, variables)
        return done.stdout

    def test_a_changed_program_has_plans_of_its_own(self):
        self.run_program()
        self.program.write_text(PROGRAM.replace("- b\n", "+ b\n"))
        plain = subprocess.run([PYTHON, self.program], env=INHERITED, capture_output=True, text=True, check=True)
        self.expected = plain.stdout
        found, _ = self.run_program()
        self.assertEqual(found["segments_compiled"] - found["plans_found"], 2, "two entries of one function")

    def test_who_looks_at_passes_and_schedule_sees_them(self):
        self.run_program()
        for variables in ({"DYNACC_LOGS": "schedule"}, {"DYNACC_LOGS": "output_code"}, {"DYNACC_LOGS": "+graph"},
                          {"DYNACC_DEBUG_DIR": str(self.folder / "debug")}):
            looked, _ = self.run_program(**variables)
            self.assertEqual(looked["plans_found"], 0, variables)


if __name__ == "__main__":
    LAUNCHER = sys.argv.pop(1)
    unittest.main()
