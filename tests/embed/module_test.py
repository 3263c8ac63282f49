#!/usr/bin/env python3
"""The dynacc module: run by the launcher and, as an extension module, by a stock python3."""
import functools
import inspect
import json
import pickle
import re
import sys
import unittest
import weakref

import numpy as np

import dynacc


@dynacc.compile
def decorated(a, b=2.0, *, c=1):
    """Adds up."""
    return a * b + c


@dynacc.compile(dynamic=True, fast_math=False)
def with_options(a):
    return a.sum()


def prints(a):
    b = a * 2.0 + 1.0
    print(end="")
    return b * b - 1.0


def plain_function(source):
    names = {"np": np}
    exec(source, names)
    return names["f"]


class Model:
    def __init__(self, weights):
        self.weights = weights

    @dynacc.compile
    def forward(self, x):
        return x @ self.weights

    @staticmethod
    @dynacc.compile
    def double(x):
        return x * 2

    @classmethod
    @dynacc.compile
    def name(cls, x):
        return cls.__name__, x.shape


class Compile(unittest.TestCase):
    def test_results(self):
        a = np.arange(5.0)
        for _ in range(5):
            np.testing.assert_array_equal(decorated(a), a * 2 + 1)
            np.testing.assert_array_equal(decorated(a, 3, c=4), a * 3 + 4)
            np.testing.assert_array_equal(decorated(*[a], **{"b": 0}), a * 0 + 1)
            self.assertEqual(with_options(a), 10.0)
            self.assertEqual(dynacc.compile(lambda x: x + 1, fullgraph=False)(4), 5)

    def test_looks_like_the_function(self):
        self.assertEqual((decorated.__name__, decorated.__qualname__, decorated.__doc__, decorated.__module__),
                         ("decorated", "decorated", "Adds up.", __name__))
        self.assertEqual(str(inspect.signature(decorated)), "(a, b=2.0, *, c=1)")
        self.assertTrue(inspect.isfunction(decorated.__wrapped__))
        self.assertIn("decorated", repr(decorated))
        self.assertTrue(callable(functools.partial(decorated, b=1)))
        self.assertIs(weakref.ref(decorated)(), decorated)
        decorated.attribute = 5
        self.assertEqual(decorated.__dict__["attribute"], 5)

    def test_methods(self):
        model = Model(np.ones((3, 2)))
        for _ in range(4):
            self.assertEqual(model.forward(np.ones(3)).tolist(), [3, 3])
            self.assertEqual(Model.forward(model, np.ones(3)).tolist(), [3, 3])
            self.assertEqual(Model.double(4), 8)
            self.assertEqual(model.name(np.ones(2)), ("Model", (2,)))
        self.assertEqual(dynacc.compile(model.forward)(np.ones(3)).tolist(), [3, 3])

    def test_pickles_by_reference(self):
        self.assertIs(pickle.loads(pickle.dumps(decorated)), decorated)

    def test_exceptions_pass_through(self):
        for _ in range(4):
            with self.assertRaisesRegex(ValueError, "broadcast"):
                decorated(np.ones(3), np.ones(4))
            with self.assertRaisesRegex(TypeError, "missing 1 required positional argument"):
                decorated()
            with self.assertRaisesRegex(TypeError, "unexpected keyword"):
                decorated(1, d=3)

    def test_what_cannot_be_compiled(self):
        for value in (len, 5, "text", None.__class__):
            with self.assertRaises(TypeError):
                dynacc.compile(value)

    def test_wrong_options(self):
        with self.assertRaises(TypeError):
            dynacc.compile(decorated.__wrapped__, unknown=1)
        with self.assertRaises(TypeError):
            dynacc.compile(decorated.__wrapped__, backend=3)
        with self.assertRaisesRegex(ValueError, "no backend 'gpu'; did you mean 'cpu'.*reference"):
            dynacc.compile(decorated.__wrapped__, backend="gpu")

    def test_backends_agree(self):
        a = np.linspace(0.1, 5.0, 3000)
        for backend in ("cpu", "tile", "reference"):
            def function(x):
                return np.sqrt(x * 3 + 1) - np.maximum(x, 2.0)

            compiled = dynacc.compile(function, backend=backend)
            for _ in range(5):
                self.assertEqual(compiled(a).tobytes(), function(a).tobytes(), backend)

    def test_fullgraph(self):
        @dynacc.compile(fullgraph=True)
        def whole(a):
            return np.sqrt(a * 2 + 1)

        @dynacc.compile(fullgraph=True)
        def broken(a):
            b = np.sqrt(a * 2 + 1)
            print(end="")
            return b * 3

        for _ in range(4):
            self.assertEqual(whole(np.ones(3)).tolist(), np.sqrt(np.ones(3) * 3).tolist())
        line = broken.__wrapped__.__code__.co_firstlineno + 3
        with self.assertRaisesRegex(RuntimeError, rf"module_test\.py:{line}: call of print \(hint: \w"):
            broken(np.ones(3))

    def entries(self, dynamic):
        def function(x):
            return np.sqrt(x * 3 + 1) - x

        compiled = dynacc.compile(function, dynamic=dynamic)
        before = dynacc.stats()["segments_compiled"]
        for n in (3, 4, 5, 6, 7, 8):
            self.assertEqual(compiled(np.ones(n)).tolist(), [1.0] * n)
        return dynacc.stats()["segments_compiled"] - before

    def test_dynamic(self):
        self.assertEqual(self.entries(True), 1)
        self.assertEqual(self.entries(None), 2)
        self.assertEqual(self.entries(False), 6)

    def test_fast_math_is_close(self):
        def function(x):
            return np.exp(np.sin(x) * 2 + x * 3)

        compiled = dynacc.compile(function, fast_math=True)
        x = np.linspace(0.0, 2.0, 5000)
        for _ in range(4):
            np.testing.assert_allclose(compiled(x), function(x), rtol=1e-12)

    def test_disable(self):
        def plain(a):
            return a + 1

        self.assertEqual((dynacc.disable(plain)(1), plain(1)), (2, 2))

    def test_disabled_functions_are_not_captured(self):
        @dynacc.disable
        def plain(a):
            return np.sqrt(a * 2 + 1) - a

        @dynacc.compile
        def caller(a):
            return plain(a) * 2 + 1

        before = dynacc.stats()["segments_compiled"]
        for _ in range(10):
            plain(np.ones(5))
        self.assertEqual(dynacc.stats()["segments_compiled"], before)
        report = dynacc.explain(caller)(np.ones(5))
        self.assertIn("marked dynacc.disable", report.breaks[0]["reason"])

    def test_no_reference_is_lost(self):
        def make():
            function = dynacc.compile(lambda x: x)
            function(1)
            return weakref.ref(function)

        self.assertIsNone(make()())
        a = np.ones(3)
        before = sys.getrefcount(a)
        for _ in range(100):
            decorated(a)
        self.assertEqual(sys.getrefcount(a), before)


class Reports(unittest.TestCase):
    def test_explain(self):
        def function(a):
            return np.sqrt(a * 2 + 1)

        report = dynacc.explain(function)(np.ones(10))
        self.assertEqual(report.result.tolist(), np.sqrt(np.ones(10) * 2 + 1).tolist())
        self.assertRegex(str(report), "function: 1 graph in 1 segment, 0 graph breaks")
        self.assertIn("sqrt %", report.graphs[0])
        self.assertIn("a is an array of f64, rank 1", report.guards)
        self.assertIn('extern "C" void k0(', report.kernels[0])
        self.assertEqual(report.breaks, [])

    def test_explain_as_data(self):
        function = plain_function("def f(a):\n    b = a * 2.0\n    print(end='')\n    return (np.sqrt(b + 1.0) - b).sum(axis=0)\n")
        report = dynacc.explain(function)(np.ones((4, 5)))
        data = report.as_dict()
        self.assertEqual(json.loads(json.dumps(data)), data)
        self.assertEqual((data["name"], set(data)), ("f", {"name", "segments", "breaks", "recompiles", "lines"}))
        entries = [entry for segment in data["segments"] for entry in segment["entries"]]
        kinds = [group["kind"] for group in entries[-1]["groups"]]
        self.assertEqual(kinds, ["reduction"])
        self.assertIn("sqrt %", entries[-1]["optimized"])
        self.assertEqual((entries[-1]["hits"], entries[-1]["misses"]), (1, 0))
        data["segments"].clear()
        self.assertTrue(report.segments)

    def test_explain_draws_the_groups(self):
        report = dynacc.explain(decorated.__wrapped__)(np.ones((4, 5)))
        text = report.dot()
        self.assertTrue(text.startswith("digraph dynacc {\n") and text.endswith("}\n"))
        self.assertEqual(text.count("{"), text.count("}"))
        self.assertIn('label="elementwise"', text)
        for node in re.findall(r"^  %(\d+):", report.segments[0]["entries"][0]["optimized"], re.M):
            self.assertEqual(text.count(f'  e0_{node} [label="%{node}: '), 1)
        self.assertRegex(text, r"  e0_\d+ -> e0_\d+;")

    def test_explain_counts_hits_and_misses(self):
        function = dynacc.compile(plain_function("def f(a):\n    return np.sqrt(a * a + 1.0) - a\n"))
        for a in (np.ones(3), np.ones(3, "f4"), np.ones(3, "f4")):
            function(a)
        report = dynacc.explain(function, fresh=False)(np.ones(3))
        counts = [(entry["hits"], entry["misses"]) for entry in report.segments[0]["entries"]]
        self.assertEqual(counts, [(2, 2), (2, 1)])
        self.assertIn("entry 1: 2 hits, 2 misses", str(report))

    def test_explain_shows_the_source_of_a_break(self):
        report = dynacc.explain(prints)(np.ones(3))
        self.assertEqual(report.breaks[0]["source"], 'print(end="")')
        self.assertIn('    print(end="")\n  hint: ', str(report))

    def test_explain_names_each_break(self):
        def function(a):
            b = np.sqrt(a * 2 + 1)
            print(end="")
            return b * b + 1

        report = dynacc.explain(function)(np.ones(10))
        self.assertEqual(len(report.graphs), 2)
        line = function.__code__.co_firstlineno + 2
        self.assertEqual([(b["line"], b["reason"]) for b in report.breaks], [(line, "call of print")])
        self.assertIn(f'break at {__file__}:{line}: call of print\n    print(end="")\n  hint: ', str(report))

    def test_explain_keeps_the_options(self):
        @dynacc.compile(backend="reference")
        def function(a):
            return np.sqrt(a * 2 + 1)

        self.assertNotIn('extern "C"', dynacc.explain(function)(np.ones(3)).kernels[0])
        self.assertIn('extern "C"', dynacc.explain(function.__wrapped__)(np.ones(3)).kernels[0])

    def test_explain_of_a_method(self):
        model = Model(np.ones((3, 2)))
        self.assertEqual(dynacc.explain(model.forward)(np.ones(3)).result.tolist(), [3, 3])

    def test_stats(self):
        stats = dynacc.stats()
        self.assertIsInstance(stats["kernel_launches"], int)
        self.assertIsInstance(stats["compile_seconds"], float)
        self.assertIsInstance(stats["graph_breaks"], dict)

    def test_version(self):
        self.assertRegex(dynacc.__version__, r"^\d+\.\d+\.\d+$")


if __name__ == "__main__":
    unittest.main()
