#!/usr/bin/env python3
"""dynacc.op: operators as nodes, with shape rules, writes, gradients, decompositions and C++ source that fuses; what
operators that lie say; dynacc.testing.check_op. Run by the launcher and by a stock python3."""
import os
import sys
import unittest
import warnings

import _dynacc
import numpy as np

import dynacc
from dynacc import operators, testing
from dynacc.graph import make_graph

FILE = os.path.basename(__file__)
calls = []


@dynacc.op("tests::scale", lambda x, k: x)
def scale(x, k=2.0):
    """Times k."""
    calls.append(x.shape)
    return np.asarray(x * k, dtype=x.dtype)


@dynacc.op("tests::outer", "T[n], T[m] -> T[n, m]", gradient=lambda g, result, a, b: (g @ b, a @ g))
def outer(a, b):
    return np.outer(a, b)


@dynacc.op("tests::extremes", lambda x, *, axis: [operators.Spec((x.shape[1 - axis],), x.dtype)] * 2)
def extremes(x, *, axis):
    return x.min(axis=axis), x.max(axis=axis)


@dynacc.op("tests::accumulate", mutates="total")
def accumulate(total, x):
    total += x


@dynacc.op("tests::take_and_count", "f64[n], i64[] -> f64[]", mutates="count")
def take_and_count(x, count):
    count += 1
    return x.sum()


@dynacc.op("tests::soft_sign", elementwise="a / (T(1) + Abs(a))",
           gradient=lambda g, y, x: g / ((1.0 + np.abs(x)) * (1.0 + np.abs(x))))
def soft_sign(x):
    return x / (1 + np.abs(x))


@dynacc.op("tests::blend", elementwise="a * T(0.25) + b * T(0.75)")
def blend(a, b):
    return a * a.dtype.type(0.25) + b * b.dtype.type(0.75)


@dynacc.op("tests::logistic", lambda x: x, decomposition=lambda x: 1.0 / (1.0 + np.exp(-x)))
def logistic(x):
    return 1.0 / (1.0 + np.exp(-x))


@dynacc.op("tests::report", effects=True)
def report(x):
    calls.append(("report", float(x.sum())))


class Operators(unittest.TestCase):
    def setUp(self):
        calls.clear()

    def check(self, function, *args, breaks=0):
        """The function gives the same bytes captured, and twice, and breaks off so many times."""
        expected = function(*args)
        found = dynacc.explain(function)(*args)
        self.assertEqual(len(found.breaks), breaks, found.breaks)
        compiled = dynacc.compile(function)
        for result in (found.result, compiled(*args), compiled(*args)):
            self.assertEqual(*[[(np.asarray(a).dtype, np.shape(a), np.asarray(a).tobytes())
                                for a in (one if isinstance(one, tuple) else (one,))] for one in (result, expected)])
        return found

    def test_is_called_at_its_place(self):
        a = np.arange(6.0).reshape(2, 3)
        found = self.check(lambda x: scale(np.exp(x) + 1.0, 3.0) * 0.5, a)
        self.assertRegex(found.graphs[0], rf"tests.scale.%4, 3.0. call \d+ +# .*{FILE}:\d+")
        calls.clear()
        compiled = dynacc.compile(lambda x: scale(x) + 1.0)
        for _ in range(5):
            compiled(a)
        self.assertEqual(calls, [(2, 3)] * 5)  # not once more for the trace
        self.assertEqual((scale.__doc__, scale.__name__), ("Times k.", "scale"))

    def test_sizes_vary(self):
        compiled = dynacc.compile(lambda a, b: outer(a, b + 1.0).sum(axis=0), dynamic=True)
        for n, m in ((3, 4), (7, 2), (5, 5)):
            a, b = np.arange(n, dtype=float), np.arange(m, dtype=float)
            self.assertEqual(compiled(a, b).tobytes(), np.outer(a, b + 1.0).sum(axis=0).tobytes())
        graph = make_graph(lambda a, b: outer(a, b), np.ones(3), np.ones(4), dynamic=True)
        self.assertEqual([str(size) for size in graph.outputs[0].shape], ["s0", "s1"])

    def test_several_results(self):
        a = np.random.default_rng(0).normal(size=(4, 6))
        self.check(lambda x: extremes(x * 2.0, axis=0), a)
        self.check(lambda x: extremes(x, axis=1)[1] - 1.0, a)

    def test_writes(self):
        def total(x):
            sums = np.zeros(4)
            accumulate(sums, x)
            accumulate(sums, x * x)
            return sums + 0.5

        found = self.check(total, np.arange(4.0))
        self.assertIn("tests.accumulate", found.graphs[0])
        sums = np.zeros(3)
        dynacc.compile(lambda s, x: accumulate(s[1:], x))(sums, np.ones(2))
        self.assertEqual(sums.tolist(), [0.0, 1.0, 1.0])
        count = np.array(0)
        self.assertEqual(dynacc.compile(lambda x, c: take_and_count(x, c) * 2)(np.ones(3), count), 6.0)
        self.assertEqual(count, 1)

    def test_effects_are_a_break(self):
        def f(x):
            y = np.exp(x)
            report(y)
            return y * 2.0

        found = dynacc.explain(f)(np.zeros(3))
        self.assertEqual([row["reason"] for row in found.breaks], ["the operator tests::report, which has effects"])
        calls.clear()
        compiled = dynacc.compile(f)
        for _ in range(3):
            compiled(np.zeros(3))
        self.assertEqual(calls, [("report", 3.0)] * 3)

    def test_source_fuses(self):
        a = np.linspace(-3.0, 3.0, 1000)
        for dtype in ("float64", "float32"):
            found = self.check(lambda x: soft_sign(x * 2) + blend(x, x + 1), a.astype(dtype))
            self.assertEqual([group["kind"] for group in found.segments[0]["entries"][0]["groups"]], ["elementwise"])
            self.assertIn("tests.soft_sign", found.graphs[0])
        self.check(lambda x: soft_sign(x), np.arange(-3, 4))  # computed in float64
        self.check(lambda x: blend(x[:, None], 2.0) * 1.0, a)
        graph = make_graph(lambda x: soft_sign(x) * 2.0, a)
        expected = graph.run(a)[0].tobytes()
        self.assertEqual(expected, (soft_sign(a) * 2.0).tobytes())
        for target in ("tile", "reference"):
            self.assertEqual(graph.run(a, target=target)[0].tobytes(), expected)
        self.assertEqual(type(graph).parse(str(graph)).run(a)[0].tobytes(), expected)

    def test_decomposition(self):
        found = self.check(lambda x: logistic(x) * 2.0, np.linspace(-2.0, 2.0, 9))
        self.assertIn("exp", found.graphs[0])
        slope = dynacc.grad(lambda x: logistic(x).sum())(np.zeros(2))
        self.assertEqual(slope.tolist(), [0.25, 0.25])

    def test_gradients(self):
        a, b = np.array([1.0, 2.0]), np.array([3.0, 5.0, 7.0])
        found = dynacc.grad(lambda a, b: (outer(a, b) * 2.0).sum(), (0, 1))(a, b)
        self.assertEqual([part.tolist() for part in found], [[30.0, 30.0], [6.0, 6.0, 6.0]])
        slope = dynacc.grad(lambda x: soft_sign(x).sum())(np.array([1.0, -3.0]))
        self.assertEqual(slope.tolist(), [0.25, 0.0625])
        with self.assertRaisesRegex(NotImplementedError, rf"tests.scale.*{FILE}"):
            dynacc.grad(lambda x: scale(x).sum())(a)

    def test_gradients_of_gradients(self):
        def cube_gradient(g, y, x):
            return g * 3.0 * cube(x) / x

        @dynacc.op("tests::cube", lambda x: x, gradient=cube_gradient)
        def cube(x):
            return x * x * x

        x = np.array([2.0, -1.0])
        self.assertEqual(dynacc.grad(lambda x: cube(x).sum())(x).tolist(), [12.0, 3.0])
        np.testing.assert_allclose(dynacc.hessian(lambda x: cube(x).sum())(x), np.diag(6.0 * x))

    def test_in_batches_loops_and_branches(self):
        rows = np.arange(1.0, 7.0).reshape(2, 3)
        for op in (soft_sign, logistic, blend):
            one = (lambda x: op(x, x * 2)) if op is blend else op
            with self.subTest(op=op.__name__):
                found = dynacc.vmap(lambda x: one(x).sum())(rows)
                np.testing.assert_allclose(found, [one(row).sum() for row in rows], rtol=1e-12)
                wanted = np.zeros(3)
                for row in rows:
                    wanted = one(wanted) + row
                found, _ = dynacc.scan(lambda c, x: (one(c) + x, c), np.zeros(3), rows)
                np.testing.assert_array_equal(found, wanted)
                np.testing.assert_array_equal(dynacc.cond(rows[0, 0] > 0, one, lambda x: x, rows[0]), one(rows[0]))
        gradients = dynacc.vmap(dynacc.grad(lambda x: soft_sign(x).sum()))(rows)
        np.testing.assert_allclose(gradients, 1 / (1 + rows) ** 2, rtol=1e-12)

    def test_gradients_of_several_results(self):
        @dynacc.op("tests::parts", lambda x: [x, x],
                   gradient=lambda g, y, x: g[0] * np.cos(x) - g[1] * np.sin(x))
        def parts(x):
            return np.sin(x), np.cos(x)

        x = np.array([0.5, 1.0])
        found = dynacc.grad(lambda x: (parts(x)[0] * 2.0 + parts(x)[1]).sum())(x)
        np.testing.assert_allclose(found, 2.0 * np.cos(x) - np.sin(x), rtol=1e-14)
        testing.check_op(parts, x)

    def test_exceptions_and_warnings_are_the_functions_own(self):
        @dynacc.op("tests::picky", "T[n] -> T[n]")
        def picky(x):
            if x[0] < 0:
                raise KeyError("negative")
            if x[0] > 10:
                warnings.warn("large")
            return x + 1

        compiled = dynacc.compile(lambda x: picky(x) * 2.0)
        self.assertEqual(compiled(np.ones(2)).tolist(), [4.0, 4.0])
        with self.assertRaises(KeyError) as caught:
            compiled(-np.ones(2))
        self.assertRegex(caught.exception.__notes__[0], rf"in operator tests::picky, called at .*{FILE}:\d+")
        with self.assertWarnsRegex(UserWarning, "large"):
            self.assertEqual(compiled(np.full(2, 11.0)).tolist(), [24.0, 24.0])

    def test_bodies_may_be_compiled_functions(self):
        inner = dynacc.compile(lambda x: np.exp(x) * 2.0 + 1.0)

        @dynacc.op("tests::nested", lambda x: x)
        def nested(x):
            return inner(x)

        self.check(lambda x: nested(x) - 1.0, np.linspace(0.0, 1.0, 7))

    def test_many_signatures(self):
        @dynacc.op("tests::signature", lambda a, b, c, d: a)
        def signature(a, /, b=1, *, c=2, d):
            return a + b + c + d

        self.check(lambda x: signature(x, d=4) + signature(x, 5, c=6, d=7), np.arange(3.0))
        self.assertRaises(TypeError, signature, np.ones(1))

        @dynacc.op("tests::variadic", lambda *arrays: arrays[0])
        def variadic(*arrays):
            return sum(arrays[1:], arrays[0])

        self.check(lambda x: variadic(x, x * 2.0, x + 1.0), np.arange(3.0))

        @dynacc.op("tests::listed", lambda arrays, n: arrays[0])
        def listed(arrays, n):
            return arrays[n] + 0.0

        self.check(lambda x: listed([x, x * 2.0], 1), np.arange(3.0))

    def test_is_declared_again(self):
        for factor in (2.0, 3.0):
            @dynacc.op("tests::again", lambda x: x, elementwise=f"a * T({factor})")
            def again(x):
                return x * factor

            self.assertEqual(dynacc.compile(lambda x: again(x) + 1.0)(np.ones(2)).tolist(), [factor + 1.0] * 2)
        self.assertIs(operators.get("tests::again"), again)
        self.assertIn("tests::again", operators.registered())


class Primitives(unittest.TestCase):
    """A segment may end before any instruction: what traces have calls for must also be there to be called."""

    def test_are_called_when_a_trace_breaks_off_before_them(self):
        arrays = _dynacc.arrays()
        a = np.arange(3.0)
        self.assertEqual(arrays.operator_call("tests::scale", -1, a.dtype, (3,), a, 3.0).tolist(), [0.0, 3.0, 6.0])
        self.assertEqual(arrays.operator_call("tests::extremes", 1, a.dtype, (3,), np.array([a, a + 1]), 0).tolist(), [1.0, 2.0, 3.0])
        self.assertEqual(arrays.elementwise_operator("tests::blend", a.dtype, a, 4.0).tolist(), [3.0, 3.25, 3.5])
        self.assertIsNone(arrays.operator_effects("tests::report"))
        self.assertEqual((arrays.enter_gradient(), arrays.leave_gradient()), (0, None))
        self.assertRaises(TypeError, arrays.operator_call, "tests::nothing", -1, a.dtype, (3,), a)
        self.assertRaises(TypeError, arrays.elementwise_operator)


class Lies(unittest.TestCase):
    def check(self, body, shape, message, *args, **options):
        operator = dynacc.op("tests::liar", shape, **options)(body)
        where = rf".*{FILE}:\d+"
        for function in (operator, dynacc.compile(lambda *args: operator(*args))):
            with self.assertRaisesRegex((dynacc.OperatorError, ValueError), "tests::liar.*" + message) as caught:
                function(*args)
            text = str(caught.exception) + "".join(getattr(caught.exception, "__notes__", ()))
            self.assertRegex(text, where)
        with self.assertRaisesRegex(dynacc.OperatorError, "tests::liar"):
            testing.check_op(operator, *args)

    def test_are_told_of(self):
        a = np.arange(3.0)
        self.check(lambda x: x.astype("f4"), lambda x: x, "float32 of shape .3,., but.*float64 of shape .3,.", a)
        self.check(lambda x: x[:2] + 1, lambda x: x, "shape .2,., but.*shape .3,.", a)
        self.check(lambda x: x, lambda x: x, "memory of one of its arguments", a)
        self.check(lambda x: x[1:], "f64[n] -> f64[n - 1]", "memory of one of its arguments", a)
        self.check(lambda x: (x + 1, x + 2), lambda x: x, "a tuple of 2, but its shape rule says one result", a)
        self.check(lambda x: None, lambda x: x, "gave nothing", a)

    def test_writes_that_were_not_declared(self):
        @dynacc.op("tests::writer", "f64[n] -> f64[]")
        def writer(x):
            x[0] = 7.0
            return x.sum()

        for function in (writer, dynacc.compile(lambda x: writer(x))):
            with self.assertRaisesRegex(ValueError, "read-only") as caught:
                function(np.ones(3))
            self.assertIn("tests::writer", caught.exception.__notes__[0])
        with self.assertRaisesRegex(dynacc.OperatorError, "writes to argument 1, which 'mutates' does not name"):
            testing.check_op(writer, np.ones(3))

    def test_check_op_finds_wrong_gradients(self):
        wrong = dynacc.op("tests::wrong", lambda x: x, gradient=lambda g, y, x: g * 2.0 * x)(lambda x: x * x * x)
        with self.assertRaisesRegex(dynacc.OperatorError, "its gradient gives .* where differences give"):
            testing.check_op(wrong, np.array([1.0, 2.0]))
        bent = dynacc.op("tests::bent", lambda x: x, gradient=lambda g, y, x: g * g)(lambda x: x * 1.0)
        with self.assertRaisesRegex(dynacc.OperatorError, "not linear"):
            testing.check_op(bent, np.array([1.0, 2.0]))

    def test_check_op_finds_other_results(self):
        source = dynacc.op("tests::source", elementwise="a + T(1)")(lambda x: x + 2)
        with self.assertRaisesRegex(dynacc.OperatorError, "on target tile: result 0 differs .* by up to 1"):
            testing.check_op(source, np.ones(3))
        parts = dynacc.op("tests::decomposed", lambda x: x, decomposition=lambda x: x + 1.0)(lambda x: x + 2.0)
        with self.assertRaisesRegex(dynacc.OperatorError, "the decomposition: result 0 differs"):
            testing.check_op(parts, np.ones(3))
        state = iter(range(100))
        random = dynacc.op("tests::random", lambda x: x)(lambda x: x + next(state))
        with self.assertRaisesRegex(dynacc.OperatorError, "two calls"):
            testing.check_op(random, np.ones(3))
        self.assertRaises(TypeError, testing.check_op, np.sin, np.ones(3))

    def test_check_op_agrees_with_what_is_right(self):
        numbers = np.random.default_rng(1)
        testing.check_op(outer, numbers.normal(size=4), numbers.normal(size=5))
        testing.check_op(soft_sign, numbers.normal(size=100))
        testing.check_op(blend, numbers.normal(size=(3, 4)), numbers.normal(size=4))
        testing.check_op(logistic, numbers.normal(size=10))
        testing.check_op(accumulate, np.zeros(3), np.ones(3))
        testing.check_op(scale, numbers.normal(size=(2, 2)), 3.0)
        testing.check_op(report, np.ones(2))


class Declarations(unittest.TestCase):
    def refuse(self, message, *args, body=lambda x: x, **options):
        with self.assertRaisesRegex((ValueError, TypeError), message):
            dynacc.op(*args, **options)(body)

    def test_that_make_no_sense(self):
        self.refuse("'library::operator'", "name")
        self.refuse("needs a shape rule", "tests::no")
        self.refuse("mutates 'z'", "tests::no", mutates="z")
        self.refuse("no gradient", "tests::no", mutates="x", gradient=lambda g, y, x: g)
        self.refuse("one or two arrays", "tests::no", elementwise="a", body=lambda a, b, c: a)
        self.refuse("(?s)tests::no: its C.. source is not compiled for float32.*undeclared", "tests::no", elementwise="a + oops")
        self.refuse("no '->'", "tests::no", "f64[n]")
        self.refuse("'float99' is no dtype", "tests::no", "float99[n] -> f64[n]")
        self.refuse("no expression of sizes", "tests::no", "f64[n] -> f64[m]")
        self.refuse("have names", "tests::no", lambda x: x, body=lambda x, **more: x)
        self.refuse("a function or a text", "tests::no", 3)
        self.assertRaises(KeyError, operators.get, "tests::nothing")

    def test_rules_look_at_arguments(self):
        product = dynacc.op("tests::product", "T[n, k], T[k, m], _ -> (T[n, m], i64[2 * n])")(
            lambda a, b, c: (a @ b, np.zeros(2 * len(a), int)))
        first, second = product(np.ones((2, 3)), np.ones((3, 4)), None)
        self.assertEqual((first.shape, second.shape), ((2, 4), (4,)))
        wrong = [(np.ones((2, 3)), np.ones((4, 4))), (np.ones(3), np.ones((3, 4))), (np.ones((2, 3)), np.ones((3, 4), "f4"))]
        for args, message in zip(wrong, ("axis 0 of argument 2 is of size k", "argument 1 is an array of rank 2",
                                         "argument 2 is of dtype T")):
            for function in (product, dynacc.compile(lambda *args: product(*args))):
                with self.assertRaisesRegex(ValueError, f"operator tests::product: {message}") as caught:
                    function(*args, None)
                self.assertRegex(caught.exception.__notes__[0], FILE)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
