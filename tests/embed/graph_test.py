#!/usr/bin/env python3
"""dynacc.graph: graphs made of functions, built, changed, run and written. Run by the launcher and by a stock python3."""
import collections
import gc
import itertools
import os
import pathlib
import re
import sys
import time
import unittest
import weakref

import numpy as np

import dynacc
from dynacc.graph import Graph, GraphError, Interpreter, Transformer, make_graph

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from random_graph import NUMPY, RandomGraph, same_bytes

FIRST_SEED = int(os.environ.get("DYNACC_FUZZ_SEED", "1"))
SEEDS = range(FIRST_SEED, FIRST_SEED + int(os.environ.get("DYNACC_FUZZ_COUNT", "150")))
Point = collections.namedtuple("Point", "x y")


def executed(source, name="graph"):
    space = {}
    exec(source, space)
    return space[name]


class RandomGraphs(unittest.TestCase):
    """Whatever is done to a graph that should change nothing changes no byte."""

    def check(self, seed, what, want, got):
        self.assertEqual(len(want), len(got))
        for number, (a, b) in enumerate(zip(want, got)):
            self.assertTrue(same_bytes(a, b), f"seed {seed}: output {number} by {what}: {a!r}, {b!r}")

    def test_targets_and_numpy_source_agree(self):
        with np.errstate(all="ignore"):
            for seed in SEEDS:
                made = RandomGraph(seed)
                want = made.graph.run(*made.arrays, target="tile")
                self.check(seed, "to_python", want, executed(made.graph.to_python())(*made.arrays))
                self.check(seed, "Interpreter", want, Interpreter(made.graph).run(*made.arrays))
                if seed % 10 == 0:
                    self.check(seed, "cpu", want, made.graph.run(*made.arrays, target="cpu"))
                    self.check(seed, "nodes alone", want, Interpreter(made.graph, "tile").run(*made.arrays))

    def test_the_reference_target_agrees_up_to_the_order_of_sums(self):
        with np.errstate(all="ignore"):
            for seed in SEEDS:
                made = RandomGraph(seed, num_nodes=4)
                if any(node.dtype == "f32" for node in made.graph.nodes):
                    continue  # its sums are made in double precision
                for a, b in zip(made.graph.run(*made.arrays, target="tile"),
                                made.graph.run(*made.arrays, target="reference")):
                    self.assertEqual(a.dtype, b.dtype)
                    np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9, err_msg=f"seed {seed}")

    def test_copies_are_equal(self):
        for seed in SEEDS:
            graph = RandomGraph(seed).graph
            text = str(graph)
            other = Graph()
            other.output(graph.copy_into(other))
            for what, copy in (("parse", Graph.parse(text)), ("copy", graph.copy()), ("copy_into", other),
                               ("Transformer", Transformer(graph).transform()), ("infer", graph.infer(*graph.inputs))):
                self.assertEqual(copy, graph, f"seed {seed}: {what}")
                self.assertEqual(copy.fingerprint(), graph.fingerprint())

    def test_dead_code_is_not_missed(self):
        with np.errstate(all="ignore"):
            for seed in SEEDS:
                made = RandomGraph(seed)
                want = made.graph.run(*made.arrays, target="tile")
                made.graph.eliminate_dead_code()
                self.assertTrue(all(node.users or node.is_output or node.op == "input" for node in made.graph.nodes))
                self.check(seed, "the rest", want, made.graph.run(*made.arrays, target="tile"))
                part = made.graph.subgraph(made.graph.outputs, made.graph.inputs)
                self.check(seed, "subgraph", want, part.run(*made.arrays, target="tile"))

    def test_changed_texts_are_refused_or_run(self):
        """A text with other numbers, nodes, dtypes and ops is a GraphError, or a graph that does what others do."""
        kinds = [(r"\d+", ["0", "1", "2", "3", "7", "40"]), (r"%\d+", [f"%{number}" for number in range(12)]),
                 (r"f64|f32|i64|bool|c128", ["f64", "f32", "i64", "bool", "c128"]),
                 (r"[a-z_]{3,}", ["add", "exp", "view", "reshape", "store", "reduce_sum", "cast", "concat", "roll", "where",
                                  "matmul", "update", "keep_order"])]
        legal = 0
        for seed in SEEDS:
            random = np.random.default_rng(seed)
            parts = re.findall(r"%?\w+|\s+|[^\w\s]", str(RandomGraph(seed, num_nodes=8).graph))
            for _ in range(int(random.integers(1, 8))):
                place = int(random.integers(len(parts)))
                for kind, others in kinds:
                    if re.fullmatch(kind, parts[place]):
                        parts[place] = str(random.choice(others))
            try:
                graph = Graph.parse("".join(parts))
            except GraphError:
                continue
            for node in graph.nodes:
                self.assertTrue(repr(node) and isinstance(node.attrs, dict) and node.graph is graph)
            self.assertTrue(str(graph))
            try:
                arrays = [np.ones(node.shape, NUMPY[node.dtype]) for node in graph.inputs]
                graph.run(*arrays, target="tile")
                self.assertEqual(Transformer(graph).transform(), graph)
                legal += 1
            except GraphError:
                continue
        self.assertGreater(legal, len(SEEDS) // 20)


def changed_in_place(x):
    x = x.copy()
    x[1:3] += x[3:5]
    x[:, 0] = 0
    return x


A, B = np.random.default_rng(0).normal(size=(2, 6, 8))
ROW, INTS = A[0], np.arange(48).reshape(6, 8) % 9
FUNCTIONS = [
    (lambda x: np.exp(x - x.max(-1, keepdims=True)) / np.exp(x - x.max(-1, keepdims=True)).sum(-1, keepdims=True), A),
    (lambda x, g: (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * g, A, ROW),
    (lambda x: np.tanh(x) * 2 + x.sum(0), A.astype(np.float32)),
    (lambda x: (x * 2 + 1).sum(axis=1), A.astype(np.float16)),
    (lambda z: np.abs(z * z.conj()) + z.real, A + 1j * B),
    (lambda i: (i // 2 + i % 3).sum() + i.max(), INTS),
    (lambda x: x[::2, ::-1].T @ x[::2], A),
    (lambda x: x @ x.T, A),
    (lambda x, y: np.concatenate([x, y * 2], axis=1).mean(axis=0), A, B),
    (lambda x: np.roll(x, 1, axis=0) + np.roll(x, -1, axis=1), A),
    (lambda x, y: np.where(x > y, x, -y), A, B),
    (changed_in_place, A),
    (lambda x: (x > 0).any(axis=0) & (x < 1).all(axis=0), A),
    (lambda x: x ** 2 + x ** 0.5 + 2.0 ** x, np.abs(A)),
    (lambda x: np.diagonal(x) * 2, A),
    (lambda x: np.tril(x) + np.triu(x), A),
    (lambda a, b: np.einsum("ij,kj->ik", a, b), A, B),
    (lambda x, i: x[i[0] % 6], A, INTS),
    (lambda x: np.sort(x, axis=0)[::-1] * 2, A),
    (lambda x: np.lib.stride_tricks.sliding_window_view(x, 3, axis=1).sum(-1), A),
    (lambda x: (x + 1).sum(axis=0), np.asfortranarray(A)),
    (lambda x: np.cumsum(x, axis=1) / np.arange(1, 9), A),
    (lambda x: np.linalg.solve(x[:, :6], x[:, 6]), A),
    (lambda x, i: x * i + np.float32(2), A.astype(np.float32), INTS),
    (lambda x: x.T.reshape(4, -1).sum(1), A),
    (lambda x: np.pad(x, 1)[1:-1, 1:-1] * 2, A),
]


class MakeGraph(unittest.TestCase):
    a = np.linspace(0.25, 3.0, 12).reshape(3, 4)

    def check(self, function, *args, dynamic=False, others=()):
        """The graph's function gives what the function gives, structure and all."""
        compiled = make_graph(function, *args, dynamic=dynamic).compile("tile")
        for arguments in (args, *others):
            self.assert_same(compiled(*arguments), function(*arguments))

    def assert_same(self, got, want):
        self.assertIs(type(got), type(want))
        if isinstance(want, dict):
            self.assertEqual(list(got), list(want))
            got, want = list(got.values()), list(want.values())
        if isinstance(want, (list, tuple)):
            self.assertEqual(len(got), len(want))
            for one, other in zip(got, want):
                self.assert_same(one, other)
        elif isinstance(want, (np.ndarray, np.generic)):
            self.assertTrue(same_bytes(got, want), (got, want))
        else:
            self.assertEqual(got, want)

    def test_nothing_runs(self):
        ran = []

        class Watched:
            def __call__(self, a):
                return np.exp(a) if not ran.append(1) else a

        def function(a):
            return np.sqrt(a) + 1.0

        graph = make_graph(function, self.a)
        self.assertEqual([node.op for node in graph.nodes], ["input", "sqrt", "scalar", "view", "add"])
        self.assertRegex(graph.nodes[1].origin, r"graph_test\.py:\d+$")
        with self.assertRaisesRegex(GraphError, "changes objects"):
            make_graph(Watched(), self.a)
        self.assertEqual(ran, [])

    def test_what_functions_compute(self):
        with np.errstate(all="ignore"):
            for (number, (function, *args)), dynamic in itertools.product(enumerate(FUNCTIONS), (False, True)):
                with self.subTest(function=number, dynamic=dynamic):
                    graph = make_graph(function, *args, dynamic=dynamic)
                    want = function(*args)
                    self.assertTrue(same_bytes(graph.compile("tile")(*args), want))
                    self.assertTrue(same_bytes(executed(graph.to_python())(*args)[0], want))
                    self.assertTrue(same_bytes(Interpreter(graph).run(*args)[0], want))
                    for copy in (Transformer(graph).transform(), graph.copy(), Graph.parse(str(graph))):
                        self.assertEqual(copy, graph)

    def test_results_are_put_back(self):
        def function(a, b, names, factor=2.0, *rest, flag=True):
            total = (a * b).sum(axis=0)
            return {"total": total, "mean": total.mean(), "pair": (a * factor, [b, None, "text", 3]),
                    "point": Point(np.maximum(a, names["low"]), names["list"][1] + rest[0]), "flag": flag}
        names = {"low": np.float64(0.5), "list": [self.a, self.a[0]]}
        self.check(function, self.a, self.a[1], names, 3.0, self.a[2])

    def test_arguments_that_are_returned(self):
        def step(params, x):
            params["w"] *= 2.0  # stores the array where it is
            return params, x @ params["w"], params["more"], params["scale"]
        graph = make_graph(step, {"w": np.ones(4), "more": [Point(self.a, 1), None], "scale": np.float64(1.0)}, self.a)
        params = {"w": np.arange(4.0), "more": [Point(self.a * 2.0, 1), None], "scale": np.float64(3.0)}
        got = graph.compile("tile")({**params, "w": params["w"].copy()}, self.a)
        self.assert_same(got, step(params, self.a))

    def test_views_of_arguments_are_values(self):
        self.check(lambda a: (a, a.T, a[1:, ::-1], a.reshape(-1), a + 1.0), self.a)
        self.check(lambda z: (z.real, z.imag, z * 2), self.a + 1j)

    def test_arguments_that_are_written(self):
        def function(a, b):
            a[1:] *= b[0]
            return a, a.sum()
        graph = make_graph(function, self.a, self.a)
        self.assertEqual(graph.targets, (None, None, graph.inputs[0]))
        for run in (graph.compile("tile").run, executed(graph.to_python()), Interpreter(graph).run):
            got, want = self.a.copy(), self.a.copy()
            outputs = run(got, self.a)
            expected = function(want, self.a)
            self.assertTrue(same_bytes(got, want) and same_bytes(outputs[0], want) and same_bytes(outputs[1], expected[1]))
            self.assertIs(outputs[2], got)
        with self.assertRaisesRegex(GraphError, "shares memory"):
            both = self.a.copy()
            graph.run(both, both)

    def test_unused_and_captured_arrays(self):
        weights = np.arange(4.0)
        graph = make_graph(lambda unused, a: a @ weights, self.a, self.a)
        self.assertEqual(len(graph.inputs), 3)
        self.assertEqual([is_argument for _, is_argument in graph.signature.inputs], [True, True, False])
        self.assertTrue(same_bytes(graph.compile("tile")(self.a, self.a), self.a @ weights))

    def test_methods_and_callables(self):
        class Model:
            def __init__(self):
                self.w = np.arange(4.0)

            def __call__(self, a):
                return a * self.w

            def apply(self, a, *, by=1.0):
                return a @ self.w * by
        model = Model()
        self.assertTrue(same_bytes(make_graph(model, self.a).compile("tile")(self.a), model(self.a)))
        graph = make_graph(model.apply, self.a, kwargs={"by": 3.0}).copy().infer(None, None)
        self.assertTrue(same_bytes(graph.compile("tile")(self.a, by=3.0), model.apply(self.a, by=3.0)))

    def test_sizes_vary(self):
        def function(a, b, k, scale):
            return (a[1:] * scale + b).sum(axis=1) / len(a), a.shape[1] * k
        a = np.random.default_rng(1).normal(size=(9, 5))
        self.check(function, self.a, self.a[0], 3, 0.5, dynamic=True, others=[(a, a[0], -2, 7.5)])
        graph = make_graph(function, self.a, self.a[0], 3, 0.5, dynamic=True)
        n = graph.inputs[0].shape[0]
        self.assertEqual(graph.signature.numbers, ("scale", "k"))
        source = executed(graph.to_python())
        inputs = dict(zip(("scale", "k"), (0.5, 3)))
        numbers = [inputs[path] for path in graph.signature.numbers]
        names = [name for name in source.__code__.co_varnames[:source.__code__.co_argcount + 2] if name.startswith("s")]
        want = graph.run(a, a[0], numbers=numbers, target="tile")
        self.assertTrue(same_bytes(source(a, a[0], **dict(zip(names, numbers)))[0], want[0]))
        self.assertTrue(same_bytes(Interpreter(graph).run(a, a[0], numbers=numbers)[0], want[0]))
        self.assertTrue(same_bytes(Interpreter(graph, "tile").run(a, a[0], numbers=numbers)[0], want[0]))
        self.assertEqual(n.range[1], None)
        with self.assertRaisesRegex(GraphError, "requires|fit"):
            graph.run(a, a[0][:3], numbers=numbers, target="tile")

    def test_constants_are_checked(self):
        compiled = make_graph(lambda a, n, how: a * n if how == "times" else a, self.a, 2, "times").compile("tile")
        for arguments in ((self.a, 3, "times"), (self.a, 2, "plus"), (self.a, 2.0, "times")):
            with self.assertRaisesRegex(TypeError, "made for"):
                compiled(*arguments)
        with self.assertRaisesRegex(GraphError, "does not fit"):
            compiled(self.a[1:], 2, "times")

    def test_every_break_is_named(self):
        def function(a):
            b = np.exp(a)
            os.getppid()
            c = np.log(b)
            os.getpid()
            return c
        with self.assertRaises(GraphError) as caught:
            make_graph(function, self.a)
        text = str(caught.exception)
        self.assertRegex(text, r"function is no single graph:\n  .*graph_test\.py:\d+: .* \(hint: ")
        self.assertGreaterEqual(text.count("graph_test.py:"), 2, text)

    def test_what_the_function_raises_is_raised(self):
        def function(a):
            os.getppid()
            raise KeyError("of the function's own")

        with self.assertRaisesRegex(KeyError, "of the function's own"):
            make_graph(function, self.a)

    def test_what_no_graph_can_be(self):
        kept = []
        generator = np.random.default_rng(0)
        loop = lambda a: [a := a + i for i in range(len(kept) + 3)] and next(iter([a]))
        def swap(pair):
            pair[0] = pair[1]
            return pair[0]
        with self.assertRaisesRegex(GraphError, "changes objects"):
            make_graph(swap, [self.a, self.a + 1])
        for function, problem in ((lambda a: kept.append(a) or a + 1, "changes objects"),
                                  (lambda a: a + generator.normal(size=4), r"graph_test\.py:\d+: .*draws random numbers"),
                                  (lambda a: a + np.random.rand(4), r"graph_test\.py:\d+: .*draws random numbers"),
                                  (lambda a: np.random.seed(0) or a + 1, r"graph_test\.py:\d+: .*draws random numbers"),
                                  (lambda a: iter([a, a * 2]), "no single graph")):
            with self.assertRaisesRegex(GraphError, problem):
                make_graph(function, self.a)
        self.assertTrue(same_bytes(make_graph(loop, self.a).compile("tile")(self.a), loop(self.a)))
        self.assertEqual(len(kept), 0)
        with self.assertRaisesRegex(TypeError, "not callable"):
            make_graph(3, self.a)
        with self.assertRaisesRegex(GraphError, "call of print"):
            make_graph(print, self.a)
        self.assertTrue(same_bytes(make_graph(np.tanh, self.a).run(self.a)[0], np.tanh(self.a)))
        endless = [self.a]
        endless.append(endless)
        with self.assertRaisesRegex(TypeError, "more than 32 levels"):
            make_graph(lambda a: a[0] * 2.0, endless)
        with self.assertRaisesRegex(TypeError, "generator"):
            def generate(a):
                yield a
            make_graph(generate, self.a)
        with self.assertRaisesRegex(TypeError, "argument"):
            make_graph(lambda a, b: a, self.a)


class Changing(unittest.TestCase):
    def setUp(self):
        self.graph = Graph()
        self.x = self.graph.placeholder("f64", (3, 4))
        self.y = self.graph.placeholder(np.float64, (3, 4))
        self.total = self.graph.call_function("add", (self.x, self.y))
        self.result = self.graph.call_function("sqrt", (self.total,))
        self.graph.output(self.result)

    def test_nodes_tell(self):
        self.assertEqual((self.total.op, self.total.args, self.total.dtype, self.total.shape, self.total.attrs),
                         ("add", (self.x, self.y), "f64", (3, 4), {}))
        self.assertEqual(self.x.users, (self.total,))
        self.assertIs(self.graph.nodes[2], self.total)
        self.assertEqual(repr(self.result), "%3: f64[3, 4] = sqrt %2")
        self.assertEqual((self.total.next, self.total.prev, self.x.prev), (self.result, self.y, None))
        self.assertEqual((self.x.attrs, self.result.is_output, self.x.is_output), ({"index": 0}, True, False))
        self.assertIsNone(self.x.origin)

    def test_insertion_and_replacement(self):
        with self.graph.inserting_before(self.result):
            new = self.graph.call_function("hypot", (self.x, self.y))
        self.assertEqual(self.total.replace_all_uses_with(new), [self.result])
        self.graph.erase_node(self.total)
        self.assertEqual([node.op for node in self.graph.nodes], ["input", "input", "hypot", "sqrt"])
        with self.graph.inserting_after(self.x):
            first = self.graph.call_function("negative", (self.x,))
            second = self.graph.call_function("absolute", (first,))
        self.assertEqual([node.op for node in self.graph.nodes][:4], ["input", "negative", "absolute", "input"])
        self.assertEqual(self.x.replace_all_uses_with(second), [new, first])
        with self.assertRaisesRegex(GraphError, "made before its operand"):
            self.graph.lint()
        first.args = (self.x,)
        self.graph.lint()
        self.assertEqual([node.op for node in Graph.parse(str(self.graph)).nodes],
                         ["input", "negative", "absolute", "input", "hypot", "sqrt"])

    def test_a_replacement_may_use_what_it_replaces(self):
        new = self.graph.call_function("negative", (self.result,))
        self.result.replace_all_uses_with(new)
        self.assertEqual(self.graph.outputs, (new,))
        self.assertEqual(new.args, (self.result,))

    def test_numbers_and_broadcasting(self):
        row = self.graph.call_function("reduce_max", (self.x,), {"axes": [1], "keepdims": True})
        made = self.graph.call_function("divide", (2.0, self.graph.call_function("subtract", (self.x, row))))
        self.graph.output([made])
        a = np.arange(12.0).reshape(3, 4)
        with np.errstate(all="ignore"):
            want = 2.0 / (a - a.max(axis=1, keepdims=True))
        self.assertTrue(same_bytes(self.graph.run(a, a, target="tile")[0], want))

    def test_attributes_can_be_set(self):
        made = self.graph.call_function("reduce_sum", (self.x,), {"axes": [0]})
        self.assertEqual((made.shape, made.attrs), ((4,), {"axes": (0,), "keepdims": False}))
        made.attrs = {"axes": (0, 1), "keepdims": True}
        self.assertEqual(made.shape, (1, 1))
        with self.assertRaisesRegex(GraphError, "ascending axes"):
            made.attrs = {"axes": (1, 0)}
        with self.assertRaisesRegex(GraphError, "no attribute 'axis'"):
            made.attrs = {"axis": 1}

    def test_every_op_of_the_table_can_be_asked_for(self):
        import _dynacc
        graph = Graph()
        values = {dtype: graph.placeholder(dtype, (2, 3)) for dtype in ("f64", "i64", "bool", "c128")}
        for op, (category, *_) in _dynacc.op_table().items():
            if category not in ("unary", "binary", "reduction"):
                continue
            count = 2 if category == "binary" else 1
            made = graph.call_function(op, (values["f64"],) * count, {"axes": [0]} if category == "reduction" else None)
            self.assertEqual((made.op, made.shape), (op, (3,) if category == "reduction" else (2, 3)))
            self.assertEqual(graph.call_function(op, made.args, made.attrs).dtype, made.dtype)

    def test_graphs_into_graphs(self):
        twice = Graph()
        a = twice.placeholder("f64", (3, 4))
        twice.output(twice.call_function("multiply", (a, 2.0)))
        with self.graph.inserting_before(self.result):
            doubled, = self.graph.inline(twice, self.total)
        self.result.args = (doubled,)
        one = np.ones((3, 4))
        self.assertTrue(same_bytes(self.graph.run(one, one, target="tile")[0], np.full((3, 4), 2.0)))
        part = self.graph.subgraph([self.result], [self.total])
        self.assertEqual([node.op for node in part.nodes], ["input", "scalar", "view", "multiply", "sqrt"])
        with self.assertRaisesRegex(GraphError, "not among its inputs"):
            self.graph.subgraph(self.result, [self.x])
        with self.assertRaisesRegex(GraphError, "another type"):
            twice.copy_into(self.graph, self.graph.call_function("cast", (self.x,), dtype="f32"))

    def test_wrong_edits_are_refused(self):
        f32 = self.graph.call_function("cast", (self.x,), dtype="f32")
        other = Graph()
        far = other.placeholder("f64", (3, 4))
        size = other.new_size()
        refused = [
            (lambda: self.graph.erase_node(self.total), "is used by '%3: f64"),
            (lambda: self.graph.erase_node(self.result), "outputs"),
            (lambda: self.graph.call_function("add", (self.x, f32)), "one dtype.*cast"),
            (lambda: self.graph.call_function("add", (self.x,)), "takes 2 operands, not 1"),
            (lambda: self.graph.call_function("plus", (self.x, self.x)), "no op 'plus'"),
            (lambda: self.graph.call_function("cast", (self.x,)), "needs a dtype"),
            (lambda: self.graph.call_function("reshape", (self.x,)), "needs a shape"),
            (lambda: self.graph.call_function("negative", (far,)), "another graph"),
            (lambda: self.graph.call_function("negative", (self.x,), {"axes": [0]}), "no attribute 'axes'"),
            (lambda: self.graph.call_function("input", ()), "placeholder"),
            (lambda: self.graph.call_function("full", (), {"value": 1.0}, "f64", (size,)), "another graph"),
            (lambda: self.graph.placeholder("f63", ()), "no dtype 'f63'"),
            (lambda: self.total.replace_all_uses_with(f32), "another type"),
            (lambda: setattr(self.total, "args", (self.total, self.x)), "its own operand"),
            (lambda: self.graph.output(self.result, [self.total]), "no input like it"),
            (lambda: self.graph.output([self.result] * 2, [self.x] * 2), "target of two"),
            (lambda: Graph.parse("graph {\n  %0: f64[2] = input 0\n  %1: f64[2] = sine %0\n}"), "line 3|sine"),
        ]
        for number, (edit, problem) in enumerate(refused):
            with self.assertRaisesRegex(GraphError, problem, msg=str(number)):
                edit()
        for edit in (lambda: self.graph.call_function("negative", (3.0,)), lambda: self.graph.placeholder("f64", ("a",)),
                     lambda: self.graph.call_function("add", 5), lambda: self.total.replace_all_uses_with(5)):
            with self.assertRaises(TypeError):
                edit()
        self.graph.lint()

    def test_what_the_verifier_finds(self):
        rows = [
            (lambda: self.graph.call_function("reshape", (self.x,), shape=(5, 5)), "number of elements"),
            (lambda: self.graph.call_function("view", (self.x,), {"axis": [0, 1], "start": [0, 0], "step": [1, 1]},
                                              shape=(4, 4)), "reads outside of operand axis 0"),
            (lambda: self.graph.placeholder("f64", (-1,)), "negative"),
            (lambda: self.graph.call_function("roll", (self.x,), {"shifts": [5, 0]}), "not below the size"),
        ]
        for make, problem in rows:
            made = make()
            for use in (self.graph.lint, self.graph.copy, self.graph.to_python, lambda: self.graph.compile("tile")):
                with self.assertRaisesRegex(GraphError, f"%{len(self.graph) - 1}: .*{problem}"):
                    use()
            self.assertIn("no legal graph", str(self.graph))
            self.graph.erase_node(made)
        self.graph.lint()
        with self.assertRaisesRegex(GraphError, "erased"):
            made.args = (self.x,)
        self.assertTrue(made.is_erased)

    def test_library_calls_stay_what_they_are(self):
        a = np.linspace(3.0, 1.0, 9)
        function = lambda a: np.sort(a) * 2.0
        graph = make_graph(function, a)
        call = graph.nodes[1]
        self.assertEqual((call.op, call.attrs["function"]), ("library_call", "numpy.sort(%0)"))
        for run in (graph.run, graph.copy().run, Transformer(graph).transform().run, Interpreter(graph).run,
                    Interpreter(graph, "tile").run, executed(graph.to_python())):
            self.assertTrue(same_bytes(run(a)[0], function(a)))
        short = graph.call_function("cast", graph.inputs, dtype="f32")
        for edit in (lambda: setattr(call, "args", [short]), lambda: setattr(call, "attrs", {"call": 10 ** 6}),
                     lambda: graph.infer(("f32", (9,))),
                     lambda: graph.call_function("library_call", graph.inputs, {"call": 0}, "f64", (9,))):
            with self.assertRaises(GraphError):
                edit()
        graph.erase_node(short)
        read = Graph.parse(str(graph))
        self.assertEqual(read, graph)
        other = Graph()
        other.output(read.copy_into(other))
        for foreign in (read, read.copy(), other, Transformer(read).transform(), read.infer(None)):
            with self.assertRaisesRegex(GraphError, "process that captured it"):
                foreign.run(a)

    def test_sizes_that_values_decide(self):
        a = np.linspace(-1.0, 1.0, 9)
        function = lambda a: a[a > 0.1] * 2.0
        graph = make_graph(function, a)
        self.assertEqual(graph.outputs[0].shape[0].range, (0, None))
        self.assertTrue(same_bytes(graph.compile("tile")(a), function(a)))
        with self.assertRaisesRegex(GraphError, "is known only when it runs"):
            graph.to_python()

    def test_an_erased_input_leaves_no_gap(self):
        self.total.args = (self.y, self.y)
        self.graph.erase_node(self.x)
        self.assertEqual((self.graph.inputs, self.y.attrs), ((self.y,), {"index": 0}))
        self.graph.lint()

    def test_graphs_that_keep_their_nodes_go(self):
        graph = Graph()
        graph.kept = [graph.placeholder("f64", (graph.new_size(),)), graph.new_size()]
        seen = weakref.ref(graph)
        del graph
        gc.collect()
        self.assertIsNone(seen())

    def test_a_backend_may_return_a_graph(self):
        def with_hypot(captured):
            graph = Graph.parse(captured.text)
            node, = (node for node in graph.nodes if node.op == "maximum")
            with graph.inserting_before(node):
                node.replace_all_uses_with(graph.call_function("hypot", node.args))
            graph.eliminate_dead_code()
            return graph
        function = dynacc.compile(lambda a, b: np.maximum(a, b) * 2.0, backend=with_hypot)
        a = np.linspace(0.0, 1.0, 5)
        self.assertTrue(same_bytes(function(a, a), np.hypot(a, a) * 2.0))

    def test_handles_outlive_their_graph(self):
        node = Graph().placeholder("f64", (2,))
        gc.collect()
        self.assertEqual(node.graph.inputs, (node,))
        self.assertEqual(hash(node), hash(node.graph.inputs[0]))

    def test_edits_take_constant_time(self):
        """Half a second on one core for all of it; what is quadratic in the number of nodes takes minutes."""
        start = time.process_time()
        graph = Graph()
        x = node = graph.placeholder("f64", (8,))
        for _ in range(100_000):
            node = graph.call_function("add", (node, x))
        graph.output(node)
        for node in graph.nodes[2::2]:
            with graph.inserting_before(node):
                new = graph.call_function("multiply", node.args)
            node.replace_all_uses_with(new)
            graph.erase_node(node)
        self.assertLess(time.process_time() - start, 10.0)
        self.assertEqual(len(graph), 100_001)


class Sizes(unittest.TestCase):
    def setUp(self):
        self.graph = Graph()
        self.n = self.graph.new_size()
        self.x = self.graph.placeholder("f64", (self.n, 3))

    def test_arithmetic(self):
        n = self.n
        self.assertEqual([repr(e) for e in (n + 1, 2 * n, n - 1, n // 2, n % 4, -n, n + 1 - 1)],
                         ["(s0 + 1)", "(s0 * 2)", "(s0 - 1)", "(s0 // 2)", "(s0 % 4)", "neg(s0)", "s0"])
        self.assertEqual((n - n, n + 1, hash(n + 1)), (0, n + 1, hash(n + 1)))
        self.assertNotEqual(n, n + 1)
        with self.assertRaises(TypeError):
            n + "1"

    def test_ranges(self):
        n = self.n
        self.assertEqual((n.range, (2 * n + 1).range, (n % 4).range), ((0, None), (1, None), (0, 3)))
        self.graph.require(n, ">=", 2)
        self.graph.require(n, "<", 10)
        self.assertEqual((n.range, (n - 1).range, (n // 2).range, (-n).range), ((2, 9), (1, 8), (1, 4), (-9, -2)))
        self.assertTrue(n > 1 and n <= 9 and bool(n))
        self.assertFalse(n > 9)
        for unknown in (lambda: n > 5, lambda: bool(n - 3)):
            with self.assertRaisesRegex(TypeError, "when the graph runs"):
                unknown()
        with self.assertRaisesRegex(GraphError, "never hold"):
            self.graph.require(3, ">", 4)

    def test_runs_and_inference(self):
        node = self.graph.call_function("multiply", (self.x, self.graph.call_function(
            "view", (self.x,), {"axis": [0, 1], "start": [self.n - 1, 0], "step": [-1, 1]}, shape=(self.n, 3))))
        self.graph.output(node)
        self.graph.require(self.n, ">=", 2)
        a = np.arange(15.0).reshape(5, 3)
        for run in (self.graph.run, executed(self.graph.to_python()), Interpreter(self.graph).run):
            self.assertTrue(same_bytes(run(a)[0], a * a[::-1]))
        small = self.graph.infer(("float32", (4, 3)))
        self.assertEqual((small.outputs[0].shape, small.outputs[0].dtype), ((4, 3), "f32"))
        self.assertEqual(self.graph.infer(None), self.graph)
        for spec, problem in ((("f64", (1, 3)), "requires"), (("f64", (4, 2)), "size 3 along axis 1"),
                              (("f64", (4,)), "1 axes")):
            with self.assertRaisesRegex(GraphError, problem):
                self.graph.infer(spec)
        with self.assertRaisesRegex(GraphError, "requires"):
            self.graph.run(a[:1])

    def test_inference_names_the_node(self):
        graph = make_graph(lambda a, b: np.bitwise_and(a, 3) + b, np.arange(3), np.arange(3))
        self.assertEqual(graph.infer(("i32", (3,)), ("i32", (3,))).outputs[0].dtype, "i32")
        with self.assertRaisesRegex(GraphError, r"add %\d, %1.*one dtype"):
            graph.infer(("i32", (3,)), ("i64", (3,)))


class Subclasses(unittest.TestCase):
    a = np.linspace(0.5, 2.0, 6)

    def test_an_interpreter_sees_every_value(self):
        seen = []

        class Watch(Interpreter):
            def call_function(self, node, args):
                value = super().call_function(node, args)
                seen.append((node.op, np.shape(value)))
                return value
        graph = make_graph(lambda a: np.exp(a).sum(), self.a)
        result, = Watch(graph).run(self.a)
        self.assertTrue(same_bytes(result, np.exp(self.a).sum()))
        self.assertEqual(seen, [("exp", (6,)), ("reduce_sum", ())])

    def test_a_transformer_changes_nodes(self):
        class Fused(Transformer):
            def call_function(self, node, args):
                if node.op == "log" and args[0].op == "add":
                    for number, one in (args[0].args, args[0].args[::-1]):
                        if one.op == "view" and one.args[0].attrs.get("value") == 1.0:
                            return self.new_graph.call_function("log1p", (number,))
                return self.copy(node, args)
        graph = make_graph(lambda a: np.log(a + 1.0) * 2.0, self.a)
        changed = Fused(graph).transform()
        changed.eliminate_dead_code()
        self.assertIn("log1p", [node.op for node in changed.nodes])
        self.assertTrue(same_bytes(changed.compile("tile")(self.a), np.log1p(self.a) * 2.0))

    def test_a_wrong_transformer_is_named(self):
        class Halved(Transformer):
            def call_function(self, node, args):
                return self.new_graph.call_function("view", args, {"axis": [0], "start": [0], "step": [2]}, shape=(6,))
        with self.assertRaisesRegex(GraphError, "Halved: .*%1: .*reads outside"):
            Halved(make_graph(lambda a: np.exp(a), self.a)).transform()

    def test_an_op_with_a_call_reads_like_numpy_and_computes_by_itself(self):
        a, at = np.arange(12.0).reshape(3, 4), np.array([2, 0, -1])
        functions = (lambda a, at: a[:, at], lambda a, at: np.cumsum(a, axis=1), lambda a, at: np.take_along_axis(
            a, at[:, None], 1), lambda a, at: a[at, 1:3], lambda a, at: np.argmax(a, axis=0))
        for function in functions:
            graph, want = make_graph(function, a, at), np.asarray(function(a, at))
            node, = (node for node in graph.nodes if node.call is not None)
            for made in (graph, Graph.parse(str(graph)), graph.copy()):
                for target in ("tile", "cpu", "reference"):
                    got, = made.run(a, at, target=target)
                    self.assertTrue(same_bytes(got, want), f"{target}: {made}")
            node.attrs = node.attrs
            self.assertIsNone(node.call)
            self.assertTrue(same_bytes(graph.run(a, at)[0], want))
            self.assertTrue(same_bytes(executed(graph.to_python())(a, at)[0], want), graph.to_python())

    def test_a_complex_product_of_its_own_is_not_numpys(self):
        graph = Graph()
        graph.output(graph.call_function("cumprod", (graph.placeholder("c128", (3,)),), {"axis": 0}))
        with self.assertRaisesRegex(GraphError, "multiplies complex numbers in another way"):
            graph.to_python()
        a = np.array([1 + 2j, 3j, -1 + 1j])
        self.assertTrue(same_bytes(Interpreter(graph).run(a)[0], graph.run(a, target="tile")[0]))

    def test_gathers_and_scatters_are_built(self):
        a, at, v = np.arange(12.0).reshape(3, 4), np.array([2, 0, 2]), np.array([10.0, 20.0, 30.0])
        graph = Graph()
        nodes = [graph.placeholder("f64", (3, 4)), graph.placeholder("i64", (3,)), graph.placeholder("f64", (3,))]
        column = graph.call_function("gather", nodes[:2], {"at": (slice(1, None), "args[1]")}, shape=(2, 3))
        sums = graph.call_function("scatter", nodes, {"at": (slice(None), "args[1]"), "base": "args[0]", "value": "args[2]",
                                                      "combine": "add"}, "f64", (3, 4))
        row = graph.call_function("scatter", nodes[:1], {"at": (1, (0, 3)), "value": 7.0}, "f64", (3, 4))
        graph.output([column, sums, row])
        self.assertEqual(column.attrs, {"at": (slice(1, None), "args[1]"), "along": False, "c_order": False})
        self.assertEqual((row.attrs["at"], row.attrs["value"]), ((1, (0, 3)), 7.0))
        added, stored = a.copy(), a.copy()
        np.add.at(added, np.index_exp[:, at], v)
        stored[1, [0, 3]] = 7.0
        want = [a[1:, at], added, stored]
        for results in (graph.run(a, at, v), graph.run(a, at, v, target="reference"),
                        executed(graph.to_python())(a, at, v), Graph.parse(str(graph)).run(a, at, v)):
            for one, other in zip(results, want):
                self.assertTrue(same_bytes(one, np.ascontiguousarray(other)))
        with self.assertRaisesRegex(GraphError, "combines by a binary op"):
            graph.call_function("scatter", nodes, {"at": ("args[1]",), "value": "args[2]", "combine": "minus"}, shape=(3, 4))
        graph.call_function("gather", nodes[:2], {"at": ("args[9]",)}, shape=(3, 4))
        with self.assertRaises(GraphError):
            graph.lint()

    def test_dot_and_text(self):
        graph = make_graph(lambda a: np.exp(a) + a, self.a)
        self.assertRegex(graph.to_dot(), r'(?s)^digraph graph_ \{.*n0 \[label="%0 input 0".*n1 -> n2;\n  n0 -> n2;\n\}\n$')
        self.assertEqual(repr(graph), "<dynacc.graph.Graph of 3 nodes, 1 inputs, 1 outputs>")
        with self.assertRaises(TypeError):
            hash(graph)


if __name__ == "__main__":
    unittest.main()
