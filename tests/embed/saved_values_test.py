#!/usr/bin/env python3
"""What derivatives keep and what they compute again: vjp's halves against the joint graph byte for byte, budgets,
dynacc.checkpoint and dynacc.custom_gradient. Run by the launcher and by a stock python3."""
import gc
import os
import random
import sys
import unittest
import warnings
import weakref

import _dynacc
import numpy as np

import dynacc

FILE = os.path.basename(__file__)


def same_bits(test, found, wanted):
    bits = [[(a.dtype, a.shape, a.tobytes()) for a in arrays] for arrays in (found, wanted)]
    test.assertEqual(*bits)


STEPS = ["{x} + {y}", "{x} * {y}", "np.tanh({x})", "np.exp(-({x} * {x}))", "({x} @ {y}.T) @ {y} / 4",
         "{x} - {x}.mean(axis=0)", "{x} / (1 + abs({y}))", "np.where({x} > {y}, {x}, v)", "{y}.sum(axis=1, keepdims=True) * {x} * 0.1",
         "np.maximum({x}, {y})[::-1]", "np.cumsum({x}, axis=1) * 0.1", "shifted({x}, {y})", "{x}[[0, 2, 2, 1]] * {y}"]


def shifted(x, y):
    z = x.copy()
    z[1:] += y[:-1]
    return z


def random_function(choose):
    """A function of two matrices and a vector, of some dozens of steps; the same for the same `choose`."""
    names = ["a", "b", "av"]
    lines = ["def f(a, b, v):", "    av = a * v"]
    for number in range(choose.randrange(5, 30)):
        step = choose.choice(STEPS).format(x=choose.choice(names), y=choose.choice(names))
        names.append(f"t{number}")
        lines.append(f"    {names[-1]} = np.tanh({step})")
    lines.append(f"    return {names[-1]}, {names[-1]}.sum() + {names[-2]}.sum() + {names[-3]}.sum()")
    space = {"np": np, "shifted": shifted}
    exec("\n".join(lines), space)
    return space["f"]


class Halves(unittest.TestCase):
    def test_are_the_joint_graph_byte_for_byte(self):
        numbers = np.random.default_rng(3)
        compared = 0
        for seed in range(60):
            f = random_function(random.Random(seed))
            order = "F" if seed % 3 == 1 else "C"
            arrays = [np.array(numbers.normal(size=(4, 4)), order=order) for _ in range(2)]
            arrays.append(numbers.normal(size=4))
            if seed % 3 == 2:
                arrays[0] = np.repeat(arrays[0], 2, axis=1)[:, ::2]
            call = _dynacc.TracedCall(f, tuple(arrays), {}, seed % 2 == 1, {})
            given, sizes = call.find(f, tuple(arrays), {})
            given = [array if found is None else found for found, array in zip(given, arrays)]  # None: it is not read
            joint = call.program.derive("joint", [0, 1, 2], [0, 1], False, True)
            cotangents = [numbers.normal(size=(4, 4)), np.array(numbers.normal())]
            try:
                wanted, _ = joint.run(given + cotangents, sizes)
            except RuntimeError as error:  # a call whose result lies otherwise than a graph can follow
                self.assertIn("memory order", str(error))
                continue
            compared += 1
            kept = []
            for budget in (0.0, 0.3, 0.7, 1.0):
                with self.subTest(seed=seed, budget=budget):
                    forward, backward, words, size, _ = call.program.split([0, 1, 2], [0, 1], budget, sizes)
                    self.assertEqual((forward.text, backward.text),
                                     tuple(p.text for p in call.program.split([0, 1, 2], [0, 1], budget, sizes)[:2]))
                    values, _ = forward.run(given, sizes)
                    count = call.program.outputs
                    self.assertEqual(sum(array.nbytes for array in values[count:]), size)
                    self.assertIn(f"{size} bytes", words)
                    gradients, _ = backward.run(values[count:] + cotangents, sizes)
                    same_bits(self, values[:count] + gradients, wanted)
                    kept.append(size)
            self.assertLessEqual(kept[0], kept[3])
            for budget, size in zip((0.3, 0.7), kept[1:3]):
                self.assertLessEqual(size, kept[0] + budget * (kept[3] - kept[0]))
        self.assertGreater(compared, 40)

    def test_the_function_is_computed_once(self):
        x = np.linspace(0.1, 1.0, 6)
        call = _dynacc.TracedCall(lambda x: np.exp(dynacc.stop_gradient(np.sort(x)) * x), (x,), {}, False, {})
        forward, backward, *_ = call.program.split([0], [0], 0.0, [])
        self.assertIn("numpy.sort", forward.text)
        self.assertNotIn("numpy.sort", backward.text)

    def test_what_is_saved_goes_with_the_pullback(self):
        x = np.ones((200, 200))
        _, pull = dynacc.vjp(lambda x: np.tanh(x @ x), x)
        self.assertEqual(pull.saved_bytes, sum(array.nbytes for array in pull._taken))
        kept = weakref.ref(pull._taken[0])
        del pull
        gc.collect()
        self.assertIsNone(kept())

    def test_words(self):
        line = sys._getframe().f_lineno
        f = lambda x: np.exp(x @ x)
        _, pull = dynacc.vjp(f, np.ones((3, 3)))
        self.assertIn(f"{FILE}:{line + 1}", pull.saved)
        self.assertIn("an input", pull.saved)
        self.assertEqual(pull.saved_bytes, 144)  # x, and the exponential

    def test_warnings_come_once(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            _, pull = dynacc.vjp(lambda x: np.log(x), np.array([0.0, 1.0]))
            self.assertEqual([str(w.message) for w in caught], ["divide by zero encountered in log"])
            pull(np.ones(2))
            self.assertEqual(len(caught), 1)

    def test_sizes_that_only_the_run_tells(self):
        x = np.array([1.0, -2.0, 3.0, 4.0])
        out, pull = dynacc.vjp(lambda x: (x * x)[x > 0].sum(), x)
        self.assertEqual(out, 26)
        np.testing.assert_array_equal(pull(1.0)[0], [2, 0, 6, 8])
        self.assertIn("primals", pull.saved)

    def test_results_of_sizes_that_only_the_run_tells(self):
        x, c = np.array([1.0, -2.0, 3.0, 4.0]), np.array(2.0)
        g = np.array([5.0, 6.0, 7.0])
        for f, by_x, by_c in ((lambda x, c: x[x > 0], [5, 0, 6, 7], 0),
                              (lambda x, c: (x * x)[x > 0] * c, [20, 0, 72, 112], 5 + 6 * 9 + 7 * 16),
                              (lambda x, c: x[np.nonzero(x > 0)] * c, [10, 0, 12, 14], 5 + 18 + 28),
                              (lambda x, c: c * np.ones_like(x[np.flatnonzero(x > 0)]), [0, 0, 0, 0], 18)):
            for _ in range(4):  # the tiers of compiled graphs
                out, pull = dynacc.vjp(f, x, c)
                np.testing.assert_array_equal(out, f(x, c))
                found_x, found_c = pull(g)
                np.testing.assert_array_equal(found_x, by_x)
                np.testing.assert_array_equal(found_c, by_c)
                rows = dynacc.jacobian(f)(x, c)
            np.testing.assert_array_equal(g @ rows, by_x)
            with self.assertRaisesRegex(ValueError, r"shape \(2,\), its result \(3,\)"):
                pull(g[:2])

    def test_arrays_of_another_size_than_the_run_tells(self):
        x = np.array([1.0, -2.0, 3.0, 4.0])
        program = _dynacc.TracedCall(lambda x: x[x > 0] * 2, (x,), {}, False).program
        pull = program.derive("joint", [0], [0], False, False)
        for _ in range(4):
            np.testing.assert_array_equal(pull.run([x, np.ones(3)], [])[0][0], [2, 0, 2, 2])
            for size in (0, 2, 4):
                with self.assertRaisesRegex(RuntimeError, "another size than the run gives"):
                    pull.run([x, np.ones(size)], [])

    def test_budgets(self):
        x = np.linspace(0, 1, 900).reshape(30, 30)

        def deep(x):
            for _ in range(10):
                x = np.tanh(x @ x)
            return x

        sizes, gradients = [], []
        for budget in (0, 0.25, 0.5, 1.0):
            _, pull = dynacc.vjp(deep, x, budget=budget)
            sizes.append(pull.saved_bytes)
            gradients.append(pull(np.ones((30, 30)))[0].tobytes())
        self.assertEqual(len(set(gradients)), 1)
        self.assertEqual(sizes[0], 2 * x.nbytes)  # one of ten layers, and x
        self.assertEqual(sizes[3], 11 * x.nbytes)
        self.assertTrue(sizes[0] < sizes[1] <= sizes[2] < sizes[3], sizes)
        for budget in (-0.1, 1.5, float("nan")):
            with self.assertRaisesRegex(ValueError, "from 0 to 1"):
                dynacc.vjp(deep, x, budget=budget)


def layer(x, w):
    return np.tanh(np.tanh(x @ w) @ w)


class Checkpoints(unittest.TestCase):
    def setUp(self):
        numbers = np.random.default_rng(5)
        self.x, self.w = numbers.normal(size=(20, 8)), numbers.normal(size=(8, 8))

    @staticmethod
    def stack(block):
        def f(x, w):
            for _ in range(5):
                x = block(x, w)
            return x
        return f

    def test_the_same_bits_with_less_memory(self):
        plain, again = self.stack(layer), self.stack(dynacc.checkpoint(layer))
        self.assertEqual(again(self.x, self.w).tobytes(), plain(self.x, self.w).tobytes())
        out, pull = dynacc.vjp(plain, self.x, self.w)
        out2, pull2 = dynacc.vjp(again, self.x, self.w)
        self.assertEqual(out.tobytes(), out2.tobytes())
        same_bits(self, pull2(np.ones((20, 8))), pull(np.ones((20, 8))))
        one = self.x.nbytes
        self.assertEqual(pull.saved_bytes, 11 * one + self.w.nbytes)   # each product's tanh, x and w
        self.assertEqual(pull2.saved_bytes, 5 * one + self.w.nbytes)   # what enters each block, and w
        self.assertIn("in a checkpointed region", pull2.saved)

    def test_gradients(self):
        for block in (layer, dynacc.checkpoint(layer), dynacc.checkpoint(layer, "everything_saveable")):
            f = self.stack(block)
            found = dynacc.value_and_grad(lambda x, w: (f(x, w) ** 2).sum(), argnums=(0, 1))(self.x, self.w)
            if block is layer:
                wanted = found
            self.assertEqual(found[0].tobytes(), wanted[0].tobytes())
            same_bits(self, found[1], wanted[1])
        loss = lambda block: lambda x: (block(x, self.w) ** 2).sum()
        np.testing.assert_allclose(dynacc.hessian(loss(dynacc.checkpoint(layer)))(self.x[:2]),
                                   dynacc.hessian(loss(layer))(self.x[:2]), rtol=1e-12)
        tangent = [dynacc.jvp(loss(block), (self.x,), (self.x,))[1] for block in (layer, dynacc.checkpoint(layer))]
        self.assertEqual(*tangent)

    def test_trees_and_strided_arrays(self):
        f = dynacc.checkpoint(lambda p, scale=1.0: {"a": [np.tanh(p["x"]) * scale, None], "b": (p["x"].sum(axis=0), 3)})
        g = dynacc.grad(lambda x: (f({"x": x[::-1]}, scale=2.0)["a"][0] + f({"x": x})["b"][0]).sum())
        x = np.linspace(0, 1, 6)
        np.testing.assert_allclose(g(x), 2 * (1 - np.tanh(x) ** 2) + 6)
        self.assertEqual(f({"x": x})["b"][1], 3)
        h = dynacc.compile(lambda x: dynacc.checkpoint(np.exp)(x[::-1]).sum())
        y = np.random.default_rng(0).normal(size=10000)
        for _ in range(5):
            self.assertEqual(h(y), np.exp(y[::-1]).sum())

    def test_made_inside_of_the_function(self):
        f = lambda x, w: dynacc.checkpoint(layer)(dynacc.checkpoint(layer)(x, w), w)
        out, pull = dynacc.vjp(f, self.x, self.w)
        self.assertEqual(pull.saved_bytes, 2 * self.x.nbytes + self.w.nbytes)
        same_bits(self, pull(out), dynacc.vjp(lambda x, w: layer(layer(x, w), w), self.x, self.w)[1](out))

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, "dots_saveable"):
            dynacc.checkpoint(layer, "dots_saveable")
        with self.assertRaises(TypeError):
            dynacc.checkpoint(3)


@dynacc.custom_gradient
def clipped(x):
    """The identity, whose gradient is clipped: not linear in the cotangent."""
    return x * 1.0, lambda g: np.clip(g, -1, 1)


@dynacc.custom_gradient
def logistic(x):
    with np.errstate(over="ignore"):
        y = 1 / (1 + np.exp(-x))
    return y, lambda g: g * y * (1 - y)


@dynacc.custom_gradient
def ranks(x, scale, name):
    return np.sort(x) * scale, lambda g: (g * scale, (g * np.sort(x)).sum(), None)


class CustomGradients(unittest.TestCase):
    def test_values(self):
        x = np.linspace(-2, 2, 7)
        self.assertEqual(logistic(x).tobytes(), (1 / (1 + np.exp(-x))).tobytes())
        compiled = dynacc.compile(lambda x: logistic(x) * 2)
        for _ in range(5):
            self.assertEqual(compiled(x).tobytes(), (1 / (1 + np.exp(-x)) * 2).tobytes())

    def test_gradients(self):
        x = np.linspace(-2, 2, 7)
        y = logistic(x)
        np.testing.assert_allclose(dynacc.grad(lambda x: logistic(x).sum())(x), y * (1 - y))
        np.testing.assert_array_equal(dynacc.grad(lambda x: (clipped(x) * 5).sum())(x), np.ones(7))
        twice = dynacc.grad(lambda x: (clipped(x) + clipped(x) * -0.25).sum())(x)
        np.testing.assert_array_equal(twice, np.full(7, 0.75))
        _, pull = dynacc.vjp(clipped, x)
        np.testing.assert_array_equal(pull(np.linspace(-3, 3, 7))[0], np.clip(np.linspace(-3, 3, 7), -1, 1))

    def test_second_derivatives(self):
        x = np.linspace(-2, 2, 5)
        y = logistic(x)
        np.testing.assert_allclose(dynacc.hessian(lambda x: logistic(x).sum())(x), np.diag(y * (1 - y) * (1 - 2 * y)))

    def test_what_has_no_rule_and_several_arguments(self):
        x, scale = np.array([3.0, 1.0, 2.0]), np.array(2.0)
        found = dynacc.grad(lambda x, s: ranks(x, s, "n").sum(), argnums=(0, 1))(x, scale)
        np.testing.assert_array_equal(found[0], [2, 2, 2])
        self.assertEqual(found[1], 6)

    def test_several_results(self):
        @dynacc.custom_gradient
        def polar(x, y):
            r, angle = np.hypot(x, y), np.arctan2(y, x)
            return {"r": r, "angle": angle, "mean": r.mean()}, lambda g: (
                7 * g["r"] + g["mean"], g["angle"].clip(-1, 1))

        x, y = np.linspace(1, 2, 6).reshape(2, 3), np.linspace(-1, 1, 6).reshape(2, 3)
        plain = polar(x, y)
        value, (of_x, of_y) = dynacc.value_and_grad(
            lambda x, y: (polar(x, y)["r"] + 5 * polar(x, y)["angle"]).sum() + polar(x, y)["mean"], (0, 1))(x, y)
        self.assertEqual(value, (plain["r"] + 5 * plain["angle"]).sum() + plain["mean"])
        np.testing.assert_array_equal(of_x, np.full((2, 3), 8.0))
        np.testing.assert_array_equal(of_y, np.ones((2, 3)))  # not linear in the cotangent: 5 is clipped once

    def test_results_of_several_dtypes_and_second_derivatives(self):
        @dynacc.custom_gradient
        def parts(x):
            single = x.astype(np.float32)
            return [np.sin(x), (single, x * 1j)], lambda g: (
                g[0] * np.cos(x) + g[1][0].astype(float) + (g[1][1] * 1j).real)

        x = np.linspace(0.1, 1, 4)
        found = dynacc.value_and_grad(lambda x: parts(x)[0].sum() + parts(x)[1][0].sum() + parts(x)[1][1].imag.sum())(x)
        self.assertEqual(found[0], np.sin(x).sum() + x.astype(np.float32).sum() + x.sum())
        np.testing.assert_allclose(found[1], np.cos(x) + 2)
        np.testing.assert_allclose(dynacc.hessian(lambda x: parts(x)[0].sum())(x), np.diag(-np.sin(x)))

    def test_trees_as_arguments(self):
        @dynacc.custom_gradient
        def dense(parameters, x, name):
            w, b = parameters["w"], parameters["b"]
            return x @ w + b, lambda g: ({"w": x.T @ g, "b": None}, g @ w.T, None)

        parameters = {"w": np.arange(6.0).reshape(3, 2), "b": np.ones(2)}
        x = np.linspace(-1, 1, 12).reshape(4, 3)
        found = dynacc.grad(lambda parameters: (dense(parameters, x, "first") ** 2).sum())(parameters)
        np.testing.assert_allclose(found["w"], x.T @ (2 * (x @ parameters["w"] + 1)))
        np.testing.assert_array_equal(found["b"], np.zeros(2))

    def test_made_inside_of_the_function(self):
        found = dynacc.grad(lambda x: dynacc.custom_gradient(lambda x: (x * 1, lambda g: 7 * g))(x).sum())(np.ones(3))
        np.testing.assert_array_equal(found, np.full(3, 7.0))

    def check(self, kind, words, f, *args):
        with self.assertRaises(kind) as raised:
            f(*args)
        for word in words:
            self.assertIn(word, str(raised.exception))

    def test_errors(self):
        x = np.ones(3)
        wrong = dynacc.custom_gradient(lambda x: (x * 2, lambda g: g.sum()))
        self.check(RuntimeError, [FILE, "does not fit"], dynacc.grad(lambda x: wrong(x).sum()), x)
        parts = dynacc.custom_gradient(lambda pair: (pair[0] * pair[1], lambda g: ((g, g, g),)))
        self.check(RuntimeError, [FILE, "3 gradients for 2 arguments"], dynacc.grad(lambda x: parts((x, x)).sum()), x)
        few = dynacc.custom_gradient(lambda x, y: (x * y, lambda g: g))
        self.check(RuntimeError, [FILE, "1 gradients for 2 arguments"], dynacc.grad(lambda x: few(x, x).sum()), x)

        boxed = dynacc.custom_gradient(lambda y, box: (y * box(), lambda g: (g, None)))
        self.check(NotImplementedError, ["none of its arguments", FILE], dynacc.grad(lambda x: boxed(x * 2, lambda: x).sum()), x)
        self.check(TypeError, ["callable"], dynacc.custom_gradient, 3)


if __name__ == "__main__":
    unittest.main()
