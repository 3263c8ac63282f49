"""dynacc.export, Program.save and dynacc.load_program: the same bytes as the live function, and everything refused that
is to be refused. Runs in a stock python3 with the module on its path."""
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np

import dynacc
from dynacc.graph import GraphBreak
from dynacc.program import ProgramError

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import program_functions as functions

GLOBAL_ROWS = np.arange(6.0)


def leaves(value):
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves(item)]
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in leaves(item)]
    return [np.asarray(value)]


class Bytes(unittest.TestCase):
    """What a program gives is what the live function gives."""

    def assert_same(self, a, b):
        a, b = leaves(a), leaves(b)
        self.assertEqual(len(a), len(b))
        for one, other in zip(a, b):
            self.assertEqual((one.dtype, one.shape, one.strides), (other.dtype, other.shape, other.strides))
            self.assertEqual(one.tobytes(), other.tobytes())

    def test_every_function_beside_the_live_one(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, function, arguments, options in functions.cases():
                with self.subTest(name):
                    program = dynacc.export(function, *arguments, **options)
                    path = os.path.join(folder, name)
                    weights = path + ".safetensors" if program.weights else None
                    program.save(path, weights=weights)
                    again = dynacc.load_program(path, weights=weights)
                    live = dynacc.compile(function, fast_math=options.get("fast_math", False), backend="cpu")
                    for _ in range(3):
                        expected = live(*arguments)
                    self.assert_same(program(*arguments), expected)
                    self.assert_same(again(*arguments), expected)
                    if not options.get("fast_math"):
                        self.assert_same(again(*arguments), function(*arguments))

    def test_other_sizes(self):
        rng = np.random.default_rng(1)
        program = dynacc.export(functions.softmax, np.ones((7, 33), np.float32), dynamic=True)
        for shape in ((2, 2), (5, 1000), (300, 129), (3, 8)):
            x = rng.normal(size=shape).astype(np.float32) * 20
            self.assert_same(program(x), functions.softmax(x))
        norm = dynacc.export(functions.layer_norm, np.ones((5, 64)), np.ones(64), np.ones(64), dynamic={"x": [0]})
        for rows in (1, 2, 77, 4000):
            x = rng.normal(size=(rows, 64))
            self.assert_same(norm(x, x[0], x[-1]), functions.layer_norm(x, x[0], x[-1]))

    def test_compiled_functions_and_methods(self):
        class Model:
            def __init__(self):
                self.weights = np.arange(12.0).reshape(3, 4)

            def forward(self, x):
                return x @ self.weights + 1.0

            @dynacc.compile
            def decorated(self, x):
                return self.forward(x) * 2.0

        model, x = Model(), np.ones((2, 3), np.float32)
        for function in (dynacc.compile(model.forward), model.decorated, dynacc.compile(functions.softmax)):
            self.assert_same(dynacc.export(function, x)(x), function(x))

    def test_one_where_the_example_has_more(self):
        def heads(x):
            count, length, width = x.shape
            return x.reshape(count, length, 2, width // 2).transpose(0, 2, 1, 3).reshape(count, length, width)

        def windows(x):
            return np.lib.stride_tricks.sliding_window_view(x, 3, axis=1).reshape(x.shape[0], -1)

        for function, shape in ((heads, (3, 4)), (windows, (9,)), (lambda x: np.repeat(x, 2, axis=0), (4,)),
                                (lambda x: np.tile(x, (2, 1)), (4,))):
            program = dynacc.export(function, np.ones((2, *shape)), dynamic={"x": {0: (1, 100)}})
            for count in (1, 2, 5):
                x = np.random.default_rng(2).normal(size=(count, *shape))
                self.assert_same(program(x), function(x))

    def test_sizes_that_do_not_vary_are_constants(self):
        def steps(x):
            h = np.zeros(len(x))
            for t in range(x.shape[1]):
                h = 0.5 * h + x[:, t]
            return h

        def centred(x, n=2):
            return n * x @ (np.eye(x.shape[1]) - 1.0 / x.shape[1])

        def of_pairs(pairs):
            return pairs["x"][0] * np.linspace(0, 1, pairs["x"][0].shape[1]) + pairs["y"]

        rng = np.random.default_rng(3)
        for function, path, make in ((steps, "x", lambda x: x), (centred, "x", lambda x: x),
                                     (of_pairs, "pairs['x'][0]", lambda x: {"x": [x], "y": np.arange(3.0)})):
            program = dynacc.export(function, make(np.ones((4, 3))), dynamic={path: [0]})
            self.assertEqual(dict(program.inputs)[path], "f64[s0, 3]")
            for rows in (1, 2, 9):
                x = make(rng.normal(size=(rows, 3)))
                self.assert_same(program(x), function(x))
        program = dynacc.export(centred, np.ones((4, 3)), 3, dynamic={"x": [0]})
        with self.assertRaisesRegex(TypeError, "made for n = 3"):
            program(np.ones((4, 3)), 4)

    def test_sizes_that_cannot_vary_so(self):
        def first(x):
            return x[1:]

        for error, words, function, count, dynamic in (
                (ProgramError, r"axis 0 of x may be 1 to 100 .* holds for 2 to", first, 2, {"x": {0: (1, 100)}}),
                (ProgramError, "axis 0 of x cannot vary", functions.softmax, 1, {"x": [0]}),
                (ValueError, "axis 0 of x is 2 in the example", functions.softmax, 2, {"x": {0: (5, 64)}}),
                (ValueError, "no such size", functions.softmax, 2, {"x": {0: (3, 1)}}),
                (TypeError, r"dynamic\['x'\] is 0", functions.softmax, 2, {"x": 0}),
                (TypeError, r"dynamic\['x'\]\[0\] is 5", functions.softmax, 2, {"x": {0: 5}}),
                (TypeError, "x has no axis 2", functions.softmax, 2, {"x": [2]}),
                (TypeError, "dynamic is 'x'", functions.softmax, 2, "x")):
            with self.assertRaisesRegex(error, words):
                dynacc.export(function, np.ones((count, 3), np.float32), dynamic=dynamic)

    def test_stacks_of_one_matrix(self):
        """A product of stacks of which there may be one or more."""
        def heads(a, b):
            return a.transpose(0, 2, 1, 3) @ b.transpose(0, 2, 3, 1)

        def other_order(a, b):  # NumPy's result then lies otherwise, which one matrix does not show
            return a.transpose(2, 0, 1, 3) @ b.transpose(2, 0, 3, 1)

        rng = np.random.default_rng(5)
        x, y = (rng.normal(size=(3, length, 2, 4)).astype(np.float32) for length in (5, 7))
        for function, least in ((heads, 1), (other_order, 2)):
            program = dynacc.export(function, x, y, dynamic={"a": {0: (least, 8)}, "b": {0: (least, 8)}})
            for count in range(least, 4):
                self.assert_same(program(x[:count], y[:count]), function(x[:count], y[:count]))

    def test_memory_orders(self):
        x = np.random.default_rng(2).normal(size=(40, 50))
        program = dynacc.export(lambda a: a.sum(axis=0) + (a * 2.0).sum(axis=1)[:1], x, dynamic=True)
        function = lambda a: a.sum(axis=0) + (a * 2.0).sum(axis=1)[:1]
        for given in (x, x.T, x[::2], x[:, ::-1], np.asfortranarray(x)):
            self.assert_same(program(given), function(given))

    def test_special_values(self):
        x = np.array([[np.inf, 1, 2], [np.nan, 0, -0.0], [-np.inf, -np.inf, 5], [1e30, -1e30, 88.8]], np.float32)
        program = dynacc.export(functions.softmax, x)
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(program(x), functions.softmax(x))

    def test_numbers_and_structures(self):
        def f(x, scale, flags, *, name="a"):
            return {"rows": x * scale, "what": (name, flags["deep"], x.shape[0], 3), "none": None}

        x = np.arange(4.0)
        program = dynacc.export(f, x, 2.5, {"deep": True}, kwargs={"name": "b"}, dynamic=True)
        self.assert_same(program(x + 1, 7.25, {"deep": True}, name="b")["rows"], (x + 1) * 7.25)
        self.assertEqual(program(np.ones(9), 1.0, {"deep": True}, name="b")["what"], ("b", True, 9, 3))
        with self.assertRaisesRegex(TypeError, "made for name = 'b'"):
            program(x, 2.5, {"deep": True})

    def test_eight_threads(self):
        arguments = functions.cases()[0][2]
        program = dynacc.export(functions.mlp, *arguments)
        expected = functions.mlp(*arguments).tobytes()
        wrong = []

        def work():
            for _ in range(500):
                if program(*arguments).tobytes() != expected:
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_a_level_that_this_machine_has_not(self):
        x = np.random.default_rng(3).normal(size=(4, 30)).astype(np.float32)
        program = dynacc.export(functions.softmax, x, targets=[])
        self.assertEqual(program.level, "")
        self.assert_same(program(x), functions.softmax(x))

    def test_every_level_gives_the_same_bytes(self):
        for name, function, arguments, options in functions.cases():
            if options.get("fast_math"):
                continue
            with self.subTest(name):
                expected = function(*arguments)
                for targets in ([], ["x86-64-v2"], ["x86-64-v3"], ["x86-64-v2", "x86-64-v4"]):
                    self.assert_same(dynacc.export(function, *arguments, targets=targets, **options)(*arguments), expected)

    def test_loads_without_the_function(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "f.dynacc")
            dynacc.export(functions.with_weights, np.ones((9, 16))).save(path)
            code = ("import sys, numpy as np, dynacc; p = dynacc.load_program(sys.argv[1]); "
                    "a, b = p(np.ones((9, 16))); print(a.shape, float(b))")
            said = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True,
                                  env=os.environ)
            self.assertEqual(said.stdout.strip(), "(9, 4) 144.0")


class Weights(unittest.TestCase):
    """Arrays outside of the program's file."""

    def saved(self, folder, kind="external"):
        path, weights = os.path.join(folder, "f.dynacc"), os.path.join(folder, "f.safetensors")
        program = dynacc.export(functions.with_weights, np.ones((9, 16)), weights=kind)
        program.save(path, weights=weights)
        return path, weights

    def written(self, folder, **arrays):
        """A file of safetensors, without the package; the header is not padded, so that elements lie anywhere."""
        header, data = {}, b""
        for name, array in arrays.items():
            begin = len(data)
            data += array.tobytes()
            header[name] = {"dtype": {"f8": "F64", "f4": "F32"}[array.dtype.str[1:]], "shape": list(array.shape),
                            "data_offsets": [begin, len(data)]}
        return self.raw(folder, json.dumps(header).encode(), data)

    def raw(self, folder, header, data=b"", size=None):
        path = os.path.join(folder, "other.safetensors")
        with open(path, "wb") as file:
            file.write((len(header) if size is None else size).to_bytes(8, "little") + header + data)
        return path

    def test_outside_and_back(self):
        x = np.random.default_rng(4).normal(size=(9, 16))
        for kind in ("external", "pinned"):
            with self.subTest(kind), tempfile.TemporaryDirectory() as folder:
                path, weights = self.saved(folder, kind)
                inside = dynacc.export(functions.with_weights, np.ones((9, 16)))
                self.assertLess(os.path.getsize(path), inside.size)
                program = dynacc.load_program(path, weights=weights)
                (name, kind_of), = program.weights
                self.assertEqual(kind_of, "f64[16, 4]")
                for found, expected in zip(program(x), functions.with_weights(x)):
                    self.assertEqual(found.tobytes(), expected.tobytes())
                with open(weights, "rb") as file:
                    size = int.from_bytes(file.read(8), "little")
                    self.assertEqual((8 + size) % 64, 0)
                    header = json.loads(file.read(size))
                self.assertEqual(header[name], {"dtype": "F64", "shape": [16, 4], "data_offsets": [0, 512]})

    def test_other_weights(self):
        x = np.random.default_rng(4).normal(size=(9, 16))
        with tempfile.TemporaryDirectory() as folder:
            path, weights = self.saved(folder)
            (name, _), = dynacc.load_program(path, weights=weights).weights
            other = self.written(folder, **{"x": np.ones(3, np.float32), name: functions.WEIGHTS * 2.0})
            self.assertEqual(dynacc.load_program(path, weights=other)(x)[0].tobytes(),
                             (x @ (functions.WEIGHTS * 2.0)).tobytes())
            path, _ = self.saved(folder, "pinned")
            with self.assertRaisesRegex(ProgramError, "has other elements"):
                dynacc.load_program(path, weights=other)

    def test_weights_that_do_not_fit(self):
        with tempfile.TemporaryDirectory() as folder:
            path, weights = self.saved(folder)
            (name, _), = dynacc.load_program(path, weights=weights).weights

            def refuses(message, weights):
                with self.assertRaisesRegex(ProgramError, message):
                    dynacc.load_program(path, weights=weights)

            refuses("its weights are outside of it, '" + re.escape(name), None)
            refuses("there is no '" + re.escape(name), self.written(folder, other=functions.WEIGHTS))
            refuses(r"is f32\[16, 4\]; the program takes f64\[16, 4\]",
                    self.written(folder, **{name: functions.WEIGHTS.astype(np.float32)}))
            refuses(r"is f64\[4, 16\]", self.written(folder, **{name: functions.WEIGHTS.T.copy()}))
            refuses("cut off", self.raw(folder, b"{}", size=1 << 40))
            refuses("no file of safetensors", self.short(folder))
            refuses("no JSON object", self.raw(folder, b"[1, 2"))
            refuses("no JSON object", self.raw(folder, b"[" * 100000))
            for entry, message in (({"dtype": "F64", "shape": [16, 4], "data_offsets": [0, 512]}, "outside of the file"),
                                   ({"dtype": "F64", "shape": [16, 4], "data_offsets": [8, 0]}, "outside of the file"),
                                   ({"dtype": "F64", "shape": [2], "data_offsets": [0, 8]}, "not those of its shape"),
                                   ({"dtype": "F64", "shape": [1 << 62, 8], "data_offsets": [0, 8]}, "more elements"),
                                   ({"dtype": "F64", "shape": [-1], "data_offsets": [0, 8]}, "no dtype, shape"),
                                   ({"dtype": 3, "shape": [1], "data_offsets": [0, 8]}, "no dtype, shape"),
                                   ({"dtype": "F64"}, "no dtype, shape"), (7, "no object"),
                                   ({"dtype": "Q9", "shape": [1], "data_offsets": [0, 8]}, "there is no")):
                with self.subTest(entry):
                    refuses(message, self.raw(folder, json.dumps({name: entry}).encode(), b"\0" * 8))
            with self.assertRaises(FileNotFoundError):
                dynacc.load_program(path, weights=os.path.join(folder, "missing"))
            inside = os.path.join(folder, "inside")
            dynacc.export(functions.with_weights, np.ones((9, 16))).save(inside)
            with self.assertRaisesRegex(ProgramError, "takes no weights"):
                dynacc.load_program(inside, weights=weights)
            with self.assertRaisesRegex(ProgramError, "has all of its arrays"):
                dynacc.export(functions.with_weights, np.ones((9, 16))).save(inside, weights=weights)
            with self.assertRaisesRegex(ValueError, "none of None, 'external', 'pinned'"):
                dynacc.export(functions.with_weights, np.ones((9, 16)), weights="outside")

    def short(self, folder):
        path = os.path.join(folder, "short")
        with open(path, "wb") as file:
            file.write(b"abc")
        return path


class Survey(unittest.TestCase):
    """Small functions of all kinds: each gives the live function's bytes, or is refused with its line."""

    FROZEN = {
        "arithmetic": lambda x, n: (x * 2.0 - n) / (x + 3.0),
        "mean, var, std": lambda x, n: (x.mean(), x.var(axis=0), x.std(axis=1), x.mean(axis=1, keepdims=True)),
        "where, clip": lambda x, n: np.where(x > 0.0, x, -x) + np.clip(x, -0.5, 0.5),
        "comparisons": lambda x, n: ((x > 0.5).any(axis=0), (x < 9.0).all(), (n == 3).sum()),
        "integers": lambda x, n: (n // 3, n % 4, n << 2, n & 5, np.maximum(n, 2), n.sum(axis=1), n.prod()),
        "remainders": lambda x, n: (x % 0.7, x // 0.3, np.fmod(x, 0.4)),
        "rounding": lambda x, n: (np.floor(x), np.ceil(x), np.rint(x), np.trunc(x), np.sign(x)),
        "views": lambda x, n: (x[::2, 1:].T, x[..., None] * x[:, None, :], x.reshape(-1)[3:]),
        "concatenation": lambda x, n: (np.concatenate([x, x * 2.0]), np.stack([x, x + 1.0], axis=1)),
        "rolls": lambda x, n: np.roll(x, 1, axis=0) - x,
        "stores": lambda x, n: _stored(x),
        "casts": lambda x, n: (n * 0.5, x.astype(np.float32), (x * 4).astype(np.int32), x.astype(bool)),
        "powers": lambda x, n: x ** 2 + np.square(x) + np.sqrt(np.abs(x)) + 1.0 / (x * x + 1.0),
        "products": lambda x, n: (x @ x.T, (n @ n.T), x.astype(np.float32) @ x.astype(np.float32).T, x @ x[0]),
        "extremes": lambda x, n: (x.max(), x.min(axis=0), np.minimum(x, 0.25), n.max(axis=1), x.argmin(axis=1)),
        "exp of float32": lambda x, n: np.exp(x.astype(np.float32)),
        "complex": lambda x, n: ((x + 1j * x) * (2.0 - 1j)).real,
        "halves": lambda x, n: x.astype(np.float16) + np.float16(1.0),
        "empty": lambda x, n: (x[:0] + 1.0, x[:0].sum()),
        "constants": lambda x, n: np.arange(5.0) * 2.0 + np.ones(5) + np.full(5, 3.0),
        "the argument itself": lambda x, n: (x, x + 1.0),
        "no array": lambda x, n: (x + 1.0, None, "text", 3, 2.5, True),
    }
    REFUSED = {
        "linalg": lambda x, n: np.linalg.inv(x @ x.T),
        "fft": lambda x, n: np.fft.fft(x),
    }

    def test_frozen(self):
        x = np.random.default_rng(7).normal(size=(6, 5))
        n = np.random.default_rng(8).integers(1, 9, (6, 5))
        for dynamic in (None, True):
            for name, function in self.FROZEN.items():
                with self.subTest(name, dynamic=dynamic):
                    program = dynacc.export(function, x, n, dynamic=dynamic)
                    found, expected = leaves(program(x, n)), leaves(function(x, n))
                    self.assertEqual([(a.dtype, a.shape) for a in found], [(a.dtype, a.shape) for a in expected])
                    for a, b in zip(found, expected):
                        self.assertEqual(a.tobytes(), b.tobytes())

    def test_refused(self):
        x = np.random.default_rng(7).normal(size=(6, 5))
        for name, function in self.REFUSED.items():
            with self.subTest(name), self.assertRaisesRegex((ProgramError, GraphBreak), r"program_test\.py:\d+"):
                dynacc.export(function, x, x)

    def test_functions_of_numpys_own(self):
        """Each has NumPy's bits or is refused by name."""
        x = np.random.default_rng(7).uniform(0.1, 0.9, (6, 5))
        for name in ("exp", "log", "sin", "cos", "tan", "tanh", "sinh", "cosh", "arcsin", "arctan", "exp2", "expm1", "log1p",
                     "log2", "log10", "cbrt"):
            function = getattr(np, name)
            for dtype in (np.float64, np.float32):
                given = x.astype(dtype)
                with self.subTest(name, dtype=dtype):
                    try:
                        program = dynacc.export(lambda a: function(a) * dtype(2), given)
                    except ProgramError as error:
                        self.assertRegex(str(error), rf"program_test\.py:\d+: numpy\.{name} of f(64|32)")
                        continue
                    self.assertEqual(program(given).tobytes(), (function(given) * dtype(2)).tobytes())

    def test_derivatives_and_methods(self):
        class Model:
            weights = np.random.default_rng(9).normal(size=(3, 2))

            def loss(self, x, y):
                return (((x @ self.weights) - y) ** 2).sum()

        def loss(w, x):
            return ((x @ w) ** 2).sum()

        rng = np.random.default_rng(7)
        w, x, y = rng.normal(size=3), rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
        program = dynacc.export(dynacc.value_and_grad(loss), w, x)
        value, gradient = program(w, x)
        expected, its_gradient = dynacc.value_and_grad(loss)(w, x)
        self.assertEqual((value, gradient.tobytes()), (expected, its_gradient.tobytes()))
        program = dynacc.export(Model().loss, x, y)
        self.assertEqual([name for name, _ in program.inputs], ["x", "y"])
        self.assertEqual(program(x, y), Model().loss(x, y))

    def test_fast_math(self):
        x = np.random.default_rng(7).normal(size=(300, 40))
        for function in (lambda a: np.exp(a) + np.tanh(a), lambda a: np.log(np.abs(a) + 1.0).sum(axis=1),
                         lambda a: a / np.exp(-a).sum()):
            program = dynacc.export(function, x, fast_math=True)
            live = dynacc.compile(function, fast_math=True, backend="cpu")
            for _ in range(3):
                expected = live(x)
            self.assertEqual(program(x).tobytes(), expected.tobytes())


class FastProducts(unittest.TestCase):
    """Products of float32 under fast_math: each product and sum rounded once, from the first to the last."""

    def test_the_same_on_every_level_and_near_numpys(self):
        rng = np.random.default_rng(11)
        for dtype, near in ((np.float32, 1e-4), (np.float64, 1e-12)):
            x, w = rng.normal(size=(33, 70)).astype(dtype), rng.normal(size=(70, 45)).astype(dtype)
            programs = [dynacc.export(lambda a, b: a @ b, x, w, fast_math=True, targets=targets)
                        for targets in (["x86-64-v3"], ["x86-64-v3", "x86-64-v4"])]
            first, second = (program(x, w) for program in programs)
            self.assertEqual(first.tobytes(), second.tobytes())
            np.testing.assert_allclose(first, x @ w, rtol=near, atol=near)
            exact = dynacc.export(lambda a, b: a @ b, x, w)(x, w)
            self.assertEqual(exact.tobytes(), (x @ w).tobytes())
            if "x86-64-v3" <= programs[0].level and dtype is np.float32:
                self.assertNotEqual(first.tobytes(), exact.tobytes())

    def test_products_of_windows(self):
        """Without fast_math they have NumPy's bits, or are refused as other products are."""
        def windows(x, k):
            return np.lib.stride_tricks.sliding_window_view(x, (3, 3)).reshape(-1, 9) @ k

        rng = np.random.default_rng(14)
        for dtype in (np.float32, np.float64):
            x, k = rng.normal(size=(40, 40)).astype(dtype), rng.normal(size=(9, 5)).astype(dtype)
            try:
                dynacc.export(lambda a, b: a @ b, x[:, :9], k)
            except ProgramError:
                with self.assertRaisesRegex(ProgramError, r"program_test\.py:\d+: .*matmul"):
                    dynacc.export(windows, x, k)
                continue
            self.assertEqual(dynacc.export(windows, x, k)(x, k).tobytes(), windows(x, k).tobytes())

    def test_ints_are_exact(self):
        x = np.random.default_rng(12).integers(-99, 99, (20, 30))
        program = dynacc.export(lambda a: a @ a.T, x, fast_math=True)
        self.assertEqual(program(x).tobytes(), (x @ x.T).tobytes())

    def test_saved_in_blocks_of_rows(self):
        rng = np.random.default_rng(13)
        block = [rng.normal(size=shape).astype(np.float32) * 0.1 for shape in [(16, 16)] * 4 + [(16, 64), (64, 16)]]
        x = rng.normal(size=(2, 10, 16)).astype(np.float32)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "p")
            program = dynacc.export(functions.attention_block, x, *block, fast_math=True)
            program.save(path)
            again = dynacc.load_program(path)(x, *block)
        self.assertEqual(again.tobytes(), program(x, *block).tobytes())
        np.testing.assert_allclose(again, functions.attention_block(x, *block), rtol=1e-3, atol=1e-4)


def _stored(x):
    y = x.copy()
    y[1:3] = 0.0
    y[:, 2] += 1.0
    return y


class Refused(unittest.TestCase):
    def test_graph_breaks_name_line_and_reason(self):
        def f(x):
            print("now")
            return x + 1.0

        with self.assertRaisesRegex(GraphBreak, r"program_test\.py:\d+"):
            dynacc.export(f, np.ones(3))

    def test_the_function_is_not_run(self):
        runs = []

        def f(x):
            os.getppid()
            runs.append(x)
            raise KeyboardInterrupt

        with self.assertRaisesRegex(GraphBreak, r"program_test\.py:\d+: call of .*getppid"):
            dynacc.export(f, np.ones(3))
        self.assertEqual(runs, [])

    def test_what_only_numpy_does(self):
        with self.assertRaisesRegex(ProgramError, r"program_test\.py:\d+: numpy\.fft\.fft.*call NumPy on what"):
            dynacc.export(lambda x: np.fft.fft(x) + 1.0, np.ones(5))
        # NumPy has vectors of its own for it on every CPU; of f64 on those with AVX-512 only.
        with self.assertRaisesRegex(ProgramError, r"program_test\.py:\d+: numpy\.sin of f32"):
            dynacc.export(lambda x: np.sin(x) + 1.0, np.ones(5, np.float32))

    def test_what_is_proposed_helps(self):
        def message(function, x, **options):
            with self.assertRaises(ProgramError) as raised:
                dynacc.export(function, x, **options)
            return str(raised.exception)

        single, half = np.ones(5, np.float32), np.ones(5, np.float16)
        for text in (message(np.sin, single), message(np.sin, single, fast_math=True), message(lambda x: x.sum(), half),
                     message(np.exp, half)):
            self.assertNotIn("fast_math", text)
        self.assertIn("numpy.add.reduce of f16", message(lambda x: x.sum(), half))
        for function in (np.exp, np.log, np.tanh):
            x = np.linspace(0.1, 1.0, 5)
            try:
                dynacc.export(function, x)
            except ProgramError as error:  # with AVX-512
                self.assertIn("fast_math=True has one of its own", str(error))
                dynacc.export(function, x, fast_math=True)
        try:
            dynacc.export(lambda x: x ** 3, np.ones(5))
        except ProgramError as error:
            self.assertIn("x * x * x", str(error))
            dynacc.export(lambda x: x * x * x, np.ones(5))

    def test_exceptions_are_named(self):
        def f(x):
            if x.ndim == 1:
                raise LookupError("of one axis")
            return x * 2

        with self.assertRaisesRegex(GraphBreak, r"program_test\.py:\d+: a raise statement of LookupError"):
            dynacc.export(f, np.ones(3))

    def test_draws(self):
        for function in (lambda x: x + np.random.normal(size=5), lambda x: x * np.random.rand(),
                         lambda x: x[np.random.permutation(5)], lambda x: x + np.random.randint(0, 5, 5),
                         dynacc.grad(lambda x: (x * np.random.rand(5)).sum())):
            with self.assertRaisesRegex(Exception, r"program_test\.py:\d+: .*draws random numbers.*pass the numbers"):
                dynacc.export(function, np.ones(5))

    def test_writes_into_arguments(self):
        def f(x):
            x += 1.0
            return x

        with self.assertRaisesRegex(ProgramError, r"program_test\.py:\d+: the function writes into its argument, x;"):
            dynacc.export(f, np.ones(5))

    def test_results_that_no_file_can_hold(self):
        with self.assertRaisesRegex((ProgramError, GraphBreak), "."):
            dynacc.export(lambda x: (x + 1.0, object), np.ones(5))

    def test_targets_and_axes_that_are_none(self):
        with self.assertRaisesRegex(ProgramError, "no level of CPUs is called x86-64-v9"):
            dynacc.export(functions.smooth, np.ones(9), targets=["x86-64-v9"])
        with self.assertRaisesRegex(TypeError, r"list of levels, as \['x86-64-v3'\]"):
            dynacc.export(functions.smooth, np.ones(9), targets="x86-64-v3")
        with self.assertRaisesRegex(ValueError, "no such size"):
            dynacc.export(functions.smooth, np.ones(9), dynamic={"a": {0: (1, 2**70)}})
        with self.assertRaisesRegex(TypeError, "none of a"):
            dynacc.export(functions.smooth, np.ones(9), dynamic={"b": [0]})
        with self.assertRaisesRegex(TypeError, "a has no axis 1"):
            dynacc.export(functions.smooth, np.ones(9), dynamic={"a": [1]})

    def test_guards_name_the_input(self):
        program = dynacc.export(lambda x, y: x + y, np.ones((4, 3)), np.ones((4, 3)), dynamic={"x": [0], "y": [0]})
        self.assertEqual(program(np.ones((9, 3)), np.ones((9, 3))).shape, (9, 3))
        for arguments, message in (
                ((np.ones((4, 3), np.float32), np.ones((4, 3))), r"input x is f32\[4, 3\]; the program takes f64\["),
                ((np.ones((4, 3)), np.ones(4)), r"input y is f64\[4\]"),
                ((np.ones((4, 2)), np.ones((4, 2))), "x"),
                ((np.ones((4, 3)), np.ones((5, 3))), "x's axis 0")):
            with self.subTest(message), self.assertRaisesRegex(ProgramError, message):
                program(*arguments)
        for arguments in ((), (np.ones((4, 3)),), (np.ones((4, 3)), "text")):
            with self.assertRaises((TypeError, ProgramError)):
                program(*arguments)

    def test_arguments_that_are_no_arrays(self):
        program = dynacc.export(lambda x, a: x * a, np.ones(5), np.float64(2))
        odd = np.zeros(41, np.uint8)[1:].view(float)
        for x, message in (([1.0] * 5, "input x is a list; the program takes f64\\[5\\]: .*asarray"),
                           (np.ones(5).astype(">f8"), "input x is an array of >f8; the program takes f64\\[5\\]: .*astype"),
                           (odd, "input x has elements at addresses .*copy it"), (None, "input x is a NoneType"),
                           (np.ma.array(np.ones(5)), "input x is a MaskedArray")):
            with self.assertRaisesRegex(ProgramError, message):
                program(x, np.float64(2))
        with self.assertRaisesRegex(ProgramError, "input a is a float; the program takes f64"):
            program(np.ones(5), 2.0)
        program = dynacc.export(lambda x, n: x * n, np.ones(5), 2, dynamic=True)
        for number in (2.5, 2**70, "2"):
            with self.assertRaisesRegex(ProgramError, "number n is .*; the program takes an int of 64 bits"):
                program(np.ones(5), number)

    def test_values_that_the_function_raises_for(self):
        table = np.arange(10.0).reshape(5, 2)
        program = dynacc.export(lambda tokens: table[tokens], np.array([0, 1]))
        for tokens, index in (([0, 7], 7), ([-6, 0], -6), ([5, 9], 5)):
            with self.assertRaisesRegex(ProgramError, f"input tokens: an index is beyond the array: {index}, where it has 5, "
                                                      r"at program_test\.py:\d+, in .*lambda.*program_test\.py"):
                program(np.array(tokens))
        self.assertEqual(program(np.array([-5, 4])).tolist(), table[[-5, 4]].tolist())
        with self.assertRaisesRegex(ProgramError, "^an index is beyond the array: 8"):
            dynacc.export(lambda tokens: table[tokens + 1], np.array([0, 1]))(np.array([0, 7]))

    def test_places_that_arrays_compute(self):
        x = np.random.default_rng(4).normal(size=(5, 6))

        def row_and_parts(x, i):
            row = x[i]
            row = row + x[x[:, 0].argmax(), 1:] .sum()
            return row, x[:, i], x[i, x[i].argmax()], x[-1 - i][::2], x[i, None]

        for dynamic in (None, True):
            program = dynacc.export(row_and_parts, x, np.int64(2), dynamic=dynamic)
            for i in (0, 4, -1, -5, 3):
                for one, other in zip(program(x, np.int64(i)), row_and_parts(x, np.int64(i)), strict=True):
                    self.assertEqual((type(one), one.tobytes()), (type(other), other.tobytes()))
            with self.assertRaisesRegex(ProgramError, r"input i: an index is beyond the array: 5, where it has 5, "
                                                      r"at program_test.py:\d+, in "):
                program(x, np.int64(5))

    def test_a_row_at_a_computed_place_is_a_view(self):
        def add_to_best(x):
            x = x.copy()
            best = x[x.sum(axis=1).argmax()]
            best += 1
            best[0] = 7
            return x

        x = np.random.default_rng(4).normal(size=(5, 6))
        program = dynacc.export(add_to_best, x)
        for sign in (1, -1):
            self.assertEqual(program(sign * x).tobytes(), add_to_best(sign * x).tobytes())

    def test_a_loop_by_places(self):
        def farthest(x):
            distance, place, places = np.full(x.shape[0], np.inf), 0, []
            for _ in range(3):
                places.append(place)
                distance = np.minimum(distance, ((x - x[place]) ** 2).sum(axis=1))
                place = distance.argmax()
            return np.array(places), x[place]

        def descend(x):
            node = 0
            while left[node] >= 0:
                node = left[node] if x[node] < 0 else left[node] + 1
            return node * 10

        x, left = np.random.default_rng(4).normal(size=(7, 7)), np.array([1, 3, 5, -1, -1, -1, -1])
        for function, argument in ((farthest, x), *((descend, row) for row in x)):
            found, expected = dynacc.export(function, argument)(argument), function(argument)
            self.assertEqual(repr(found), repr(expected))

    def test_stores_of_another_dtype(self):
        def ranks(x):
            places, small = np.empty(x.shape[0]), np.zeros(x.shape[0], np.float32)
            places[np.argsort(x, kind="stable")] = np.arange(1, x.shape[0] + 1)
            small[np.argsort(x, kind="stable")[:2]] = x[:2] * 1000
            return places, small

        rng = np.random.default_rng(4)
        program = dynacc.export(ranks, rng.normal(size=6), dynamic=True)
        for size in (6, 40):
            x = rng.normal(size=size)
            self.assertEqual([a.tobytes() for a in program(x)], [a.tobytes() for a in ranks(x)])

    def test_scalars_of_numpy_vary(self):
        program = dynacc.export(lambda x, n, f: (x * f, n + 1, np.arange(3) * n), np.ones(3), np.int64(3), np.float64(0.5))
        for n, f in ((3, 0.5), (-7, 1e300)):
            expected = np.ones(3) * f, np.int64(n + 1), np.arange(3) * n
            self.assertEqual(repr(program(np.ones(3), np.int64(n), np.float64(f))), repr(expected))
        with self.assertRaises(dynacc.graph.GraphBreak):  # a number of rounds that only a call tells
            dynacc.export(lambda x, n: [x for _ in range(n)], np.ones(3), np.int64(3))

    def test_rows_that_a_mask_picks_on_the_way(self):
        def describe(x, m):
            picked = x[m]
            return picked.sum(), picked.mean(), picked.max(), (picked * 2).std(), x[x[:, 0] > 0].sum(axis=0)

        rng = np.random.default_rng(4)
        program = dynacc.export(describe, rng.normal(size=(4, 9)), rng.random((4, 9)) < 0.5, dynamic=True)
        for shape in ((4, 9), (40, 300)):
            x, m = rng.normal(size=shape), rng.random(shape) < 0.3
            self.assertEqual([a.tobytes() for a in program(x, m)], [a.tobytes() for a in describe(x, m)])
        with self.assertRaisesRegex(ProgramError, r"program_test.py:\d+: the size of the result depends on values"):
            dynacc.export(lambda x: x[x > 0], np.ones(3))

    def test_bounds(self):
        program = dynacc.export(functions.softmax, np.ones((5, 8), np.float32), dynamic={"x": {0: (1, 64)}})
        program(np.ones((64, 8), np.float32))
        with self.assertRaisesRegex(ProgramError, "64"):
            program(np.ones((65, 8), np.float32))

    def test_files_that_are_none(self):
        program = dynacc.export(functions.smooth, np.ones(9), dynamic=True)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "p")
            program.save(path)
            self.assertEqual(os.listdir(folder), ["p"])
            with open(path, "rb") as file:
                whole = file.read()

            def refuses(data, message):
                with open(path, "wb") as file:
                    file.write(data)
                with self.assertRaisesRegex(ProgramError, message):
                    dynacc.load_program(path)

            refuses(b"", "no program")
            refuses(b"#!/bin/sh\n" * 100, "no program")
            refuses(whole[:-1], "cut off")
            refuses(whole + b"x", "cut off or longer")
            refuses(whole[:100], "cut off")
            refuses(whole[:len(whole) // 2] + bytes([whole[len(whole) // 2] ^ 1]) + whole[len(whole) // 2 + 1:], "damaged")
            refuses(whole[:8] + b"\xff\0\0\0" + whole[12:], "newer DynaCC, in format 255")
            with self.assertRaises(FileNotFoundError):
                dynacc.load_program(os.path.join(folder, "missing"))
            with self.assertRaises(ProgramError):
                dynacc.load_program(folder)
            with self.assertRaises(OSError):
                program.save(os.path.join(folder, "no", "folder"))


if __name__ == "__main__":
    unittest.main()
