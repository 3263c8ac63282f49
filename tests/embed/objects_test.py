#!/usr/bin/env python3
"""dynacc.compile of objects with state and of modules. Run by the launcher and by a stock python3."""
import copy
import functools
import gc
import pickle
import types
import unittest
import weakref

import numpy as np

import dynacc

A = np.linspace(0.5, 3.0, 100)


class Layer:
    def __init__(self, scale):
        self.scale = scale
        self.calls = 0

    def __call__(self, a):
        return np.tanh(a * self.scale + 1.0)

    def backward(self, a, k=2.0):
        return a * self.scale * k - 1.0

    def __len__(self):
        return 3

    def __getitem__(self, place):
        return self.scale * place

    def __eq__(self, other):
        return isinstance(other, Layer) and self.scale == other.scale

    def __hash__(self):
        return hash(self.scale)

    def __repr__(self):
        return f"Layer({self.scale})"

    @property
    def doubled(self):
        return self.scale * 2

    @classmethod
    def unit(cls):
        return cls(1.0)

    @staticmethod
    def plain(a):
        return a + 1.0


class Model:
    """With a forward, as models of other libraries have it."""

    def __init__(self, parts):
        self.parts = parts
        self.weights = {"w": np.full(100, 2.0), "b": [np.ones(100)]}

    def forward(self, a):
        for part in self.parts:
            a = part(a)
        return a * self.weights["w"] + self.weights["b"][0]


class Objects(unittest.TestCase):
    def test_a_call(self):
        layer = Layer(2.0)
        compiled = dynacc.compile(layer, fullgraph=True)
        for _ in range(3):
            self.assertEqual(compiled(A).tobytes(), layer(A).tobytes())
        self.assertEqual(compiled.stats()["traces"], 1)
        compiled.forget()
        self.assertEqual(compiled.stats()["entries"], 0)

    def test_forward_and_nested_parts(self):
        model = Model([Layer(2.0), Layer(3.0)])
        compiled = dynacc.compile(model, fullgraph=True)

        def expected():
            return Model.forward(model, A)

        np.testing.assert_array_equal(compiled(A), expected())
        np.testing.assert_array_equal(compiled.forward(A), expected())
        model.weights["w"] = np.full(100, 5.0)  # replaced
        np.testing.assert_array_equal(compiled(A), expected())
        model.weights["w"] *= 0.5  # in place
        np.testing.assert_array_equal(compiled(A), expected())
        model.weights["b"][0] = model.weights["b"][0] + 1.0
        model.parts[1].scale = 7.0
        np.testing.assert_array_equal(compiled(A), expected())
        model.parts.append(Layer(0.5))
        np.testing.assert_array_equal(compiled(A), expected())

    def test_it_passes_for_the_object(self):
        layer = Layer(2.0)
        compiled = dynacc.compile(layer)
        self.assertIsInstance(compiled, Layer)
        self.assertNotIsInstance(compiled, Model)
        self.assertEqual((repr(compiled), str(compiled), len(compiled), compiled[4], compiled.doubled, hash(compiled)),
                         ("Layer(2.0)", "Layer(2.0)", 3, 8.0, 4.0, hash(layer)))
        self.assertTrue(compiled == layer and layer == compiled)
        self.assertIs(compiled.__wrapped__, layer)
        self.assertEqual(vars(compiled), vars(layer))
        self.assertIn("backward", dir(compiled))
        np.testing.assert_array_equal(compiled.plain(A), A + 1.0)
        self.assertEqual(compiled.unit(), Layer(1.0))
        compiled.scale = 4.0
        self.assertEqual((layer.scale, compiled.scale), (4.0, 4.0))
        compiled.extra = 1
        del compiled.extra
        self.assertFalse(hasattr(layer, "extra") or hasattr(compiled, "extra"))
        with self.assertRaisesRegex(AttributeError, "'Layer' object has no attribute 'no_such'"):
            compiled.no_such

    def test_methods_are_compiled_on_first_use(self):
        compiled = dynacc.compile(Layer(2.0))
        self.assertEqual(compiled.stats()["traces"], 0)
        for _ in range(2):
            np.testing.assert_array_equal(compiled.backward(A, k=3.0), A * 2.0 * 3.0 - 1.0)
        self.assertEqual(compiled.stats()["traces"], 1)
        self.assertIs(compiled.backward.__func__, compiled.backward.__func__)
        self.assertIs(compiled.backward.__self__, compiled.__wrapped__)

    def test_two_of_one_object(self):
        layer = Layer(2.0)
        one, two = dynacc.compile(layer), dynacc.compile(layer, dynamic=True)
        one(A)
        self.assertEqual((one.stats()["traces"], two.stats()["traces"]), (1, 0))
        self.assertIs(dynacc.compile(one).__wrapped__, layer)
        self.assertFalse(hasattr(layer, "forget") or hasattr(layer, "stats"))

    def test_its_own_names_win(self):
        class Named(Layer):
            stats = "mine"

            def forget(self):
                return "mine, too"

        compiled = dynacc.compile(Named(1.0))
        self.assertEqual((compiled.stats, compiled.forget()), ("mine", "mine, too"))

    def test_pickle_and_copy(self):
        compiled = dynacc.compile(Model([Layer(2.0)]), dynamic=True)
        expected = compiled(A)
        for other in (pickle.loads(pickle.dumps(compiled)), copy.deepcopy(compiled), copy.copy(compiled)):
            self.assertIsInstance(other, Model)
            self.assertEqual(type(other).__name__, "CompiledObject")
            self.assertIsNot(other.__wrapped__, compiled.__wrapped__)
            np.testing.assert_array_equal(other(A), expected)
            self.assertEqual(other.stats()["traces"], 1)
        deep, shallow = copy.deepcopy(compiled), copy.copy(compiled)
        self.assertIsNot(deep.weights, compiled.weights)
        self.assertIs(shallow.weights, compiled.weights)

    def test_nothing_is_kept(self):
        layer = Layer(2.0)
        compiled = dynacc.compile(layer)
        compiled(A), compiled.backward(A)
        gone = [weakref.ref(layer), weakref.ref(compiled)]
        del layer, compiled
        gc.collect()
        self.assertEqual([ref() for ref in gone], [None, None])

    def test_an_object_that_lies(self):
        class Liar:
            def __getattr__(self, name):
                return lambda *args: "lie"

        with self.assertRaisesRegex(TypeError, "Liar"):
            dynacc.compile(Liar())

        class Honest(Liar):
            def __call__(self, a):
                return a * 2.0 + 1.0

        compiled = dynacc.compile(Honest())
        np.testing.assert_array_equal(compiled(A), A * 2.0 + 1.0)
        self.assertEqual(compiled.anything(), "lie")

        class Raises:
            def __getattribute__(self, name):
                raise RuntimeError(f"no {name}")

            def __call__(self, a):
                return a * 2.0 + 1.0

        compiled = dynacc.compile(Raises())
        np.testing.assert_array_equal(compiled(A), A * 2.0 + 1.0)
        with self.assertRaisesRegex(RuntimeError, "no thing"):
            compiled.thing

    def test_objects_without_room(self):
        class Slots:
            __slots__ = ("k",)
            __hash__ = None

            def __call__(self, a):
                return a * self.k + 1.0

        compiled = dynacc.compile(Slots())
        compiled.k = 2.0
        np.testing.assert_array_equal(compiled(A), A * 2.0 + 1.0)
        with self.assertRaises(AttributeError):
            compiled.other = 1
        with self.assertRaises(TypeError):
            hash(compiled)

    def test_graphs_and_gradients_of_them(self):
        layer = Layer(2.0)
        compiled = dynacc.compile(layer)
        plain = dynacc.graph.make_graph(layer.__call__, A)
        self.assertEqual([node.op for node in dynacc.graph.make_graph(compiled, A).nodes], [node.op for node in plain.nodes])

        class Loss:
            def forward(self, a):
                return (a * a).sum()

        for function in (dynacc.compile(Loss()), dynacc.compile(Loss().forward), dynacc.disable(Loss().forward),
                         dynacc.disable(lambda a: (a * a).sum())):
            np.testing.assert_array_equal(dynacc.grad(function)(A), 2.0 * A)

    def test_others(self):
        part = dynacc.compile(functools.partial(lambda a, k: a * k + 1.0, k=3.0))
        np.testing.assert_array_equal(part(A), A * 3.0 + 1.0)

        class Decorated:
            @dynacc.compile
            @staticmethod
            def still(a):
                return a * 3.0 + 1.0

            @dynacc.compile
            @classmethod
            def made(cls, a):
                return a * 4.0 + 1.0

        np.testing.assert_array_equal(Decorated().still(A), A * 3.0 + 1.0)
        np.testing.assert_array_equal(Decorated.made(A), A * 4.0 + 1.0)
        for wrong in (3, "f", Layer, np.sin, len, object(), [].append):
            with self.subTest(wrong), self.assertRaisesRegex(TypeError, "dynacc.compile: expected"):
                dynacc.compile(wrong)


class Modules(unittest.TestCase):
    def module(self):
        module = types.ModuleType("some_module", "Words.")
        exec("import numpy as np\nK = 2.0\ndef f(a):\n    return np.sqrt(a * K + 1.0)\ndef g(a):\n    return f(a) * 3.0\n"
             "class C:\n    pass\n", vars(module))
        return module

    def test_functions_are_compiled(self):
        module = self.module()
        compiled = dynacc.compile(module, fullgraph=True)
        for _ in range(3):
            self.assertEqual(compiled.g(A).tobytes(), module.g(A).tobytes())
        self.assertEqual(compiled.stats()["traces"], 1)
        self.assertIs(compiled.g, compiled.g)
        self.assertIs(compiled.C, module.C)
        self.assertIs(compiled.np, np)
        self.assertIsInstance(compiled, types.ModuleType)
        self.assertEqual((compiled.__name__, compiled.__doc__, compiled.K), ("some_module", "Words.", 2.0))
        self.assertIsInstance(module.g, types.FunctionType)
        self.assertIn("g", dir(compiled))
        self.assertIn("some_module", repr(compiled))
        compiled.forget()
        self.assertEqual(compiled.stats()["entries"], 0)

    def test_changes(self):
        module = self.module()
        compiled = dynacc.compile(module)
        compiled.f(A)
        compiled.K = 5.0
        self.assertEqual(module.K, 5.0)
        np.testing.assert_array_equal(compiled.f(A), np.sqrt(A * 5.0 + 1.0))
        exec("def f(a):\n    return a - 1.0\n", vars(module))
        np.testing.assert_array_equal(compiled.f(A), A - 1.0)
        del compiled.K
        with self.assertRaises(AttributeError):
            compiled.K

    def test_a_real_one(self):
        import colorsys
        compiled = dynacc.compile(colorsys)
        self.assertEqual(compiled.rgb_to_yiq(0.1, 0.2, 0.3), colorsys.rgb_to_yiq(0.1, 0.2, 0.3))
        again = pickle.loads(pickle.dumps(compiled))
        self.assertIs(again.__wrapped__, colorsys)


if __name__ == "__main__":
    unittest.main()
