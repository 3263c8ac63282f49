#!/usr/bin/env python3
"""The errors of tensors' transcendental functions are within the table of docs/accuracy.md, on a sample of what bench/accuracy.py
measures; what captured code gives is the same."""
import pathlib
import re
import sys
import unittest
import warnings

import numpy as np

import dynacc as xp

try:
    from numpy._core._multiarray_umath import __cpu_features__ as cpu_features
except ImportError:  # NumPy 1
    from numpy.core._multiarray_umath import __cpu_features__ as cpu_features

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import accuracy  # noqa: E402  (of the folder above)

EVERY, DRAWS = 32 * 4093, 20000  # of the numbers that the page was made of every 32nd


def table(prefix=""):
    """The rows of the page's table whose names begin so: the errors of float32 and of float64 by the function's name."""
    text = (ROOT / "docs" / "accuracy.md").read_text(encoding="utf-8")
    return {name: (float(single), float(double)) for name, single, double in
            re.findall(rf"^\| {prefix}`(\w+)` \| ([\d.]+) \| ([\d.]+) \|", text, re.M)}


OF_C_LIBRARY = table("C library's ")
HAS_VECTORS = cpu_features["AVX512_SKX"]  # NumPy's own, for all of these functions


class Accuracy(unittest.TestCase):
    def test_errors_are_those_of_the_page(self):
        rows = table()
        self.assertEqual(set(rows), {*accuracy.UNARY, *accuracy.BINARY})
        self.assertTrue(set(OF_C_LIBRARY) < set(rows))
        for name, (single, double) in rows.items():
            with self.subTest(name):
                is_same = name in accuracy.UNARY  # otherwise these are other numbers than the page's
                if not HAS_VECTORS and name in OF_C_LIBRARY:
                    (single, double), is_same = OF_C_LIBRARY[name], False
                (found32, _), (found64, _) = accuracy.measure(name, EVERY, DRAWS)
                self.assertLessEqual(found32, single if is_same else single + 0.5)
                self.assertLessEqual(found64, double + 0.5)

    def test_captured_code_gives_the_same_bits(self):
        (numbers,) = next(accuracy.every_float32(EVERY))
        x = xp.asarray(numbers)
        for name in accuracy.UNARY:
            eager, fast = np.asarray(getattr(xp, name)(x)), np.asarray(accuracy.captured(name)(x))
            self.assertTrue(np.array_equal(eager, fast, equal_nan=True), name)
            self.assertTrue(np.array_equal(np.signbit(eager)[eager == eager], np.signbit(fast)[fast == fast]), name)

    def test_an_error_is_found(self):
        """What the page is made with sees a result that is one unit off, and one that is no number."""
        exact = np.array([1.0, 2.0, np.nan, np.inf])
        got = exact.astype(np.float32)
        self.assertEqual(accuracy.errors(got, exact).max(), 0)
        self.assertEqual(accuracy.errors(np.nextafter(got, np.float32(-9)), exact)[0], 0.5)  # half a unit below a power of two
        wrong = accuracy.errors(np.float32([np.nan, 2, 0, 1]), exact)
        self.assertEqual(wrong[:3].tolist(), [np.inf, 0, np.inf])
        self.assertGreater(wrong[3], 1e6)


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        unittest.main()
