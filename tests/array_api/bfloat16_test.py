#!/usr/bin/env python3
"""bfloat16, which NumPy lacks, against an oracle that rounds float32 by integer arithmetic.

Functions of one argument and conversions are tried on all 65,536 numbers; captured code gives the bits of eager calls
on each target.
"""
import copy
import ctypes
import math
import pickle
import sys
import unittest

import numpy as np
import standard

import _dynacc
import dynacc as xp

ARRAYS = _dynacc.arrays()
BF16 = xp.bfloat16
ALL_BITS = np.arange(65536, dtype=np.uint16)
TARGETS = ("reference", "tile", "cpu")
REAL = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64")
INTEGRAL_ONLY = ("bitwise_invert", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift")


# --- The oracle ----------------------------------------------------------------------------------

def widened(bits):
    """float32 of the bits of bfloat16."""
    return (np.asarray(bits, np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)


def rounded(numbers):
    """The bits of bfloat16 nearest to numbers of float32, ties to even; a NaN keeps its sign and top bits and is quiet."""
    bits = np.ascontiguousarray(numbers, np.float32).view(np.uint32)
    near = (bits.astype(np.uint64) + 0x7FFF + (bits >> 16 & 1)) >> 16
    is_nan = (bits & 0x7FFFFFFF) > 0x7F800000
    return np.where(is_nan, bits >> 16 | 0x40, near).astype(np.uint16).reshape(np.shape(numbers))


def rounded_wide(numbers):
    """The same from float64, by comparing with the two neighbours, whose difference is exact."""
    numbers = np.asarray(numbers, np.float64)
    with np.errstate(all="ignore"):
        single = numbers.astype(np.float32)
    low = single.view(np.uint32) & np.uint32(0xFFFF0000)  # towards zero, but for what rounded up to there
    low = np.where(np.abs(low.view(np.float32).astype(np.float64)) > np.abs(numbers), low - np.uint32(0x10000), low)
    below = low.view(np.float32).astype(np.float64)
    high = (low + np.uint32(0x10000)).view(np.float32)
    with np.errstate(all="ignore"):
        above = np.where(np.isinf(high), np.copysign(2.0**128, numbers), high.astype(np.float64))
        to_low, to_high = np.abs(numbers - below), np.abs(above - numbers)
    even = (low >> np.uint32(16) & np.uint32(1)) == 0
    up = (to_high < to_low) | ((to_high == to_low) & ~even)
    bits = np.where(up, low + np.uint32(0x10000), low) >> np.uint32(16)
    bits = np.where(np.isinf(numbers), rounded(single), bits)
    return np.where(np.isnan(numbers), rounded(single), bits).astype(np.uint16)


def tensor_of(bits):
    """A tensor of bfloat16 with these bits, in memory of its own."""
    return ARRAYS.of_bits(xp.asarray(np.array(bits, np.uint16), copy=True), BF16)


def bits_of(tensor):
    assert tensor.dtype is BF16, tensor.dtype
    return np.array(ARRAYS.to_numpy(ARRAYS.bits(tensor)))


def single(bits):
    return xp.asarray(widened(bits))


class BFloat16(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(16)

    def expect_bits(self, tensor, bits, where=""):
        got = bits_of(tensor)
        bits = np.asarray(bits, np.uint16)
        self.assertEqual(got.shape, bits.shape, where)
        wrong = np.flatnonzero(got.ravel() != bits.ravel())
        if len(wrong):
            at = wrong[0]
            self.fail(f"{where}: {len(wrong)} differ, the first at {at}: {got.ravel()[at]:#06x} for {bits.ravel()[at]:#06x}")

    def expect(self, tensor, other, where=""):
        """The tensor is `other`, a tensor of any dtype, bit for bit."""
        self.assertIs(tensor.dtype, other.dtype, where)
        if other.dtype is BF16:
            return self.expect_bits(tensor, bits_of(other), where)
        got, wanted = np.asarray(tensor), np.asarray(other)
        self.assertEqual((got.shape, got.tobytes()), (wanted.shape, wanted.tobytes()), where)

    def expect_near(self, tensor, other, where="", atol=1e-40):
        """As above but for the last digit, `atol` and NaNs: C's functions are not NumPy's."""
        self.assertIs(tensor.dtype, other.dtype, where)
        if tensor.dtype is not BF16 and not xp.isdtype(tensor.dtype, ("real floating", "complex floating")):
            return self.expect(tensor, other, where)
        wide = xp.complex128 if xp.isdtype(tensor.dtype, "complex floating") else xp.float64
        got, wanted = (np.asarray(xp.astype(x, wide)) for x in (tensor, other))
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(got, wanted, 2.0**-7, atol, err_msg=where)

    def some(self, *shape):
        return tensor_of(self.random.integers(0, 65536, shape).astype(np.uint16))

    def ordinary(self, *shape):
        return tensor_of(rounded(self.random.normal(0, 4, shape).astype(np.float32)))

    # --- Conversions -------------------------------------------------------------------------

    def test_to_float32(self):
        got = np.asarray(xp.astype(tensor_of(ALL_BITS), xp.float32))
        self.assertEqual(got.tobytes(), widened(ALL_BITS).tobytes())

    def test_to_all_dtypes(self):
        numbers = tensor_of(ALL_BITS)
        for name in REAL + ("complex64", "complex128"):
            dtype = getattr(xp, name)
            self.expect(xp.astype(numbers, dtype), xp.astype(single(ALL_BITS), dtype), name)
        self.expect(xp.astype(numbers, BF16), numbers)

    def test_from_float32(self):
        edges = (np.arange(65536, dtype=np.uint32)[:, None] << 16) | np.array(
            [0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF], np.uint32)
        for bits in (edges, self.random.integers(0, 2**32, 100000, dtype=np.uint32)):
            numbers = bits.view(np.float32)
            self.expect_bits(xp.astype(xp.asarray(numbers), BF16), rounded(numbers), "from float32")

    def test_from_float64_rounds_once(self):
        middle = (widened(np.arange(0x7F80, dtype=np.uint16)).astype(np.float64)
                  + widened(np.arange(1, 0x7F81, dtype=np.uint16)).astype(np.float64)) / 2
        middle = middle[:-1]
        beside = [middle, np.nextafter(middle, 0), np.nextafter(middle, np.inf), middle * (1 + 2.0**-40), -middle,
                  [0.0, -0.0, np.inf, -np.inf, np.nan, 1e300, -1e300, 1e-300, -5e-324, 2.0**128, 2.0**128 * (1 - 2.0**-9),
                   np.nextafter(2.0**128 * (1 - 2.0**-9), 0)]]
        for numbers in map(np.asarray, beside):
            self.expect_bits(xp.astype(xp.asarray(numbers), BF16), rounded_wide(numbers), "from float64")

    def test_from_integers_by_way_of_float64(self):
        for name in REAL[1:9]:
            dtype = np.dtype(name)
            limits = np.iinfo(dtype)
            numbers = self.random.integers(limits.min, limits.max, 5000, dtype=dtype, endpoint=True)
            numbers >>= self.random.integers(0, 8 * dtype.itemsize, 5000).astype(dtype)
            numbers = np.concatenate([numbers, np.array([0, 1, limits.min, limits.max], dtype)])
            self.expect_bits(xp.astype(xp.asarray(numbers), BF16), rounded_wide(numbers.astype(np.float64)), name)
        self.expect_bits(xp.astype(xp.asarray([True, False]), BF16), [0x3F80, 0])
        once = 2**24 + 2**16 + 1  # float32 would be in the middle of two
        self.expect_bits(xp.astype(xp.asarray([once]), BF16), [0x4B81])

    def test_from_other_floats(self):
        halves = ALL_BITS.view(np.float16)
        self.expect_bits(xp.astype(xp.asarray(halves), BF16), rounded(halves.astype(np.float32)), "from float16")
        with self.assertRaises(TypeError):
            xp.astype(xp.asarray([1j]), BF16)

    def test_python_numbers(self):
        for number in (0, 1, -3, 257, 2**24 + 2**16 + 1, 0.1, -0.0, 1e39, math.inf, True, 1 + 2**-8 + 2**-40):
            expected = rounded_wide(np.array([float(number)]))
            for tensor in (xp.asarray([number], dtype=BF16), xp.full((1,), number, dtype=BF16),
                           xp.reshape(xp.asarray(number, dtype=BF16), (1,))):
                self.expect_bits(tensor, expected, repr(number))
        self.assertEqual(xp.asarray(1.7e308, dtype=BF16).item(), math.inf)
        self.assertEqual(float(xp.asarray(3.140625, dtype=BF16)), 3.140625)
        self.assertEqual(int(xp.asarray(-7.5, dtype=BF16)), -7)
        self.assertEqual(complex(xp.asarray(2.5, dtype=BF16)), 2.5)
        self.assertTrue(xp.asarray(math.nan, dtype=BF16))
        self.assertEqual(xp.asarray([[1.5, 2], [3, -4]], dtype=BF16).tolist(), [[1.5, 2.0], [3.0, -4.0]])

    # --- Elementwise -------------------------------------------------------------------------

    def test_unary_functions_on_all_numbers(self):
        for name in standard.UNARY:
            if name in INTEGRAL_ONLY:
                with self.assertRaises(TypeError):
                    getattr(xp, name)(tensor_of(ALL_BITS))
                continue
            function = getattr(xp, name)
            expected = function(single(ALL_BITS))
            got = function(tensor_of(ALL_BITS))
            if name == "real":  # itself
                self.expect_bits(got, ALL_BITS, name)
            elif expected.dtype is xp.float32:
                self.expect_bits(got, rounded(np.asarray(expected)), name)
            else:
                self.expect(got, expected, name)

    def test_arithmetic_is_numpys_in_float32(self):
        a, b = (self.random.integers(0, 65536, 50000).astype(np.uint16) for _ in range(2))
        with np.errstate(all="ignore"):
            for name, ufunc in (("add", np.add), ("subtract", np.subtract), ("multiply", np.multiply),
                                ("divide", np.divide), ("maximum", np.maximum), ("less", np.less)):
                expected = ufunc(widened(a), widened(b))
                got = getattr(xp, name)(tensor_of(a), tensor_of(b))
                if name == "less":
                    self.assertEqual(np.asarray(got).tobytes(), expected.tobytes())
                else:
                    self.expect_bits(got, rounded(expected), name)
            self.expect_bits(xp.sqrt(tensor_of(ALL_BITS)), rounded(np.sqrt(widened(ALL_BITS))), "sqrt")

    def test_binary_functions(self):
        a, b = (self.random.integers(0, 65536, (300, 40)).astype(np.uint16) for _ in range(2))
        for name in standard.BINARY:
            if name in INTEGRAL_ONLY or name == "nextafter":
                continue
            function = getattr(xp, name)
            expected = function(single(a), single(b))
            for x, y in ((tensor_of(a), tensor_of(b)), (tensor_of(a[::-1, ::-1])[::-1, ::-1], tensor_of(b.T).T)):
                got = function(x, y)
                if expected.dtype is xp.float32:
                    self.expect_bits(got, rounded(np.asarray(expected)), name)
                else:
                    self.expect(got, expected, name)

    def test_nextafter_knows_its_own_numbers(self):
        x = tensor_of([0x3F80, 0x3F80, 0x0000, 0x8000, 0x7F7F, 0x7F80, 0x7FC0, 0x0001])
        y = tensor_of([0x4000, 0x0000, 0x3F80, 0xBF80, 0x7F80, 0x0000, 0x3F80, 0xBF80])
        self.expect_bits(xp.nextafter(x, y), [0x3F81, 0x3F7F, 0x0001, 0x8001, 0x7F80, 0x7F7F, 0x7FC0, 0x0000])
        self.agree(lambda x, y: xp.nextafter(x, y), x, y)
        every, towards = tensor_of(ALL_BITS), tensor_of([0x0000, 0x8000, 0x7F80, 0xFF80, 0x3F80])
        self.agree(lambda x, y: xp.nextafter(x, y[:, None]), every, towards)

    def test_python_numbers_beside_tensors_are_rounded_first(self):
        x = self.ordinary(1000)
        tenth = tensor_of(rounded(np.float32([0.1])))
        self.expect(x + 0.1, x + tenth)
        self.expect(0.1 / x, tenth / x)
        self.expect(xp.maximum(x, 1), xp.maximum(x, xp.asarray(1, dtype=BF16)))
        self.assertIs((x + True).dtype, BF16)
        self.assertIs((x * 1j).dtype, xp.complex64)
        half = xp.asarray(0.5, dtype=BF16)
        self.expect(x ** 0.5, x ** half)

    def test_operators_in_place(self):
        x = self.ordinary(100)
        y, expected = x, x + x * 3
        y += x * 3
        self.assertIs(y, x)
        self.expect(x, expected)
        with self.assertRaises(TypeError):
            x += xp.ones(100, dtype=xp.float32)

    def test_many_axes(self):
        bits = self.random.integers(0, 0x7F80, (1, 2) * 5).astype(np.uint16)
        axes = tuple(range(10))[::-1]
        x = xp.permute_dims(tensor_of(bits), axes)
        self.expect_bits(x + 0, bits.transpose(axes))
        self.expect_bits(xp.astype(xp.astype(x, xp.float64), BF16), bits.transpose(axes))

    # --- Promotion, data types ---------------------------------------------------------------

    def test_promotion(self):
        expected = {"bool": BF16, "int8": BF16, "uint8": BF16, "int16": xp.float32, "uint16": xp.float32,
                    "int32": xp.float64, "uint32": xp.float64, "int64": xp.float64, "uint64": xp.float64,
                    "float16": xp.float32, "float32": xp.float32, "float64": xp.float64, "complex64": xp.complex64,
                    "complex128": xp.complex128, "bfloat16": BF16}
        for name, dtype in expected.items():
            other = getattr(xp, name)
            self.assertIs(xp.result_type(BF16, other), dtype, name)
            self.assertIs(xp.result_type(other, BF16), dtype, name)
            self.assertIs((xp.ones(2, dtype=BF16) + xp.ones(2, dtype=other)).dtype, dtype, name)
            self.assertIs(xp.can_cast(other, BF16), dtype is BF16, name)
            self.assertIs(xp.can_cast(BF16, other), dtype is other, name)
        self.assertIs(xp.result_type(BF16, 1), BF16)
        self.assertIs(xp.result_type(BF16, 1.5), BF16)

    def test_small_integers_are_exact(self):
        for name in ("int8", "uint8"):
            numbers = np.arange(np.iinfo(name).min, np.iinfo(name).max + 1).astype(name)
            tensor = xp.asarray(numbers) + xp.zeros((), dtype=BF16)
            self.assertEqual(np.asarray(xp.astype(tensor, xp.int64)).tolist(), numbers.tolist())

    def test_data_type_functions(self):
        info = xp.finfo(BF16)
        self.assertEqual((info.bits, info.eps, info.max, info.min, info.smallest_normal, info.dtype),
                         (16, 2.0**-7, float(widened(0x7F7F)), -float(widened(0x7F7F)), 2.0**-126, BF16))
        self.assertTrue(xp.isdtype(BF16, "real floating") and xp.isdtype(BF16, "numeric"))
        self.assertFalse(xp.isdtype(BF16, "integral") or xp.isdtype(BF16, "complex floating"))
        self.assertEqual((BF16.name, BF16.itemsize, repr(BF16), str(BF16)), ("bfloat16", 2, "dynacc.bfloat16", "bfloat16"))
        self.assertIs(pickle.loads(pickle.dumps(BF16)), BF16)
        self.assertNotIn("bfloat16", xp.__array_namespace_info__().dtypes())  # as float16: not the standard's

    # --- The namespace -----------------------------------------------------------------------

    def test_reductions_are_made_in_float32(self):
        x = self.ordinary(37, 53)
        wide = xp.astype(x, xp.float32)
        for name in ("sum", "prod", "max", "min", "mean", "var", "std", "cumulative_sum", "cumulative_prod", "diff", "sort",
                     "all", "any", "argmax", "argmin", "argsort", "count_nonzero", "tril", "flip"):
            function = getattr(xp, name)
            for kwargs in ({"axis": 0}, {"axis": 1}, {}) if name != "tril" else ({},):
                if name.startswith("cumulative") and not kwargs:
                    continue
                expected = function(wide, **kwargs)
                if expected.dtype is xp.float32:
                    expected = xp.astype(expected, BF16)
                self.expect(function(x, **kwargs), expected, name)
        ones = xp.ones(1000, dtype=BF16)
        self.assertEqual(float(xp.sum(ones)), 1000.0)  # added up in bfloat16 it would stop at 256
        self.assertIs(xp.sum(ones, dtype=xp.float32).dtype, xp.float32)
        self.assertIs(xp.sum(xp.ones(3, dtype=xp.int32), dtype=BF16).dtype, BF16)

    def test_products(self):
        a, b = self.ordinary(17, 23), self.ordinary(23, 9)
        exact = xp.astype(a, xp.float32) @ xp.astype(b, xp.float32)
        for product in (a @ b, xp.matmul(a, b), xp.tensordot(a, b, axes=1)):
            self.expect(product, xp.astype(exact, BF16))
        self.expect(a @ xp.astype(b, xp.float32), exact)
        self.expect(xp.vecdot(a, a), xp.astype(xp.vecdot(xp.astype(a, xp.float32), xp.astype(a, xp.float32)), BF16))

    def test_other_functions(self):
        x = self.ordinary(4, 4)
        wide = xp.astype(x, xp.float32)
        self.expect(xp.linalg.inv(x), xp.astype(xp.linalg.inv(wide), BF16))
        values, vectors = xp.linalg.eigh(x + x.T)
        self.assertEqual((values.dtype, vectors.dtype), (BF16, BF16))
        self.assertIs(xp.fft.fft(x).dtype, xp.complex64)
        self.expect(xp.linspace(0, 1, 9, dtype=BF16), xp.astype(xp.linspace(0, 1, 9, dtype=xp.float32), BF16))
        self.expect(xp.arange(5, dtype=BF16), xp.asarray([0, 1, 2, 3, 4], dtype=BF16))
        self.expect(xp.eye(3, dtype=BF16), xp.astype(xp.eye(3), BF16))
        self.expect(xp.clip(x, -1, 1.5), xp.astype(xp.clip(wide, -1, 1.5), BF16))
        self.expect(xp.sign(x), xp.astype(xp.sign(wide), BF16))
        self.assertIs(xp.take(x, xp.asarray([1, 2]), axis=0).dtype, BF16)
        self.assertIs(xp.repeat(x, xp.asarray([1, 2, 0, 1]), axis=0).dtype, BF16)
        self.assertIs(xp.concat([x, xp.ones((1, 4), dtype=xp.int8)]).dtype, BF16)
        self.assertIs(xp.concat([x, xp.ones((1, 4), dtype=xp.int16)]).dtype, xp.float32)
        grids = xp.meshgrid(x[0], xp.asarray([1, 2]))
        self.assertEqual([grid.dtype for grid in grids], [BF16, xp.int64])
        unique = xp.unique_all(xp.asarray([2.0, 1, 2], dtype=BF16))
        self.assertEqual((unique.values.tolist(), unique.counts.tolist()), ([1.0, 2.0], [1, 2]))

    def test_what_only_moves_keeps_every_bit(self):
        bits = ALL_BITS.reshape(16, 64, 64)
        x = tensor_of(bits)
        self.expect_bits(xp.flip(x, axis=1), bits[:, ::-1])
        self.expect_bits(xp.flip(x), bits[::-1, ::-1, ::-1])
        self.expect_bits(xp.moveaxis(x, 0, -1), np.moveaxis(bits, 0, -1))
        self.expect_bits(xp.moveaxis(x, (2, 0), (0, 1)), np.moveaxis(bits, (2, 0), (0, 1)))
        self.expect_bits(xp.squeeze(x[:, :1], 1), bits[:, 0])
        self.expect_bits(xp.unstack(x, axis=1)[3], bits[:, 3])
        self.expect_bits(xp.permute_dims(x, (2, 0, 1)), bits.transpose(2, 0, 1))
        self.expect_bits(xp.reshape(x, (-1,)), ALL_BITS)
        self.expect_bits(xp.broadcast_to(x[0, 0], (3, 64)), np.broadcast_to(bits[0, 0], (3, 64)))
        self.expect_bits(x[xp.asarray([3, 1])], bits[[3, 1]])
        self.expect_bits(x[x > 0], bits[widened(bits) > 0])
        self.expect_bits(xp.where(x > 0, x, -x), np.where(widened(bits) > 0, bits, rounded(-widened(bits))))
        self.expect_bits(copy.copy(x), bits)
        for axis in (3, (0, 3), -4):
            with self.assertRaises((IndexError, ValueError)):
                xp.flip(x, axis=axis)
        with self.assertRaises(ValueError):
            xp.squeeze(x, 0)

    def test_writes(self):
        x = xp.zeros((3, 4), dtype=BF16)
        x[0] = 0.1
        x[1, 1:] = xp.asarray([1.0, 2, 3])
        x[xp.asarray([2]), xp.asarray([3])] = 7
        x[x == 2] = xp.asarray(5, dtype=BF16)
        self.assertEqual(x.tolist(), [[0.10009765625] * 4, [0, 1, 5, 3], [0, 0, 0, 7]])
        y = xp.zeros(3)
        y[xp.asarray([0, 2])] = xp.asarray([1.5, 2.5], dtype=BF16)
        self.assertEqual(y.tolist(), [1.5, 0, 2.5])

    def test_text(self):
        x = xp.asarray([1, -2.5, math.nan], dtype=BF16)
        self.assertEqual(repr(x), "Tensor([ 1. , -2.5,  nan], dtype=bfloat16)")
        self.assertEqual(str(x), "[ 1.  -2.5  nan]")
        self.assertEqual(f"{xp.asarray(1.5, dtype=BF16):.3f}", "1.500")

    # --- Other libraries ---------------------------------------------------------------------

    def test_pickling_keeps_every_bit(self):
        self.expect_bits(pickle.loads(pickle.dumps(tensor_of(ALL_BITS))), ALL_BITS)

    def test_numpy_refuses(self):
        x = xp.ones((2, 3), dtype=BF16)
        for call in (lambda: np.asarray(x), lambda: np.array(x, dtype=np.float32), lambda: np.tanh(x), lambda: np.sum(x),
                     lambda: np.dtype(BF16), lambda: x.__array__()):
            with self.assertRaisesRegex(TypeError, "NumPy has no bfloat16|data type"):
                call()
        with self.assertRaises(BufferError):
            memoryview(x)
        self.assertEqual(np.asarray(xp.ones(2)).tolist(), [1.0, 1.0])
        self.assertEqual(xp.ones(2).__array__(np.float32).dtype, np.float32)

    def test_an_extension_of_numpy_is_used_if_it_is_there(self):
        class Package:
            bfloat16 = np.float16  # of the same size
        sys.modules["ml_dtypes"] = Package
        try:
            array = np.asarray(tensor_of([0x3C00, 0x4000]))
        finally:
            del sys.modules["ml_dtypes"]
        self.assertEqual((array.dtype, array.tolist()), (np.float16, [1.0, 2.0]))

    def test_dlpack(self):
        x = tensor_of(ALL_BITS.reshape(256, 256))[::2, ::-1]
        self.expect_bits(xp.from_dlpack(x), bits_of(x))

        class Exporter:
            def __init__(self, capsule):
                self.capsule = capsule

            def __dlpack_device__(self):
                return (1, 0)

            def __dlpack__(self, **kwargs):
                return self.capsule

        for version in (None, (1, 0)):
            capsule = x.__dlpack__(max_version=version)
            fields = fields_of(capsule, version is not None)
            self.assertEqual(fields, (4, 16, 1))  # kDLBfloat
            self.expect_bits(xp.from_dlpack(Exporter(capsule)), bits_of(x))

    # --- Captured ----------------------------------------------------------------------------

    def agree(self, function, *inputs, atol=1e-40):
        """`atol`: what the reference may be off by, which adds up sums in another order."""
        expected = function(*map(copy.copy, inputs))
        for target in TARGETS:
            fast = xp.compile(function, fullgraph=True, backend=target)
            for _ in range(2):
                again = [copy.copy(x) for x in inputs]
                got = fast(*again)
                many = isinstance(expected, (tuple, list))
                for one, other in zip(got if many else [got], expected if many else [expected]):
                    where = f"{target} {getattr(function, 'name', function)}"
                    if target == "reference":
                        self.expect_near(one, other, where, atol)
                    else:
                        self.expect(one, other, where)

    def test_products_of_all_sizes_and_layouts(self):
        """Large ones may be oneDNN's, which reads bfloat16; captured calls have the eager ones' bits."""

        def draw(*shape):
            return xp.astype(xp.asarray(self.random.normal(size=shape)), BF16)

        special = draw(130, 140)
        special[3, 4], special[5, 6], special[5, 7] = float("nan"), float("inf"), float("-inf")
        pairs = [(draw(200, 300), draw(300, 70)), (draw(3, 4), draw(4, 5)), (draw(1, 1200), draw(1200, 1000)),
                 (draw(1000, 1200), draw(1200, 1)), (draw(4, 120, 130), draw(130, 140)),
                 (draw(4, 1, 120, 130), draw(3, 130, 140)), (draw(240, 130)[::2, ::-1], draw(140, 130).mT),
                 (draw(130, 280)[:, ::2], draw(140, 150)), (draw(0, 130), draw(130, 140)),
                 (draw(1100, 0), draw(0, 1200)), (special, draw(140, 150)), (draw(120, 130), special)]
        for x, y in pairs:
            exact = np.asarray(xp.astype(x, xp.float64)) @ np.asarray(xp.astype(y, xp.float64))
            near = np.asarray(xp.astype(x @ y, xp.float64))
            np.testing.assert_allclose(near, exact, rtol=2 ** -8, atol=2 ** -8 * 1e-2 * x.shape[-1])
            self.agree(lambda x, y: (x @ y, xp.matmul(x, y), xp.linalg.matmul(x, y)), x, y, atol=1e-5)
            self.agree(lambda x, y: xp.abs((x * 2) @ (y + 1)) * 0.5, x, y, atol=1e-5)
            self.agree(lambda x, y: x @ xp.astype(y, xp.float32), x, y, atol=1e-5)
        square = draw(150, 150)
        self.agree(lambda x: (x @ x, x @ x.mT, xp.linalg.matmul(x, x)), square)
        for function in (lambda x, y: x @ y, lambda x, y: xp.matmul(x + 1, y)):
            fast = xp.compile(function, fullgraph=True, dynamic=True)
            for n in (3, 200, 1, 150, 5):
                x, y = draw(n, 2 * n), draw(2 * n, 120)
                self.expect(fast(x, y), function(x, y), n)

    def test_captured_unary_functions_on_all_numbers(self):
        x = tensor_of(ALL_BITS)
        for name in standard.UNARY:
            if name not in INTEGRAL_ONLY:
                function = getattr(xp, name)
                self.agree(lambda x: function(x), x)

    def test_captured_conversions_on_all_numbers(self):
        x = tensor_of(ALL_BITS)
        for name in REAL + ("complex64",):
            if name == "uint32":
                continue  # what does not fit depends on the place in the array, as NumPy's does
            dtype = getattr(xp, name)
            self.agree(lambda x: xp.astype(x, dtype), x)
            numbers = xp.astype(xp.asarray(self.random.normal(0, 1e4, 5000)), xp.int64)
            self.agree(lambda x: xp.astype(x, BF16), xp.astype(xp.abs(numbers) * 10007, dtype)
                       if not name.startswith("complex") else xp.astype(numbers, xp.float64))
        middle = np.float64(1 + 2.0**-8) * 2.0**np.arange(-140, 120)
        self.agree(lambda x: xp.astype(x, BF16), xp.asarray(np.concatenate(
            [middle, np.nextafter(middle, 0), -np.nextafter(middle, 9e99), [np.nan, np.inf, 1e300, -1e-300]])))

    def test_captured_binary_functions(self):
        a, b = self.some(40, 50), self.some(40, 50)
        for name in standard.BINARY:
            if name not in INTEGRAL_ONLY:
                function = getattr(xp, name)
                self.agree(lambda x, y: function(x, y), a, b)
        self.agree(lambda x, y: (x + y) * 0.1 - y / 3, a, b)
        self.agree(lambda x, y: (x * 1 + 0.0, x ** 0.5, 2 ** y, x // y, x % 3, -x, abs(y), x < y, x == 0.1), a, b)

    def test_captured_with_other_dtypes(self):
        x = self.ordinary(30, 20)
        products = ("complex64",) if np.lib.NumpyVersion(np.__version__) < "2.0.0" else ()  # NumPy 2's are its own
        for name in ("int8", "int32", "float16", "float32", "float64", *products):
            y = xp.astype(xp.asarray(self.random.integers(-9, 9, (20,))), getattr(xp, name))
            self.agree(lambda x, y: (x + y, x * y, y - x), x, y)

    def test_captured_functions(self):
        x = self.ordinary(24, 16)
        self.agree(lambda x: (xp.sum(x), xp.sum(x, axis=0), xp.mean(x, axis=1), xp.max(x), xp.std(x, axis=0)), x)
        self.agree(lambda x: xp.exp(x - xp.max(x, axis=1, keepdims=True)) / xp.sum(x * x, axis=1, keepdims=True), x)
        self.agree(lambda x: (x @ x.T, xp.matmul(x.T, x), x.T @ xp.astype(x, xp.float32)), x)
        self.agree(lambda x: (xp.where(x > 0, x, 0.1), xp.clip(x, -1, 1), xp.sort(x, axis=1), xp.argmax(x, axis=1)), x)
        self.agree(lambda x: (x[3], x[::-2, 1:], x.T, xp.reshape(x, (16, 24)), xp.flip(x), xp.concat([x, x + 1])), x)
        self.agree(lambda x: (xp.zeros((3, 4), dtype=xp.bfloat16) + 0.1, xp.full((5,), 1 / 3, dtype=xp.bfloat16)), x)
        self.agree(lambda x: (xp.roll(x, 3, axis=0), xp.stack([x, x]), xp.tril(x), xp.cumulative_sum(x, axis=1)), x)
        self.agree(lambda x: x[[1, 5, 3]], self.some(24, 16))
        self.agree(lambda x, at: (xp.take(x, at, axis=0), x[at], x[at, 2]), self.ordinary(24, 16), xp.asarray([3, 0, 7]))

    def test_captured_writes(self):
        def written(x, y):
            x[0] = 0.1
            x[1:3] = y[1:3] * 2
            x[5] += y[4]
            x[x < -1] = 0.3
            x *= y
            return x, x[y > 1]
        self.agree(written, self.ordinary(8, 6), self.ordinary(8, 6))

    def test_captured_numbers(self):
        x = self.ordinary(50)
        fast = xp.compile(lambda x, s: x * s + s, dynamic=True)
        for number in (0.1, 3, 2**24 + 2**16 + 1, 1e39, -0.0):
            self.expect(fast(x, number), x * number + number, repr(number))

    def test_captured_python_numbers_of_tensors(self):
        x = self.ordinary(50)
        function = lambda x: (float(xp.sum(x)) / 3, int(xp.max(x)) + 1, math.sqrt(abs(x[3])), x + float(x[0]))
        fast = xp.compile(function)
        for _ in range(3):
            for got, expected in zip(fast(x)[:3], function(x)[:3]):
                self.assertEqual((got, type(got)), (expected, type(expected)))
            self.expect(fast(x)[3], function(x)[3])

    def test_captured_values_that_decide(self):
        def chosen(x):
            return x + 1 if xp.sum(x) > 0 else x - 1
        fast = xp.compile(chosen)
        for x in (self.ordinary(9), -self.ordinary(9)):
            self.expect(fast(x), chosen(x))


def fields_of(capsule, versioned):
    """Code, bits and lanes of the type in a DLPack capsule."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    address = pointer(capsule, b"dltensor_versioned" if versioned else b"dltensor")
    before = 8 + 8 + 8 + 8 if versioned else 0  # version, context, deleter, flags
    at = address + before + 8 + 8 + 4  # data, device, ndim
    return (ctypes.c_uint8.from_address(at).value, ctypes.c_uint8.from_address(at + 1).value,
            ctypes.c_uint16.from_address(at + 2).value)


if __name__ == "__main__":
    unittest.main()
