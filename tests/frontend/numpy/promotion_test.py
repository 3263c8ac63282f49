"""Result dtypes of every ufunc, operator and comparison against NumPy's own, over all pairs of
dtypes and many scalars. A graph break is always allowed, but must not be the rule."""
import itertools
import operator
import unittest
import warnings

import numpy as np
import trace_probe

DTYPES = "?bhilBHILfdeFD"
INTS = [0, 1, -1, 5, 127, 128, 255, 256, -128, -129, 32767, 32768, 65535, 65536, -32769,
        2**31 - 1, 2**31, 2**32, -2**31 - 1, 2**63 - 1, -2**63]
FLOATS = [0.0, -0.0, 1.5, 65000.0, 64999.99, 3.4e38, -3.5e38, 1e300, float("inf"), float("nan"), 1e-300]
COMPLEX = [1j, 2.5 - 1j, complex(3.5e38, 0), complex(float("inf"), 0), complex(0, float("nan"))]
SCALARS = [True, False] + INTS + FLOATS + COMPLEX
NB = {operator.add: 0, operator.and_: 1, operator.floordiv: 2, operator.lshift: 3,
      operator.matmul: 4, operator.mul: 5, operator.mod: 6, operator.or_: 7, operator.pow: 8,
      operator.rshift: 9, operator.sub: 10, operator.truediv: 11, operator.xor: 12}
COMPARE = {operator.lt: 0, operator.le: 1, operator.eq: 2, operator.ne: 3, operator.gt: 4,
           operator.ge: 5}


def plain(f, *args):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return f(*args)
        except (TypeError, ValueError, OverflowError, ZeroDivisionError):
            return None


class Promotion(unittest.TestCase):
    def setUp(self):
        self.traced = self.total = 0

    def check(self, described, expected, *what):
        self.total += 1
        if described[0] == "break":
            return
        self.assertIsNotNone(expected, (what, described))
        self.traced += 1
        kind, dtype, shape, is_scalar = described[:4]
        self.assertEqual(kind, "tensor", what)
        self.assertEqual((dtype, shape), (expected.dtype.char, expected.shape), what)
        self.assertEqual(is_scalar, isinstance(expected, np.generic), what)

    def ufuncs(self, nin):
        found = {id(f): f for f in vars(np).values()
                 if isinstance(f, np.ufunc) and f.nin == nin and f.nout == 1 and f is not np.matmul}
        return [f for f in found.values()
                if trace_probe.call(f, (np.ones(2),) * nin, {}, False)[0] != "not found"]

    def share(self, least):
        self.assertGreater(self.traced / self.total, least, (self.traced, self.total))

    def test_unary_ufuncs(self):
        self.assertGreater(len(self.ufuncs(1)), 40)
        for f, dtype in itertools.product(self.ufuncs(1), DTYPES):
            for x in (np.ones((2, 3), dtype), np.ones((), dtype), np.ones((), dtype)[()]):
                self.check(trace_probe.call(f, (x,), {}, False), plain(f, x), f, x)
        self.share(0.4)

    def test_binary_ufuncs_on_arrays(self):
        self.assertGreater(len(self.ufuncs(2)), 30)
        for f, a, b in itertools.product(self.ufuncs(2), DTYPES, DTYPES):
            x, y = np.ones((2, 1), a), np.ones((3,), b)
            self.check(trace_probe.call(f, (x, y), {}, False), plain(f, x, y), f, a, b)
        self.share(0.5)

    def test_arrays_and_python_numbers(self):
        for f, dtype, s, dynamic in itertools.product(
                (np.add, np.true_divide, np.maximum, np.less, np.logical_and, np.power,
                 np.arctan2, np.bitwise_or), DTYPES, SCALARS, (False, True)):
            x = np.ones((2,), dtype)
            self.check(trace_probe.call(f, (x, s), {}, dynamic), plain(f, x, s), f, dtype, s)
            self.check(trace_probe.call(f, (s, x), {}, dynamic), plain(f, s, x), f, s, dtype)
        self.share(0.5)

    def test_arrays_and_numpy_scalars(self):
        for dtype, scalar_dtype, s in itertools.product(DTYPES, DTYPES, SCALARS):
            value = plain(lambda: np.array(s).astype(scalar_dtype))
            x = np.ones((2,), dtype)
            for y in (value, value[()]):
                self.check(trace_probe.call(np.multiply, (x, y), {}, False),
                           plain(np.multiply, x, y), dtype, scalar_dtype, s)
        self.share(0.9)

    def test_operators(self):
        operands = [np.ones((2,), d) for d in DTYPES] + [np.ones((), d) for d in "?lfd"]
        operands += [np.ones((), d)[()] for d in DTYPES] + [True, 2, 0.5, 2.0, -1, 1]
        for f, a, b in itertools.product(NB, operands, operands):
            if f is operator.matmul or not (isinstance(a, (np.ndarray, np.generic)) or
                                            isinstance(b, (np.ndarray, np.generic))):
                continue
            self.check(trace_probe.binary(NB[f], False, a, b, False), plain(f, a, b), f, a, b)
        self.share(0.4)

    def test_comparisons(self):
        operands = [np.ones((2,), d) for d in DTYPES] + [np.ones((), d)[()] for d in DTYPES]
        operands += SCALARS
        for f, a, b in itertools.product(COMPARE, operands, operands):
            if isinstance(a, (np.ndarray, np.generic)) or isinstance(b, (np.ndarray, np.generic)):
                self.check(trace_probe.compare(COMPARE[f], a, b, False), plain(f, a, b), f, a, b)
        self.share(0.9)

    def test_in_place(self):
        for f, a, b in itertools.product(NB, DTYPES, [np.ones((2, 3), d) for d in DTYPES] + [2, 0.5]):
            if f in (operator.matmul,):
                continue
            iop = getattr(operator, "i" + f.__name__.strip("_"))
            x = np.ones((2, 3), a)
            expected = plain(iop, x.copy(), b)
            self.check(trace_probe.binary(NB[f], True, x, b, False), expected, iop, a, b)
        self.share(0.3)

    def test_where(self):
        values = [np.ones((2,), d) for d in DTYPES] + [np.ones((), d)[()] for d in "fd"] + [2, 0.5, 1e300]
        condition = np.array([True, False])
        for a, b in itertools.product(values, values):
            self.check(trace_probe.call(np.where, (condition, a, b), {}, False),
                       np.where(condition, a, b), a, b)
        self.share(0.9)

    def test_value_classes_are_guarded(self):
        # A dynamic number gets conditions exactly where another one would promote otherwise.
        self.assertEqual(trace_probe.call(np.add, (np.ones(2, "b"), 100), {}, True)[1], "b")
        self.assertEqual(trace_probe.call(np.add, (np.ones(2, "b"), 200), {}, True)[1], "h")
        self.assertEqual(trace_probe.call(np.add, (np.ones(2, "f"), 1e30), {}, True)[1], "f")
        self.assertEqual(trace_probe.call(np.add, (np.ones(2, "f"), 1e300), {}, True)[1], "d")

    def test_loops(self):
        for op, dtypes in trace_probe.loops().items():
            name = {"reduce_sum": "add", "reduce_prod": "multiply", "reduce_max": "maximum",
                    "reduce_min": "minimum", "reduce_any": "logical_or",
                    "reduce_all": "logical_and"}.get(op, op)
            types = [t for t in getattr(np, name).types if len(set(t.split("->")[0])) == 1]
            expected = "".join(d for d in DTYPES if any(
                t[0] == d and t[-1] in (d, "?", d.lower() if d in "FD" else d) for t in types))
            if name == "power":
                expected = expected.translate({ord(c): None for c in "bhil"})
            if op in ("reduce_any", "reduce_all"):
                expected = "?"
            self.assertEqual(dtypes, expected, op)


if __name__ == "__main__":
    unittest.main()
