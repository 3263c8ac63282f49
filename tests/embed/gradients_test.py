#!/usr/bin/env python3
"""dynacc.grad and its family on Python functions: values against differences, structure, caching, errors. Run by the
launcher and by a stock python3."""
import collections
import dataclasses
import functools
import gc
import math
import operator
import os
import sys
import threading
import unittest
import warnings
import weakref

import _dynacc
import numpy as np

import dynacc
from dynacc import _gradients
from dynacc.graph import make_graph

FILE = os.path.basename(__file__)
RANDOM = np.random.default_rng(7)
X = RANDOM.normal(size=(7, 3))
Y = RANDOM.normal(size=(7, 2))


@dataclasses.dataclass
class Layer:
    weight: np.ndarray
    bias: np.ndarray
    name: object = None


Pair = collections.namedtuple("Pair", "first second")


def layer():
    return Layer(RANDOM.normal(size=(3, 2)), RANDOM.normal(size=2))


def differences(f, x, step=1e-6):
    """The gradient of f at an array, by central differences."""
    found = np.zeros_like(x)
    for at in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[at] += step
        down[at] -= step
        found[at] = (f(up) - f(down)) / (2 * step)
    return found


def close(found, wanted, tolerance=1e-6):
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


def softmax_loss(p, x, y):
    hidden = np.tanh(x @ p.weight + p.bias)
    shifted = hidden - hidden.max(axis=1, keepdims=True)
    return -np.sum(y * (shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))) / len(x)


class Values(unittest.TestCase):
    def test_functions_of_one_array(self):
        x = np.linspace(0.2, 1.7, 6)
        window = np.lib.stride_tricks.sliding_window_view

        def writes(x):
            y = np.zeros((2, 6))
            y[0, 1:] = x[:-1] ** 2
            y[1, ::-1] = x
            y[:, 2] += x[2]
            return (y * y).sum()

        def loops(x):
            total = x
            for i in range(4):
                total = np.sin(total) * x + i
            return total.sum()

        def branches(x):
            return np.where(x > 0.7, np.log(x), x ** 3).sum() + np.maximum(x, 0.9).prod()

        for f in (lambda x: (np.sin(x) * x).sum(), lambda x: np.sqrt(x @ x), lambda x: (x[1:] / x[:-1]).max(),
                  lambda x: np.concatenate([x, x[::2] ** 2]).sum(), lambda x: np.roll(x, 2).dot(x),
                  lambda x: (window(x, 3) * np.arange(3.0)).sum(axis=1).prod(), lambda x: np.mean(np.exp(x)),
                  lambda x: np.outer(x, x).sum(),
                  lambda x: np.abs(x.reshape(2, 3).T @ x[:2]).sum(), writes, loops, branches):
            with self.subTest(f.__code__.co_firstlineno):
                close(dynacc.grad(f)(x), differences(f, x))
                value, _ = dynacc.value_and_grad(f)(x)
                self.assertEqual(np.float64(value).tobytes(), np.float64(f(x)).tobytes())

    def test_a_classifier(self):
        p = layer()
        gradient = dynacc.grad(softmax_loss)(p, X, Y)
        self.assertIsInstance(gradient, Layer)
        close(gradient.weight, differences(lambda w: softmax_loss(Layer(w, p.bias), X, Y), p.weight))
        close(gradient.bias, differences(lambda b: softmax_loss(Layer(p.weight, b), X, Y), p.bias))

    def test_complex_numbers_as_jax_has_them(self):
        z = np.array([1 + 2j, -0.5j, 3 + 0j])
        close(dynacc.grad(lambda z: (np.abs(z) ** 2).sum())(z), 2 * z.conj())
        close(dynacc.grad(lambda z: (z * z).real.sum())(z), 2 * z)
        close(dynacc.grad(lambda z: z.imag.sum())(z), np.full(3, -1j))

    def test_numbers(self):
        found = dynacc.grad(lambda t: t * np.sin(t))(0.5)
        self.assertIs(type(found), np.float64)
        close(found, np.sin(0.5) + 0.5 * np.cos(0.5))
        third = dynacc.grad(dynacc.grad(dynacc.grad(lambda t: np.sin(t) * t)))
        close(third(0.3), -3 * np.sin(0.3) - 0.3 * np.cos(0.3))
        self.assertEqual(dynacc.grad(lambda x: (x * x).sum())(np.ones(3, np.float32)).dtype, np.float32)

    def test_numbers_of_python(self):
        x = np.linspace(0.2, 1.7, 4)
        for f in (lambda x: float((x * x).sum()), lambda x: math.exp(x.mean()) * math.sin(x[1]) + x[0].item() ** 2,
                  lambda x: math.sqrt(x @ x), lambda x: max(float(x[0]), math.hypot(x[1], x[2])) * abs(float(x[3]))):
            with self.subTest(f.__code__.co_firstlineno):
                value, found = dynacc.value_and_grad(f)(x)
                self.assertIs(type(value), type(f(x)))
                self.assertEqual(value, f(x))
                close(found, differences(f, x))
                close(dynacc.hessian(f)(x), [differences(lambda x: dynacc.grad(f)(x)[i], x) for i in range(4)], 1e-5)
        out, pull = dynacc.vjp(lambda x: (float(x[0] * x[1]), x), x)
        self.assertEqual((type(out[0]), out[0]), (float, x[0] * x[1]))
        close(pull((2.0, np.zeros(4)))[0], [2 * x[1], 2 * x[0], 0, 0])
        self.assertEqual(dynacc.jvp(lambda x: float(x.sum()), (x,), (x,)), (x.sum(), x.sum()))
        for function in (lambda x: (x * x).sum().item(), lambda x: (x * x).sum().tolist()):
            value, slope = dynacc.value_and_grad(function)(np.arange(3.0))
            self.assertIs(type(value), float)
            np.testing.assert_array_equal(slope, [0, 2, 4])

    def test_second_order(self):
        x = np.linspace(0.2, 1.7, 4)
        f = lambda x: np.exp(x[0] * x[1]) + (x ** 3).sum() * x[2]
        close(dynacc.hessian(f)(x), [differences(lambda x: dynacc.grad(f)(x)[i], x) for i in range(4)])
        trees = dynacc.hessian(lambda t: t["a"] @ t["a"] * t["b"])({"a": x, "b": 2.0})
        close(trees["a"]["a"], 4 * np.eye(4))
        close(trees["a"]["b"], 2 * x)
        close(trees["b"]["b"], 0)

    def test_jacobians(self):
        x = np.linspace(0.2, 1.7, 5)
        close(dynacc.jacobian(lambda x: x[1:] * x[:-1])(x), np.eye(4, 5) * x[1:, None] + np.eye(4, 5, 1) * x[:-1, None])
        tall = lambda x: np.outer(x, np.arange(9.0))  # more rows than columns: by tangents
        close(dynacc.jacobian(tall)(x), np.einsum("ik,j->ijk", np.eye(5), np.arange(9.0)))
        tree = dynacc.jacobian(lambda a, b: {"s": a * b, "t": a.sum()}, argnums=(0, 1))(x, x + 1)
        close(tree["s"][0], np.diag(x + 1))
        close(tree["t"][1], np.zeros(5))

    def test_products_with_jacobians(self):
        x = np.linspace(0.2, 1.7, 5)
        out, pull = dynacc.vjp(lambda d: {"a": np.exp(d["u"]) * d["v"], "b": d["u"].sum()}, {"u": x, "v": x + 1})
        close(out["a"], np.exp(x) * (x + 1))
        (found,) = pull({"a": np.ones(5), "b": 2.0})
        close(found["u"], np.exp(x) * (x + 1) + 2)
        close(found["v"], np.exp(x))
        out, tangent, aux = dynacc.jvp(lambda a, b: (a * b, b + 1), (x, x), (np.ones(5), 2 * x), has_aux=True)
        close(out, x * x)
        close(tangent, x + 2 * x * x)
        close(aux, x + 1)

    def test_the_pullback_reads_no_array_of_the_programs(self):
        x = np.linspace(0.2, 1.7, 5)
        _, pull = dynacc.vjp(lambda x: x * x, x)
        before = pull(np.ones(5))[0]
        x[:] = 0
        close(pull(np.ones(5))[0], before)

    def test_functions_that_write_into_their_arguments(self):
        def f(x):
            before = x * 1.0
            x *= 2
            return (before * x * x).sum()

        wanted = 12 * np.linspace(0.2, 1.7, 5) ** 2
        x = np.linspace(0.2, 1.7, 5)
        close(dynacc.grad(f)(x), wanted)
        close(x, 2 * np.linspace(0.2, 1.7, 5))
        x = np.linspace(0.2, 1.7, 5)
        close(dynacc.vjp(f, x)[1](1.0)[0], wanted)
        close(dynacc.jacobian(f)(np.linspace(0.2, 1.7, 5)), wanted)

    def test_orders_of_scans_and_sorts(self):
        functions = (lambda x: np.cumsum(x, axis=0).sum(), lambda x: np.cumsum(x, axis=-1).sum(),
                     lambda x: np.cumprod(x, axis=-1).sum(), lambda x: np.sort(x, axis=0).sum(),
                     lambda x: np.partition(x, 2, axis=-1).sum(), lambda x: (np.cumsum(x, axis=0) * x).sum(),
                     lambda x: (np.zeros_like(x) + x).sum(), lambda x: (np.full_like(x, 0.5) * x).sum(),
                     lambda x: np.einsum("ijk->kij", x).sum())
        for seed in range(4):
            a = np.random.default_rng(seed).standard_normal((7, 3, 5))
            for number, f in enumerate(functions):
                for axes in ((0, 1, 2), (2, 1, 0), (1, 2, 0)):
                    for way in (1, -1):
                        with self.subTest(seed=seed, number=number, axes=axes, way=way):
                            value, _ = dynacc.value_and_grad(lambda x: f(x.transpose(axes)[::way]))(a)
                            self.assertEqual(value, f(a.transpose(axes)[::way]))

    def test_orders_that_are_not_known(self):
        a = np.linspace(-1, 2, 12).reshape(3, 4)
        functions = (lambda x: np.tanh(x.T).reshape(-1)[:3].sum(), lambda x: (x.T * x.T).reshape(2, 6)[1, 1:].prod(),
                     lambda x: (x[:, ::2] * x[:, 1::2]).ravel()[2:].prod(), lambda x: (x * 2).ravel("F")[:4].prod(),
                     lambda x: np.ascontiguousarray(np.sin(x.T))[1, 1:].prod(),
                     lambda x: np.sort(np.sin(x.T).copy(), axis=0)[0].prod())
        for number, f in enumerate(functions):
            for x in (a, np.asfortranarray(a), np.repeat(a, 2, axis=1)[:, ::2], a[::-1, ::-1]):
                with self.subTest(number=number, strides=x.strides):
                    value, found = dynacc.value_and_grad(f)(x)
                    self.assertEqual(value, f(x))
                    close(found, differences(f, x), 1e-6)

        def written(x):
            y = np.tanh(x.T)
            flat = y.reshape(-1)
            flat[0] = 0  # into y, or not
            return y.sum()

        with self.assertRaisesRegex(RuntimeError, "may be a view"):
            dynacc.grad(written)(a)

        def offset(x):
            y = 0.0 + x[[1, 0, 1]]  # in the order of x
            y.reshape(-1)[0] = 9
            return y.sum()

        for outer in (lambda f: f, lambda f: dynacc.compile(lambda x: f(x))):
            of_given = outer(dynacc.value_and_grad(lambda x: offset(x) + x.sum()))
            self.assertEqual(of_given(a)[0], offset(a) + a.sum())
            with self.assertRaisesRegex(RuntimeError, "may be a view"):
                of_given(np.asfortranarray(a))

    def test_complex_products_of_as_many_as_a_mask_has(self):
        def f(x):
            return np.real(x[x.real > 0.1] * 0.5).sum()

        for x in ([1 + 1j, -1], [1 + 1j, 2], [-1, -2], [1, 2, 3j]):
            x = np.array(x, complex)
            np.testing.assert_array_equal(make_graph(f, x).run(x)[0], f(x))
            np.testing.assert_array_equal(dynacc.grad(f)(x), np.where(x.real > 0.1, 0.5, 0))

    def test_stop_gradient(self):
        x = np.linspace(0.2, 1.7, 5)
        close(dynacc.grad(lambda x: (x * dynacc.stop_gradient(x)).sum())(x), x)
        close(dynacc.grad(lambda x: (x * dynacc.stop_gradient([x, 2.0])[0]).sum())(x), x)
        close(dynacc.grad(lambda x: (x * dynacc.stop_gradient(np.sort(x))).sum())(x), x)
        self.assertIs(dynacc.stop_gradient(x), x)
        self.assertEqual(dynacc.stop_gradient({"a": (1, None)}), {"a": (1, None)})


def np_det(a):
    return np.linalg.det(a)


class ControlFlow(unittest.TestCase):
    """Branches, loops and calls that go by values of arrays, and long loops."""
    x = np.array([1.0, 2.0, -0.5])

    def check(self, f, *inputs):
        gradient = dynacc.value_and_grad(f)
        for x in inputs or (self.x, -self.x, self.x):
            value, found = gradient(x)
            self.assertEqual(np.asarray(value).tobytes(), np.asarray(f(x)).tobytes())
            close(found, differences(f, np.array(x)), 1e-5)

    def test_branches(self):
        def by_sum(x):
            if x.sum() > 0:
                return (x ** 2).sum()
            return (x ** 3).sum()

        def by_element(x):
            total = 0.0
            for v in x:
                if v < -1.2:
                    continue
                if float(v) > 1.5:
                    break
                total = total + v ** 2
            return total + x[0]

        def by_mask(x):
            y = x.copy()
            for i in range(1, 3):
                y[i] += y[i - 1] * 2 if y[i] > 0 else 1
            return (y * y).sum()

        def by_all(x):
            return x[1] * x[1] if np.all(x > -1) and not np.any(np.isnan(x)) else x[0] * x[2]

        def after_a_median(x):  # whose rule has a size that only the run tells
            m = np.median(x) + x
            return (m * m).sum() if (m > -3.5).all() else m.sum()

        def of_what_a_mask_takes(x):
            taken = x[x > 0.7]
            return (taken ** 2).sum() if taken.sum() > 1.5 else (x * 3).sum()

        for f in (by_sum, by_element, by_mask, by_all, after_a_median, of_what_a_mask_takes):
            with self.subTest(f=f.__name__):
                self.check(f)

    def test_loops_that_end_by_a_value(self):
        def root(a):
            x = a
            while abs(x * x - a) > 1e-12:
                x = (x + a / x) / 2
            return x

        def shrink(x):
            rounds = 0
            while np.linalg.norm(x) > 0.1 and rounds < 50:
                x, rounds = x * x / (1 + x * x), rounds + 1
            return x.sum()

        self.check(root, np.float64(2), np.float64(3), np.float64(2))
        self.check(shrink)

    def test_long_loops_generators_recursion_and_handlers(self):
        def decay(x):
            for i in range(1000):
                x = x + 0.01 * np.sin(x * 3)
            return (x * x).sum()

        def squares(x):
            for v in x:
                if v > 0:
                    yield v * v

        def deep(x, n=20):
            return (x * x).sum() if n == 0 else deep(x * 1.01, n - 1)

        def handled(x):
            try:
                if x[0] > 0:
                    raise ValueError("positive")
                return x[0] * x[1]
            except ValueError:
                return x[1] * x[2]
            finally:
                x = x * 2

        for f in (decay, lambda x: sum(squares(x)) * x[2], deep, handled):
            with self.subTest(f=f.__name__):
                self.check(f)

    def test_a_side_that_raises_where_it_is_not_taken(self):
        def guarded(x):
            a = np.diag(x)
            if abs(np.linalg.det(a)) > 0.01:
                return np.linalg.inv(a).sum()
            return x.sum() ** 2

        self.check(guarded, self.x, np.array([1.0, 0.0, 1.0]), np.array([1.0, 2.0, 0.0]), self.x)

    def test_branches_inside_of_bodies_are_errors(self):
        def side(v):
            return v.sum() if v[1] > 0 else v.prod()

        def body(total, v):
            return (total + v if v > 0 else total - v), total

        for f in (lambda x: dynacc.cond(x[0] > 0, side, lambda v: v.sum(), x * 2),
                  lambda x: dynacc.scan(body, 0.0, x)[0], lambda x: dynacc.vmap(side)(np.stack([x, -x])).sum(),
                  lambda x: dynacc.grad(side)(x).sum()):
            with self.assertRaisesRegex(RuntimeError, f"{FILE}:.*branch on an array's value"):
                dynacc.grad(f)(self.x)

    def test_a_branch_beside_a_body(self):
        def f(x):
            total = dynacc.scan(lambda c, v: (c + v * v, c), 0.0, x)[0]
            return total * total if total > 1 else total

        self.check(f, self.x, self.x / 10, self.x)

    def test_what_fails_in_a_derivative_is_named(self):
        with self.assertRaisesRegex(RuntimeError, f"{FILE}.*LinAlgError: Singular matrix"):
            dynacc.grad(np_det)(np.zeros((2, 2)))

    def test_second_derivatives(self):
        def cubic(x):
            return (x ** 3).sum() if x[0] > 0 else (x ** 4).sum()

        for x in (self.x, -self.x):
            power = 3 if x[0] > 0 else 4
            close(dynacc.hessian(cubic)(x), np.diag(power * (power - 1) * x ** (power - 2)))


class Arguments(unittest.TestCase):
    def test_trees(self):
        a, b, c = (RANDOM.normal(size=4) for _ in range(3))
        tree = {"pair": Pair(a, [b]), "none": None, "layer": Layer(c, np.float32(2))}

        def f(tree, scale, power=2):
            return (scale * tree["pair"].first * tree["pair"].second[0] * tree["layer"].weight ** power).sum()

        found = dynacc.grad(f)(tree, 3.0, power=3)
        self.assertIsInstance(found["pair"], Pair)
        self.assertIsNone(found["none"])
        close(found["pair"].first, 3 * b * c ** 3)
        close(found["pair"].second[0], 3 * a * c ** 3)
        close(found["layer"].weight, 9 * a * b * c ** 2)
        self.assertEqual((found["layer"].bias.dtype, found["layer"].bias), (np.float32, 0))
        both = dynacc.grad(f, argnums=(1, 0))(tree, 3.0)
        close(both[0], (a * b * c ** 2).sum())
        close(both[1]["pair"].first, 3 * b * c ** 2)

    def test_the_same_array_twice(self):
        x = np.arange(3.0)
        close(dynacc.grad(lambda a, b: (a * b * b).sum())(x, x), x * x)
        close(dynacc.grad(lambda a: (a[0] * a[1] * a[1]).sum())([x, x])[1], 2 * x * x)
        close(dynacc.grad(lambda a: (a * X[:, 0] * X[:, 0]).sum())(X[:, 0]), X[:, 0] ** 2)

    def test_aux(self):
        x = np.arange(3.0)
        f = lambda x: ((x * x).sum(), {"double": x * 2, "n": 3})
        gradient, aux = dynacc.grad(f, has_aux=True)(x)
        close(gradient, 2 * x)
        close(aux["double"], 2 * x)
        self.assertEqual(aux["n"], 3)
        (value, aux), gradient = dynacc.value_and_grad(f, has_aux=True)(x)
        self.assertEqual((value, aux["n"]), (5.0, 3))

    def test_methods_and_compiled_functions(self):
        class Model:
            def __init__(self):
                self.scale = np.full(3, 2.0)

            def loss(self, x):
                return (self.scale * x * x).sum()

        model, x = Model(), np.arange(3.0)
        gradient = dynacc.grad(model.loss)
        close(gradient(x), 4 * x)
        model.scale = np.full(3, 5.0)  # it is read at each call
        close(gradient(x), 10 * x)
        model.scale = np.full(3, 1, np.float32)
        close(gradient(x), 2 * x)
        close(dynacc.grad(dynacc.compile(lambda x: (x ** 3).sum()))(x), 3 * x * x)
        # Also those that are compiled inside: they are a part of the graph.
        close(dynacc.grad(lambda x: dynacc.compile(model.loss)(x))(x), 2 * x)
        close(dynacc.grad(lambda x: dynacc.compile(lambda y: y ** 3, fast_math=True)(x).sum())(x), 3 * x * x)

    def test_attributes_of_objects(self):
        class Dense:
            def __init__(self):
                self.weight, self.bias, self.name = RANDOM.normal(size=(3, 2)), np.ones(2), "dense"

            def __call__(self, x):
                return np.tanh(x @ self.weight + self.bias)

        class Model:
            def __init__(self):
                self.dense, self.scale, self.steps = Dense(), 2.0, 3

            def loss(self, x, power=2):
                for _ in range(self.steps - 2):
                    x = self.dense(x)
                return (self.scale * x ** power).sum()

        model, x = Model(), RANDOM.normal(size=(4, 3))
        weight = model.dense.weight
        y = model.dense(x)
        of_weight = x.T @ (4 * y * (1 - y * y))
        for _ in range(2):
            close(dynacc.grad(Model.loss, "dense.weight")(model, x), of_weight)
            (value, found) = dynacc.value_and_grad(model.loss, ("scale", "dense.weight"))(x, power=2)
            self.assertEqual(value, model.loss(x))
            close(found[0], (y * y).sum())
            close(found[1], of_weight)
        self.assertIs(model.dense.weight, weight)
        self.assertEqual(dynacc.hessian(model.loss, "scale")(x), 0)
        close(dynacc.jacobian(lambda model: model.dense.bias * model.scale, "dense.bias")(model), 2 * np.eye(2))
        with self.assertRaisesRegex(AttributeError, "gain"):
            dynacc.grad(model.loss, "gain")(x)
        with self.assertRaisesRegex(TypeError, "not both"):
            dynacc.grad(model.loss, (0, "scale"))
        with self.assertRaisesRegex(TypeError, "int"):
            dynacc.grad(model.loss, "steps")(x)


class Traces(unittest.TestCase):
    def setUp(self):
        self.traced = 0
        original = _gradients._trace

        def counted(*args):
            self.traced += 1
            return original(*args)

        _gradients._trace = counted
        self.addCleanup(setattr, _gradients, "_trace", original)

    def test_callables_of_every_kind(self):
        x = np.array([0.5, 1.5])
        self.assertEqual(dynacc.grad(np.sin)(0.3), np.cos(0.3))
        for f, wanted in ((np.sum, [1, 1]), (np.prod, x[::-1]), (np.linalg.norm, x / np.linalg.norm(x)),
                          (functools.partial(np.dot, x), x), (functools.partial(np.sum, axis=0), [1, 1])):
            np.testing.assert_allclose(dynacc.grad(f)(x), wanted, rtol=1e-15)
        self.assertEqual(dynacc.grad(operator.mul, (0, 1))(2.0, 3.0), (3.0, 2.0))
        np.testing.assert_array_equal(dynacc.vmap(np.prod)(np.stack([x, x + 1])), [0.75, 3.75])
        with self.assertRaisesRegex(TypeError, "not callable"):
            dynacc.grad(3.0)(x)

    def test_what_calls_compiled_functions(self):
        @dynacc.compile
        def squares(x):
            return (x * x).sum()

        class Model:
            @dynacc.compile
            def energy(self, x):
                return squares(x) * 2

        x = np.array([0.5, 1.5])
        np.testing.assert_array_equal(dynacc.grad(lambda x: squares(x) * 2)(x), 4 * x)
        np.testing.assert_array_equal(dynacc.grad(Model().energy)(x), 4 * x)
        np.testing.assert_array_equal(dynacc.vmap(lambda x: squares(x))(np.stack([x, x])), [2.5, 2.5])
        np.testing.assert_array_equal(dynacc.vmap(squares)(np.stack([x, x])), [2.5, 2.5])
        self.assertEqual(dynacc.export(lambda x: squares(x) + 1, x)(x), 3.5)

    def test_are_kept_while_they_hold(self):
        scale = 2.0
        f = lambda x, n=1: (x * scale * n).sum()
        gradient = dynacc.grad(f)
        for _ in range(4):
            close(gradient(np.ones(3)), np.full(3, 2.0))
        self.assertEqual(self.traced, 1)
        close(gradient(np.ones((2, 2))), np.full((2, 2), 2.0))
        close(gradient(np.ones(3, np.float32)), np.full(3, 2.0))
        close(gradient(np.ones(3), 5), np.full(3, 10.0))
        close(gradient(np.ones(3), n=4), np.full(3, 8.0))
        made = self.traced
        for _ in range(3):
            close(gradient(np.ones((2, 2))), np.full((2, 2), 2.0))
            close(gradient(np.ones(3), 5), np.full(3, 10.0))
            close(dynacc.value_and_grad(f)(np.ones(3))[1], np.full(3, 2.0))
        self.assertEqual(self.traced, made)
        scale = 7.0
        close(gradient(np.ones(3)), np.full(3, 7.0))

    def test_other_arguments_to_differentiate_by(self):
        f = lambda a, b: (a * b * b).sum()
        x, y = np.arange(3.0), np.arange(3.0) + 1
        for _ in range(2):
            close(dynacc.grad(f, argnums=0)(x, y), y * y)
            close(dynacc.grad(f, argnums=1)(x, y), 2 * x * y)
        ignores = lambda a, b: (b * b).sum()
        close(dynacc.grad(ignores, argnums=0)(x, y), np.zeros(3))
        close(dynacc.grad(ignores, argnums=1)(x, y), 2 * y)

    def test_sizes_and_numbers_are_left_open_when_they_change(self):
        f = lambda p, x, rate: {"loss": (np.tanh(x @ p) ** 3).sum() * rate + x[1:].prod(axis=0).max()}["loss"]
        gradient = dynacc.value_and_grad(f)
        for rows in (4, 7, 2, 9, 12):
            p, x = RANDOM.normal(size=3), RANDOM.normal(size=(rows, 3))
            value, found = gradient(p, x, rows * 0.3)
            self.assertEqual(value, f(p, x, rows * 0.3))
            close(found, differences(lambda p: f(p, x, rows * 0.3), p))
            close(dynacc.grad(f, argnums=1)(p, x, 0.5), differences(lambda x: f(p, x, 0.5), x))
        self.assertLessEqual(self.traced, 5)

    def test_a_graph_that_requires_other_sizes_or_numbers_is_not_a_calls(self):
        def scaled(w, step):
            return (w * w).sum() * (0.1 if step < 2 else 1.0)

        slope = dynacc.grad(scaled)
        self.assertEqual([slope(np.ones(1), step)[0] for step in range(4)], [0.2, 0.2, 2.0, 2.0])

        def by_length(x):
            return (x * x).sum() if len(x) > 2 else (x * x * x).sum()

        slope = dynacc.grad(by_length)
        self.assertEqual([slope(np.full(n, 2.0))[0] for n in (5, 4, 3, 2, 1, 6)], [4, 4, 4, 12, 12, 4])

        def heads(x, w):
            count, length = x.shape[:2]
            split = (x @ w).reshape(count, length, 2, 3).transpose(0, 2, 1, 3)
            return (split.reshape(count, length, 6) ** 2).sum()

        slope, w = dynacc.grad(heads, 1), RANDOM.normal(size=(4, 6))
        for count, length in ((32, 3), (16, 3), (1, 3), (2, 1), (1, 1), (5, 7)):
            x = RANDOM.normal(size=(count, length, 4))
            np.testing.assert_allclose(slope(x, w), 2 * np.einsum("btk,btj->kj", x, x @ w))

    def test_what_a_called_function_selects(self):
        def logarithms(x):
            k = x > 0
            y = np.zeros_like(x)
            y[k] = np.log(x[k])
            return y.sum()

        def twice(x):
            return logarithms(x) + logarithms(x * 2)

        x = np.array([1.0, -2.0, 4.0])
        np.testing.assert_array_equal(dynacc.grad(twice)(x), [2, 0, 0.5])
        self.assertEqual(dynacc.compile(twice, fullgraph=True)(x), twice(x))

    def test_nothing_is_kept_alive(self):
        def run():
            big = np.ones(1000)
            function = lambda x: (x * x).sum()
            dynacc.grad(function)(big)
            dynacc.hessian(function)(big[:3])
            return weakref.ref(big), weakref.ref(function)

        array, function = run()
        gc.collect()
        self.assertIsNone(array())
        self.assertIsNone(function())

    def test_threads(self):
        f = lambda x: (np.sin(x) * x).sum()
        gradient, failures = dynacc.grad(f), []

        def work(n):
            try:
                for i in range(50):
                    x = np.linspace(0, n, 3 + i % 3)
                    close(gradient(x), np.cos(x) * x + np.sin(x))
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_warnings_are_numpys(self):
        f = lambda x: np.log(x).sum()
        with warnings.catch_warnings(record=True) as plain:
            warnings.simplefilter("always")
            f(np.zeros(3))
        with warnings.catch_warnings(record=True) as differentiated:
            warnings.simplefilter("always")
            dynacc.value_and_grad(f)(np.zeros(3))
        self.assertEqual([(str(w.message), w.lineno) for w in differentiated],
                         [(str(w.message), w.lineno) for w in plain])


class Errors(unittest.TestCase):
    def check(self, kind, words, function, *args):
        with self.assertRaises(kind) as raised:
            function(*args)
        for word in words:
            self.assertIn(word, str(raised.exception))

    def test_dicts_whose_keys_are_in_another_order(self):
        a, b, f = np.arange(3.0), np.ones(3) * 2, lambda p: {"s": p["a"] * p["b"], "t": p["a"] * 5}
        tangent = {"b": np.ones(3), "a": np.zeros(3)}
        cotangent = {"t": np.zeros(3), "s": np.ones(3)}
        for wrapped in (lambda g: g, lambda g: dynacc.compile(g, fullgraph=True)):
            moved = wrapped(lambda p, t: dynacc.jvp(f, (p,), (t,))[1])({"a": a, "b": b}, tangent)
            self.assertEqual((moved["s"].tolist(), moved["t"].tolist()), (a.tolist(), [0, 0, 0]))
            back, = wrapped(lambda p, c: dynacc.vjp(f, p)[1](c))({"a": a, "b": b}, cotangent)
            self.assertEqual((back["a"].tolist(), back["b"].tolist()), (b.tolist(), a.tolist()))
        for wrapped in (lambda g: g, dynacc.compile):
            with self.assertRaisesRegex(ValueError, "another tree"):
                wrapped(lambda p, t: dynacc.jvp(f, (p,), (t,))[1])({"a": a, "b": b}, {"a": a, "c": b})

    def test_functions_that_a_version_of_numpy_has(self):
        x = np.arange(3.0)
        self.assertEqual(dynacc.grad(lambda x: (np.no_such(x) if hasattr(np, "no_such") else x * 2).sum())(x).tolist(), [2, 2, 2])
        self.assertEqual(dynacc.grad(lambda x: getattr(np, "no_such", np.sum)(x * 2))(x).tolist(), [2, 2, 2])
        self.check(AttributeError, ["no attribute 'no_such'"], dynacc.grad(lambda x: dynacc.no_such(x)), x)

    def test_what_has_no_gradient(self):
        x = np.arange(3.0)
        line = sys._getframe().f_lineno
        f = lambda x: np.frexp(x)[0].sum()
        self.check(NotImplementedError, [f"{FILE}:{line + 1}", "numpy.frexp", "stop_gradient"], dynacc.grad(f), x)
        self.check(NotImplementedError, [f"{FILE}:{line + 1}"], dynacc.jvp, f, (x,), (x,))

    def test_results(self):
        x = np.arange(3.0)
        name = [FILE]
        self.check(TypeError, ["1 axes", "Sum it", *name], dynacc.grad(lambda x: x * 2), x)
        self.check(TypeError, ["i64", *name], dynacc.grad(lambda x: x.astype(int).sum()), x)
        self.check(TypeError, ["complex", *name], dynacc.grad(lambda x: (x * 1j).sum()), x)
        self.check(TypeError, ["tuple", "has_aux", *name], dynacc.grad(lambda x: (x.sum(), x.sum())), x)
        self.check(TypeError, ["pair", *name], dynacc.grad(lambda x: x.sum(), has_aux=True), x)
        self.check(TypeError, ["str", *name], dynacc.grad(lambda x: "loss"), x)

    def test_arguments(self):
        f = lambda x: x.sum()
        self.check(TypeError, ["argument 0", "int64", "astype"], dynacc.grad(f), np.arange(3))
        self.check(TypeError, ["argument 0['a'][1]", "int"], dynacc.grad(f), {"a": [1.0, 2]})
        self.check(TypeError, ["str"], dynacc.grad(f), "x")
        self.check(ValueError, ["argnums 2", FILE], dynacc.grad(f, argnums=2), np.ones(3))
        for twice in ((0, 0), (0, -2)):
            for transform in (dynacc.grad, dynacc.jacobian, dynacc.hessian):
                self.check(ValueError, [f"{twice[0]} and {twice[1]} name the same argument", FILE],
                           transform(lambda x, y: (x * y).sum(), argnums=twice), np.ones(3), np.ones(3))
        with self.assertRaisesRegex(ValueError, "an attribute twice"):
            dynacc.grad(f, argnums=("w", "w"))
        self.check(ValueError, ["argnums", FILE], dynacc.grad(f), *[])
        self.check(AttributeError, ["'w'", "ndarray", "position"], dynacc.grad(lambda w: w.sum(), "w"), np.ones(3))
        for argnums in (1.0, None):
            self.check(TypeError, [repr(argnums), "position"], dynacc.grad, f, argnums)
        self.check(TypeError, ["'a'", "number from 0 to 1"], lambda: dynacc.grad(f, budget="a"))
        self.check(TypeError, ["callable"], dynacc.grad, 3)
        self.check(TypeError, ["missing"], dynacc.grad(lambda x, y: x.sum()), np.ones(3))
        self.check(TypeError, ["sin", "an array of 1 axes"], dynacc.grad(np.sin), np.ones(3))

    def test_constant_results(self):
        x = np.ones(3)
        hinge = dynacc.value_and_grad(lambda w: max(0.0, w[0] - 1))
        for first, value, slope in ((0.5, 0.0, 0.0), (2.0, 1.0, 1.0), (0.7, 0.0, 0.0), (3.0, 2.0, 1.0)):
            found = hinge(np.full(2, first))
            self.assertEqual((found[0], found[1].tolist()), (value, [slope, 0.0]))
        close(dynacc.grad(lambda w: sum(max(0, each - 30.0) for each in w))(x), np.zeros(3))
        (value, aux), slope = dynacc.value_and_grad(lambda w: (3, {"a": w * 2}), has_aux=True)(x)
        self.assertEqual((value, aux["a"].tolist(), slope.tolist()), (3, [2.0, 2.0, 2.0], [0.0, 0.0, 0.0]))
        self.assertEqual(dynacc.grad(lambda v: 0)(2.0), 0.0)
        close(dynacc.hessian(lambda w: max(0.0, w[0] - 10))(x), np.zeros((3, 3)))
        second = dynacc.hessian(lambda p: (p["a"] ** 2).sum())({"a": x, "b": x})  # b is not read
        close(second["a"]["a"], 2 * np.eye(3))
        close(second["b"]["b"], np.zeros((3, 3)))
        self.check(TypeError, ["bool"], dynacc.grad(lambda w: True), x)

    def test_inside_of_functions(self):
        inner = dynacc.grad(lambda x: (x ** 3).sum())
        x = np.array([0.5, -2.0])
        close(dynacc.grad(lambda x: inner(x).sum())(x), 6 * x)
        close(dynacc.grad(lambda x: dynacc.value_and_grad(lambda v, k: ((v * k).sum(), k), has_aux=True)(x, 3.0)[0][0])(x),
              [3.0, 3.0])
        close(dynacc.grad(lambda x: dynacc.jvp(lambda v: np.sin(v), (x,), (x,))[1].sum())(x), np.cos(x) - x * np.sin(x))
        captured = dynacc.compile(lambda x: inner(x) * 2, fullgraph=True)
        close(captured(x), 6 * x * x)

        def pulled(x):
            out, pull = dynacc.vjp(lambda v, k: {"a": v * k, "b": v.sum()}, x, x)
            return out["a"], *pull({"a": np.ones(2), "b": 2.0})
        close(dynacc.compile(pulled, fullgraph=True)(x), [x * x, x + 2, x])
        matrix = np.arange(6.0).reshape(3, 2)
        jacobian = dynacc.jacobian(lambda v: {"a": np.sin(matrix @ v), "b": v[0] * v[1]})
        found = dynacc.compile(lambda x: jacobian(x), fullgraph=True)(x)
        close(found["a"], jacobian(x)["a"])
        close(found["b"], jacobian(x)["b"])
        self.check(RuntimeError, [f"{FILE}:"], dynacc.compile(lambda x: dynacc.grad(np.sort)(x), fullgraph=True), x)

    def test_breaks(self):
        line = sys._getframe().f_lineno
        def shows(x):
            print(x)
            return x.sum()
        self.check(RuntimeError, [f"{FILE}:{line + 2}", "print"], dynacc.grad(shows), np.ones(3))


        def decides(x):
            return x.sum() if x > 0 else -x.sum()
        self.check(ValueError, ["ambiguous"], dynacc.grad(decides), np.ones(3))

    def test_cotangents_and_tangents(self):
        x = np.ones(3)
        _, pull = dynacc.vjp(lambda x: {"a": x, "b": x.sum()}, x)
        self.check(ValueError, ["another tree"], pull, [x, 1.0])
        self.check(ValueError, ["shape ()", "(3,)"], pull, {"a": 1.0, "b": 1.0})
        self.check(ValueError, ["shape (4,)", "(3,)"], pull, {"a": np.ones(4), "b": 1.0})
        for kind in (int, complex):
            self.check(ValueError, [np.dtype(kind).name, "float64"], pull, {"a": np.ones(3, kind), "b": 1.0})
            self.check(ValueError, [np.dtype(kind).name, "float64"], dynacc.jvp, np.sin, (x,), (np.ones(3, kind),))
        self.check(ValueError, ["float64", "float32"], dynacc.jvp, np.sin, (x.astype("f"),), (x,))
        close(pull({"a": np.ones(3, "f"), "b": 1.0})[0], [2.0, 2.0, 2.0])
        self.check(ValueError, ["complex128"], pull, {"a": x, "b": 1j})
        close(pull({"a": x, "b": 1})[0], [2.0, 2.0, 2.0])
        self.check(ValueError, ["shape"], dynacc.jvp, lambda x: x, (x,), (np.ones(4),))
        self.check(ValueError, ["tangents"], dynacc.jvp, lambda x: x, (x,), (x, x))

    def test_the_functions_own_errors(self):
        f = lambda x, n: np.linalg.inv(n).sum() + x.sum()
        self.check(np.linalg.LinAlgError, ["Singular"], dynacc.grad(f), np.ones(3), np.zeros((2, 2)))

    def test_an_array_that_is_written_into_has_its_own_memory(self):
        program = _dynacc.GraphProgram("graph {\n  %0: f64[2] = input 0\n  %1: f64[2] = input 1\n"
                                       "  %2: f64[2] = add %0, %1\n  return %2 -> %0\n}")
        x = np.arange(3.0)
        with self.assertRaisesRegex(ValueError, "input 0 is written into, and shares memory"):
            program.run([x[:2], x[1:]], [])
        self.assertEqual(x.tolist(), [0.0, 1.0, 2.0])
        program.run([x[:2], np.ones(2)], [])
        self.assertEqual(x.tolist(), [1.0, 2.0, 2.0])


if __name__ == "__main__":
    unittest.main()
