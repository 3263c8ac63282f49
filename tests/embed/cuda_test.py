#!/usr/bin/env python3
"""dynacc.compile(device="cuda") on the simulated device, run by the launcher.

usage: cuda_test.py SIMULATOR [unittest arguments]    SIMULATOR stands in for libcuda and for NVRTC
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np

SIMULATOR = ""


def values(dtype, shape=(7, 45), seed=1):
    """Numbers of every kind that the dtype has, none of them extreme."""
    random = np.random.default_rng(seed)
    if dtype == "?":
        return random.random(shape) < 0.5
    if dtype in "fdeFD":
        real = (random.random(shape) * 8 - 3).astype(dtype)
        return real + (random.random(shape) * 1j).astype(dtype) if dtype in "FD" else real
    low = 0 if dtype.isupper() or dtype in "B" else -9
    return random.integers(low, 12, shape).astype(dtype)


def run(text, **variables):
    """Runs a program under the launcher with the simulator; its (stdout, stderr)."""
    environment = dict(os.environ, DYNACC_CUDA_DRIVER=SIMULATOR, DYNACC_NVRTC=SIMULATOR) | variables
    environment = {name: value for name, value in environment.items() if value is not None}
    done = subprocess.run([os.environ["DYNACC_PYTHON"], "-c", text], env=environment, capture_output=True,
                          text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


class CudaTest(unittest.TestCase):
    def check(self, function, *arrays, tolerance=None):
        """Three calls on the device against NumPy; returns what the device launched for them."""
        import dynacc
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with np.errstate(all="ignore"):
                expected = function(*[np.copy(array) for array in arrays])
                before = dynacc.stats()["device_launches"]
                compiled = dynacc.compile(function, device="cuda")
                results = [compiled(*[np.copy(array) for array in arrays]) for _ in range(3)]
        for result in results:
            for got, wanted in zip(result if isinstance(result, tuple) else (result,),
                                   expected if isinstance(expected, tuple) else (expected,)):
                got, wanted = np.asarray(got), np.asarray(wanted)
                self.assertEqual((got.dtype, got.shape, got.strides), (wanted.dtype, wanted.shape, wanted.strides))
                if tolerance is None:
                    np.testing.assert_array_equal(got, wanted)
                else:
                    scale = np.max(np.abs(wanted), initial=1, where=np.isfinite(wanted))
                    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance * scale)
        launches = dynacc.stats()["device_launches"] - before
        self.assertGreater(launches, 0, "nothing ran on the device")
        return launches

    def test_rows_are_one_launch(self):
        def softmax(x):
            e = np.exp(x - x.max(axis=1, keepdims=True))
            return e / e.sum(axis=1, keepdims=True)

        def log_softmax(x):
            shifted = x - x.max(axis=-1)[:, None]
            return shifted - np.log(np.exp(shifted).sum(axis=-1))[:, None]

        def layer_norm(x, weight):
            return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5) * weight

        def rms_norm(x, weight):
            return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6) * weight

        for dtype, tolerance in (("d", 1e-12), ("f", 1e-5), ("e", 5e-3)):
            for shape in ((9, 31), (3, 700), (2, 4500)):
                x = values(dtype, shape)
                cases = [(softmax,), (log_softmax,)]
                if dtype != "e":  # of which NumPy adds up a mean in floats, in steps of its own
                    weight = values(dtype, shape[1:])
                    cases += [(layer_norm, weight), (rms_norm, weight), (lambda x: x.var(axis=1),)]
                for function, *more in cases:
                    with self.subTest(function.__name__, dtype=dtype, shape=shape):
                        self.assertEqual(self.check(function, x, *more, tolerance=tolerance), 3)

    def test_norms_of_images(self):
        """Along channels and pixels, with weights for each channel, which lie in runs: one launch each."""
        def layer_norm(x, weight, bias):
            centred = x - x.mean(axis=(1, 2, 3), keepdims=True)
            variance = (centred * centred).mean(axis=(1, 2, 3), keepdims=True)
            return centred / np.sqrt(variance + 1e-5) * weight[:, None, None] + bias[:, None, None]

        def instance_norm(x, weight, bias):
            centred = x - x.mean(axis=(2, 3), keepdims=True)
            variance = (centred * centred).mean(axis=(2, 3), keepdims=True)
            return centred / np.sqrt(variance + 1e-5) * weight[:, None, None] + bias[:, None, None]

        def group_norm(x, weight, bias):
            n, c, h, w = x.shape
            grouped = x.reshape(n, 2, c // 2, h, w)
            centred = grouped - grouped.mean(axis=(2, 3, 4), keepdims=True)
            variance = (centred * centred).mean(axis=(2, 3, 4), keepdims=True)
            return centred / np.sqrt(variance + 1e-5) * weight.reshape(2, c // 2, 1, 1) + bias.reshape(2, c // 2, 1, 1)

        def pixel_norm(x, weight, bias):  # along the channels alone: rows side by side
            return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-6) * weight[:, None, None]

        def along_rows(x, weight, bias):  # runs of the array itself
            part = x[:, :, 1:]
            return part / np.sqrt((part * part).sum(axis=(1, 2, 3), keepdims=True) + 1) - weight[:, None, None]

        def batch_norm(x, weight, bias):  # axes that are no neighbours: several launches
            centred = x - x.mean(axis=(0, 2, 3), keepdims=True)
            variance = (centred * centred).mean(axis=(0, 2, 3), keepdims=True)
            return centred / np.sqrt(variance + 1e-5) * weight[:, None, None] + bias[:, None, None]

        for dtype, tolerance in (("d", 1e-11), ("f", 1e-4)):
            for shape in ((3, 4, 5, 7), (2, 8, 16, 16), (2, 6, 9, 33), (1, 2, 1, 3), (2, 10, 23, 41)):
                x, weight, bias = values(dtype, shape), values(dtype, shape[1:2], 2), values(dtype, shape[1:2], 3)
                for function in (layer_norm, instance_norm, group_norm, pixel_norm, along_rows, batch_norm):
                    with self.subTest(function.__name__, dtype=dtype, shape=shape):
                        launches = self.check(function, x, weight, bias, tolerance=tolerance)
                        if function is not batch_norm and shape[0] > 1:
                            self.assertEqual(launches, 3)

    def check_without_numpy(self, function, *arrays, tolerance=None):
        """As check, and NumPy itself is called for nothing."""
        import dynacc
        before = dynacc.stats()["library_calls"]
        self.check(function, *arrays, tolerance=tolerance)
        self.assertEqual(dynacc.stats()["library_calls"], before, "NumPy was called")

    def test_gathers(self):
        def places(dtype, size, shape, seed=3):
            return np.random.default_rng(seed).integers(0 if dtype.isupper() or dtype == "B" else -size, size, shape).astype(dtype)

        x = values("d", (9, 12, 5))
        i, j, wide = places("l", 9, (31,)), places("i", 12, (31,), 4), places("l", 9, (4, 7), 5)
        self.check_without_numpy(lambda x, i: x[i], x, i)
        self.check_without_numpy(lambda x, i: x[i] * 2 + x[0], x, wide)
        self.check_without_numpy(lambda x, i, j: x[i, j], x, i, j)
        self.check_without_numpy(lambda x, i, j: (x[i, -1], x[i, j, 2] - x[2, j, i % 5]), x, i, j)
        self.check_without_numpy(lambda x, i, j: x[i[:, None], j], x, i[:6], j[:5])
        self.check_without_numpy(lambda x, i: (np.take(x, i, axis=1), x.take(i, axis=-2), np.take(x[0, :, 0], i)), x, j)
        self.check_without_numpy(lambda x, i: x[:, 2, 1][i] + x[::-1, 0, 0][i], x, i)  # with gaps, and backwards
        self.check(lambda x, i: (x[:, i], x[..., i % 5], x[0, :, i % 5], x[i, 1:3]), x, i % 9)  # in an order of NumPy's
        self.check_without_numpy(lambda x, i: (np.take_along_axis(x, i, axis=0) * 2, np.take_along_axis(x, i, 1),
                                               np.take_along_axis(x, i, axis=-1)), x, places("l", 5, (9, 12, 5)))
        self.check_without_numpy(lambda x, i: np.take_along_axis(x[:, :1], i, axis=0), x, places("l", 9, (2, 12, 5)))
        for dtype in "?bHlfdeFD":  # elements of 1 to 16 bytes, alone and in rows that are moved in pieces of 1 to 16
            for row in ((), (1,), (3,), (8,), (2, 8)):
                with self.subTest(dtype=dtype, row=row):
                    self.check_without_numpy(lambda x, i: x[i], values(dtype, (9, *row)), i)
        for dtype in "bBhHiIlL":
            with self.subTest(index=dtype):
                self.check_without_numpy(lambda x, i: x[i] + 1, x, places(dtype, 9, (50,)))

    def test_writes_through_indices(self):
        random = np.random.default_rng(5)
        x, i = values("d", (9, 12, 5)), random.integers(-9, 9, 31)  # each place several times: the last one stays
        j, v = random.integers(-12, 12, 31), values("d", (31, 12, 5), 7)

        def rows(x, i, v):
            y = x.copy()
            y[i] = v
            return y

        def number(x, i, v):
            y = x * 2
            y[i] = 7
            return y + 1

        def elements(x, i, j, v):
            y = x + 1
            y[i, j] = v[:, 0]
            y[i, j, 0] = v[:, 1, 0]
            y[0, j % 12] = 0.5
            return y

        def grid(x, i, j, v):
            y = np.zeros((9, 12))
            y[i[:, None] % 9, j[:6] % 12] = v[:, :6, 0]
            return y

        def of_an_argument(x, i, v):
            x[i] = v * 2
            return x

        for function, arrays in ((rows, (x, i, v)), (rows, (x, i, v[0])), (rows, (x, i, v[:1])), (number, (x, i, v)),
                                 (elements, (x, i, j, v)), (grid, (x, i, j, v)), (of_an_argument, (x, i, v))):
            with self.subTest(function.__name__, value=arrays[-1].shape):
                self.check_without_numpy(function, *arrays)
        for dtype in "?bHlfdeFD":
            for row in ((), (3,), (8,)):
                with self.subTest(dtype=dtype, row=row):
                    self.check_without_numpy(rows, values(dtype, (9, *row)), i, values(dtype, (31, *row), 2))

    def test_updates_through_indices(self):
        """np.add.at and its like: NumPy's very bits, also of floats, whatever the number of indices and how often they repeat;
        of products of complex numbers nearly so."""
        def updated(ufunc):
            def function(x, i, v):
                y = x.copy()
                ufunc.at(y, i, v)
                return y
            return function

        random = np.random.default_rng(8)
        for count in (1, 2, 511, 512, 513, 1500):
            for distinct in (1, 40):
                x, i, v = values("d", (40,)), random.integers(-distinct, distinct, count), values("d", (count,), 3) / 7
                with self.subTest(count=count, distinct=distinct):
                    self.check_without_numpy(updated(np.add), x, i, v)
                    self.check_without_numpy(updated(np.add), *(array.astype("l") for array in (x, i, v * 9)))
        i = random.integers(-9, 9, 700)
        for name, dtypes in (("add", "bBhHiIlLefdFD"), ("subtract", "hiIefd"), ("multiply", "blefD"), ("maximum", "bHiIlLefd"),
                             ("minimum", "BhiIlLed"), ("bitwise_and", "bil"), ("bitwise_or", "HIL"), ("bitwise_xor", "il")):
            for dtype in dtypes:
                with self.subTest(ufunc=name, dtype=dtype):
                    v = values(dtype, (700,), 4)
                    # Vector instructions of NumPy's contract the product of complex numbers.
                    tolerance = 1e-13 if name == "multiply" and dtype == "D" else None
                    self.check_without_numpy(updated(getattr(np, name)), values(dtype, (9,)), i,
                                             v / 4 if name == "multiply" and dtype in "efD" else v, tolerance=tolerance)

    def test_updates_of_rows_and_grids(self):
        random = np.random.default_rng(9)
        x, v = values("d", (9, 12, 5)), values("d", (31, 12, 5), 7)
        i, j = random.integers(-9, 9, 31), random.integers(-12, 12, 31)

        def rows(x, i, v):
            y = x * 2
            np.add.at(y, i, v)
            np.subtract.at(y, i, v[0])  # the same for each index
            np.add.at(y, i, 0.5)
            return y + 1

        def elements(x, i, j, v):
            y = x + 0
            np.add.at(y, (i, j), v[:, 0])
            np.maximum.at(y, (i, j, 2), v[:, 0, 0])
            np.add.at(y, (slice(None), j), v[:9, :1])
            np.multiply.at(y[::2], (i % 5, slice(1, 3)), 1.5)
            return y

        def grid(x, i, j, v):
            y, counts = x[..., 0].T.copy(), np.zeros((12, 9), np.int32)
            np.add.at(y, (j[:5, None], i), v[:5, 0, :1])
            np.add.at(counts, (j[:5, None], i), 1)
            np.add.at(counts, ([0, 3, 0], 2), -7)
            return y, counts

        def of_an_argument(x, i, v):
            np.add.at(x, i, v)
            return x

        self.check_without_numpy(rows, x, i, v)
        self.check(elements, x, i, j, v)
        self.check(grid, x, i, j, v)
        self.check_without_numpy(of_an_argument, x, i, v)
        self.check(lambda x, i: of_an_argument(x, i, 1.0) + 1, x, i[:0])  # nothing

    def test_indices_out_of_bounds(self):
        import dynacc

        def read(x, i):
            return x[i] * 2

        def write(x, i):
            y = x + 1
            y[i] = 3
            return y

        def update(x, i):
            y = x + 1
            np.add.at(y, i, 3)
            return y

        def count(x, i):
            y = np.zeros(20, np.int64)
            np.add.at(y, i, 1)
            return y + x

        x, good = np.arange(20.0), np.arange(9)
        for function in (read, write, update, count):
            compiled = dynacc.compile(function, device="cuda")
            for _ in range(3):
                np.testing.assert_array_equal(compiled(x, good), function(x, good))
                for place in (20, -21, 2 ** 40):
                    with self.assertRaisesRegex(IndexError, f"^index {place} is out of bounds for axis 0 with size 20$"):
                        compiled(x, np.array([0, 3, place, 1, 2, 3, 4, 5, 6]))

    def test_scans(self):  # the last one by the host: it is not along an axis
        for function in (lambda x: np.cumsum(x, axis=-1) + x, lambda x: x.cumprod(axis=0), lambda x: x.ravel().cumsum(),
                         lambda x: np.add.accumulate(x, axis=1), lambda x: np.cumsum(x[:, ::-2], 1),
                         lambda x: np.cumsum(x) + 1):
            for dtype, tolerance in (("d", 1e-12), ("f", 1e-5), ("l", None), ("D", 1e-12)):
                for shape in ((7, 45), (2, 20000)):
                    x = values(dtype, shape) % 3 if dtype != "D" else values(dtype, shape) / 9
                    with self.subTest(dtype=dtype, shape=shape):
                        self.check(function, x + 0 if tolerance is None else x / 8, tolerance=tolerance)

    def test_products_of_matrices_and_writes_to_parts(self):
        def sweep(x):
            x = x.copy()
            for _ in range(3):
                x[1:-1, 1:-1] = (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) / 4
                x[0] = x[-2]
            return np.concatenate([x, np.pad(x, 1)[1:, 2:]], axis=0) - np.roll(np.vstack([x, x, x[:1]]), 3, axis=0)

        self.check(sweep, values("d", (20, 30)))
        for dtype, tolerance in (("d", 1e-12), ("f", 1e-5), ("l", None), ("D", 1e-12), ("e", 2e-2)):
            x, y = values(dtype, (3, 40, 70)), values(dtype, (70, 20), seed=2)
            with self.subTest(dtype=dtype):
                self.check(lambda x, y: x @ y + 1, x, y, tolerance=tolerance)
                self.check(lambda x, y: (x[0].T @ x[1])[::2] @ y, x, y, tolerance=tolerance)
                self.check(lambda x, y: x[0] @ y[:, 0], x, y, tolerance=tolerance)

    # Exactly rounded, or integers: NumPy's very values.
    EXACT = {
        "add": "bBhHiIlLfdeFD", "subtract": "bBhHiIlLfde", "multiply": "bBhHiIlLfde", "true_divide": "fde",
        "maximum": "?bBhHiIlLfde", "minimum": "?bBhHiIlLfde", "less": "?blfde", "equal": "?bBlfdeFD",
        "greater_equal": "bLfd", "not_equal": "?lfd", "logical_and": "?ilfd", "logical_or": "?ilfd",
        "bitwise_and": "?bBil", "bitwise_xor": "?bBil", "floor_divide": "bBhHiIlL", "remainder": "bBhHiIlL",
        "left_shift": "BHIL", "right_shift": "BHIL", "gcd": "bil", "lcm": "bil", "copysign": "fd", "fmax": "lfd",
        "fmin": "lfd", "heaviside": "fd", "nextafter": "fd", "fmod": "bild",
    }
    EXACT_UNARY = {
        "negative": "bhilfdeFD", "absolute": "bilfde", "sqrt": "fd", "square": "bBilfd", "floor": "fde", "ceil": "fde",
        "trunc": "fde", "rint": "fde", "sign": "bilfd", "logical_not": "?ilfd", "invert": "?bBil", "isnan": "fd",
        "isfinite": "fd", "isinf": "fd", "signbit": "fd", "reciprocal": "fd", "conjugate": "FD",
    }
    # CUDA's own functions.
    CLOSE = ["exp", "exp2", "expm1", "log1p", "sin", "cos", "tan", "arctan", "sinh", "cosh", "tanh", "arcsinh", "cbrt",
             "degrees", "radians"]
    CLOSE_BINARY = ["power", "arctan2", "hypot", "logaddexp", "logaddexp2", "floor_divide", "remainder", "float_power"]

    def check_each(self, expressions, arrays, **how):
        """One function, and so one module, of all expressions on arrays a0, a1, ..."""
        names = ", ".join(f"a{i}" for i in range(len(arrays)))
        scope = {"np": np}
        exec(f"def function({names}):\n    return {', '.join(expressions)},", scope)
        launches = self.check(scope["function"], *arrays, **how)
        self.assertGreaterEqual(launches, len({array.dtype for array in arrays}))

    def test_exact_binary_ufuncs(self):
        for name, dtypes in self.EXACT.items():
            with self.subTest(ufunc=name):
                self.check_each([f"np.{name}(a{2 * i}, a{2 * i + 1})" for i in range(len(dtypes))],
                                [values(dtype, (7, 45), seed) for dtype in dtypes for seed in (1, 2)])

    def test_exact_unary_ufuncs(self):
        for name, dtypes in self.EXACT_UNARY.items():
            with self.subTest(ufunc=name):
                self.check_each([f"np.{name}(a{i})" for i in range(len(dtypes))], list(map(values, dtypes)))

    def test_mathematical_ufuncs(self):
        for dtype, tolerance in (("f", 1e-5), ("d", 1e-12)):
            self.check_each([f"np.{name}(a0)" for name in self.CLOSE], [values(dtype)], tolerance=tolerance)
            for name in self.CLOSE_BINARY:
                with self.subTest(ufunc=name, dtype=dtype):
                    self.check_each([f"np.{name}(a0, a1)"], [np.abs(values(dtype, (9, 31), seed)) + 1 for seed in (1, 2)],
                                    tolerance=tolerance)

    def test_casts(self):
        for source in "?bBhHiIlLfdeFD":
            targets = "FD" if source in "FD" else "?bBhHiIlLfdFD"
            with self.subTest(source=source):
                self.check_each([f"a0.astype('{target}'), a0.astype('{target}') == 1" for target in targets],
                                [np.abs(values(source)).astype(source)])

    def test_reductions(self):
        for dtype, tolerance in (("f", 1e-5), ("d", 1e-12), ("l", None), ("i", None), ("?", None), ("F", 1e-5)):
            for axis in (None, 0, 1, -1, (0, 2), (1, 2)):
                names = ("sum", "max", "min", "any", "all")[:3 if dtype == "F" else 5]
                with self.subTest(dtype=dtype, axis=axis):
                    self.check_each([f"a0.{name}(axis={axis}) + np.zeros(1)" for name in names],
                                    [values(dtype, (6, 37, 5))], tolerance=tolerance or 0)

    def test_long_reductions(self):
        for shape, axis in (((40_000,), 0), ((3, 9000), 1), ((9000, 3), 0), ((200, 300), 0), ((300, 200), 1)):
            with self.subTest(shape=shape, axis=axis):
                self.check(lambda a: (a * a).sum(axis=axis) * 2, values("d", shape), tolerance=1e-12)
                self.check(lambda a: a.max(axis=axis) - a.min(axis=axis), values("d", shape))

    def test_softmax_and_norms(self):
        def softmax(x):
            e = np.exp(x - x.max(axis=-1, keepdims=True))
            return e / e.sum(axis=-1, keepdims=True)

        def layer_norm(x, scale, shift):
            mean = x.mean(axis=-1, keepdims=True)
            centred = x - mean
            variance = (centred * centred).mean(axis=-1, keepdims=True)
            return centred / np.sqrt(variance + 1e-5) * scale + shift

        def rms_norm(x, scale):
            return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6) * scale

        x = values("f", (33, 130))
        self.check(softmax, x, tolerance=1e-5)
        self.check(layer_norm, x, values("f", (130,)), values("f", (130,)), tolerance=1e-4)
        self.check(rms_norm, x, values("f", (130,)), tolerance=1e-5)

    def test_views_broadcasts_and_writes(self):
        a, b = values("d", (20, 30)), values("d", (30,))
        self.check(lambda a, b: a[::2, ::-1] * b + a[1::2].T.sum(axis=0)[:, None], a, b, tolerance=1e-12)
        self.check(lambda a, b: (a.T * 2 + b[:, None], a[3] - b, a[:, 4] * 2), a, b)

        def writes(a, b):
            a[1:-1, 1:-1] = (a[:-2, 1:-1] + a[2:, 1:-1]) * 0.5
            a[0] = b
            c = a * 2
            c[:, 3] += 1
            return a, c, c.sum()
        self.check(writes, a, b, tolerance=1e-12)

    def test_host_steps_between_the_devices(self):
        a = values("d", (24, 24))
        self.check(lambda a: np.sort((a @ a) * 2 + a, axis=1).reshape(-1)[::3] * 2, a, tolerance=1e-12)
        self.check(lambda a: np.linalg.det(a * 2) + (a * a).sum(), a, tolerance=1e-10)

    def test_empty_and_single(self):
        for shape in ((0,), (1,), (0, 3), (1, 1)):
            self.check(lambda a: (a * 2 + 1, np.ones(3) * (a * a).sum()), values("d", shape), tolerance=1e-12)

    def test_random_expressions(self):
        for seed in range(int(os.environ.get("DYNACC_FUZZ_COUNT", "15"))):
            with self.subTest(seed=seed):
                random = np.random.default_rng(seed)
                lines = ["def f(a, b, c):"]
                names = ["a", "b", "c"]
                for i in range(int(random.integers(2, 9))):
                    x, y = (str(random.choice(names)) for _ in range(2))
                    lines.append(f"    v{i} = " + str(random.choice([
                        f"{x} + {y}", f"{x} * {y} - {x}", f"np.maximum({x}, {y})", f"np.where({x} > {y}, {x}, {y} * 2)",
                        f"{x} - {y}.max(axis=0)", f"{x} + {y}.sum(axis=1, keepdims=True)", f"{x}.astype('f').astype('d')",
                        f"np.abs({x}) + np.sqrt(np.abs({y}))", f"({x} < {y}).any(axis=1)[:, None] * {x}",
                        f"{x}[::-1] + {y}[:, ::-1]"])))
                    names.append(f"v{i}")
                lines.append(f"    return {names[-1]}, {names[-2]}.sum(), {names[-1]}[1:, ::2] * 2")
                scope = {"np": np}
                exec("\n".join(lines), scope)
                shape = (int(random.integers(2, 9)), int(random.integers(2, 70)))
                self.check(scope["f"], *(values("d", shape, int(random.integers(99))) for _ in range(3)), tolerance=1e-11)

    def test_explain_shows_the_source(self):
        import dynacc

        def f(speed, time):
            return np.sqrt(speed) * time

        told = str(dynacc.explain(dynacc.compile(f, device="cuda"))(np.ones(3), np.ones(3)))
        self.assertIn('extern "C" __global__ void g0(', told)
        self.assertRegex(told, r"sqrt, .*cuda_test\.py:\d+")

    def test_wrong_arguments(self):
        import dynacc
        with self.assertRaisesRegex(ValueError, "no device is called 'tpu'"):
            dynacc.compile(len, device="tpu")
        with self.assertRaisesRegex(ValueError, "backend 'cpu' does not run on device 'cuda'"):
            dynacc.compile(len, device="cuda", backend="cpu")


class Cache(unittest.TestCase):
    """Machine code and sources on disk, for later processes."""

    PROGRAM = """
import dynacc, numpy as np
@dynacc.compile(device="cuda")
def scaled(speed, time):
    return np.sqrt(speed) * time + speed[[0, 1]].sum()
print(scaled(np.arange(9.0), np.arange(9.0))[3], dynacc.stats()["device_launches"] > 1)
"""

    def test_a_second_process_compiles_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            first = run(self.PROGRAM, DYNACC_CACHE_DIR=folder)
            second = run(self.PROGRAM, DYNACC_CACHE_DIR=folder, DYNACC_SIM_FAIL="nvrtcCompileProgram:*:6")
            self.assertEqual(first, second)
            self.assertRegex(first[0], r"^6\.19\d* True\n$")
            kept = [file.read_bytes() for file in pathlib.Path(folder).rglob("*") if file.is_file()]
        sources = [text.decode(errors="replace") for text in kept if b"__global__" in text]
        self.assertTrue(any(re.search(r"sqrt, .*<string>:5", source) for source in sources), "no source is kept")
        self.assertGreater(len(kept), len(sources))

    def test_what_does_not_compile_is_said(self):
        out, err = run(self.PROGRAM, DYNACC_SIM_FAIL="nvrtcCompileProgram:*:6")
        self.assertRegex(out, r"^6\.19\d* False\n$")
        self.assertIn("emitted CUDA source", err)


COMPILE = """
import dynacc, numpy as np
def f(a):
    return a * 2 + 1
try:
    g = dynacc.compile(f, device="cuda")
except RuntimeError as error:
    print(error)
    g = f
a = np.arange(1000.0)
for _ in range(2):
    assert (g(a) == f(a)).all()
print("goes on")
"""


class BadInput(unittest.TestCase):
    """Each prints what is wrong, and the program goes on on the CPU."""

    def test_no_driver(self):
        out, _ = run(COMPILE, DYNACC_CUDA_DRIVER="libno_such_driver.so")
        self.assertRegex(out, "dynacc: no NVIDIA driver: libno_such_driver.so.*\ngoes on\n")

    def test_no_nvrtc(self):
        out, _ = run(COMPILE, DYNACC_NVRTC="/nowhere/libnvrtc.so")
        self.assertEqual(out, "dynacc: DYNACC_NVRTC: /nowhere/libnvrtc.so cannot be opened\ngoes on\n")

    def test_old_driver(self):
        out, _ = run(COMPILE, DYNACC_SIM_LACKS="cuMemPoolCreate")
        self.assertRegex(out, "lacks cuMemPoolCreate; DynaCC needs CUDA 12.0 .*\ngoes on\n")

    def test_no_visible_device(self):
        out, _ = run(COMPILE, CUDA_VISIBLE_DEVICES="")
        self.assertEqual(out, 'dynacc: no CUDA device is visible: CUDA_VISIBLE_DEVICES is ""\ngoes on\n')

    def test_out_of_memory(self):
        out, err = run(COMPILE, DYNACC_SIM_MEMORY="10000")
        self.assertEqual(out, "goes on\n")
        self.assertRegex(err, r"dynacc: warning: on the GPU, in f \(<string>:3\): allocating 8000 bytes on simulated "
                              r"device: CUDA_ERROR_OUT_OF_MEMORY .*; CPython ran it on the CPU instead\n")

    def test_fault(self):
        out, err = run(COMPILE, DYNACC_SIM_FAIL="cuEventSynchronize:2:700")
        self.assertEqual(out, "goes on\n")
        self.assertRegex(err, r"on the GPU, in f \(<string>:3\): waiting for a copy: CUDA_ERROR_ILLEGAL_ADDRESS")
        self.assertRegex(err, r"CUDA device 0 \(simulated device\) is lost to this process since")

    def test_target_without_a_device(self):
        program = "import numpy as np\ndef f(a): return a * 2 + 1\nfor _ in range(3): print(f(np.ones(3)))"
        out, err = run(program, DYNACC_CUDA_DRIVER="libno_such_driver.so", DYNACC_TARGET="cuda", DYNACC_POLICY="always")
        self.assertEqual(out, "[3. 3. 3.]\n" * 3)
        self.assertRegex(err, "^dynacc: warning: no NVIDIA driver: .*kernels run on library loops")


if __name__ == "__main__":
    SIMULATOR = os.path.realpath(sys.argv.pop(1))
    unittest.main()
