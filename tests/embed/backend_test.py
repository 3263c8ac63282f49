#!/usr/bin/env python3
"""dynacc.compile(backend=function): what the function is told, and what its answers do. Run by the launcher and by a
stock python3."""
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import numpy as np

import dynacc
from dynacc.graphs import CapturedGraph

A = np.linspace(0.5, 3.0, 1000)


def compiled(source_of, backend, **options):
    """A function of its own each time, as a code object has one backend."""
    names = {"np": np}
    exec(source_of, names)  # pylint: disable=exec-used
    return dynacc.compile(names["f"], backend=backend, **options), names["f"]


class Told(unittest.TestCase):
    def test_once_for_each_graph(self):
        graphs = []
        f, plain = compiled("def f(a, k):\n    return np.sqrt(a * 2.0 + k).sum()\n", graphs.append)
        for _ in range(5):
            self.assertEqual(f(A, 1.5), plain(A, 1.5))
        self.assertEqual(len(graphs), 1)
        graph = graphs[0]
        self.assertIsInstance(graph, CapturedGraph)
        self.assertIn("f (", graph.label)
        ops = [node.op for node in graph.nodes]
        self.assertEqual([op for op in ops if op in ("multiply", "add", "sqrt", "reduce_sum")],
                         ["multiply", "add", "sqrt", "reduce_sum"])
        total = graph.nodes[ops.index("reduce_sum")]
        self.assertEqual((total.dtype, total.shape, total.operands, total.attributes),
                         ("f64", (), (ops.index("sqrt"),), "axes[0]"))
        f(A.astype(np.float32), 1.5)
        self.assertEqual(len(graphs), 2)

    def test_what_it_raises_is_raised(self):
        def refuse(graph):
            raise LookupError("not this one")

        f, _ = compiled("def f(a):\n    return a * 2.0 + 1.0\n", refuse)
        with self.assertRaisesRegex(LookupError, "not this one"):
            f(A)

    def test_wrong_answers(self):
        for answer, error in ((5, TypeError), ("gpu", ValueError), (CapturedGraph("graph {"), ValueError),
                              (CapturedGraph("graph {\n  %0: f64[2] = input 0\n  return %0\n}\n"), ValueError)):
            f, _ = compiled("def f(a, b):\n    return a * 2.0 + b\n", lambda graph, answer=answer: answer)
            with self.assertRaises(error):
                f(A, A)


class Deadline(unittest.TestCase):
    """options={"backend_timeout": seconds}"""

    def test_one_that_never_returns(self):
        end = threading.Event()
        asked = []

        def sleepy(graph):
            asked.append(graph)
            end.wait()

        f, plain = compiled("def f(a):\n    return a * 2.0 + 1.0\n", sleepy, options={"backend_timeout": 1})
        with self.assertWarnsRegex(RuntimeWarning, r"sleepy.*has not returned for f \(.*within 1 s.*plain Python"):
            self.assertEqual(f(A).tobytes(), plain(A).tobytes())
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            start = time.monotonic()
            self.assertEqual(f(A).tobytes(), plain(A).tobytes())
            self.assertEqual(f(A.astype(np.float32)).tobytes(), plain(A.astype(np.float32)).tobytes())
        self.assertLess(time.monotonic() - start, 0.9)  # it is not waited for again
        self.assertEqual(len(asked), 1)
        end.set()

    def test_one_that_returns_in_time(self):
        def quick(graph):
            self.assertIsNot(threading.current_thread(), threading.main_thread())
            return "tile"

        f, plain = compiled("def f(a):\n    return a * 2.0 + 1.0\n", quick, options={"backend_timeout": 60})
        for _ in range(3):
            self.assertEqual(f(A).tobytes(), plain(A).tobytes())
        self.assertGreater(f.stats()["hits"], 0)

    def test_what_it_raises_is_raised(self):
        def refuse(graph):
            raise LookupError("not this one")

        f, _ = compiled("def f(a):\n    return a * 2.0 + 1.0\n", refuse, options={"backend_timeout": 60})
        with self.assertRaisesRegex(LookupError, "not this one"):
            f(A)

    def test_the_processs_option(self):
        end = threading.Event()
        with dynacc.config.patch(backend_timeout=1):
            f, plain = compiled("def f(a):\n    return a * 2.0 + 1.0\n", lambda graph: end.wait())
            with self.assertWarnsRegex(RuntimeWarning, "lambda.*within 1 s"):
                self.assertEqual(f(A).tobytes(), plain(A).tobytes())
        end.set()


class Targets(unittest.TestCase):
    def test_named_target_compiles_it(self):
        for target in ("tile", "cpu", "reference"):
            f, plain = compiled("def f(a):\n    return a * 2.0 + np.abs(a - 1.0)\n", lambda graph, t=target: t)
            for _ in range(3):
                self.assertEqual(f(A).tobytes(), plain(A).tobytes())
            if target == "reference":
                self.assertIn("interpreted by the reference target", dynacc.explain(f, fresh=False)(A).kernels[0])


class OtherGraphs(unittest.TestCase):
    def test_another_graph_is_compiled(self):
        def add_for_subtract(graph):
            return CapturedGraph(graph.text.replace("subtract", "add"))

        f, _ = compiled("def f(a, b):\n    return np.sqrt(a * a - b)\n", add_for_subtract)
        for size in (1000, 7, 500, 1):  # sizes vary: the graph has numbers of its own
            a, b = A[:size], A[:size] + 1.0
            np.testing.assert_array_equal(f(a, b), np.sqrt(a * a + b))

    def test_writes_and_numbers(self):
        f, plain = compiled("def f(a, k):\n    a[1:] -= a[:-1] * k\n    return k + 1.0, a * k\n",
                            lambda graph: CapturedGraph(graph.text))
        for k in (1.5, 2.5, 3.5):
            mine, theirs = A.copy(), A.copy()
            got, expected = f(mine, k), plain(theirs, k)
            self.assertEqual((got[0], got[1].tobytes(), mine.tobytes()),
                             (expected[0], expected[1].tobytes(), theirs.tobytes()))


class Functions(unittest.TestCase):
    def test_a_function_runs_it(self):
        calls = []

        def backend(graph):
            def run(arrays, numbers):
                calls.append((len(arrays), numbers))
                return [np.cos(arrays[0])]
            return run

        f, _ = compiled("def f(a, k):\n    return np.sin(a * 1.0) + k\n", backend)
        for k in (2.0, 2.0, 3.0, 4.0):
            np.testing.assert_array_equal(f(A, k), np.cos(A))
        self.assertEqual(len(calls), 4)
        self.assertEqual(calls[-1], (1, [4.0]))

    def test_it_may_keep_and_change_what_it_gets(self):
        kept = []

        def run(arrays, numbers):
            kept.extend(arrays)
            arrays[0] += 1.0
            return [arrays[0]]

        f, _ = compiled("def f(a):\n    return a * 2.0 + 1.0\n", lambda graph: run)
        a = A[::-2].copy()[::2]
        before = a.tobytes()
        result = f(a)
        np.testing.assert_array_equal(result, a + 1.0)
        kept[0][:] = 0.0
        np.testing.assert_array_equal(result, a + 1.0)
        self.assertEqual(a.tobytes(), before)

    def test_written_arrays(self):
        f, _ = compiled("def f(a):\n    a *= 2.0\n    a += 1.0\n", lambda graph: lambda arrays, numbers: [arrays[0] * 0 + 7])
        a = A.copy()
        f(a)
        self.assertEqual(set(a.tolist()), {7.0})

    def test_cpython_runs_what_it_cannot(self):
        reported = []
        sys.unraisablehook, before = reported.append, sys.unraisablehook
        self.addCleanup(setattr, sys, "unraisablehook", before)

        def raising(arrays, numbers):
            raise ZeroDivisionError

        for run, error in ((raising, ZeroDivisionError), (lambda arrays, numbers: None, TypeError),
                           (lambda arrays, numbers: [], ValueError), (lambda arrays, numbers: [A[:3]], TypeError),
                           (lambda arrays, numbers: [arrays[0].astype(int)], TypeError)):
            f, plain = compiled("def f(a):\n    return a * 2.0 + 1.0\n", lambda graph, run=run: run)
            self.assertEqual(f(A).tobytes(), plain(A).tobytes())
            self.assertIs(reported[-1].exc_type, error)

    def test_nothing_is_kept(self):
        import gc
        import weakref

        class Runner:
            def __call__(self, arrays, numbers):
                return [arrays[0]]

        runner = Runner()
        f, plain = compiled("def f(a):\n    return a * 2.0 + 1.0\n", lambda graph, run=weakref.ref(runner): run())
        f(A)
        alive = weakref.ref(runner)
        del runner, f, plain
        gc.collect()
        self.assertIsNone(alive())


class Named(unittest.TestCase):
    def register(self, name, function):
        dynacc.backends.register(name, function)
        self.addCleanup(dynacc.backends.unregister, name)

    def test_those_that_are_there(self):
        names = dynacc.list_backends()
        for name in ("cpu", "cuda", "eager", "reference", "tile"):
            self.assertIn(name, names)
        source = "def f(a, k):\n    a = a[1:] * k\n    b = np.sqrt(a + 1.0)\n    return b.sum(), np.where(b > 1.0, a, b)\n"
        for name in ("auto", "cpu", "eager", "tile"):
            f, plain = compiled(source, name)
            for size, k in ((1000, 2.0), (1000, 2.0), (7, 2.0), (500, 3.5), (2, 4.5)):
                got, expected = f(A[:size], k), plain(A[:size], k)
                self.assertEqual((got[0], got[1].tobytes()), (expected[0], expected[1].tobytes()), name)

    def test_graph_and_examples(self):
        seen = []

        def mine(graph, example_inputs):
            seen.append((graph, example_inputs))
            return graph.compile("tile")

        self.register("mine", mine)
        self.assertIn("mine", dynacc.list_backends())
        f, plain = compiled("def f(a, b, k):\n    return np.sqrt(a * a + b) * k\n", "mine")
        for size, k in ((1000, 2.0), (1000, 2.0), (30, 2.0), (500, 3.5), (400, 4.5)):
            a, b = A[:size], A[:size] + 1.0
            self.assertEqual(f(a, b, k).tobytes(), plain(a, b, k).tobytes())
        graph, examples = seen[0]
        self.assertIsInstance(graph, dynacc.graph.Graph)
        self.assertEqual([example.shape for example in examples], [(1000,), (1000,)])
        self.assertEqual([node.dtype for node in graph.inputs], ["f64", "f64"])

    def test_answers(self):
        source = "def f(a):\n    return np.sqrt(a * 2.0 + 1.0)\n"
        self.register("other", lambda graph, examples: "eager")
        for answer in (lambda graph, examples: None, lambda graph, examples: graph, lambda graph, examples: "other",
                       lambda graph, examples: "auto", lambda graph, examples: lambda arrays, numbers: graph.run(*arrays)):
            f, plain = compiled(source, answer, dynamic=False)
            for _ in range(2):
                self.assertEqual(f(A).tobytes(), plain(A).tobytes())
        for answer, error in (("gpu", ValueError), (7, TypeError)):
            f, _ = compiled(source, lambda graph, examples, answer=answer: answer)
            with self.assertRaises(error):
                f(A)

    def test_bad_registrations(self):
        self.register("taken", lambda graph, examples: None)
        for error, name, function in ((ValueError, "taken", len), (ValueError, "cpu", len), (ValueError, "auto", len),
                                      (ValueError, "a b", len), (ValueError, 3, len), (TypeError, "fine", 3)):
            with self.assertRaises(error):
                dynacc.backends.register(name, function)
        with self.assertRaises(ValueError):
            dynacc.backends.unregister("nobody")
        with self.assertRaisesRegex(ValueError, "did you mean 'taken'"):
            dynacc.compile(lambda a: a, backend="taked")

    def test_as_a_decorator(self):
        @dynacc.backends.register("decorated")
        def decorated(graph, example_inputs):
            return None

        self.addCleanup(dynacc.backends.unregister, "decorated")
        self.assertIs(dynacc.backends.lookup("decorated"), decorated)

    def test_entry_points(self):
        with tempfile.TemporaryDirectory() as folder:
            info = pathlib.Path(folder, "brought-1.0.dist-info")
            info.mkdir()
            (info / "METADATA").write_text("Metadata-Version: 2.1\nName: brought\nVersion: 1.0\n")
            (info / "entry_points.txt").write_text("[dynacc.backends]\nbrought = brought:backend\nmissing = brought:nothing\n"
                                                   "number = brought:number\n")
            pathlib.Path(folder, "brought.py").write_text("seen = []\nnumber = 3\n"
                                                          "def backend(graph, examples):\n    seen.append(graph)\n")
            code = ("import sys; sys.path.insert(0, sys.argv[1])\nimport dynacc, numpy as np\n"
                    "assert {'brought', 'missing'} <= set(dynacc.list_backends())\n"
                    "f = dynacc.compile(lambda a: a * 2.0 + 1.0, backend='brought')\nf(np.ones(9))\n"
                    "import brought; assert len(brought.seen) == 1\n"
                    "for name in ('missing', 'number'):\n    try:\n        dynacc.compile(lambda a: a, backend=name)\n"
                    "    except RuntimeError as error:\n        print(error)\n")
            done = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(done.stdout.splitlines()), 2)
            self.assertIn("'missing' (brought:nothing) cannot be loaded: AttributeError", done.stdout)
            self.assertIn("'number' (brought:number) is no function", done.stdout)


if __name__ == "__main__":
    unittest.main()
