#!/usr/bin/env python3
"""dynacc.cond, while_loop, scan, map, associative_scan and vmap: in plain Python and in graphs the same results, on
every target; gradients of them; what is refused. Run by the launcher and by a stock python3."""
import collections
import os
import re
import sys
import unittest
import warnings

import _dynacc
import numpy as np

import dynacc
import random_graph
from dynacc import _control_flow
from dynacc.graph import Graph, GraphError, make_graph

FILE = os.path.basename(__file__)
RANDOM = np.random.default_rng(3)
TARGETS = ("reference", "tile", "cpu")
SIMULATED_GPU = "DYNACC_CUDA_DRIVER" in os.environ  # tests/cuda_sim
Pair = collections.namedtuple("Pair", "first second")


def leaves(tree):
    return _control_flow._flat(tree)[0]


def same(test, found, wanted, exact=True):
    found, wanted = leaves(found), leaves(wanted)
    test.assertEqual(len(found), len(wanted))
    for a, b in zip(found, wanted):
        a, b = np.asarray(a), np.asarray(b)
        test.assertEqual((a.dtype, a.shape), (b.dtype, b.shape))
        if exact:
            test.assertEqual(a.tobytes(), b.tobytes(), (a, b))
        else:
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


class Case(unittest.TestCase):
    def check(self, f, *args, exact=True, dynamic=True):
        """In plain Python, captured as one graph, and by each target the same."""
        wanted = f(*args)
        captured = dynacc.compile(f, fullgraph=True)
        for _ in range(3):
            same(self, captured(*args), wanted, exact)
        if SIMULATED_GPU:
            on_gpu = dynacc.compile(f, fullgraph=True, backend="cuda")
            for _ in range(2):
                same(self, on_gpu(*args), wanted, exact=False)
        arrays = [array for array in leaves(args) if isinstance(array, np.ndarray)]
        for is_dynamic in (False, True) if dynamic else (False,):
            graph = make_graph(f, *args, dynamic=is_dynamic)
            again = Graph.parse(str(graph))
            self.assertEqual(again, graph)
            self.assertEqual(again.fingerprint(), graph.fingerprint())
            calls = any(node.call for node in graph.nodes)
            if not is_dynamic and not calls and len(graph.inputs) == len(arrays):
                namespace = {}
                exec(graph.to_python("again"), namespace)
                outputs = namespace["again"](*[array for array in arrays])
                same(self, [np.asarray(output) for output in outputs],
                     [np.asarray(output) for output in graph.run(*arrays)], exact)
            for target in TARGETS:
                same(self, graph.compile(target)(*args), wanted, exact and target != "reference")
        return make_graph(f, *args), arrays


class Cond(Case):
    def test_takes_the_branch(self):
        def f(x, y):
            return dynacc.cond(x.sum() > 0, lambda a: np.exp(a) * y, lambda a: a - y, x)

        x, y = RANDOM.normal(size=5), RANDOM.normal(size=5)
        for scale in (1.0, -1.0):
            graph, _ = self.check(f, np.abs(x) * scale, y)
        self.assertIn("cond", [node.op for node in graph.nodes])
        self.assertNotIn("exp", [node.op for node in graph.nodes])
        inside, _ = next(node for node in graph.nodes if node.op == "cond").attrs["graphs"]
        self.assertIn("exp", [node.op for node in inside.nodes])

    def test_trees_numbers_and_closures(self):
        table = np.arange(6.0).reshape(2, 3)

        def f(x):
            k = x.mean()
            return dynacc.cond(k > 0, lambda: {"a": (table + k, 2.0), "b": [x[::2], None]},
                               lambda: {"a": (table * k, -1.0), "b": [x[:2] * 2, None]})

        for sign in (1, -1):
            self.check(f, np.array([1.0, 2.0, 4.0]) * sign)

    def test_only_the_branch_that_is_taken_warns(self):
        def f(x):
            return dynacc.cond(x.min() > 0, np.log, np.negative, x)

        captured = dynacc.compile(f, fullgraph=True)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for x in (np.array([1.0, 2.0]), np.array([-1.0, 2.0])) * 3:
                same(self, captured(x), f(x))
        with self.assertWarnsRegex(RuntimeWarning, "divide by zero"):
            captured = dynacc.compile(lambda x: dynacc.cond(x.min() >= 0, np.log, np.negative, x), fullgraph=True)
            captured(np.array([0.0, 1.0]))

    def test_nested(self):
        def f(x):
            return dynacc.cond(x[0] > 0,
                               lambda: dynacc.cond(x[1] > 0, lambda: x + x[0], lambda: x - x[1]),
                               lambda: dynacc.cond(x[1] > 0, lambda: x * x[1], lambda: x / x[0]))

        for a in (1.0, -2.0):
            for b in (3.0, -4.0):
                self.check(f, np.array([a, b, 5.0]))

    def test_a_python_condition_is_a_branch_of_the_trace(self):
        graph = make_graph(lambda x: dynacc.cond(len(x) > 2, np.sin, np.cos, x), np.ones(3))
        self.assertEqual([node.op for node in graph.nodes], ["input", "sin"])

    def refused(self, words, f, *args):
        with self.assertRaisesRegex(RuntimeError, words):
            dynacc.compile(f, fullgraph=True)(*args)

    def test_branches_that_differ(self):
        x = np.ones(3)
        for other, words in ((lambda a: a.astype(np.float32), r"f64\[3\].*f32\[3\]"),
                             (lambda a: a[:2], r"f64\[3\].*f64\[2\]")):
            def f(x):
                return dynacc.cond(x[0] > 0, lambda a: a * 2, other, x)

            def left_to_python(x):
                return dynacc.cond(x[0] > 0, lambda a: a * 2, other, x)
            self.refused(f"{FILE}:.*" + words, f, x)
            same(self, left_to_python(x), x * 2)  # which takes the branch
            same(self, dynacc.compile(left_to_python)(x), x * 2)

    def test_mutation_is_refused(self):
        x, seen = np.ones(3), []

        def writes(x):
            def change(a):
                a += 1
                return a
            return dynacc.cond(x[0] > 0, change, lambda a: a, x)

        def appends(x):
            def note(a):
                seen.append(a)
                return a
            return dynacc.cond(x[0] > 0, note, lambda a: a, x)

        def of_the_trace(x):
            out = np.zeros(3)

            def fill():
                out[1] = x[1]
                return x[0]
            return dynacc.cond(x[0] > 0, fill, lambda: x[1]), out

        for f in (writes, appends, of_the_trace):
            wanted = f(x.copy())
            same(self, dynacc.compile(f)(x.copy()), wanted)  # by Python
            self.refused(f"{FILE}:.*changes what is outside", f, x.copy())

    def test_own_arrays_may_change(self):
        def f(x):
            def fill():
                out = np.zeros(3)
                out[1] = x[1]
                names = []
                names.append(out * 2)
                return names[0]
            return dynacc.cond(x[0] > 0, fill, lambda: x * 1.0)

        self.check(f, np.array([1.0, 2.0, 3.0]))


class Loops(Case):
    def test_while_loop(self):
        def newton(a):
            return dynacc.while_loop(lambda s: (abs(s[0] * s[0] - a) > 1e-12).any() & (s[1] < 50),
                                     lambda s: (0.5 * (s[0] + a / s[0]), s[1] + 1), (a, 0))

        graph, _ = self.check(newton, np.array([2.0, 3.0, 100.0]))
        self.assertIn("loop", [node.op for node in graph.nodes])
        self.check(newton, np.array([1.0]))  # no round at all

    def test_bounds(self):
        def f(x):
            return dynacc.while_loop(lambda v: v.sum() < 100, lambda v: v * 2 + 1, x, bound=4)

        for start in (0.0, 30.0, 200.0):
            self.check(f, np.full(3, start))

    def test_scan(self):
        w = RANDOM.normal(size=(3, 3)) / 3

        def rnn(h, xs):
            def cell(h, x):
                h = np.tanh(w @ h + x)
                return h, {"h": h, "norm": (h * h).sum()}
            return dynacc.scan(cell, h, xs)

        for n in (1, 2, 17):
            self.check(rnn, np.zeros(3), RANDOM.normal(size=(n, 3)))

    def test_scan_backwards_and_by_length(self):
        xs = RANDOM.normal(size=(6, 2))
        self.check(lambda xs: dynacc.scan(lambda c, x: (c + x, c * x), np.zeros(2), xs, reverse=True), xs)
        self.check(lambda x: dynacc.scan(lambda c, _: (c * x, c.sum()), x, None, length=5), xs[0])
        self.check(lambda x: dynacc.scan(lambda c, _: ((c[1], c[0] + c[1]), c[0]), (0, 1), length=30)[1] + x, 1.0)

    def test_scan_of_nothing(self):
        self.check(lambda xs: dynacc.scan(lambda c, x: (c + x, x > 0), 1.5, xs), np.zeros(0), dynamic=False)

    def test_carries_of_several_dtypes(self):
        def f(xs):
            def body(c, x):
                i, total, flag, z = c
                return (i + 1, total + x.astype(np.float32), flag ^ (x > 0).any(), z * 1j), (i, x.astype(np.int8))
            return dynacc.scan(body, (0, np.zeros(2, np.float32), np.bool_(True), 1 + 0j), xs)

        self.check(f, RANDOM.normal(size=(5, 2)))

    def test_map(self):
        table = RANDOM.normal(size=(4, 2))
        self.check(lambda xs: dynacc.map(lambda x: {"a": table @ x, "b": x.max()}, xs), RANDOM.normal(size=(3, 2)))

    def test_associative_scan(self):
        for n in (1, 2, 3, 4, 7, 16, 33):
            xs = RANDOM.integers(-5, 6, size=(n, 2))
            for reverse in (False, True):
                found, _ = self.check(lambda xs: dynacc.associative_scan(np.add, xs, reverse=reverse), xs,
                                      dynamic=False), None
                wanted = np.cumsum(xs[::-1], axis=0)[::-1] if reverse else np.cumsum(xs, axis=0)
                same(self, dynacc.associative_scan(np.add, xs, reverse=reverse), wanted)
                del found
        xs = RANDOM.integers(-5, 6, size=(2, 9))
        same(self, dynacc.associative_scan(np.maximum, xs, axis=1), np.maximum.accumulate(xs, axis=1))
        a, b = RANDOM.normal(size=9), RANDOM.normal(size=9)
        _, found = dynacc.associative_scan(lambda p, q: (p[0] * q[0], p[1] * q[0] + q[1]), (a, b))
        h, wanted = 0.0, []
        for i in range(9):
            h = a[i] * h + b[i]
            wanted.append(h)
        np.testing.assert_allclose(found, wanted, rtol=1e-12)

    def test_a_library_call_in_a_body(self):
        self.check(lambda xs: dynacc.map(lambda x: np.sort(x)[::-1] * 1.0, xs), RANDOM.normal(size=(3, 5)))

    def test_loops_in_loops(self):
        def f(xs):
            def outer(c, x):
                inner = dynacc.while_loop(lambda v: v < 10, lambda v: v * 2, np.abs(x[0]) + 0.5)
                c = dynacc.cond(inner > 12, lambda: c + x, lambda: c - inner)
                return c, dynacc.scan(lambda s, e: (s + e, s * e), c[0], x)[1]
            return dynacc.scan(outer, np.zeros(3), xs)

        self.check(f, RANDOM.normal(size=(4, 3)))

    def test_carries_that_change(self):
        for body, words in ((lambda c, x: (c.astype(np.float32), x), "float64.*float32|f64.*f32"),
                            (lambda c, x: (c[:1], x), r"\[2\].*\[1\]"),
                            (lambda c, x: ((c, c), x), "a tree|a carry")):
            def f(xs):
                return dynacc.scan(body, np.zeros(2), xs)

            def left_to_python(xs):
                return dynacc.scan(body, np.zeros(2), xs)
            with self.assertRaisesRegex(TypeError, words):
                left_to_python(np.ones((3, 2)))
            with self.assertRaisesRegex((RuntimeError, TypeError), f"{words}"):
                dynacc.compile(f, fullgraph=True)(np.ones((3, 2)))
        with self.assertRaisesRegex(TypeError, "while_loop.*float64.*int64"):
            dynacc.while_loop(lambda v: v < 3, lambda v: 5, 0.0)

    def test_bad_lengths(self):
        with self.assertRaisesRegex(ValueError, "of 2 and of 3 slices"):
            dynacc.scan(lambda c, x: (c, x), 0, (np.ones(3), np.ones(2)))
        with self.assertRaisesRegex(ValueError, "dynacc.scan: give xs, arrays to loop over, or length"):
            dynacc.scan(lambda c, x: (c, x), 0)
        with self.assertRaisesRegex(ValueError, "without axes, has no slices"):
            dynacc.map(np.sin, np.float64(1))

    def test_init_is_not_written(self):
        def body(c, x):
            c += x
            return c, c * 2

        start = np.zeros(2)
        self.check(lambda start, xs: dynacc.scan(body, start, xs), start, np.ones((3, 2)))
        same(self, start, np.zeros(2))

    def test_compile_time_does_not_grow_with_the_count(self):
        def f(x, n):
            return dynacc.scan(lambda c, _: (np.sin(c) + x, None), x, length=n)[0]

        few, many = (make_graph(f, np.ones(3), n) for n in (3, 100000))
        self.assertEqual(str(few).replace("length[3]", ""), str(many).replace("length[100000]", ""))
        wanted = np.ones(3)
        for _ in range(100000):
            wanted = np.sin(wanted) + np.ones(3)
        same(self, many.compile()(np.ones(3), 100000), wanted)

    def test_data_dependent_sizes_are_refused(self):
        def f(x):
            return dynacc.map(lambda row: np.unique(row).sum(), x)

        with self.assertRaisesRegex(RuntimeError, "size depends on values"):
            dynacc.compile(f, fullgraph=True)(np.ones((3, 4)))


def differences(f, x, step=1e-6):
    found = np.zeros_like(x)
    for at in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[at] += step
        down[at] -= step
        found[at] = (f(up) - f(down)) / (2 * step)
    return found


class Gradients(unittest.TestCase):
    def check(self, f, x, second=True, reverse=True):
        wanted = differences(f, x)
        if reverse:
            value, gradient = dynacc.value_and_grad(f)(x)
            np.testing.assert_allclose(value, f(x), rtol=1e-14)
            np.testing.assert_allclose(gradient, wanted, rtol=1e-5, atol=1e-6)
            _, pull = dynacc.vjp(f, x)
            np.testing.assert_allclose(pull(1.0)[0], wanted, rtol=1e-5, atol=1e-6)
        direction = RANDOM.normal(size=x.shape)
        value, tangent = dynacc.jvp(f, (x,), (direction,))
        np.testing.assert_allclose(value, f(x), rtol=1e-14)
        np.testing.assert_allclose(tangent, (wanted * direction).sum(), rtol=1e-5, atol=1e-6)
        if second and reverse:
            hessian = dynacc.hessian(f)(x)
            rows = [differences(lambda v, at=at: dynacc.grad(f)(v)[at], x) for at in np.ndindex(x.shape)]
            np.testing.assert_allclose(hessian.reshape(x.size, x.size), np.reshape(rows, (x.size, x.size)), rtol=1e-4,
                                       atol=1e-5)

    def test_cond(self):
        def f(x):
            return dynacc.cond(x[0] > 0, lambda v: np.sin(v) * x[1], lambda v: v * v * v, x).sum()

        for sign in (1, -1):
            self.check(f, np.array([0.5, 1.5, -0.7]) * sign)

    def test_scan(self):
        w = RANDOM.normal(size=(3, 3)) / 2

        def f(x):
            def cell(h, row):
                h = np.tanh(w @ h + row * x[0])
                return h, (h * x).sum()
            h, ys = dynacc.scan(cell, x, np.array([[1.0], [-0.5], [2.0], [0.3]]) * x)
            return (h * h).sum() + (ys * ys).sum()

        self.check(f, np.array([0.3, -0.8, 1.1]))

    def test_scan_backwards_and_counters(self):
        def f(x):
            (_, c), ys = dynacc.scan(lambda c, e: ((c[0] + 1, c[1] * e + c[0]), c[1] * c[0]), (0, x[0]), x, reverse=True)
            return c + ys.sum()

        self.check(f, np.array([0.3, -0.8, 1.1, 0.5]))

    def test_bounded_while(self):
        def f(x):
            value, rounds = dynacc.while_loop(lambda s: (s[0] * s[0]).sum() < 20, lambda s: (s[0] * x + s[0], s[1] + 1),
                                              (x, 0), bound=12)
            return value.sum() * (1 + 0.0 * rounds)

        for scale in (1.0, 0.4, 5.0):
            self.check(f, np.array([0.7, 1.3]) * scale)

    def test_unbounded_while_forward(self):
        def f(x):
            return dynacc.while_loop(lambda v: (v * v).sum() < 20, lambda v: v * x + v, x).sum()

        self.check(f, np.array([0.7, 1.3]), reverse=False)
        with self.assertRaisesRegex(NotImplementedError, "bound=n"):
            dynacc.grad(f)(np.array([0.7, 1.3]))

    def test_nested(self):
        def f(x):
            def outer(c, e):
                c = dynacc.cond(c > 0, lambda: c * e + 1, lambda: c - e)
                inner = dynacc.scan(lambda s, k: (s * k + c, s), e, x)[1]
                return c, inner.sum()
            c, ys = dynacc.scan(outer, x[0], x)
            return c * c + ys.sum()

        self.check(f, np.array([0.6, -0.4, 0.9]))

    def test_grad_inside(self):
        def f(x):
            def step(v, _):
                return v - 0.1 * dynacc.grad(lambda u: ((u - x) ** 2).sum() + np.cos(u).sum())(v), None
            return dynacc.scan(step, np.zeros(3), length=7)[0].sum()

        self.check(f, np.array([0.6, -0.4, 0.9]), second=False)


class Vmap(Case):
    def loop(self, f, *args, axes=None):
        axes = axes or [0] * len(args)
        size = next(a.shape[at] for a, at in zip(args, axes) if at is not None)
        results = [f(*[a if at is None else np.take(a, i, at) for a, at in zip(args, axes)]) for i in range(size)]
        columns = zip(*[leaves(result) for result in results])
        return [np.stack([np.asarray(e) for e in column]) for column in columns]

    def vmapped(self, f, *args, exact=True):
        wanted = self.loop(f, *args)
        same(self, leaves(dynacc.vmap(f)(*args)), wanted, exact)
        same(self, leaves(dynacc.compile(lambda *args: dynacc.vmap(f)(*args), fullgraph=True)(*args)), wanted, exact)

    def test_structural_ops(self):
        x, y = RANDOM.normal(size=(5, 4, 3)), RANDOM.normal(size=(5, 4, 3))
        for f in (lambda a: np.sin(a) + 1, lambda a: a.T, lambda a: a[::2, None, 1], lambda a: a.reshape(2, 6),
                  lambda a: a.sum(axis=0), lambda a: a.max(axis=1, keepdims=True), lambda a: a.mean(axis=1),
                  lambda a: np.roll(a, 1, axis=0), lambda a: np.cumsum(a, axis=1), lambda a: a.argmax(),
                  lambda a: a.argmin(axis=0), lambda a: np.where(a > 0, a, 0), lambda a: a.astype(np.int32),
                  lambda a: np.sort(a, axis=0), lambda a: a[[0, 2, 2]], lambda a: a[:, [1, 0]], lambda a: a.copy(),
                  lambda a: np.concatenate([a, a * 2], axis=1), lambda a: (a, {"b": a[0]}), lambda a: 3.0 * a[1, 1]):
            self.vmapped(f, x)
        for f in (lambda a, b: a * b, lambda a, b: np.concatenate([a, b]), lambda a, b: np.hypot(a, b)[1]):
            self.vmapped(f, x, y)

    def test_products(self):
        a, b, v = RANDOM.normal(size=(5, 4, 3)), RANDOM.normal(size=(5, 3, 2)), RANDOM.normal(size=(5, 3))
        m = RANDOM.normal(size=(3, 2))
        for f, args in ((np.matmul, (a, b)), (np.matmul, (a, v)), (lambda p, q: q @ p.T, (a, v)),
                        (lambda p: p @ m, (a,)), (lambda p: p @ m, (v,)), (lambda p: m.T @ p, (v,)),
                        (lambda p: p @ m[:, 0], (v,)), (lambda p: m[:, 0] @ p, (v,)), (lambda p, q: q @ q, (a, v)),
                        (lambda p: np.stack([p, p]) @ m, (a,)), (lambda p: np.stack([m.T, m.T]) @ p, (b,))):
            if f is np.matmul or args[0].ndim > 1:
                self.vmapped(f, *args, exact=False)

    def test_writes_and_indices(self):
        x, i = RANDOM.normal(size=(5, 4)), RANDOM.integers(0, 4, size=(5, 2))
        table = RANDOM.normal(size=(4, 3))

        def store(a):
            out = np.zeros(4)
            out[1:3] = a[:2]
            out[0] += a[3]
            return out

        def scatter(a, k):
            out = a.copy()
            out[k] = 7.0
            return out

        for f, args in ((store, (x,)), (scatter, (x, i)), (lambda k: table[k], (i,)), (lambda a, k: a[k], (x, i)),
                        (lambda a, k: np.take_along_axis(a, k, 0), (x, i)), (lambda k: table[:, 1][k].sum(), (i,))):
            self.vmapped(f, *args)

    def test_axes(self):
        x, w = RANDOM.normal(size=(3, 5, 4)), RANDOM.normal(size=4)
        f = dynacc.vmap(lambda a, w: a * w, in_axes=(1, None), out_axes=2)
        same(self, f(x, w), np.stack([x[:, i] * w for i in range(5)], axis=2))
        f = dynacc.vmap(lambda tree, *, k: (tree["a"] + tree["b"][0], k), in_axes=({"a": 0, "b": [None]},),
                        out_axes=(-1, 0))
        found = f({"a": x, "b": [x[0]]}, k=np.arange(3))
        same(self, found, (np.stack([x[i] + x[0] for i in range(3)], axis=-1), np.arange(3)))
        same(self, dynacc.vmap(lambda a: w, out_axes=None)(x), w)
        same(self, dynacc.vmap(lambda a: w * 1)(x), np.stack([w] * 3))
        with self.assertRaisesRegex(ValueError, "of 5 and of 3|of 3 and of 5"):
            dynacc.vmap(np.add)(np.ones(3), np.ones(5))
        with self.assertRaisesRegex(ValueError, "None for all"):
            dynacc.vmap(np.sin, in_axes=None)(np.ones(3))

    def test_nested(self):
        x, y = RANDOM.normal(size=5), RANDOM.normal(size=7)
        f = dynacc.vmap(lambda a: dynacc.vmap(lambda b: a * b - np.sin(b))(y))
        same(self, f(x), np.stack([np.stack([a * b - np.sin(b) for b in y]) for a in x]))
        g = dynacc.vmap(dynacc.vmap(lambda a, b: a - b, in_axes=(None, 0)), in_axes=(0, None))
        same(self, g(x, y), x[:, None] - y)

    def test_control_flow_inside(self):
        x = RANDOM.normal(size=(6, 4))

        def branches(v):
            return dynacc.cond(v[0] > 0, lambda: v * 2, lambda: v - 1)

        def same_branch(v):
            return dynacc.cond(x.sum() > 0, lambda: v * 2, lambda: v - 1)

        def loops(v):
            return dynacc.scan(lambda c, e: (c * e + v[0], c), np.float64(1), v)

        def until(v):
            return dynacc.while_loop(lambda s: (s[0] * s[0]).sum() < 50, lambda s: (s[0] * 1.5, s[1] + 1), (v, 0))

        def together(v):
            return dynacc.while_loop(lambda s: s[1] < 4, lambda s: (s[0] * v[0], s[1] + 1), (v, 0))

        for f in (branches, same_branch, loops, until, together):
            self.vmapped(f, x)

    def test_in_control_flow(self):
        x = RANDOM.normal(size=(6, 4))
        f = dynacc.vmap(lambda v: v / (1 + np.abs(v[0])))
        self.check(lambda x: dynacc.scan(lambda c, _: (f(c), c.sum()), x, length=3), x)

    def test_with_gradients(self):
        x, w = RANDOM.normal(size=(6, 4)), RANDOM.normal(size=4)

        def loss(w, row):
            return np.tanh(row * w).sum() ** 2 if False else np.square(np.tanh(row * w).sum())

        each = dynacc.vmap(dynacc.grad(loss), in_axes=(None, 0))(w, x)
        np.testing.assert_allclose(each, [dynacc.grad(loss)(w, row) for row in x], rtol=1e-12)
        total = dynacc.grad(lambda w: dynacc.vmap(loss, in_axes=(None, 0))(w, x).sum())(w)
        np.testing.assert_allclose(total, each.sum(axis=0), rtol=1e-12)
        _, tangent = dynacc.jvp(lambda w: dynacc.vmap(loss, in_axes=(None, 0))(w, x), (w,), (w,))
        np.testing.assert_allclose(tangent, each @ w, rtol=1e-12)
        jacobian = dynacc.jacobian(lambda w: dynacc.vmap(loss, in_axes=(None, 0))(w, x))(w)
        np.testing.assert_allclose(jacobian, each, rtol=1e-12)
        inner = dynacc.jacobian(lambda row: np.tanh(row[:2] * w[:2]))
        np.testing.assert_allclose(dynacc.vmap(inner)(x), [inner(row) for row in x], rtol=1e-12)

    def test_sizes_that_values_decide_are_refused(self):
        x = RANDOM.normal(size=(3, 4))

        def chosen(v):
            w = v * 2
            return np.extract(w > 1, w).sum()

        line = chosen.__code__.co_firstlineno + 2
        with self.assertRaisesRegex(RuntimeError, rf"^dynacc.vmap: graph break .*control_flow_test.py:{line}\)") as caught:
            dynacc.vmap(chosen)(x)
        self.assertNotIn("fullgraph", str(caught.exception))

    def test_gradients_of_batched_loops(self):
        x = RANDOM.uniform(0.3, 0.8, size=(3, 2))

        def until(v):
            return dynacc.while_loop(lambda s: (s * s).sum() < 5, lambda s: s * (1 + v), v, bound=9).sum()

        def steps(v):
            return dynacc.scan(lambda c, e: (np.sin(c) * e, c), v[0], v)[1].sum()

        for f in (until, steps):
            wanted = [dynacc.grad(f)(row) for row in x]
            np.testing.assert_allclose(dynacc.vmap(dynacc.grad(f))(x), wanted, rtol=1e-12)
            np.testing.assert_allclose(dynacc.grad(lambda x: dynacc.vmap(f)(x).sum())(x), wanted, rtol=1e-12)

    def test_sizes_that_agree_in_a_call(self):
        """Two arrays of one size that are two inputs: the graph requires that their sizes are equal."""
        x, y, z = RANDOM.normal(size=(3, 5))

        def pulled(x, y, z):
            return dynacc.vjp(lambda a, b: np.where(a > 0, a * b, a), x, y)[1](z)

        self.check(lambda x, y: dynacc.vmap(lambda a, b: a * b)(x, y), x, y)
        self.check(lambda x, y: dynacc.jvp(lambda a: np.where(a > 0, a * a, a), (x,), (y,)), x, y)
        self.check(lambda x, y: dynacc.jvp(np.sin, (x,), (y,)), x, np.arange(5, dtype=np.float32))
        self.check(pulled, x, y, z)

    def test_refused(self):
        with self.assertRaisesRegex(RuntimeError, "size depends on values"):
            dynacc.vmap(lambda a: np.unique(a).sum())(np.ones((2, 3)))
        with self.assertRaisesRegex(RuntimeError, f"{FILE}:[0-9]+: .*print"):
            dynacc.vmap(lambda a: print(a))(np.ones((2, 3)))
        with self.assertRaisesRegex(TypeError, "not callable"):
            dynacc.vmap(3)

    def test_warnings_are_numpys(self):
        with self.assertWarnsRegex(RuntimeWarning, "divide by zero"):
            found = dynacc.vmap(lambda a: 1 / a)(np.array([[1.0, 0.0], [2.0, 4.0]]))
        same(self, found, np.array([[1.0, np.inf], [0.5, 0.25]]))

    def test_random_functions(self):
        """500 random graphs with a batch axis against runs for each example; as functions, where they can be traced."""
        functions = 0
        for seed in range(500):
            case = random_graph.RandomGraph(seed)
            text = str(case.graph)
            batch = [np.stack([array, array[::-1] if array.ndim else array, array * 2 if array.dtype != bool else array])
                     for array in case.arrays]
            program = _dynacc.GraphProgram(text)
            exact = not re.search("matmul|reduce_|mean", text)
            with np.errstate(all="ignore"), self.subTest(seed=seed):
                flags = [int(place == 0 or seed % 2 == 0) for place in range(len(batch))]
                inputs = [array if flag else array[0] for array, flag in zip(batch, flags)]
                wanted = [program.run([array[i] if flag else array[0] for array, flag in zip(batch, flags)], [])[0]
                          for i in range(3)]
                batched, has_axis = program.batch(flags, 3)
                for found in (batched.run(inputs, [])[0], _dynacc.run_graph(batched.text, "cpu", inputs)):
                    for place, has in enumerate(has_axis):
                        for i in range(3):
                            self.compare(found[place][i] if has else found[place], wanted[i][place], exact)
                namespace = {}
                exec(case.graph.to_python("f"), namespace)
                try:
                    make_graph(namespace["f"], *case.arrays)
                except GraphError:
                    continue
                wanted = [namespace["f"](*[array[i] for array in batch]) for i in range(3)]
                try:
                    found = leaves(dynacc.vmap(namespace["f"])(*batch))
                except RuntimeError as error:  # compiled code knows how arrays lie, a graph need not
                    self.assertRegex(str(error), "memory order|not known to be contiguous")
                    continue
                functions += 1
                for place, value in enumerate(found):
                    for i in range(3):
                        self.compare(value[i], np.asarray(wanted[i][place]), exact)
        self.assertGreater(functions, 150)

    def compare(self, found, wanted, exact):
        self.assertEqual((found.dtype, found.shape), (wanted.dtype, wanted.shape))
        if exact and wanted.dtype.kind not in "fc":
            self.assertEqual(found.tobytes(), wanted.tobytes())
        elif exact:
            np.testing.assert_array_equal(found, wanted)
        else:
            np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


class GraphsWithSubgraphs(unittest.TestCase):
    def graph(self):
        return make_graph(lambda x: dynacc.scan(lambda c, e: (c + e, c * e), np.float64(0), x), np.arange(3.0))

    def test_attributes(self):
        loop = next(node for node in self.graph().nodes if node.op == "loop")
        attrs = loop.attrs
        self.assertEqual((attrs["carries"], attrs["slices"], attrs["length"], attrs["reverse"]), (1, 1, 3, False))
        body, = attrs["graphs"]
        self.assertEqual(len(body.inputs), 2)

    def test_building(self):
        branches = []
        for op in ("exp", "negative"):
            branch = Graph()
            branch.output(branch.call_function(op, (branch.placeholder("f64", (3,)),)))
            branches.append(branch)
        graph = Graph()
        condition, x = graph.placeholder("bool", ()), graph.placeholder("f64", (3,))
        graph.output(graph.call_function("cond", (condition, x), {"graphs": branches}, dtype="f64"))
        for value in (True, False):
            found, = graph.run(np.array(value), np.arange(3.0))
            self.assertEqual(found.tolist(), (np.exp if value else np.negative)(np.arange(3.0)).tolist())
        with self.assertRaisesRegex(GraphError, "the branch takes 1"):
            graph.call_function("cond", (condition, x, x), {"graphs": branches}, dtype="f64")

    def test_equality_is_by_content(self):
        self.assertEqual(self.graph(), self.graph())
        other = make_graph(lambda x: dynacc.scan(lambda c, e: (c - e, c * e), np.float64(0), x), np.arange(3.0))
        self.assertNotEqual(self.graph(), other)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[1:])
