#!/usr/bin/env python3
"""dynacc.passes: patterns and passes that users write. Run by the launcher and by a stock python3."""
import pathlib
import sys
import unittest

import numpy as np

import dynacc
from dynacc import passes
from dynacc.graph import Graph, GraphError, make_graph
from dynacc.passes import replace_pattern

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from random_graph import same_bytes


def ops(graph):
    return [node.op for node in graph.nodes if node.op not in ("input", "scalar", "view")]


class Patterns(unittest.TestCase):
    a = np.linspace(0.5, 2.0, 12).reshape(3, 4)
    b = np.linspace(-1.0, 1.0, 12).reshape(3, 4)

    def replaced(self, function, args, pattern, replacement, dynamic=False, **options):
        graph = make_graph(function, *args, dynamic=dynamic)
        count = len(replace_pattern(graph, pattern, replacement, **options))
        graph.eliminate_dead_code()
        graph.lint()
        return graph, count

    def test_elementwise_of_any_dtype_and_rank(self):
        pattern, replacement = (lambda x: np.log(x + 1.0)), (lambda x: np.log1p(x))
        for args in ([self.a], [self.a.astype(np.float32)], [self.a[0]], [np.float64(3.0)]):
            graph, count = self.replaced(lambda x: np.log(1.0 + x) * 2.0, args, pattern, replacement)
            self.assertEqual((count, ops(graph)), (1, ["log1p", "multiply"]))
            self.assertTrue(same_bytes(graph.run(*args, target="tile")[0], np.log1p(args[0]) * args[0].dtype.type(2.0)))
        graph, count = self.replaced(lambda x: np.log(2.0 + x), [self.a], pattern, replacement)
        self.assertEqual(count, 0)  # another number

    def test_a_parameter_that_comes_twice_is_one_node(self):
        pattern = lambda x: x * np.exp(x)
        graph, count = self.replaced(lambda a, b: a * np.exp(a) + a * np.exp(b), [self.a, self.b], pattern, np.sin)
        self.assertEqual((count, sorted(ops(graph))), (1, ["add", "exp", "multiply", "sin"]))

    def test_inner_nodes_stay_for_others(self):
        graph, count = self.replaced(lambda a: (np.log(a + 1.0), a + 1.0), [self.a],
                                     lambda x: np.log(x + 1.0), np.log1p)
        self.assertEqual((count, ops(graph)), (1, ["add", "log1p"]))

    def test_products_and_reductions(self):
        def layer(x, w, b):
            return np.maximum(x @ w + b, 0.0)
        seen = []
        args = [self.a, np.ones((4, 5)), np.arange(5.0)]
        graph, count = self.replaced(layer, args, lambda x, w: x @ w, lambda x, w: (w.T @ x.T).T,
                                     where=lambda match: seen.append(match) or True, examples=[np.ones((2, 2))] * 2)
        self.assertEqual((count, seen[0].node.op, [node.op for node in seen[0].args]), (1, "matmul", ["input", "input"]))
        np.testing.assert_allclose(graph.run(*args, target="tile")[0], layer(*args))
        softmax = lambda x: np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)
        stable = lambda x: np.exp(x - x.max(axis=-1, keepdims=True)) / \
            np.exp(x - x.max(axis=-1, keepdims=True)).sum(axis=-1, keepdims=True)
        for shape in ((3, 4), (2, 3, 4)):
            x = np.random.default_rng(0).normal(size=shape)
            graph, count = self.replaced(softmax, [x], softmax, stable)
            self.assertEqual(count, 1, shape)
            np.testing.assert_allclose(graph.run(x, target="tile")[0], softmax(x))
        graph, count = self.replaced(lambda x: np.exp(x) / np.exp(x).sum(axis=0, keepdims=True), [self.a], softmax, stable)
        self.assertEqual(count, 0)  # along another axis

    def test_sizes_that_vary(self):
        graph, count = self.replaced(lambda x: np.log(x + 1.0), [self.a], lambda x: np.log(x + 1.0), np.log1p, dynamic=True)
        self.assertEqual((count, ops(graph)), (1, ["log1p"]))
        self.assertTrue(same_bytes(graph.run(self.a[:2], target="tile")[0], np.log1p(self.a[:2])))
        self.assertEqual(graph.conditions, make_graph(lambda x: np.log(x + 1.0), self.a, dynamic=True).conditions)

    def test_guards_and_errors_leave_the_graph_alone(self):
        graph = make_graph(lambda x: np.log(x + 1.0), self.a)
        text = str(graph)
        pattern = lambda x: np.log(x + 1.0)
        self.assertEqual(replace_pattern(graph, pattern, np.log1p, where=lambda match: False), [])
        for replacement, problem in ((lambda x: x.sum(), "another dtype or shape"), (lambda x: (x, x), "one array, not 2"),
                                     (lambda x: (print(x), x)[1], "no single graph")):
            with self.assertRaisesRegex(GraphError, problem):
                replace_pattern(graph, pattern, replacement)
            self.assertEqual(str(graph), text)


class Passes(unittest.TestCase):
    a = np.linspace(0.5, 2.0, 6)

    def tearDown(self):
        for name in passes.registered():
            passes.unregister(name)

    def test_order(self):
        passes.register("b", lambda graph: None)
        passes.register("d", lambda graph: None)
        passes.register("a", lambda graph: None, before="b")
        passes.register("c", lambda graph: None, before="d", after="b")
        self.assertEqual(passes.registered(), ["a", "b", "c", "d"])
        for wrong in (lambda: passes.register("a", print), lambda: passes.register("e", print, before="f"),
                      lambda: passes.register("e", print, before="a", after="d"), lambda: passes.unregister("z"),
                      lambda: passes.apply(Graph(), ["z"])):
            with self.assertRaises(ValueError):
                wrong()

    def test_a_wrong_pass_is_named(self):
        def breaks_order(graph):
            node = graph.nodes[1]
            node.args = (graph.call_function("negative", (graph.inputs[0],)),)
        graph = make_graph(lambda a: np.exp(a), self.a)
        text = str(graph)
        for function, problem in ((breaks_order, "pass 'mine': '%1: .*made before its operand"),
                                  (lambda graph: graph.output([]), "pass 'mine': changes the inputs or outputs"),
                                  (lambda graph: 5, "pass 'mine': gives 5")):
            with self.assertRaisesRegex(GraphError, problem):
                passes.apply(graph, [("mine", function)])
        with self.assertRaises(ZeroDivisionError):
            passes.apply(graph, [("mine", lambda graph: 1 // 0)])
        self.assertEqual(str(graph), text)

    def use_log1p(self, graph):
        replace_pattern(graph, lambda x: np.log(x + 1.0), np.log1p)
        graph.eliminate_dead_code()

    def test_on_the_graphs_of_one_function(self):
        function = dynacc.compile(lambda a: np.log(a + 1.0) * 3.0, backend=passes.backend(("log1p", self.use_log1p)))
        self.assertTrue(same_bytes(function(self.a), np.log1p(self.a) * 3.0))
        wrong = dynacc.compile(lambda a: np.log(a + 1.0) * 4.0, backend=passes.backend(("empty", lambda graph: graph.output([]))))
        with self.assertRaisesRegex(GraphError, "pass 'empty': changes"):
            wrong(self.a)

    def test_on_every_graph(self):
        tiny = np.array([1e-18, 2e-18, 3e-18])
        passes.register("log1p", self.use_log1p)
        function = dynacc.compile(lambda a: np.log(a + 1.0) * 3.0)
        self.assertTrue(same_bytes(function(tiny), np.log1p(tiny) * 3.0))
        passes.unregister("log1p")
        function = dynacc.compile(lambda a: np.log(a + 1.0) * 5.0)
        self.assertEqual(function(tiny).tolist(), [0.0, 0.0, 0.0])

    def test_a_registered_pass_that_fails_is_told_and_left_out(self):
        for fails, problem in ((lambda graph: 1 // 0, "ZeroDivisionError"), (lambda graph: graph.output([]), "pass 'fails': changes")):
            passes.register("fails", fails)
            function = dynacc.compile(lambda a: np.log(a + 1.0) * 3.0)
            with self.assertWarnsRegex(RuntimeWarning, f"passes_test.py.*{problem}.*without the registered passes"):
                result = function(self.a)
            self.assertTrue(same_bytes(result, np.log(self.a + 1.0) * 3.0))
            passes.unregister("fails")


if __name__ == "__main__":
    unittest.main()
