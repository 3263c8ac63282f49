#!/usr/bin/env python3
"""float8, e4m3fn and e5m2, against an oracle that knows the formats by their definition and rounds by comparing.

Everything is tried on all 256 numbers of both formats; captured code gives the bits of eager calls on each target. What
holds for all floats that NumPy lacks is tried with bfloat16 (bfloat16_test.py).
"""
import copy
import fractions
import itertools
import math
import pickle
import sys
import unittest

import numpy as np
from bfloat16_test import fields_of

import _dynacc
import dynacc as xp

ARRAYS = _dynacc.arrays()
FORMATS = (xp.float8_e4m3fn, xp.float8_e5m2)
ALL_BITS = np.arange(256, dtype=np.uint8)
TARGETS = ("reference", "tile", "cpu")
OTHERS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint64", "float16", "float32", "float64", "bfloat16",
          "complex64")


# --- The oracle ----------------------------------------------------------------------------------

class Format:
    """A sign, an exponent and a mantissa, as the OCP specification has them."""

    def __init__(self, exponent, mantissa, bias, largest, beyond, nan):
        self.mantissa, self.bias = mantissa, bias
        self.largest, self.beyond, self.nan = largest, beyond, nan  # bits without the sign
        self.exponent_mask = (1 << exponent) - 1
        self.values = [self.positive(bits) for bits in range(largest + 1)]

    def positive(self, bits):
        exponent, fraction = bits >> self.mantissa, bits & ((1 << self.mantissa) - 1)
        step = fractions.Fraction(2) ** (max(exponent, 1) - self.bias - self.mantissa)
        return (fraction + (bool(exponent) << self.mantissa)) * step

    def value(self, bits):
        magnitude, sign = bits & 0x7F, -1.0 if bits & 0x80 else 1.0
        if magnitude <= self.largest:
            return math.copysign(float(self.values[magnitude]), sign)
        return math.copysign(math.inf if magnitude == self.beyond != self.nan else math.nan, sign)

    def bits(self, number):
        """The bits of the nearest value, ties to even; what is as far away as the next one that there is not is beyond."""
        sign = 0x80 if math.copysign(1, number) < 0 else 0
        if math.isnan(number):
            return sign | self.nan
        if math.isinf(number):
            return sign | self.beyond
        exact = abs(fractions.Fraction(number))
        values = self.values + [2 * self.values[-1] - self.values[-2]]
        low = max(bits for bits in range(len(values)) if values[bits] <= exact)
        if low == len(values) - 1:
            return sign | self.beyond
        below, above = exact - values[low], values[low + 1] - exact
        near = low if below < above or (below == above and low % 2 == 0) else low + 1
        return sign | (near if near <= self.largest else self.beyond)


ORACLES = {xp.float8_e4m3fn: Format(4, 3, 7, 0x7E, 0x7F, 0x7F), xp.float8_e5m2: Format(5, 2, 15, 0x7B, 0x7C, 0x7E)}


def tensor_of(dtype, bits):
    return ARRAYS.of_bits(xp.asarray(np.array(bits, np.uint8), copy=True), dtype)


def bits_of(tensor):
    return np.array(ARRAYS.to_numpy(ARRAYS.bits(tensor)))


def critical(dtype):
    """Numbers at and beside each value, each middle of two, the limits, and far beyond; of either sign."""
    values = [float(value) for value in ORACLES[dtype].values]
    middles = [(a + b) / 2 for a, b in itertools.pairwise(values)]
    edge = values[-1] + (values[-1] - values[-2]) / 2
    numbers = np.array(values + middles + [edge, 2 * edge, 1e30, math.inf, math.nan, 5e-46, 1e-30])
    return np.concatenate([numbers, -numbers])


class Float8(unittest.TestCase):
    def expect_bits(self, tensor, bits, where=""):
        got = bits_of(tensor)
        wrong = np.flatnonzero(got.ravel() != np.asarray(bits, np.uint8).ravel())
        self.assertEqual((got.shape, len(wrong)), (np.shape(bits), 0), f"{where}: the first at {wrong[:1]}")

    def rounded(self, dtype, numbers):
        return [ORACLES[dtype].bits(float(number)) for number in numbers]

    def test_known_numbers(self):
        """As the package ml_dtypes has them."""
        known = {xp.float8_e4m3fn: {1.0: 0x38, -2.5: 0xC2, 448.0: 0x7E, 464.0: 0x7E, 465.0: 0x7F, -math.inf: 0xFF, 2.0**-9: 0x01,
                                    2.0**-10: 0x00, 1.1 * 2.0**-10: 0x01, -0.0: 0x80, 0.1: 0x1D},
                 xp.float8_e5m2: {1.0: 0x3C, -2.5: 0xC1, 57344.0: 0x7B, 61439.0: 0x7B, 61440.0: 0x7C, -math.inf: 0xFC,
                                  2.0**-16: 0x01, 2.0**-17: 0x00, math.nan: 0x7E, 0.1: 0x2E}}
        for dtype, numbers in known.items():
            self.expect_bits(xp.asarray(list(numbers), dtype=dtype), list(numbers.values()), dtype.name)

    def test_to_all_dtypes(self):
        for dtype, oracle in ORACLES.items():
            wide = np.array([oracle.value(bits) for bits in range(256)])
            every = tensor_of(dtype, ALL_BITS)
            got = np.asarray(xp.astype(every, xp.float64))
            np.testing.assert_array_equal(got, wide)
            np.testing.assert_array_equal(np.signbit(got), ALL_BITS >= 128)  # of zeros and NaNs, too
            for name in OTHERS:
                other = getattr(xp, name)
                expected = xp.astype(xp.asarray(wide.astype(np.float32)), other)
                got = xp.astype(every, other)
                if other is xp.bfloat16:
                    got, expected = ARRAYS.bits(got), ARRAYS.bits(expected)
                np.testing.assert_array_equal(np.asarray(got), np.asarray(expected), name)

    def test_rounds_once_to_the_nearest(self):
        for dtype in FORMATS:
            numbers = critical(dtype)
            single = numbers.astype(np.float32)
            for near in (single, np.nextafter(single, np.float32(0)), np.nextafter(single, np.float32(np.inf))):
                self.expect_bits(xp.astype(xp.asarray(near), dtype), self.rounded(dtype, near), f"{dtype} of float32")
            for near in (numbers, np.nextafter(numbers, 0), np.nextafter(numbers, np.inf), numbers * (1 - 2.0**-40)):
                self.expect_bits(xp.astype(xp.asarray(near), dtype), self.rounded(dtype, near), f"{dtype} of float64")
            halves = np.arange(65536, dtype=np.uint16).view(np.float16)
            self.expect_bits(xp.astype(xp.asarray(halves), dtype), self.rounded(dtype, halves), f"{dtype} of float16")
            random = np.random.default_rng(8).integers(0, 2**32, 20000, dtype=np.uint32).view(np.float32)
            self.expect_bits(xp.astype(xp.asarray(random), dtype), self.rounded(dtype, random), f"{dtype} of float32")

    def test_from_integers(self):
        for dtype in FORMATS:
            for name in OTHERS[:8]:
                limits = (0, 1) if name == "bool" else (np.iinfo(name).min, np.iinfo(name).max)
                numbers = [number for number in (*range(-300, 300), 2**24 + 1, 2**53 + 1, *limits) if limits[0] <= number <= limits[1]]
                tensor = xp.asarray(np.array(numbers, name))
                self.expect_bits(xp.astype(tensor, dtype), self.rounded(dtype, map(float, numbers)), f"{dtype} of {name}")

    def test_from_each_other(self):
        for dtype, other in (FORMATS, FORMATS[::-1]):
            wide = [ORACLES[dtype].value(bits) for bits in range(256)]
            expected = self.rounded(other, wide)
            self.expect_bits(xp.astype(tensor_of(dtype, ALL_BITS), other), expected, dtype.name)
            self.expect_bits(xp.astype(tensor_of(dtype, ALL_BITS), dtype), ALL_BITS)
            short = xp.astype(xp.asarray(wide), xp.bfloat16)
            self.expect_bits(xp.astype(short, dtype), [bits if not math.isnan(number) else bits & 0x80 | ORACLES[dtype].nan
                                                       for bits, number in enumerate(wide)], "of bfloat16")

    def test_arithmetic_is_that_of_float32_rounded(self):
        for dtype in FORMATS:
            a, b = tensor_of(dtype, ALL_BITS)[:, None], tensor_of(dtype, ALL_BITS)
            wide_a, wide_b = xp.astype(a, xp.float32), xp.astype(b, xp.float32)
            for name in ("add", "multiply", "divide", "subtract", "maximum", "pow", "atan2"):
                function = getattr(xp, name)
                self.expect_bits(function(a, b), bits_of(xp.astype(function(wide_a, wide_b), dtype)), f"{dtype} {name}")
            for name in ("sqrt", "exp", "negative", "floor", "tanh"):
                function = getattr(xp, name)
                self.expect_bits(function(b), bits_of(xp.astype(function(wide_b), dtype)), f"{dtype} {name}")
            self.assertEqual((a < b).tolist(), (wide_a < wide_b).tolist())
            ordinary = tensor_of(dtype, ALL_BITS.reshape(16, 16) % 64)
            wide = xp.astype(ordinary, xp.float32)
            for name in ("sum", "mean", "max", "std", "cumulative_sum", "sort"):
                function, axis = getattr(xp, name), 1
                self.expect_bits(function(ordinary, axis=axis), bits_of(xp.astype(function(wide, axis=axis), dtype)), name)
            self.expect_bits(ordinary @ ordinary, bits_of(xp.astype(wide @ wide, dtype)), "matmul")
            self.expect_bits(b * 0.1, bits_of(b * xp.asarray(0.1, dtype=dtype)), "a number is rounded first")

    def test_nextafter(self):
        for dtype, oracle in ORACLES.items():
            up = xp.nextafter(tensor_of(dtype, ALL_BITS[:oracle.largest]), xp.full((), float(oracle.values[-1]), dtype=dtype))
            self.expect_bits(up, ALL_BITS[1:oracle.largest + 1], dtype.name)
            down = xp.nextafter(tensor_of(dtype, [0x00, 0x01, 0x80, 0x38]), xp.full((), -8.0, dtype=dtype))
            self.expect_bits(down, [0x81, 0x00, 0x81, 0x37], dtype.name)

    def test_promotion(self):
        first, second = FORMATS
        self.assertIs(xp.result_type(first, second), xp.float16)
        for dtype in FORMATS:
            expected = {"bool": dtype, "int8": xp.float16, "int16": xp.float32, "int64": xp.float64, "float16": xp.float16,
                        "bfloat16": xp.bfloat16, "float32": xp.float32, "float64": xp.float64, "complex64": xp.complex64}
            for name, result in expected.items():
                self.assertIs(xp.result_type(dtype, getattr(xp, name)), result, name)
                self.assertIs(xp.result_type(getattr(xp, name), dtype), result, name)
            self.assertIs(xp.result_type(dtype, 1.5), dtype)
            self.assertTrue(xp.can_cast(dtype, xp.float16) and not xp.can_cast(xp.float16, dtype))
        sums = tensor_of(first, ALL_BITS[:9]) + tensor_of(second, ALL_BITS[:9])
        self.assertIs(sums.dtype, xp.float16)

    def test_data_type_functions(self):
        for dtype, oracle in ORACLES.items():
            info = xp.finfo(dtype)
            largest, normal = float(oracle.values[-1]), float(oracle.values[1 << oracle.mantissa])
            self.assertEqual((info.bits, info.max, info.min, info.smallest_normal, info.eps, info.dtype),
                             (8, largest, -largest, normal, 2.0**-oracle.mantissa, dtype))
            self.assertTrue(xp.isdtype(dtype, "real floating") and not xp.isdtype(dtype, "integral"))
            self.assertEqual((dtype.itemsize, repr(dtype)), (1, f"dynacc.{dtype.name}"))
            self.assertIs(pickle.loads(pickle.dumps(dtype)), dtype)
            self.assertNotIn(dtype.name, xp.__array_namespace_info__().dtypes())

    def test_what_only_moves_keeps_every_bit(self):
        bits = ALL_BITS.reshape(4, 8, 8)
        for dtype in FORMATS:
            x = tensor_of(dtype, bits)
            at = xp.asarray([3, 0, 3])
            for got, expected in ((xp.flip(x), bits[::-1, ::-1, ::-1]), (x[1, ::-2], bits[1, ::-2]), (x[at], bits[[3, 0, 3]]),
                                  (xp.moveaxis(x, 0, 2), np.moveaxis(bits, 0, 2)), (xp.reshape(x, (-1,)), ALL_BITS),
                                  (copy.copy(x), bits), (pickle.loads(pickle.dumps(x)), bits)):
                self.expect_bits(got, expected, dtype.name)
            x[0] = 0.1
            x[1, at] = tensor_of(dtype, ALL_BITS[:8])
            self.assertEqual(x[0, 0, 0].item(), ORACLES[dtype].value(ORACLES[dtype].bits(0.1)))
            self.expect_bits(x[1, 3], ALL_BITS[:8])
            self.assertIs(pickle.loads(pickle.dumps(x)).dtype, dtype)
        self.assertEqual(repr(xp.asarray([1, -2.5], dtype=xp.float8_e4m3fn)), "Tensor([ 1. , -2.5], dtype=float8_e4m3fn)")

    def test_other_libraries(self):
        for dtype, code in zip(FORMATS, (10, 12)):  # DLPack's kDLFloat8_e4m3fn, kDLFloat8_e5m2
            x = tensor_of(dtype, ALL_BITS.reshape(16, 16))[::2, ::-1]
            self.assertEqual(fields_of(x.__dlpack__(max_version=(1, 1)), True), (code, 8, 1))
            again = xp.from_dlpack(x)
            self.assertIs(again.dtype, dtype)
            self.expect_bits(again, bits_of(x))
            with self.assertRaisesRegex(TypeError, f"NumPy has no {dtype.name}"):
                np.asarray(x)
            with self.assertRaises(BufferError):
                memoryview(x)

    def test_an_extension_of_numpy_is_used_if_it_is_there(self):
        class Package:
            float8_e4m3fn = np.int8  # of the same size
        sys.modules["ml_dtypes"] = Package
        try:
            array = np.asarray(tensor_of(xp.float8_e4m3fn, [1, 0xFF]))
        finally:
            del sys.modules["ml_dtypes"]
        self.assertEqual((array.dtype, array.tolist()), (np.int8, [1, -1]))

    # --- Captured ----------------------------------------------------------------------------

    def agree(self, function, *inputs, exact=True):
        """exact: the oracle's target, too, whose functions are C's and not NumPy's."""
        expected = function(*map(copy.copy, inputs))
        for target in TARGETS if exact else TARGETS[1:]:
            fast = xp.compile(function, fullgraph=True, backend=target)
            for _ in range(2):
                for one, other in zip(fast(*map(copy.copy, inputs)), expected, strict=True):
                    self.assertIs(one.dtype, other.dtype)
                    one, other = (ARRAYS.bits(x) if ARRAYS.is_of_kind(x.dtype, "n") else x for x in (one, other))
                    self.assertEqual(np.asarray(one).tobytes(), np.asarray(other).tobytes(), f"{target} {one} {other}")

    def test_captured_conversions(self):
        for dtype, other in (FORMATS, FORMATS[::-1]):
            every = tensor_of(dtype, ALL_BITS)
            names = [name for name in OTHERS if name != "uint64"]
            self.agree(lambda x: tuple([xp.astype(x, getattr(xp, name)) for name in names]) + (xp.astype(x, other),), every)
            numbers = critical(dtype)
            wide = xp.asarray(np.concatenate([numbers, np.nextafter(numbers, 0), np.nextafter(numbers, np.inf)]))
            self.agree(lambda x: (xp.astype(x, dtype), xp.astype(xp.astype(x, xp.float32), dtype),
                                  xp.astype(xp.astype(x, xp.float16), dtype), xp.astype(xp.astype(x, xp.bfloat16), dtype)), wide)
            for name in OTHERS[:8]:
                numbers = np.arange(-300, 300).astype(name)
                self.agree(lambda x: (xp.astype(x, dtype),), xp.asarray(numbers))

    def test_captured_functions(self):
        for dtype in FORMATS:
            x, y = tensor_of(dtype, ALL_BITS.reshape(16, 16) % 60), tensor_of(dtype, ALL_BITS.reshape(16, 16).T % 60)
            self.agree(lambda x, y: (x + y, x * 0.1 - y, xp.where(x > y, x, y), x < y, -x, abs(x), x[::-2, 3:].T, xp.flip(x),
                                     xp.concat([x, y]), xp.max(x, axis=1), xp.full((3,), 0.3, dtype=x.dtype)), x, y)
            self.agree(lambda x, y: (xp.exp(x) / y, xp.sum(x, axis=0), xp.mean(x), x @ y, x[[3, 1]]), x, y, exact=False)

            def written(x, y):
                x[0] = 0.1
                x[1:3] = y[1:3] * 2
                x[x < 0.01] = 0.3
                x *= y
                return x, x[2]
            self.agree(written, x, y)


if __name__ == "__main__":
    unittest.main()
