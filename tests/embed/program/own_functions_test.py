"""Sorts, searches and order statistics in programs: NumPy's bytes, or refused with what to do."""
import builtins
import math
import operator
import os
import pathlib
import re
import unittest

import numpy as np

import dynacc
from dynacc.graph import make_graph
from dynacc.program import ProgramError

RNG = np.random.default_rng(3)
IS_NUMPY_1 = np.lib.NumpyVersion(np.__version__) < "1.25.0"


def samples(shape, dtype):
    """Numbers of which many are equal, with NaNs and zeros of both signs where there are such."""
    few = RNG.integers(-6, 7, shape)
    if np.issubdtype(dtype, np.complexfloating):
        values = few + 1j * RNG.integers(-3, 4, shape)
    else:
        values = few if np.issubdtype(dtype, np.signedinteger) else np.abs(few)
        values = few * 0.5 if np.issubdtype(dtype, np.floating) else values
    values = values.astype(dtype)
    if np.issubdtype(dtype, np.inexact):
        values[RNG.random(shape) < 0.05] = np.nan
        values[RNG.random(shape) < 0.1] = -0.0
        values[RNG.random(shape) < 0.05] = np.inf
    return values


class Numbers(unittest.TestCase):
    """Python's operators, builtins and the module math, of single numbers that arrays compute."""

    X = RNG.normal(size=12)
    P = np.abs(X) + 0.1
    I = RNG.integers(-5, 9, 12)

    def assert_same(self, function, *arguments, **options):
        found, expected = dynacc.export(function, *arguments, **options)(*arguments), function(*arguments)
        for one, other in zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]:
            self.assertIs(type(one), type(other))
            self.assertEqual(np.asarray(one).tobytes(), np.asarray(other).tobytes(), f"{one} is not {other}")

    def test_operators(self):
        for function in (lambda x: x / (x * x).sum() ** 0.5, lambda x: x * x.sum() ** 2, lambda x: 2.0 ** x[0],
                         lambda x: x.sum() // 0.3 + x[0] % -0.7, lambda x: float(x.sum()) * 2 + 1 - float(x[0]),
                         lambda x: x * (1.0 / float(x.sum())), lambda x: -float(x.sum()) // 2 % 3,
                         lambda x: divmod(x.sum(), 0.25), lambda x: pow(float(x[1]), 3), lambda x: x.sum().item() / 3,
                         lambda x: abs(float(x.min())) + abs(x.sum()), lambda x: (x * x).sum() ** 0.5 > 0.5):
            self.assert_same(function, self.X)

    def test_arrays_by_numbers(self):
        """Of a float32 array and a float64 number that it computes NumPy 1.x gives float32, by the number's value."""
        x = self.X.astype(np.float32)
        for function in (lambda x: (x - x.mean()) / (x.std() + 1e-8), lambda x: x * (1.0 / (x.max() + 2.0)),
                         lambda x: (x.sum() + 0.1) - x[::2], lambda x: (x.max() / 127.0) * x.reshape(3, 4).T,
                         lambda x: np.true_divide(x.sum() + 1e-3, x), lambda x: np.add(x, x.min() - 0.5),
                         lambda x: (x > x.mean() + 0.5, x <= x[0] * 1.0, x.max() - 1.0 < x, x != x[0] * 1.0),
                         lambda x: np.where(x >= x.mean() * 1.5, x, 0), lambda x: (x == x[1] / 1.0).sum(),
                         lambda x: np.maximum(x, x.mean() * 1.5), lambda x: np.minimum(x.std() + 0.1, x)):
            self.assert_same(function, x)
            self.assertNotIn("numpy.", str(make_graph(function, x)))  # calls of its functions
        program = dynacc.export(lambda x, y: x / (y[0] * 1e30), x, x)
        large = np.full(12, 1e10, np.float32)
        if IS_NUMPY_1:
            self.assertRaisesRegex(Exception, "give another dtype than the example's, at ", program, x, large)
        else:
            self.assertEqual(program(x, large).tobytes(), (x / (large[0] * np.float32(1e30))).tobytes())

    def test_integers(self):
        for function in (lambda i: divmod(i.argmax(), 5), lambda i: abs(i.sum()), lambda i: i.sum() / 3,
                         lambda i: float(i.argmin()), lambda i: i.sum() ** 2 % 7):
            self.assert_same(function, self.I)

    def test_every_row(self):
        """Of runtime/cpu/own/number_functions.def, as far as this Python has it."""
        table = pathlib.Path(__file__).parents[3] / "runtime/cpu/own/number_functions.def"
        rows = re.findall(r'^DYNACC_NUMBER_FUNCTION\("(?:builtins\.)?([\w.]+)", \w+, \w+, \w+\)', table.read_text(), re.M)
        self.assertGreater(len(rows), 40)
        for row in rows:
            owner, _, name = row.rpartition(".")
            function = getattr({"": builtins, "math": math, "_operator": operator}[owner], name, None)
            if function is None:
                self.assertIn(name, ("cbrt", "exp2"))
                continue
            with self.subTest(row):
                one, other = (1.25 if name == "acosh" else 0.75), 0.3
                if name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "atan2", "fmod", "copysign"):
                    self.assert_same(lambda x: function(float(x[0]), float(x[1])), np.array([one, other]))
                    self.assert_same(lambda x: function(float(x[0]), 0.3), np.array([one, other]))
                    self.assert_same(lambda x: x * function(2.5, float(x[0])), np.array([one, other]))
                elif name == "hypot":
                    self.assert_has_bits_or_is_refused(lambda x: function(float(x[0]), float(x[1])), np.array([one, other]))
                else:
                    if name != "acosh":  # of numbers from 1 on, which Python's floats are not known to be
                        self.assert_same(lambda x: function(float(x[0])), np.array([one, other]))
                    self.assert_same(lambda x: x * function(x[0]), np.array([one, other]))

    def test_functions_of_doubles(self):
        for function in (lambda x: math.erf(x[0]) * x, lambda x: math.erfc(float(x[1])), lambda x: math.log(x[2] ** 2, 3),
                         lambda x: math.remainder(x[0], float(x[1]))):
            self.assert_same(function, self.X)

    def test_rounding_to_digits(self):
        python = dynacc.export(lambda x: (round(float(x[0]), 2), round(float(x[0]), 0), round(float(x[0]), 400)), self.X)
        numpys = dynacc.export(lambda x: (round(x[0], 2), round(x[0], -1)), self.X)
        single = dynacc.export(lambda x: round(x[0], 3), self.X.astype(np.float32))
        for value in (2.675, 0.125, -0.005, 1e22, 123.456, 2.5, 5e-324, 0.285, 1.005, 4.35, 1e16, np.inf, np.nan, -0.0):
            expected = round(value, 2), round(value, 0), round(value, 400)
            self.assertEqual(repr(python(np.full(12, value))), repr(expected))
            with np.errstate(all="ignore"):
                number, narrow = np.float64(value), np.float32(value)
                self.assertEqual(repr(numpys(np.full(12, value))), repr((round(number, 2), round(number, -1))))
                self.assertEqual(repr(single(np.full(12, narrow))), repr(round(narrow, 3)))
        with self.assertRaisesRegex(ProgramError, "own_functions_test.py:.*digits that is known, and not less than 0"):
            dynacc.export(lambda x: round(float(x[0]), -1), self.X)

    def test_integers_of_numpy_wrap(self):
        for dtype in (np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64):
            program = dynacc.export(lambda i: (i[0] + i[1], i[0] - i[1], i[0] * i[1], -i[0], abs(i[1]), i[0] // i[1], i[0] % i[1],
                                               i[0] ** i[2], i[0] << i[2], i[1] >> i[2]), np.array([5, 3, 2], dtype))
            info = np.iinfo(dtype)
            for numbers in ((info.max, info.max, 3), (info.min, info.max, 7), (info.max, 0, 70), (3, info.min, 4)):
                i = np.array(numbers, np.object_).astype(dtype)
                with np.errstate(all="ignore"):
                    expected = (i[0] + i[1], i[0] - i[1], i[0] * i[1], -i[0], abs(i[1]), i[0] // i[1], i[0] % i[1],
                                i[0] ** i[2], i[0] << i[2], i[1] >> i[2])
                self.assertEqual(program(i), expected)
                self.assertEqual([type(one) for one in program(i)], [type(one) for one in expected])
        program = dynacc.export(lambda i: int(i[0]) * int(i[1]), np.array([5, 3]))  # Python's do not
        with self.assertRaisesRegex(ProgramError, "an int that its dtype does not hold.*at own_functions_test.py:"):
            program(np.array([2**62, 5]))

    def assert_has_bits_or_is_refused(self, function, *arguments):
        try:
            self.assert_same(function, *arguments)
        except ProgramError as error:
            self.assertIn("has other bits here", str(error))

    def test_kinds_of_numbers(self):
        for x in (np.array([1.0, np.nan, np.inf]), np.array([np.nan, -np.inf, 0.0]), np.array([-np.inf, 1.0, np.nan])):
            self.assert_same(lambda x: (math.isnan(x[0]), math.isinf(float(x[1])), math.isfinite(x[2])), x)

    def test_conversions(self):
        for function in (lambda x: int(x.sum() * 100), lambda x: int(float(x.min())), lambda x: round(x.sum() * 10),
                         lambda x: float(x.astype(np.float32).sum()), lambda x: float(x.argmax()),
                         lambda x: (int(x.argmax()), x[int(x.argmax())], x[x.argmin()])):
            self.assert_same(function, self.X)

    def test_greatest_and_least(self):
        for function in (lambda x: max(float(x.sum()), 0.5), lambda x: min(x[0], x[1], x[2]),
                         lambda x: max(0.0, float(x[3])), lambda x: max(x.astype(np.float32)[2:5])):
            self.assert_same(function, self.X)
        self.assert_same(lambda i: (max(int(i.sum()), 0), max(i.sum(), i[0]), min(i.astype(np.int8)[:3])), self.I)
        # Of both kinds: the result is NumPy's, whichever is picked.
        program = dynacc.export(lambda x, i: (max(0, x[0]), min(1.0, x[0]), max(x[0], 0.5, float(x[1])), max(i[0], 2**53 + 1)),
                                self.X, self.I)
        for value, whole in ((3.5, 2**53 + 2), (-2.0, -4), (np.nan, 2**53)):
            x, i = np.full(12, value), np.full(12, whole)
            expected = max(0, x[0]), min(1.0, x[0]), max(x[0], 0.5, float(x[1])), max(i[0], 2**53 + 1)
            self.assertEqual(repr(program(x, i)), repr((*map(np.float64, expected[:3]), np.int64(expected[3]))))
        with self.assertRaisesRegex(dynacc.graph.GraphBreak, "numbers of several types.*np.maximum"):
            dynacc.export(lambda x: max(x[0], 0.1), self.X.astype(np.float32))
        program = dynacc.export(lambda x: (max(float(x[0]), 1.0), max(1.0, float(x[0]))), self.X)
        self.assertEqual(repr(program(np.full(12, np.nan))), "(nan, 1.0)")

    def test_numbers_that_vary(self):
        for function in (lambda x, t: x * math.sqrt(t), lambda x, t: x * t ** 0.5, lambda x, t: x * abs(-t),
                         lambda x, t: x * t / math.log(len(x)), lambda x, t: x * t / x.shape[0] ** 0.5):
            program = dynacc.export(function, self.X, 2.5, dynamic=True)
            for x, t in ((self.X, 2.5), (self.X[:5], 0.75)):
                self.assertEqual(program(x, t).tobytes(), function(x, t).tobytes())
        program = dynacc.export(lambda x, n: x * n ** 3, self.X, 3, dynamic=True)
        self.assertEqual(program(self.X, -2).tobytes(), (self.X * -8).tobytes())

    def test_where_python_raises_the_run_ends(self):
        for function, good, bad in ((lambda x: math.sqrt(x[0]), 2.0, -1.0), (lambda x: math.log(x[0]), 2.0, 0.0),
                                    (lambda x: 1.0 / float(x[0]), 2.0, 0.0), (lambda x: math.exp(x[0]), 1.0, 1e3),
                                    (lambda x: float(x[0]) ** 0.5, 2.0, -2.0), (lambda x: int(x[0]), 2.5, np.nan),
                                    (lambda x: math.floor(x[0]), 2.5, 1e300)):
            program = dynacc.export(function, np.array([good]))
            self.assertEqual(program(np.array([good])), function(np.array([good])))
            with self.assertRaisesRegex(ProgramError, "own_functions_test.py"):
                program(np.array([bad]))

    def test_scalars_of_numpy_only_warn(self):
        program = dynacc.export(lambda x: x[0] // x[1], np.array([3.0, 2.0]))
        with np.errstate(all="ignore"):
            self.assertEqual(repr(program(np.array([1.0, 0.0]))), repr(np.array([1.0, 0.0])[0] // np.float64(0)))

    def test_other_bits_are_refused_by_name(self):
        with self.assertRaisesRegex(ProgramError, r"own_functions_test.py:.*math\.gamma\(%0\) is a call of Python's"):
            dynacc.export(lambda x: math.gamma(x[0]), self.P)


class Functions(unittest.TestCase):
    def assert_same(self, function, *arguments, **options):
        program = dynacc.export(function, *arguments, **options)
        found, expected = program(*arguments), function(*arguments)
        self.assertEqual((found.dtype, found.shape), (expected.dtype, expected.shape))
        if np.issubdtype(expected.dtype, np.inexact) and np.isnan(expected).any():
            np.testing.assert_array_equal(found, expected)
            found, expected = (np.nan_to_num(a, nan=1.5) for a in (found, expected))
        self.assertEqual(found.tobytes(), expected.tobytes())
        return program

    def test_stable_sorts_of_every_dtype(self):
        for dtype in (bool, np.int8, np.uint16, np.int32, np.int64, np.uint64, np.float16, np.float32, np.float64,
                      np.complex64, np.complex128):
            x = samples((3, 200), dtype)
            with self.subTest(dtype=dtype):
                self.assert_same(lambda a: np.sort(a, kind="stable"), x)
                self.assert_same(lambda a: np.argsort(a, axis=0, kind="stable"), x)
                self.assert_same(lambda a: a.argsort(kind="stable"), x)
                self.assert_same(lambda a: np.sort(a, axis=None, kind="stable"), x)

    @unittest.skipIf(np.lib.NumpyVersion(np.__version__) >= "2.4.0", "other bits than ours: export refuses it")
    def test_extremes_that_leave_out_nans(self):
        for dtype in (np.float32, np.float64, np.int16):
            x, y = samples((5, 37), dtype), samples((5, 37), dtype)
            self.assert_same(lambda a, b: np.fmax(a, b), x, y)
            self.assert_same(lambda a, b: np.fmin(a, b[:, :1]), x, y)

    def test_sorts_of_integers_of_any_kind(self):
        x = samples((4, 1000), np.int64)
        for kind in (None, "quicksort", "heapsort", "mergesort", "stable"):
            self.assert_same(lambda a: np.sort(a, kind=kind) + 1, x)

    @unittest.skipUnless(IS_NUMPY_1, "NumPy's vectors leave equal elements in another order")
    def test_unstable_sorts_leave_equal_elements_as_numpy_does(self):
        for size in (1, 2, 16, 17, 18, 50, 333, 5000):
            for dtype in (np.float32, np.float64, np.complex128, np.float16, np.int32):
                x = samples((2, size), dtype)
                with self.subTest(size=size, dtype=dtype):
                    for kind in ("quicksort", "heapsort"):
                        try:
                            self.assert_same(lambda a: np.sort(a, kind=kind), x)
                        except ProgramError as error:  # NumPy 1 has vectors for one case alone
                            self.assertEqual((dtype, kind), (np.float32, "quicksort"))
                            self.assertRegex(str(error), "kind='stable'")
                        self.assert_same(lambda a: np.argsort(a, kind=kind), x)
                        self.assert_same(lambda a: np.argsort(a, axis=0, kind=kind), x)

    @unittest.skipUnless(IS_NUMPY_1, "NumPy's vectors leave equal elements in another order")
    def test_what_quicksort_divides_badly(self):
        """Where the ways change: heapsort in sorts, medians of medians in selections."""
        size = 4000
        killer = np.zeros(size)
        killer[::2], killer[1::2] = np.arange(size // 2), np.arange(size // 2) + size // 2
        organ = np.concatenate([np.arange(size // 2), np.arange(size // 2)[::-1]]).astype(float)
        for x in (killer, organ, np.arange(float(size)), np.zeros(size), np.arange(float(size))[::-1].copy()):
            self.assert_same(lambda a: np.argsort(a), x)
            self.assert_same(lambda a: np.argpartition(a, (7, size // 2, size - 3)), x)

    @unittest.skipUnless(IS_NUMPY_1, "NumPy's vectors leave equal elements in another order")
    def test_partitions(self):
        for dtype in (np.float64, np.float32, np.int64, np.float16):
            x = samples((3, 501), dtype)
            with self.subTest(dtype=dtype):
                self.assert_same(lambda a: np.partition(a, 250), x)
                self.assert_same(lambda a: np.partition(a, (3, 100, -1), axis=-1), x)
                self.assert_same(lambda a: np.argpartition(a, 17), x)
                self.assert_same(lambda a: np.partition(a, 2, axis=0), x)
                self.assert_same(lambda a: np.argpartition(a, 700, axis=None), x)

    def test_searches(self):
        table = np.sort(samples(300, np.float64))
        values = samples((7, 9), np.float64)
        for side in ("left", "right"):
            self.assert_same(lambda t, v: np.searchsorted(t, v, side=side), table, values)
            self.assert_same(lambda t, v: t.searchsorted(v, side), table, values)
        ints = np.sort(samples(300, np.int32))
        self.assert_same(lambda t, v: np.searchsorted(t, v), ints, ints[::-1].copy())
        # Of what is not sorted NumPy's way shows.
        self.assert_same(lambda t, v: np.searchsorted(t, v), values[0].copy(), values[1].copy())

    def test_order_statistics(self):
        for dtype in (np.float64, np.float32, np.int64, np.uint8, bool):
            x = RNG.integers(0, 50, (6, 41)).astype(dtype)
            with self.subTest(dtype=dtype):
                self.assert_same(lambda a: np.median(a), x)
                self.assert_same(lambda a: np.median(a, axis=0), x)
                self.assert_same(lambda a: np.median(a, axis=1, keepdims=True), x)
        x = RNG.normal(size=(6, 41))
        for q in (0.0, 0.25, 0.5, 0.9, 1.0, 0.333):
            self.assert_same(lambda a: np.quantile(a, q), x)
            self.assert_same(lambda a: np.quantile(a, q, axis=0), x)
            self.assert_same(lambda a: np.percentile(a, q * 100, axis=-1, keepdims=True), x)
        self.assert_same(lambda a: np.percentile(a, 75, axis=0), x)
        x[2, 3] = np.nan
        self.assert_same(lambda a: np.median(a, axis=1), x)
        self.assert_same(lambda a: np.quantile(a, 0.5, axis=1), x)

    def test_sizes_that_vary_and_any_memory_order(self):
        program = dynacc.export(lambda a: np.sort(a, axis=0, kind="stable") * 2.0, np.ones((5, 8)),
                                dynamic={"a": [0, 1]})
        for shape in ((2, 3), (1, 9), (150, 200)):
            x = samples(shape, np.float64)
            for given in (x, x.T.copy().T, x[::-1]):
                np.testing.assert_array_equal(program(given), np.sort(given, axis=0) * 2.0)

    def test_between_kernels(self):
        def top(scores, names):
            order = np.argsort(-scores, kind="stable")
            return names[order][:3] * 10

        self.assert_same(top, RNG.normal(size=50), np.arange(50))

    def test_without_code_for_this_machine(self):
        x = samples((3, 70), np.float32)
        self.assert_same(lambda a: np.sort(a, kind="stable") + np.float32(1), x, targets=[])

    def test_saved_and_loaded(self):
        import tempfile
        x = samples((3, 70), np.float64)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "p.dynacc")
            dynacc.export(lambda a: np.argsort(a, kind="stable"), x).save(path)
            again = dynacc.load_program(path)
            self.assertEqual(again(x).tobytes(), np.argsort(x, kind="stable").tobytes())


class LinearAlgebra(unittest.TestCase):
    """By a LAPACK that is named: NumPy's bytes where NumPy calls that one, else refused."""

    LAPACK = {"lapack": "liblapack.so.3"}

    def exported(self, function, *arguments, **options):
        try:
            return dynacc.export(function, *arguments, libraries=self.LAPACK, **options)
        except ProgramError as error:
            self.assertRegex(str(error), "it needs LAPACK|the LAPACK that is named gives other bits")
            return self.skipTest(str(error))

    def assert_same(self, function, *arguments):
        program = self.exported(function, *arguments)
        found, expected = program(*arguments), function(*arguments)
        self.assertEqual((found.dtype, found.shape), (expected.dtype, expected.shape))
        self.assertEqual(found.tobytes(), expected.tobytes())
        return program

    def matrices(self, *shape, dtype=np.float64):
        return (RNG.normal(size=shape) + 4 * np.eye(shape[-1])).astype(dtype)

    def test_each_function(self):
        for dtype in (np.float64, np.float32):
            for shape in ((1, 1), (5, 5), (90, 90), (3, 4, 4), (2, 3, 7, 7)):
                a = self.matrices(*shape, dtype=dtype)
                right = RNG.normal(size=(*shape[:-1], 3)).astype(dtype)
                with self.subTest(dtype=dtype, shape=shape):
                    self.assert_same(lambda m: np.linalg.inv(m), a)
                    self.assert_same(lambda m: np.linalg.det(m), a)
                    self.assert_same(lambda m: np.linalg.cholesky(m), a @ np.swapaxes(a, -1, -2))
                    self.assert_same(lambda m, r: np.linalg.solve(m, r), a, right)

    def test_between_kernels_and_of_any_order(self):
        a, b = self.matrices(6, 6), RNG.normal(size=6)

        def newton(m, v):
            return np.linalg.solve(m + 1.0, v * 3.0) * 2.0 - v

        program = self.assert_same(newton, a, b)
        for given in (a.T, np.asfortranarray(a), a[::-1, ::-1]):
            self.assertEqual(program(given, b).tobytes(), newton(given, b).tobytes())

    def test_sizes_that_vary(self):
        program = self.exported(lambda m: np.linalg.inv(m), self.matrices(5, 5), dynamic=True)
        for size in (2, 3, 64):
            a = self.matrices(size, size)
            self.assertEqual(program(a).tobytes(), np.linalg.inv(a).tobytes())
        with self.assertRaisesRegex(ProgramError, "linalg.inv: a singular matrix"):
            program(np.zeros((4, 4)))

    def test_libraries_that_are_none(self):
        a = self.matrices(3, 3)
        for name, message in (("liblapack_none.so.9", "it needs LAPACK, from liblapack_none"),
                              ("libm.so.6", "libm.so.6 is no LAPACK"), ("/tmp/liblapack.so.3", "a library of the system"),
                              ("lib../x.so", "a library of the system"), ("lapack", "a library of the system")):
            with self.subTest(name), self.assertRaisesRegex(ProgramError, message):
                dynacc.export(lambda m: np.linalg.inv(m), a, libraries={"lapack": name})
        with self.assertRaisesRegex(ValueError, "names 'blas'"):
            dynacc.export(lambda m: np.linalg.inv(m), a, libraries={"blas": "libblas.so.3"})


class Refused(unittest.TestCase):
    def refuses(self, function, message, *arguments):
        with self.assertRaisesRegex(ProgramError, r"own_functions_test\.py:\d+: numpy\." + message):
            dynacc.export(function, *arguments)

    def test_what_no_function_of_ours_does(self):
        x = RNG.normal(size=(4, 4))
        self.refuses(lambda a: np.fft.fft(a), "fft.*pass in what it gives, or call NumPy", x)
        self.refuses(lambda a: np.linalg.inv(a), r"linalg.*libraries=\{'lapack': 'liblapack.so.3'\}", x)
        self.refuses(lambda a: np.linalg.eigvalsh(a), "linalg.*pass in what it gives", x)
        self.refuses(lambda a: np.sort(a, kind="stable", axis=0) + np.linalg.solve(a, a), r"linalg\.solve", x)
        self.refuses(lambda a: np.quantile(a, 0.5, method="nearest"), "quantile", x)

    def test_types_that_do_not_fit(self):
        self.refuses(lambda a: np.quantile(a, 0.5), "quantile.*i64", np.ones((3, 4), np.int64))

    @unittest.skipUnless(IS_NUMPY_1, "NumPy's vectors leave equal elements in another order")
    def test_a_place_beyond_the_end(self):
        program = dynacc.export(lambda a: np.partition(a, 5), np.arange(9), dynamic=True)
        program(np.arange(6))
        with self.assertRaisesRegex(ProgramError, "partition: a place beyond the end"):
            program(np.arange(5))


if __name__ == "__main__":
    unittest.main()
