#!/usr/bin/env python3
"""dynacc.graphs: graphs as text are run, compared and shrunk. Run by the launcher and by a stock python3.

usage: graphs_test.py LAUNCHER [unittest arguments]
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import numpy as np

from dynacc import graphs

LAUNCHER = ""
GRAPH = """graph {
  scalars: s0 = input int, s1 = (s0 - 1)
  %0: f64[3, s0] = input 0
  %1: f64[3, s1] = view %0 axis[0, 1] start[0, 1] step[1, 1]    # prog.py:12
  %2: f64[] = scalar 2.5
  %3: f64[3, s1] = view %2 axis[-1, -1] start[] step[0, 0]
  %4: f64[3, s1] = multiply %1, %3
  %5: f64[3, s1] = sqrt %4
  %6: f64[3] = reduce_sum %5 axes[1]
  %7: f64[3] = negative %6
  return %6, %7, %4
}
"""
INTO_ITS_INPUT = """graph {
  %0: i64[4] = input 0
  %1: i64[4] = add %0, %0
  return %1 -> %0
}
"""
LIBRARY_CALL = GRAPH.replace("multiply %1, %3", "library_call %1, %3 3")


class Run(unittest.TestCase):
    def test_results_are_numpys(self):
        a = np.arange(12.0).reshape(3, 4)
        for target in ("cpu", "tile", "reference"):
            total, negative, scaled = graphs.run(GRAPH, target, [a], [4])
            np.testing.assert_array_equal(scaled, a[:, 1:] * 2.5)
            np.testing.assert_array_equal(total, np.sqrt(a[:, 1:] * 2.5).sum(axis=1))
            np.testing.assert_array_equal(negative, -total)

    def test_numbers_are_found(self):
        self.assertEqual(graphs.run(GRAPH)[2].shape, (3, 6))
        self.assertEqual(graphs.describe(GRAPH), {"scalars": ["int"], "library_calls": 0, "inputs": [("f64", None)],
                                                  "outputs": 3})

    def test_an_output_may_be_an_input(self):
        a = np.arange(4)
        self.assertIs(graphs.run(INTO_ITS_INPUT, "cpu", [a])[0], a)
        self.assertEqual(a.tolist(), [0, 2, 4, 6])

    def test_errors(self):
        for text in ("", "graph {", GRAPH.replace("sqrt", "square_root"), GRAPH.replace("add", "").replace("%4: f64", "%4: f32")):
            with self.assertRaises(ValueError):
                graphs.run(text)
        a = np.arange(12.0).reshape(3, 4)
        for inputs in ([], [a, a], [a.astype("f4")], [a[:2]], [3], [None]):
            with self.assertRaises(ValueError):
                graphs.run(GRAPH, "cpu", inputs, [4])
        with self.assertRaisesRegex(ValueError, "abacus"):
            graphs.run(GRAPH, "abacus")
        with self.assertRaises(ValueError):
            graphs.run(GRAPH, numbers=[0])

    def test_check(self):
        graphs.check(GRAPH)
        graphs.check(INTO_ITS_INPUT)


class Shrink(unittest.TestCase):
    """Failures are made by a comparison that dislikes an op."""

    def dislike(self, then):
        original = graphs._compare
        self.addCleanup(setattr, graphs, "_compare", original)

        def compare(graph, targets, seed):
            original(graph, targets, seed)
            if "sqrt" in graph:
                then()
        graphs._compare = compare

    def test_a_wrong_value(self):
        def then():
            raise graphs.Failure("bits", "wrong")
        self.dislike(then)
        seen = []
        text = graphs.shrink(GRAPH, report=seen.append)
        self.assertEqual(text, "graph {\n  %0: f64[1, 1] = input 0\n  %1: f64[1, 1] = sqrt %0\n  return %1\n}\n")
        self.assertEqual(seen[-1], len(graphs._Nodes.parse(GRAPH).rows))
        with self.assertRaisesRegex(graphs.Failure, "bits: wrong"):
            graphs.check(text)

    def test_a_crash(self):
        self.dislike(lambda: os.kill(os.getpid(), signal.SIGSEGV))
        with self.assertRaisesRegex(graphs.Failure, "crash: signal 11"):
            graphs.check(GRAPH)
        self.assertEqual(graphs.shrink(GRAPH).count("\n"), 5)

    def test_what_passes_is_refused(self):
        with self.assertRaises(ValueError):
            graphs.shrink(GRAPH)


class CommandLine(unittest.TestCase):
    def run_it(self, *arguments):
        return subprocess.run([LAUNCHER, *arguments], capture_output=True, text=True, timeout=200)

    def test_module(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "graph.txt")
            path.write_text(GRAPH)
            done = self.run_it("-m", "dynacc.graphs", "check", path)
            self.assertEqual((done.returncode, done.stdout), (0, "the targets agree: tile, cpu, reference\n"), done.stderr)
            done = self.run_it("-m", "dynacc.graphs", "show", path)
            self.assertIn("group 0 ", done.stdout)
            done = self.run_it("-m", "dynacc.graphs", "shrink", path)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("nothing to shrink", done.stderr)

    def test_program_of_a_debug_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            code = ("import numpy as np, dynacc\n@dynacc.compile\ndef f(a, n):\n    for _ in range(n): a = np.sqrt(a * a + 1.0) - a[::-1]\n"
                    "    return np.median(a) + a.sum(), a\nfor k in range(3, 9): f(np.arange(k + 0.0), 4)\n")
            done = subprocess.run([LAUNCHER, "-c", code], capture_output=True, text=True, timeout=200,
                                  env=os.environ | {"DYNACC_DEBUG_DIR": folder, "DYNACC_TIER_UP": "0"})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            programs = sorted(pathlib.Path(folder).glob("*/run.py"))
            self.assertGreater(len(programs), 1)
            for program in programs:
                done = self.run_it(program)
                self.assertEqual((done.returncode, done.stderr), (0, ""), program.read_text())


if __name__ == "__main__":
    LAUNCHER = os.path.realpath(sys.argv.pop(1))
    unittest.main()
