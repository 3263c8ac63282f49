"""Traced functions, methods, attributes and subscripts: dtype, shape, kind of object and whether it
is a view, against NumPy's own results. Every row of the tables must be traced by some case."""
import itertools
import operator
import os
import random
import re
import unittest
import warnings

import numpy as np
import trace_probe

FOLDER = os.path.join(os.path.dirname(__file__), "../../../frontend/numpy/trace")
DTYPES = "?bhilBHILfdeFD"


def rows(table):
    with open(os.path.join(FOLDER, table)) as file:
        return set(re.findall(r'^DYNACC_NUMPY_\w+\("(\w+)"', file.read(), re.M))


def plain(f):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", DeprecationWarning)
        try:
            return f()
        except Exception as error:
            return error


class Tracing(unittest.TestCase):
    traced = {"numpy_functions.def": set(), "numpy_methods.def": set(),
              "numpy_attributes.def": set()}

    def same(self, described, expected, arrays, *what):
        """Whether the operation was traced; then as NumPy has it."""
        if described[0] == "break":
            return False
        self.assertNotIsInstance(expected, Exception, (what, described))
        if described[0] == "list":
            self.assertIsInstance(expected, list)
            self.assertEqual(len(described[1]), len(expected), what)
            return all(self.same(d, e, arrays, *what) for d, e in zip(described[1], expected))
        if described[0] == "dict":
            self.assertEqual([d[1] for d in described[1]], list(expected.values()), what)
            return True
        if described[0] == "tuple" and any(isinstance(e, np.ndarray) for e in expected):
            self.assertEqual(len(described[1]), len(expected), what)
            return all(self.same(d, e, arrays, *what) for d, e in zip(described[1], expected))
        if described[0] == "tuple":
            self.assertEqual([d[1] for d in described[1]], list(expected), what)
            return True
        if described[0] == "deferred":
            self.assertIs(described[1], type(expected), what)
            return True
        if described[0] in ("constant", "number"):
            self.assertEqual(described[1], expected, what)
            return True
        _, dtype, shape, is_scalar, is_view, index = described
        self.assertEqual((dtype, shape), (expected.dtype.char, expected.shape), what)
        self.assertEqual(is_scalar, isinstance(expected, np.generic), what)
        identical = [i for i, a in enumerate(arrays) if a is expected]
        self.assertIn(index, identical or [-1], what)
        if isinstance(expected, np.ndarray) and not identical and expected.size:
            shares = any(np.shares_memory(expected, a) for a in arrays)
            self.assertIn(is_view, (shares, expected.base is not None), what)  # or a view of a fresh array
        return True

    def function(self, name, *args, **kwargs):
        arrays = [a for a in args if isinstance(a, (np.ndarray, np.generic))]
        function = operator.attrgetter(name)(np)
        expected = plain(lambda: function(*args, **kwargs))
        for dynamic in (False, True):
            described = trace_probe.call(function, args, kwargs, dynamic)
            self.assertNotEqual(described[0], "not found", name)
            done = self.same(described, expected, arrays, name, args, kwargs, dynamic)
            if done:
                self.traced["numpy_functions.def"].add(name)
        return done

    def method(self, name, a, *args, **kwargs):
        expected = plain(lambda: getattr(a, name)(*args, **kwargs))
        for dynamic in (False, True):
            described = trace_probe.method(a, name, args, kwargs, dynamic)
            self.assertNotEqual(described[0], "not found", name)
            done = self.same(described, expected, [a], name, a, args, kwargs, dynamic)
            if done:
                self.traced["numpy_methods.def"].add(name)
        return done

    def arrays(self, dtype="d"):
        base = np.ones((2, 3, 4), dtype)
        return [base, np.asfortranarray(base), base[:, ::2], base[0], base[0, 0], base[:0],
                np.ones((1, 3, 1), dtype), np.ones((), dtype), np.ones((), dtype)[()]]

    def test_reductions(self):
        for name, dtype in itertools.product("sum prod max min any all mean var std".split(), DTYPES):
            for a in self.arrays(dtype):
                for kwargs in ({}, {"axis": 0}, {"axis": -1}, {"axis": (0, 2)}, {"axis": None},
                               {"keepdims": True}, {"axis": 1, "keepdims": True}, {"axis": 7},
                               {"axis": (0, 0)}, {"axis": ()}):
                    self.function(name, a, **kwargs)
                    self.method(name, a, **kwargs)
        self.assertTrue(self.function("sum", np.ones((2, 3), "f"), 0))
        self.assertTrue(self.function("mean", np.ones((2, 3), "?"), axis=0))
        self.assertTrue(self.function("amax", np.ones((2, 3)), 1))
        self.assertTrue(self.function("amin", np.ones((2, 3)), 1))
        self.assertTrue(self.function("var", np.ones((2, 3)), ddof=1))
        self.assertFalse(self.function("var", np.ones((2, 3)), 0, ddof=2))
        self.assertTrue(self.method("sum", np.ones((2, 3), "b"), dtype=np.int32))
        self.assertTrue(self.method("sum", np.ones((2, 3), "f"), dtype="d"))
        self.assertFalse(self.function("max", np.ones((0, 3))))

    def test_shapes(self):
        for a in self.arrays():
            for shape in (-1, (-1,), (4, -1), (2, 12), (3, 1), (1,), (), (5, 5), (-1, -1), a.shape):
                self.function("reshape", a, shape)
                self.method("reshape", a, shape)
                if isinstance(shape, tuple) and shape:
                    self.method("reshape", a, *shape)
            for name in ("ravel", "transpose", "squeeze", "atleast_1d", "copy", "asarray",
                         "asanyarray", "ascontiguousarray", "shape", "ndim", "size", "zeros_like",
                         "ones_like", "empty_like"):
                self.function(name, a)
            for name in ("ravel", "transpose", "squeeze", "flatten", "copy"):
                self.method(name, a)
            for axis in (0, 1, -1, 3, (0, 1), (0, 2)):
                self.function("expand_dims", a, axis)
                self.function("squeeze", a, axis)
            for i, j in itertools.product((0, 1, -1, -3), repeat=2):
                self.function("swapaxes", a, i, j)
                self.method("swapaxes", a, i, j)
                self.function("moveaxis", a, i, j)
            for axes in ((2, 0, 1), (1, 0), (0, 1, 2), (0, 0, 1), (-1, 0, 1)):
                self.function("transpose", a, axes)
                self.method("transpose", a, *axes)
            self.function("moveaxis", a, (0, 1), (2, 0))
            for subscripts in ("ijk->kji", "ij -> ji", "ijk->ijk"):
                self.function("einsum", subscripts, a)
            for name in ("flip", "flipud", "fliplr", "rot90"):
                self.function(name, a)
            self.function("flip", a, 0)
            self.function("flip", a, (0, -1))
            for turns in range(-1, 5):
                self.function("rot90", a, turns)
                self.function("rot90", a, turns, (2, 0))
            self.function("empty_like", a)
            for axis in (0, 1, -1, 7):  # without one the result is a view of what NumPy has made
                self.function("roll", a, 1, axis)
            self.function("roll", a, (1, -2), (0, 1))
            self.function("roll", a, 3, (0, 0))
            for name in ("concatenate", "stack"):
                for axis in (0, 1, -1, 7):
                    self.function(name, [a, a], axis)
                self.function(name, (a, a[:1] if a.ndim else a))
            for name in ("vstack", "hstack", "dstack", "column_stack"):
                self.function(name, (a, a))
            for axis in (None, 0):
                self.function("append", a, a, axis)
            for mode in ("constant", "edge", "wrap", "reflect", "symmetric"):
                self.function("pad", a, 1, mode)
                self.function("pad", a, (0, 2), mode)
            for n in (1, 2):
                self.function("diff", a, n)
            self.function("diff", a, axis=0)
            self.function("array", a)
            self.function("full_like", a, 2.0)
            self.function("full_like", a, 2)

    def test_lists_of_numbers(self):
        for dtype in DTYPES:
            x, y = np.ones(2, dtype)
            for numbers in ([x, y], [x, 2], [2.5, y, True], [x], [1, 2]):
                described = trace_probe.call(np.array, ([*numbers],), {}, False)
                self.assertNotEqual(described[0], "break")
                self.assertEqual(described[1:3], (np.array(numbers).dtype.char, (len(numbers),)))

    def test_splits(self):
        a = np.ones((4, 6, 2))
        for b in (a, np.asfortranarray(a), a[::-1], a[0, 0]):
            for name in ("split", "array_split", "hsplit", "vsplit"):
                for parts in (1, 2, 3, 4, 0):
                    self.function(name, b, parts)
            self.function("split", b, 2, -1)
            self.function("array_split", b, 2, axis=1)
            self.function("array_split", b, [1, 2])
            self.function("split", b, (1, -1))
            self.function("hsplit", b, [1])
        self.assertTrue(self.function("array_split", a, 3))
        self.assertTrue(self.function("split", a, [1, 3]))
        self.assertTrue(self.function("ix_", np.arange(3), np.arange(2)))

    def test_views_of_numpys_own(self):
        for a in self.arrays():
            for shape in (a.shape, (2,) + a.shape, 5, (1, 1), (0,)):
                self.function("broadcast_to", a, shape)
            for name in ("diagonal", "diag"):
                for offset in (0, 1, -1, 9):
                    self.function(name, a, offset)
            self.method("diagonal", a, 1)
            self.method("diagonal", a, axis1=1, axis2=0)
            self.function("atleast_2d", a)
            for other in (a, np.ones(3), np.ones((2, 1)), np.ones(())):
                self.function("broadcast_arrays", a, other)
                self.function("broadcast_arrays", other, a, other)
        self.assertTrue(self.function("broadcast_to", np.ones(3), (2, 3)))
        self.assertTrue(self.function("broadcast_arrays", np.ones(3), np.ones((2, 1))))
        self.assertTrue(self.function("diagonal", np.ones((2, 3)), 1))
        self.assertTrue(self.function("diag", np.ones((2, 3))))
        self.assertFalse(self.function("diagonal", np.ones((2, 3)), 5))

    def test_python_objects(self):
        for dtype in DTYPES:
            for a in self.arrays(dtype):
                for name in ("item", "tolist", "tobytes"):
                    self.method(name, a)
        self.assertTrue(self.method("item", np.ones(())))
        self.assertTrue(self.function("array_equal", np.ones(3), np.ones(3)))
        self.assertTrue(self.function("array_equal", np.ones(3), np.ones(4)))
        self.assertTrue(self.function("allclose", np.ones(3), 1.0, atol=0.5))
        self.assertTrue(self.function("count_nonzero", np.ones((2, 3))))
        self.assertTrue(self.function("argwhere", np.zeros((2, 3))))

    def test_reshapes_of_all_orders(self):
        a = np.ones((2, 3, 4))
        for b in (a, a.T, a[::-1], a[:, ::2], a[..., ::-1], np.asfortranarray(a), np.broadcast_to(a[0], a.shape)):
            for shape in ((-1,), (2, -1), (-1, 2), (2, 2, -1), (b.shape[0], -1, 1), b.shape, b.shape[::-1]):
                self.assertTrue(self.function("reshape", b, shape), (b.strides, shape))

    def test_writes(self):
        self.assertTrue(self.method("fill", np.ones((2, 3)), 2.5))
        self.assertTrue(self.function("fill_diagonal", np.ones((2, 3)), 2.5))
        self.assertFalse(self.function("fill_diagonal", np.ones((2, 3)), np.ones(2)))
        self.assertTrue(self.method("sort", np.ones((2, 3))))
        self.assertTrue(self.method("sort", np.ones((2, 3)), 0, "stable"))
        self.assertTrue(self.function("copyto", np.ones((2, 3)), np.zeros(3)))
        self.assertTrue(self.function("copyto", np.ones(3), 7.0, where=np.array([True, False, True])))
        self.assertTrue(self.function("put", np.ones(3), [0, 2], [5.0, 6.0]))
        self.assertTrue(self.method("put", np.ones(3), [0, 2], 7.0, mode="clip"))
        self.assertTrue(self.method("partition", np.ones(3), 1))
        for name in ("place", "putmask"):
            self.assertTrue(self.function(name, np.ones(3), np.array([True, False, True]), 7.0))
            self.assertTrue(self.function(name, np.ones(3), np.array([True, False, True]), [5.0, 6.0]))
        self.assertTrue(self.function("add", np.ones(3), 1.0, np.ones(3), where=np.array([True, False, True])))
        self.assertFalse(self.function("add", np.ones(3), 1.0, out=np.ones(2), where=np.array([True, False, True])))
        self.assertFalse(self.function("copyto", np.ones(3, "i"), 7.5))
        self.assertFalse(self.function("copyto", np.ones(3), np.ones(4)))
        self.assertTrue(self.function("add", np.ones(3), 1.0, np.ones(3)))
        self.assertTrue(self.function("add", np.ones(3), 1.0, np.ones((2, 3))))
        self.assertFalse(self.function("add", np.ones(3), 1.0, out=np.ones(3, "i")))
        self.assertFalse(self.function("add", np.ones(3), 1.0, out=np.ones(2)))

    def test_creation(self):
        for shape in (3, (2, 3), (), (0, 2), -1, (2, -1)):
            for name in ("zeros", "ones", "empty"):
                self.function(name, shape)
                self.function(name, shape, "f")
                self.function(name, shape, dtype=np.int64)
                self.function(name, shape, order="F")
            for value in (1, 2.5, True, -1):
                self.function("full", shape, value)
                self.function("full", shape, value, dtype=float)
                self.function("full", shape, value, dtype="b")

    def test_conversions(self):
        for dtype in DTYPES:
            for a in self.arrays(dtype):
                self.assertEqual(self.method("astype", a, "f"), dtype not in "FD")
                self.method("astype", a, np.float64, copy=False)
                self.method("astype", a, "e")
                self.function("asarray", a, dtype)
                self.function("float32", a)
                self.function("float64", a)
        for x in (1, 2.5, True):
            self.assertTrue(self.function("float32", x))
        for name in ("bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 "
                     "complex128").split():
            for dtype in DTYPES:
                for a in self.arrays(dtype):
                    if name + dtype != "bool_?" or a.ndim:  # of truth values there is one object each
                        self.function(name, a)
            for x in (1, 2.5, True, -1, 300, 1e30, float("nan"), 2 + 1j, 2**40):
                self.function(name, x)
            self.assertTrue(self.function(name, True))
            self.assertTrue(self.function(name, np.ones(3, "?")))
        self.assertTrue(self.function("asarray", [1.0, 2.0]))
        self.assertTrue(self.function("asarray", np.ones(3), np.float32))
        self.assertTrue(self.function("atleast_1d", 2.5))

    def test_complex(self):
        for dtype in DTYPES:
            for a in self.arrays(dtype):
                for name in ("real", "imag", "angle", "iscomplexobj", "isrealobj"):
                    self.function(name, a)
                self.method("conj", a)
                self.method("conjugate", a)
        for dtype in "FD":
            z = np.ones((2, 3), dtype)
            for name in ("real", "imag", "angle", "iscomplexobj", "isrealobj"):
                self.assertTrue(self.function(name, z))
            self.assertTrue(self.method("conj", z))
            self.assertTrue(self.method("astype", z, "?"))
            for a in (z, z[0], z[:, ::2], z.T, z[0, 0]):
                self.same(trace_probe.attribute(a, "real", False), a.real, [a])
                if self.same(trace_probe.attribute(a, "imag", False), a.imag, [a]):
                    self.traced["numpy_attributes.def"].add("imag")
        self.assertFalse(self.method("astype", np.ones(3, "D"), "d"))
        self.assertTrue(self.function("full", 3, 2j))
        self.assertFalse(self.function("full", 3, 2j, "d"))
        self.assertTrue(self.function("zeros", 3, complex))

    def test_selection(self):
        for dtype in DTYPES:
            for a in self.arrays(dtype):
                for low, high in ((0, 1), (None, 2), (1, None), (0.5, 1.5), (None, None),
                                  (float("nan"), 1.0), (-1, 300)):
                    self.function("clip", a, low, high)
                    self.method("clip", a, low, high)
                self.function("where", a, a, 0)
                self.function("where", a > 0, 1.5, a)
                for name in ("round", "around", "round_"):
                    if hasattr(np, name):  # round_ is NumPy 1's
                        self.function(name, a)
                        self.function(name, a, 0)
                self.method("round", a)
                self.method("round", a, decimals=0)
                self.function("select", [a > 1, a > 0], [a, 2.5], 0)
                self.function("select", [a > 1], [3], a)
        self.assertTrue(self.function("select", [np.ones(3) > 0], [np.ones(3)], 0.5))
        self.assertTrue(self.function("where", np.ones((3, 1)) > 0, np.ones(4), 0.0))
        self.assertFalse(self.function("where", np.ones(3) > 0, np.ones(4), 0.0))
        self.assertTrue(self.function("round", np.ones((2, 3)) / 3))

    def test_outer(self):
        for a, b in (((3,), (4,)), ((2, 3), (2,)), ((), (3,))):
            for dtype in (np.float64, np.int32):
                self.function("outer", np.ones(a, dtype) * 3, np.arange(np.prod(b), dtype=dtype).reshape(b))

    def test_matmul(self):
        shapes = [(), (3,), (3, 3), (2, 3), (3, 2), (5, 2, 3), (5, 3, 2), (1, 3, 3), (4, 1, 3, 3)]
        for a, b in itertools.product(shapes, shapes):
            for dtype in "fdeFDlBi":
                self.function("matmul", np.ones(a, dtype), np.ones(b, dtype))
                self.function("dot", np.ones(a, dtype), np.ones(b, dtype))
                self.method("dot", np.ones(a, dtype), np.ones(b, dtype))
        self.assertTrue(self.function("matmul", np.ones((5, 2, 3)), np.ones(3)))
        # Of floats it depends on the library's sums.
        self.assertTrue(self.function("dot", np.ones((2, 3), int), np.ones(3, int)))
        self.assertTrue(self.method("dot", np.ones((2, 3), int), np.ones((3, 4), int)))

    def test_norm(self):
        for a in self.arrays():
            self.function("linalg.norm", a)
            for axis in (*range(-a.ndim, a.ndim), (0, 1), (1, 0)):
                self.function("linalg.norm", a, axis=axis)
                self.function("linalg.norm", a, None, axis, True)
                self.function("linalg.norm", a, 1, axis)
        self.assertTrue(self.function("linalg.norm", np.ones((5, 3)), axis=1))

    def test_attributes(self):
        for name in rows("numpy_attributes.def"):
            for a in self.arrays():
                for dynamic in (False, True):
                    described = trace_probe.attribute(a, name, dynamic)
                    if not hasattr(a, name):  # of a later version; tests/frontend/numpy/numpy2_calls_test.py
                        self.assertEqual(described, ("not found",))
                        self.traced["numpy_attributes.def"].add(name)
                    elif self.same(described, getattr(a, name), [a], name, a):
                        self.traced["numpy_attributes.def"].add(name)
        self.assertEqual(trace_probe.attribute(np.ones(2), "flat", False), ("not found",))

    def test_folding_of_constants(self):
        # sqrt(64) is a number whose value is known, so that promotion by value can be decided.
        scale = trace_probe.call(np.sqrt, (64,), {}, False)
        self.assertEqual(scale[:4], ("tensor", "d", (), True))
        self.assertEqual(trace_probe.call(np.divide, (1, 0), {}, False)[0], "break")

    def subscript(self, a, key):
        expected = plain(lambda: a[key])
        for dynamic in (False, True):
            done = self.same(trace_probe.subscript(a, key, dynamic), expected, [a], a.shape, key)
        return done

    def test_subscripts(self):
        a = np.ones((4, 5, 6))
        for key in (0, -1, 3, 4, -5, (1, 2, 3), (1, 2), (-1, -1, -1), ..., (..., 0), (0, ...),
                    (1, 2, 3, ...), None, (None, 0), (slice(None), 1), slice(None), slice(1, None),
                    slice(None, -1), slice(None, None, -1), slice(10, None), slice(-10, 2),
                    slice(3, 1), slice(1, 4, 2), slice(None, None, 3), slice(4, None, -2),
                    (slice(1, 3), None, slice(None, None, -1), 2), (1, 2, 3, 4), (..., ...)):
            self.subscript(a, key)
        for key in (0, slice(1, None), (None, ..., 1)):
            self.assertTrue(self.subscript(a, key))
        for key in ([0, 1], np.array([0]), (slice(None), [0, 2]), ([[0], [1]][0], slice(1, 3)),
                    (np.array([[0], [1]]), np.array([1, 2])), (1, slice(None), np.array([0, 1])),
                    (None, [1, 0], ..., None), (np.array([0, 1]), slice(None), np.array([0, 1]))):
            self.assertTrue(self.subscript(a, key), key)
        for key in (True, a[0] > 0, 1.5, "x"):
            self.assertEqual(trace_probe.subscript(a, key, False)[0], "break")
        self.subscript(np.ones(()), ())
        self.subscript(np.ones(()), ...)

    def test_error_states(self):
        with np.errstate(all="ignore"):  # as in plain()
            self.assertTrue(self.function("geterr"))
            for modes in ({}, {"all": "warn", "over": "raise"}, {"divide": "print", "all": None}):
                self.assertTrue(self.function("seterr", **modes))
            self.assertTrue(self.function("seterr", "raise"))
            self.assertFalse(self.function("seterr", "nonsense"))
            self.assertEqual(set(np.geterr().values()), {"ignore"})

    def test_random_subscripts(self):
        rng = random.Random(1)

        def bound():
            return rng.choice([None, rng.randint(-8, 8)])

        def item():
            step = rng.choice([None, 1, 2, 3, -1, -2])
            return rng.choice([slice(bound(), bound(), step), slice(bound(), bound()),
                               rng.randint(-4, 3), None, ...])
        done = 0
        for _ in range(3000):
            a = np.ones([rng.randint(0, 6) for _ in range(rng.randint(1, 4))])
            done += self.subscript(a, tuple(item() for _ in range(rng.randint(1, 4))))
        self.assertGreater(done, 1000)

    @classmethod
    def tearDownClass(cls):
        for table, traced in cls.traced.items():
            missing = rows(table) - traced
            if missing and len(cls.traced[table]):
                raise AssertionError(f"{table}: no case traces {sorted(missing)}")


if __name__ == "__main__":
    unittest.main()
