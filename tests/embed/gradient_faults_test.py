#!/usr/bin/env python3
"""What goes wrong while derivatives are computed: NaNs, exceptions half-way, interruptions, values that are gone,
threads that train side by side, draws of random numbers. Run by the launcher and by a stock python3."""
import gc
import math
import os
import signal
import sys
import threading
import traceback
import unittest
import weakref

import numpy as np

import dynacc

FILE = os.path.basename(__file__)


def line_of(function, offset=1):
    return f"{FILE}:{function.__code__.co_firstlineno + offset}"


class Nans(unittest.TestCase):
    def setUp(self):
        self.enterContext(np.errstate(all="ignore"))

    def message(self, f, x, transform=dynacc.grad):
        with dynacc.debug_nans(), self.assertRaises(FloatingPointError) as raised:
            transform(f)(x)
        return str(raised.exception)

    def test_of_the_function_and_of_its_derivative(self):
        def quotient(x):
            y = np.where(x > 0, np.log(x), 0.0)  # the NaN of log(-1) goes nowhere
            z = y / (x - 1)
            return (z * 2).sum()

        self.assertIn(line_of(quotient, 2), self.message(quotient, np.array([2.0, -1.0, 1.0])))

        def length(x):
            return np.sqrt((x * x).sum())

        self.assertEqual(length(np.zeros(2)), 0)
        self.assertIn(line_of(length), self.message(length, np.zeros(2)))

        def masked(x):
            y = np.where(x > 1, np.sqrt(x - 1), 0)  # 0 times the infinite derivative at 1
            return y.sum() + x.prod()

        self.assertIn(line_of(masked), self.message(masked, np.array([1.0, 2.0])))

    def test_of_numpys_functions_and_of_arguments(self):
        def ordered(x):
            y = np.sqrt(x)
            return np.sort(y)[::2].sum()

        self.assertIn(line_of(ordered), self.message(ordered, np.array([-1.0, 2.0, 3.0])))
        words = self.message(lambda x: (x * 2).prod(), np.array([np.nan, 1]))
        self.assertIn("a NaN in an array that it computes with", words)

    def test_of_the_other_functions(self):
        def root(x):
            return np.sqrt(x)

        x = np.array([-1.0, 1.0])
        jvp = lambda f: lambda x: dynacc.jvp(f, (x,), (x,))
        for transform in (dynacc.jacobian, jvp, lambda f: lambda x: dynacc.vjp(f, x)):
            self.assertIn(line_of(root), self.message(root, x, transform))

    def test_where_it_holds(self):
        f = lambda x: np.log(x).sum()
        x = np.array([-1.0, 2.0])
        with dynacc.debug_nans():
            with dynacc.debug_nans(False):
                self.assertTrue(np.isnan(dynacc.value_and_grad(f)(x)[0]))
            np.testing.assert_array_equal(dynacc.grad(f)(np.array([1.0, 2.0])), [1.0, 0.5])
        self.assertTrue(np.isnan(dynacc.value_and_grad(f)(x)[0]))


class Faults(unittest.TestCase):
    x = np.linspace(0.1, 1.0, 5)

    def test_exceptions_half_way(self):
        def steps(x, limit):
            kept = []
            for i in range(4):
                kept.append(np.sin(x) * (i + 1))
                x = x + kept[-1]
                if i == limit:
                    raise ValueError(f"no more than {limit}")
            return x.sum()

        gradient = dynacc.value_and_grad(steps)
        before = gradient(self.x, 9)
        big = np.ones(1000)
        gone = weakref.ref(big)
        with self.assertRaises(ValueError) as raised:
            gradient(big, 2)
        self.assertEqual(str(raised.exception), "no more than 2")
        del big, raised
        gc.collect()
        self.assertIsNone(gone())
        after = gradient(self.x, 9)
        self.assertEqual(before[0], after[0])
        self.assertEqual(before[1].tobytes(), after[1].tobytes())

    def test_a_branch_in_a_function_that_writes(self):
        def f(x, buffer):
            buffer += 1
            return (x * buffer).sum() if x.sum() > 0 else x.prod() * 3

        gradient = dynacc.value_and_grad(f)
        for x in (np.ones(3), -np.ones(3), np.ones(3)):
            mine, plain = np.ones(3), np.ones(3)
            value, slope = gradient(x, mine)
            self.assertEqual(value, f(x, plain))
            self.assertEqual(mine.tolist(), plain.tolist())
            np.testing.assert_array_equal(slope, 2 * np.ones(3) if x.sum() > 0 else 3 * np.ones(3))

    def test_a_derivative_that_fails_in_a_pullback(self):
        def f(a):
            return inverted(a)[0, 0]

        inverted = dynacc.custom_gradient(lambda a: (a * 2, lambda g: np.linalg.inv(g)))
        _, pull = dynacc.vjp(f, np.ones((2, 2)))
        with self.assertRaisesRegex(RuntimeError, f"{FILE}.*Singular matrix"):
            pull(1.0)
        _, pull = dynacc.vjp(inverted, np.ones((2, 2)))
        np.testing.assert_array_equal(pull(np.diag([1.0, 2.0]))[0], np.diag([1, 0.5]))

    def test_a_custom_gradient_of_what_is_no_argument(self):
        x = np.linspace(0.1, 1.0, 5)
        product = dynacc.custom_gradient(lambda y, other: (y * other(), lambda g: (g * 100, None)))

        def of_the_argument_itself(x):
            return product(x, lambda: x).sum()

        def of_what_the_caller_computed(x):
            hidden = np.tanh(x * 3.0)
            act = dynacc.custom_gradient(lambda z: (z * hidden, lambda g: g * 1.0))
            return act(x).sum()

        def of_a_part_of_a_tree(x):
            hidden = np.tanh(x)
            act = dynacc.custom_gradient(lambda z: (z["w"] * hidden, lambda g: {"w": g}))
            return act({"w": x}).sum()

        for f in (of_the_argument_itself, of_what_the_caller_computed, of_a_part_of_a_tree):
            for transform in (lambda f: dynacc.grad(f)(x), lambda f: dynacc.vjp(f, x),
                              dynacc.compile(lambda f: dynacc.vjp(f, x)[0])):
                with self.assertRaisesRegex(NotImplementedError, f"{FILE}.*none of its arguments"):
                    transform(f)
        cube = dynacc.custom_gradient(lambda x: (x ** 3, lambda g: g * 3 * x ** 2))
        np.testing.assert_allclose(dynacc.grad(lambda x: (np.exp(x) * cube(x) + cube(x)).sum())(x),
                                   np.exp(x) * (x ** 3 + 3 * x ** 2) + 3 * x ** 2)
        np.testing.assert_allclose(dynacc.hessian(lambda x: cube(cube(x)).sum())(x), np.diag(72 * x ** 7))

    def test_a_custom_gradient_without_a_pair(self):
        single = dynacc.custom_gradient(lambda x: x * 2)
        for call in (single, dynacc.grad(lambda x: single(x).sum())):
            with self.assertRaisesRegex(TypeError, "pair .result, pull., not ndarray"):
                call(np.ones(3))

    def test_functions_that_write_into_their_arguments(self):
        def doubles(x):
            x *= 2
            return x.sum()

        def adds(x, found):
            found["k"] = x * 2
            return x * 1.0

        with_pull = lambda f: lambda *args: (f(*args), lambda g: (g * np.ones(3), None)[:len(args)])
        for mark in (dynacc.checkpoint, lambda f: dynacc.custom_gradient(with_pull(f))):
            marked, marked_adds = mark(doubles), mark(adds)

            def f(x):
                y, found = x + 1, {}
                return marked(y), y, marked_adds(y, found), found["k"]

            wanted, found = f(np.ones(3)), dynacc.compile(f)(np.ones(3))
            for one, other in zip(wanted, found):
                np.testing.assert_array_equal(one, other)
            with self.assertRaisesRegex(RuntimeError, f"{FILE}:.*read-only"):
                dynacc.grad(lambda x: marked(x + 1))(np.ones(3))

    def test_what_the_function_raises(self):
        def missing(x):
            return x.sum() / {}["scale"]

        def unlike(x):
            return (x + np.ones(4)).sum()

        def checked(x):
            x *= 2
            if x.sum() > 1:
                raise ValueError("too large")
            return x.sum()

        for f in (missing, unlike, checked):
            x = np.ones(3)
            with self.assertRaises(Exception) as wanted:
                f(x.copy())
            for transform in (dynacc.grad, dynacc.jacobian, dynacc.hessian, lambda f: lambda x: dynacc.vjp(f, x)):
                with self.assertRaises(type(wanted.exception)) as raised:
                    transform(f)(x)
                self.assertEqual(str(raised.exception), str(wanted.exception))
            np.testing.assert_array_equal(x, np.ones(3))

    def test_pullbacks_are_asked_again_when_all_else_is_gone(self):
        x = np.linspace(0.1, 1.0, 500)
        out, pull = dynacc.vjp(lambda x: np.exp(np.sin(x)), x)
        first = pull(out)[0]
        gone = weakref.ref(x)
        x[:] = np.nan
        out[:] = np.nan
        cotangent = np.exp(np.sin(np.linspace(0.1, 1.0, 500)))
        del x, out
        gc.collect()
        self.assertIsNone(gone())
        for _ in range(3):
            self.assertEqual(pull(cotangent)[0].tobytes(), first.tobytes())

    @unittest.skipUnless(hasattr(signal, "setitimer"), "no timers")
    def test_an_interruption_in_a_backward(self):
        x = np.random.default_rng(0).normal(size=(200, 200)) / 14

        def deep(x):
            y = x
            for _ in range(20):
                y = np.tanh(y @ x)
            return y.sum()

        _, pull = dynacc.vjp(deep, x)
        for _ in range(3):  # it is compiled now
            wanted = pull(1.0)[0].tobytes()
        before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        try:
            while True:
                pull(1.0)
        except KeyboardInterrupt as error:
            self.assertIn("pull(1.0)", "".join(traceback.format_tb(error.__traceback__)))
        self.assertEqual(pull(1.0)[0].tobytes(), wanted)

    def test_threads_that_train_side_by_side(self):
        def loss(p, x):
            hidden = np.tanh(x @ p["w"] + p["b"])
            return (hidden * hidden).mean() + math.exp(-float(p["b"] @ p["b"]))

        gradient = dynacc.value_and_grad(loss)

        def train(seed):
            numbers = np.random.default_rng(seed)
            p = {"w": numbers.normal(size=(4, 3 + seed % 2)), "b": numbers.normal(size=3 + seed % 2)}
            for _ in range(25):
                _, found = gradient(p, numbers.normal(size=(8, 4)))
                p = dynacc.tree.map(lambda a, g: a - 0.1 * g, p, found)
            return p["w"].tobytes() + p["b"].tobytes()

        alone = [train(seed) for seed in range(4)]
        together = [None] * 4

        def work(seed):
            together[seed] = train(seed)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(alone, together)


class Draws(unittest.TestCase):
    x = np.linspace(0.1, 1.0, 5)

    def check(self, derivative, wanted):
        """Both from the same state of NumPy's generator, which they leave alike."""
        for seed in range(8):
            np.random.seed(seed)
            expected, after = wanted(), np.random.rand()
            np.random.seed(seed)
            np.testing.assert_allclose(derivative(), expected)
            self.assertEqual(np.random.rand(), after, seed)

    @unittest.skipIf(np.__version__ >= "2", "there np.random is an object")
    def test_branches(self):
        def by_the_draw(x):
            z = np.random.rand()
            return (x * x).sum() * z if z > 0.5 else x.sum() * z

        def slope():
            z = np.random.rand()
            return 2 * self.x * z if z > 0.5 else np.full(5, z)

        kept = dynacc.grad(by_the_draw)
        self.check(lambda: kept(self.x), slope)
        self.check(lambda: dynacc.grad(by_the_draw)(self.x), slope)
        value = dynacc.value_and_grad(by_the_draw)
        self.check(lambda: value(self.x)[0], lambda: by_the_draw(self.x))

        def beside_the_draw(x):
            y = (x * np.random.normal(size=5)).sum()
            return y if x.sum() > 0 else -y

        other = dynacc.grad(beside_the_draw)
        self.check(lambda: other(self.x), lambda: np.random.normal(size=5))

    @unittest.skipIf(np.__version__ >= "2", "there np.random is an object")
    def test_matrices_are_of_one_draw(self):
        by_rows = dynacc.jacobian(lambda x: x * np.random.normal(size=5))
        self.check(lambda: by_rows(self.x), lambda: np.diag(np.random.normal(size=5)))
        tall = dynacc.jacobian(lambda x: (x[:2] * np.random.normal(size=2)) @ np.ones((2, 9)))
        self.check(lambda: tall(self.x[:2]), lambda: np.tile(np.random.normal(size=2), (9, 1)))
        second = dynacc.hessian(lambda x: (x * x * np.random.normal(size=5)).sum())
        self.check(lambda: second(self.x), lambda: np.diag(2 * np.random.normal(size=5)))

    @unittest.skipIf(np.__version__ >= "2", "there np.random is an object")
    def test_a_warning_does_not_draw_again(self):
        def f(x):
            return (np.log(x) * np.random.normal(size=5)).sum()

        for derivative in (dynacc.value_and_grad(f), dynacc.value_and_grad(f, budget=0), dynacc.jacobian(f)):
            np.random.seed(0)
            with self.assertWarns(RuntimeWarning):
                f(-self.x)
            after = np.random.rand()
            np.random.seed(0)
            with self.assertWarns(RuntimeWarning):
                derivative(-self.x)
            self.assertEqual(np.random.rand(), after)

    def test_what_would_be_of_other_draws_is_an_error(self):
        generator, legacy = np.random.default_rng(0), np.random.RandomState(0)
        draws = (lambda: generator.random(), lambda: legacy.rand(), lambda: legacy.rand(5).max())
        for draw in draws:
            for f in (lambda x: x.sum() * draw(), lambda x: x.sum() if draw() > 0.5 else x.prod()):
                for transform in (lambda f: dynacc.grad(f)(self.x), lambda f: dynacc.jacobian(f)(self.x),
                                  lambda f: dynacc.hessian(f)(self.x), lambda f: dynacc.vjp(f, self.x),
                                  lambda f: dynacc.jvp(f, (self.x,), (self.x,)),
                                  lambda f: dynacc.vmap(f)(np.stack([self.x, self.x])),
                                  lambda f: dynacc.compile(lambda x: dynacc.grad(f)(x))(self.x)):
                    with self.assertRaisesRegex(RuntimeError, rf"{FILE}:\d+.*draw.*pass the numbers"):
                        transform(f)
        for f in (lambda x: dynacc.scan(lambda c, v: (c + v * np.random.normal(), c), 0.0, x)[0],
                  lambda x: dynacc.cond(x[0] > 0, lambda: x.sum() * np.random.rand(), lambda: x.sum()),
                  lambda x: dynacc.vmap(lambda v: v * np.random.rand())(x).sum(),
                  lambda x: dynacc.while_loop(lambda v: v < 9, lambda v: v + np.random.rand(), x.sum(), bound=20)):
            words = ("changes what is outside|draws random numbers" if np.__version__ >= "2"
                     else f"a draw of random numbers in .*{FILE}:.*pass the")
            with self.assertRaisesRegex(RuntimeError, words):
                dynacc.grad(f)(self.x)

    @unittest.skipIf(np.__version__ >= "2", "there np.random is an object")
    def test_draws_where_sizes_are_computed_again(self):
        def f(x):
            return x[x > 0.2] * np.random.normal(size=1)

        with self.assertRaisesRegex(RuntimeError, f"{line_of(f)}: .*draws random numbers and has sizes"):
            dynacc.vjp(f, self.x)


if __name__ == "__main__":
    unittest.main()
