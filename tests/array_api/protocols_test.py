#!/usr/bin/env python3
"""dynacc.Tensor as a Python object: indexing, scalars, errors, in-place writes, and exchange with other libraries."""
import copy
import ctypes
import gc
import io
import math
import operator
import pickle
import sys
import threading
import unittest
import warnings
import weakref

import numpy as np
from drawing import DTYPES, SHAPES, draw, same

import dynacc as xp


class Indexing(unittest.TestCase):
    KEYS = (0, -1, slice(None), slice(1, None, 2), slice(None, None, -1), slice(5, 1, -2), slice(9, 10), Ellipsis, None,
            (), (0, 1), (slice(1), 0), (Ellipsis, 0), (0, Ellipsis), (None, Ellipsis, None), (slice(None), None, 1),
            (slice(-2, None), slice(None, None, 3)), (1, 2, 3), (Ellipsis, slice(None), 2), np.int8(1))

    def setUp(self):
        self.array = np.arange(2 * 3 * 4.0).reshape(2, 3, 4)

    def test_reading(self):
        for key in self.KEYS:
            got = xp.asarray(self.array)[key]
            same(got, self.array[key], repr(key))
            if got.size:
                self.assertTrue(np.shares_memory(np.asarray(got), self.array), key)

    def test_writing(self):
        for key in self.KEYS:
            for value in (7, 2.5, True, xp.asarray(3), xp.ones((1, 1, 1)), np.float32(4)):
                expected, x = self.array.copy(), xp.asarray(self.array, copy=True)
                expected[key] = np.asarray(value).item()
                x[key] = value
                same(x, expected, f"[{key}] = {value}")

    def test_masks_and_index_tensors(self):
        random = np.random.default_rng(1)
        mask = self.array > 9
        index = np.array([[1, 0], [0, -1]])
        for key, numpy_key in ((xp.asarray(mask), mask), (xp.asarray(mask[0, 0, 0]), mask[0, 0, 0]),
                               (xp.asarray(index), index), ((xp.asarray(index), 1), (index, 1)),
                               ((Ellipsis, xp.asarray(index)), (Ellipsis, index)), (xp.asarray(1), 1),
                               ((xp.asarray([0, 1]), xp.asarray([2, 0])), ([0, 1], [2, 0]))):
            same(xp.asarray(self.array)[key], self.array[numpy_key], repr(key))
            expected, x = self.array.copy(), xp.asarray(self.array, copy=True)
            expected[numpy_key] = 5
            x[key] = 5
            same(x, expected, repr(key))
        for key in (index, (slice(None), index[0]), (index[0], 1), mask, (mask[:, 0, 0], Ellipsis, 0), np.array(1)):
            same(xp.asarray(self.array)[key], self.array[key], f"a NumPy array in {key!r}")
            expected, x = self.array.copy(), xp.asarray(self.array, copy=True)
            expected[key] = x[key] = 5
            same(x, expected, f"a NumPy array in {key!r}")
        x = xp.asarray(draw(random, "int16", (6,)))
        x[x > 0] = xp.asarray(0, dtype=xp.int16)
        self.assertFalse(bool(xp.any(x > 0)))

    def test_errors(self):
        x = xp.asarray(self.array)
        for key in (2, -3, (0, 3), (0, 0, 0, 0), (Ellipsis, Ellipsis), "a", 1.5, (0, 0, 4), xp.asarray([5])):
            with self.assertRaises(IndexError):
                x[key]
            with self.assertRaises(IndexError):
                x[key] = 1
        for value in (1j, xp.asarray([1j])):
            with self.assertRaises(TypeError):
                x[0, 0, 0:1] = value
        with self.assertRaises(ValueError):
            x[...] = xp.ones(5)
        with self.assertRaises(OverflowError):
            xp.zeros(2, dtype=xp.int8)[0] = 1000
        with self.assertRaises(TypeError):
            del x[0]
        with self.assertRaises(ValueError):
            xp.broadcast_to(xp.ones(1), (3,))[0] = 2

    def test_overlapping_memory(self):
        for program in ("x[1:] = x[:-1]", "x[:-1] = x[1:]", "x[::-1] = x", "x[1:] += x[:-1]", "x += x[::-1]",
                        "x[:] = x[0]", "x *= x[3]"):
            expected = np.arange(1.0, 9)
            x = xp.asarray(expected, copy=True)
            exec(program.replace("x", "a"), {"a": expected})
            exec(program, {"x": x})
            same(x, expected, program)


class Scalars(unittest.TestCase):
    def test_conversions(self):
        for value, dtype in ((True, xp.bool), (3, xp.int8), (2.5, xp.float32), (-4, xp.int64), (7, xp.uint64)):
            x = xp.asarray(value, dtype=dtype)
            self.assertEqual((bool(x), int(x), float(x), complex(x)), (bool(value), int(value), float(value), value + 0j))
            self.assertEqual((x.item(), x.tolist()), (value, value))
        self.assertEqual(operator.index(xp.asarray(5, dtype=xp.uint8)), 5)
        self.assertEqual([10, 20, 30][xp.asarray(1)], 20)
        self.assertEqual(complex(xp.asarray(1 - 2j)), 1 - 2j)
        self.assertTrue(math.isnan(float(xp.asarray(math.nan, dtype=xp.float16))))

    def test_errors(self):
        for convert in (bool, int, float, complex, operator.index):
            with self.assertRaises(TypeError):
                convert(xp.asarray([1, 2]))
        for convert, value in ((int, 1j), (float, 1j), (operator.index, 1.0), (operator.index, True)):
            with self.assertRaises(TypeError):
                convert(xp.asarray(value))
        with self.assertRaises(ValueError):
            int(xp.asarray(math.nan))
        with self.assertRaises(OverflowError):
            int(xp.asarray(math.inf))
        with self.assertRaises(TypeError):
            len(xp.asarray(1))
        with self.assertRaises(TypeError):
            iter(xp.asarray(1))

    def test_python_numbers_take_the_dtype(self):
        for number, dtype, expected in ((1, xp.int8, xp.int8), (1, xp.float32, xp.float32), (1.5, xp.float32, xp.float32),
                                        (1j, xp.float32, xp.complex64), (1j, xp.float64, xp.complex128), (1.5, xp.int8, xp.float64),
                                        (True, xp.bool, xp.bool), (1, xp.bool, xp.int64), (2.0, xp.float16, xp.float16)):
            x = xp.ones(3, dtype=dtype)
            for result in (xp.multiply(x, number), xp.multiply(number, x), x * number, number * x):
                self.assertIs(result.dtype, expected)
        for attempt in (lambda: xp.ones(2, dtype=xp.uint8) + 256, lambda: -1 * xp.ones(2, dtype=xp.uint8)):
            with self.assertRaises(OverflowError):
                attempt()
        self.assertIs((xp.asarray(1.0) * xp.ones(2, dtype=xp.float32)).dtype, xp.float64)

    def test_python_types_as_dtypes(self):
        for type_, dtype in ((bool, xp.bool), (int, xp.int64), (float, xp.float64), (complex, xp.complex128)):
            x = xp.asarray([0, 1], dtype=xp.int8)
            for result in (xp.zeros(2, dtype=type_), xp.asarray([1, 0], dtype=type_), xp.astype(x, type_), xp.empty_like(x, dtype=type_),
                           xp.full(2, True, dtype=type_), xp.asarray(x, dtype=type_)):
                self.assertIs(result.dtype, dtype)
        self.assertIs(xp.sum(xp.asarray([0.5, 0.5], dtype=xp.float32), dtype=float).dtype, xp.float64)
        self.assertIs(xp.arange(3, dtype=float).dtype, xp.float64)
        self.assertTrue(xp.isdtype(bool, "bool"))
        for attempt in (lambda: xp.zeros(2, dtype="float64"), lambda: xp.zeros(2, dtype=str), lambda: xp.astype(xp.ones(2), None)):
            with self.assertRaises(TypeError):
                attempt()

    def test_complex_numbers_do_not_become_real(self):
        z = xp.asarray([1j, 2])
        for attempt in (lambda: xp.sum(z, dtype=xp.float64), lambda: xp.prod(z, dtype=float), lambda: xp.cumulative_sum(z, dtype=xp.float32),
                        lambda: xp.linspace(0, 1j, 3, dtype=xp.float64), lambda: xp.fft.rfft(z), lambda: xp.fft.ihfft(z),
                        lambda: xp.fft.rfftn(z), lambda: xp.linalg.trace(xp.stack([z, z]), dtype=xp.float64)):
            with self.assertRaises(TypeError):
                attempt()

    def test_iteration(self):
        x = xp.reshape(xp.arange(6), (2, 3))
        self.assertEqual([row.tolist() for row in x], [[0, 1, 2], [3, 4, 5]])
        self.assertEqual(len(x), 2)
        self.assertIn(4, xp.arange(5))


class Operators(unittest.TestCase):
    def test_unknown_operands(self):
        x = xp.ones(2)
        for attempt in (lambda: x + "a", lambda: None + x, lambda: x < None, lambda: x @ 2, lambda: [1] * xp.ones(2)):
            with self.assertRaises(TypeError):
                attempt()
        self.assertFalse(x == None)  # noqa: E711
        self.assertTrue(x != "text")

    def test_shapes_that_do_not_fit(self):
        with self.assertRaisesRegex(ValueError, r"broadcast together with shapes \(2,\) \(3,\)"):
            xp.ones(2) + xp.ones(3)
        x = xp.ones(3)
        with self.assertRaises(ValueError):
            x += xp.ones((2, 3))
        x = xp.ones(2, dtype=xp.int32)
        with self.assertRaises(TypeError):
            x += 1.5
        with self.assertRaises(TypeError):
            x /= 2
        self.assertEqual(x.tolist(), [1, 1])

    def test_not_defined(self):
        for attempt in (lambda: -xp.asarray(True), lambda: xp.asarray(1.0) & 1, lambda: xp.asarray(1j) < 1,
                        lambda: xp.asarray(1j) // 2, lambda: xp.maximum(xp.asarray(1j), 0), lambda: ~xp.ones(2),
                        lambda: xp.add(1, 2), lambda: xp.add(xp.ones(2), [1, 2]), lambda: xp.add(xp.ones(2)),
                        lambda: xp.sin(x=xp.ones(2)), lambda: xp.subtract(xp.asarray(True), xp.asarray(True))):
            with self.assertRaises(TypeError):
                attempt()
        with self.assertRaises(ValueError):
            xp.asarray(2) ** -1

    def test_views_share_memory(self):
        x = xp.zeros((2, 3))
        for view in (x.T, x.mT, x[0], xp.reshape(x, (3, 2)), xp.permute_dims(x, (1, 0)), xp.expand_dims(x, 0),
                     xp.flip(x), xp.moveaxis(x, 0, 1)):
            view += 1
        self.assertEqual(x.tolist(), [[8.0] * 3, [7.0] * 3])
        with self.assertRaises(ValueError):
            xp.ones(3).T

    def test_floor_division_by_and_of_infinity(self):
        inf = math.inf
        for a, b, expected in ((inf, 2.0, inf), (inf, -2.0, -inf), (-inf, 2.0, -inf), (-inf, -2.0, inf), (1.0, inf, 0.0),
                               (1.0, -inf, -0.0), (-1.0, inf, -0.0), (-1.0, -inf, 0.0), (inf, inf, math.nan)):
            for dtype in (xp.float16, xp.float32, xp.float64):
                x = xp.full((300,), a, dtype=dtype)
                for result in (x // b, xp.floor_divide(a, xp.full((300,), b, dtype=dtype)), x.__ifloordiv__(b)):
                    same(result, np.full(300, expected, str(dtype)), f"{a} // {b}")

    def test_no_warnings(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            x = xp.asarray([0.0, 1e308, math.nan])
            for result in (1 / x, x * 10, xp.sum(x * 10), xp.mean(xp.ones(0)), xp.var(xp.ones(1), correction=1),
                           xp.log(-x), xp.astype(x, xp.int8), xp.prod(x), xp.matmul(x, x)):
                self.assertIsInstance(result, xp.Tensor)
            large = xp.full((3, 3), 1e300)
            for matrices in (large, xp.astype(xp.full((3, 3), 3e38), xp.float32), xp.full((3, 3), math.inf)):
                for function in (xp.linalg.qr, xp.linalg.matrix_norm, xp.linalg.slogdet, xp.fft.fft, xp.fft.rfftn, xp.fft.irfft):
                    function(matrices)
            for function in (xp.linalg.matrix_rank, xp.linalg.pinv):
                function(large, rtol=1e300)
                function(xp.eye(3, dtype=xp.float32))
        with self.assertWarns(RuntimeWarning):
            np.asarray(x) * 10

    def test_threads(self):
        x = xp.linspace(0, 1, 300_000)
        expected = np.exp(np.asarray(x)) * 2
        failures = []

        def work():
            for _ in range(5):
                if not np.array_equal(np.asarray(xp.exp(x) * 2), expected):
                    failures.append(1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertFalse(failures)


class Objects(unittest.TestCase):
    def test_pickle_and_copy(self):
        random = np.random.default_rng(2)
        for dtype in DTYPES:
            array = draw(random, dtype, (3, 4))
            x = xp.asarray(array)
            for again in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)):
                same(again, array, "a copy")
                self.assertFalse(np.shares_memory(np.asarray(again), array))
            self.assertIs(pickle.loads(pickle.dumps(x.dtype)), x.dtype)
            self.assertIs(copy.deepcopy(x.dtype), x.dtype)
        self.assertIs(pickle.loads(pickle.dumps(xp.add)), xp.add)
        self.assertIs(pickle.loads(pickle.dumps(xp.sum)), xp.sum)

    def test_text(self):
        self.assertEqual(repr(xp.asarray([1.0, 2.5])), "Tensor([1. , 2.5])")
        self.assertEqual(repr(xp.asarray([[1, 2], [3, 4]], dtype=xp.int8)), "Tensor([[1, 2],\n        [3, 4]], dtype=int8)")
        self.assertEqual(repr(xp.zeros((0, 2))), "Tensor([], shape=(0, 2), dtype=float64)")
        self.assertEqual(repr(xp.asarray(True)), "Tensor(True)")
        self.assertEqual(str(xp.asarray([1, 2])), "[1 2]")
        self.assertEqual(f"{xp.asarray(2.0):.3f} {xp.asarray([1])}", "2.000 [1]")
        self.assertEqual((repr(xp.float32), str(xp.float32)), ("dynacc.float32", "float32"))

    def test_weak_references_and_memory(self):
        x = xp.ones(1000)
        reference = weakref.ref(x)
        view = x[::2]
        del x
        self.assertIsNotNone(reference())
        self.assertEqual(float(xp.sum(view)), 500)
        del view
        gc.collect()
        self.assertIsNone(reference())

    def test_references_are_counted(self):
        x, key = xp.ones((4, 4)), xp.asarray([0, 1])
        def work():
            x + 1, x[1:], x[key], xp.sum(x), xp.reshape(x, (16,)), np.asarray(x), xp.from_dlpack(x), x.T @ x, np.add(x, x)
        for _ in range(3):
            work()
        gc.collect()
        before = sys.getrefcount(x), sys.getrefcount(xp.float64), sys.getrefcount(xp.Tensor)
        for _ in range(50):
            work()
        gc.collect()
        after = sys.getrefcount(x), sys.getrefcount(xp.float64), sys.getrefcount(xp.Tensor)
        self.assertEqual(before, after)

    def test_alignment(self):
        for size in (1, 3, 1000, 2_000_000):
            self.assertEqual(np.asarray(xp.empty(size, dtype=xp.float32)).__array_interface__["data"][0] % 64, 0)


class Exchange(unittest.TestCase):
    def test_buffers(self):
        random = np.random.default_rng(3)
        for dtype in DTYPES:
            for shape in SHAPES:
                array = draw(random, dtype, shape)
                x = xp.asarray(array)
                back = np.asarray(x)
                self.assertEqual((back.dtype, back.shape, back.strides), (array.dtype, array.shape, array.strides))
                self.assertEqual(back.ctypes.data, array.ctypes.data)
                self.assertEqual(memoryview(x).tobytes(), array.tobytes())
                interface = x.__array_interface__
                self.assertEqual((interface["shape"], interface["data"][0]), (array.shape, array.ctypes.data))
        x = xp.ones((2, 3))
        with self.assertRaises((BufferError, TypeError)):
            io.BytesIO(b"12345678").readinto(x.T)
        with self.assertRaises((BufferError, TypeError)):
            io.BytesIO(b"12345678").readinto(xp.broadcast_to(x, (2, 3)))
        (ctypes.c_double * 6).from_buffer(x)[5] = 9.0
        self.assertEqual(float(x[1, 2]), 9)
        self.assertTrue(memoryview(xp.broadcast_to(x, (2, 3))).readonly)
        self.assertEqual(bytes(xp.asarray([1, 2], dtype=xp.uint8)), b"\x01\x02")

    def test_read_only_memory(self):
        array = np.arange(3.0)
        array.flags.writeable = False
        x = xp.asarray(array)
        with self.assertRaises(ValueError):
            x[0] = 1
        with self.assertRaises(ValueError):
            x += 1
        self.assertFalse(np.asarray(x).flags.writeable)
        with self.assertRaises(BufferError):
            x.__dlpack__()
        with self.assertRaises(ValueError):
            xp.from_dlpack(Versioned(x))[0] = 1

    def test_dlpack(self):
        x = xp.reshape(xp.arange(6.0), (2, 3))
        self.assertEqual(x.__dlpack_device__(), (1, 0))
        np.testing.assert_array_equal(np.from_dlpack(x), np.asarray(x))
        for source in (x, x.T, x[:, ::2], np.asarray(x), Versioned(x.T)):
            same(xp.from_dlpack(source), np.asarray(getattr(source, "tensor", source)), "from_dlpack")
        y = xp.from_dlpack(Versioned(x))
        y[0, 0] = 50
        self.assertEqual(float(x[0, 0]), 50)
        y = xp.from_dlpack(Versioned(x), copy=True)
        y[0, 0] = 70
        self.assertEqual(float(x[0, 0]), 50)
        for arguments in ({"stream": 1}, {"dl_device": (2, 0)}):
            with self.assertRaises((ValueError, BufferError)):
                x.__dlpack__(**arguments)
        capsule = x.__dlpack__(max_version=(1, 0))
        self.assertIn('"dltensor_versioned"', repr(capsule))
        self.assertIn('"dltensor"', repr(x.__dlpack__()))
        with self.assertRaises((AttributeError, TypeError)):
            xp.from_dlpack([1, 2])

    def test_a_capsule_is_used_once(self):
        class Once:
            def __init__(self, capsule):
                self.capsule = capsule

            def __dlpack__(self, **arguments):
                return self.capsule

        once = Once(xp.ones(3).__dlpack__(max_version=(1, 0)))
        kept = xp.from_dlpack(once)
        with self.assertRaises(TypeError):
            xp.from_dlpack(once)
        del once
        gc.collect()
        self.assertEqual(kept.tolist(), [1, 1, 1])

    def test_dlpack_keeps_the_memory(self):
        x = xp.full(1000, 3.0)
        reference = weakref.ref(x)
        array = np.from_dlpack(x)
        del x
        self.assertEqual(array.sum(), 3000)
        del array
        gc.collect()
        self.assertIsNone(reference())

    def test_c_exchange_api(self):
        capsule = xp.Tensor.__dlpack_c_exchange_api__
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
        words = ctypes.cast(get(capsule, b"dlpack_exchange_api"), ctypes.POINTER(ctypes.c_uint64))
        self.assertEqual(words[0] & 0xffffffff, 1)  # the major version
        self.assertEqual(words[1], 0)               # no older table
        x = xp.arange(4)
        managed, again = ctypes.c_void_p(), ctypes.c_void_p()
        call = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
        self.assertEqual(call(words[3])(id(x), ctypes.addressof(managed)), 0)
        self.assertEqual(call(words[4])(managed.value, ctypes.addressof(again)), 0)
        y = ctypes.cast(again, ctypes.py_object).value
        ctypes.pythonapi.Py_DecRef(ctypes.py_object(y))
        y[0] = 40
        self.assertEqual(x.tolist(), [40, 1, 2, 3])

    def test_numpy_functions(self):
        x = xp.asarray([[1.0, 4.0], [9.0, 16.0]])
        array = np.asarray(x)
        same(np.sqrt(x), np.sqrt(array), "np.sqrt")
        same(np.add(x, array), array * 2, "np.add")
        same(array + x, array * 2, "ndarray + Tensor")
        same(x + array, array * 2, "Tensor + ndarray")
        same(np.float32(2) * x, array * 2, "np.float32 * Tensor")
        same(np.add.reduce(x), np.add.reduce(array), "np.add.reduce")
        same(np.concatenate([x, x]), np.concatenate([array, array]), "np.concatenate")
        same(np.sum(x, axis=0), array.sum(0), "np.sum")
        same(np.linalg.inv(x), np.linalg.inv(array), "np.linalg.inv")
        self.assertTrue(np.allclose(x, array))
        self.assertEqual((np.shape(x), np.ndim(x)), ((2, 2), 2))
        out = xp.empty((2, 2))
        self.assertIs(np.multiply(x, 2, out=out), out)
        same(out, array * 2, "out=")
        for one, expected in zip(np.divmod(x, 3), np.divmod(array, 3)):
            same(one, expected, "np.divmod")
        np.add.at(x, ([0], [0]), 100)
        self.assertEqual(array[0, 0], 101)
        self.assertEqual(np.dtype(xp.float32), np.float32)
        self.assertEqual(np.zeros(2, dtype=xp.int8).dtype, np.int8)

    def test_arrays_that_no_tensor_can_share(self):
        array = np.arange(4, dtype=">i4")
        same(xp.asarray(array), array.astype("i4"), "another byte order")
        raw = np.zeros(17, "u1")[1:].view("f8")
        same(xp.asarray(raw), raw, "unaligned")
        for other in (np.array(["a"]), np.array([None]), np.zeros(2, "M8[s]"), np.zeros(2, np.longdouble)):
            with self.assertRaises(TypeError):
                xp.asarray(other)


class Versioned:
    """Exports by DLPack's version 1 only."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, *, max_version=None, **arguments):
        assert max_version[0] >= 1
        return self.tensor.__dlpack__(max_version=max_version, **arguments)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


if __name__ == "__main__":
    unittest.main()
