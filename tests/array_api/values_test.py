#!/usr/bin/env python3
"""Every function of the array API standard, against NumPy, on inputs of all dtypes, shapes and layouts.

The standard's table decides what is checked: a name without a check fails. DYNACC_TEST_SEED=N draws other numbers.
"""
import os
import unittest
import warnings

import elementwise_checks
import extension_checks
import function_checks
import numpy as np
import standard

SEED = int(os.environ.get("DYNACC_TEST_SEED", "1"))


class Values(unittest.TestCase):
    def check_all(self, names, checks):
        for name in names:
            with self.subTest(name), np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore", getattr(np, "exceptions", np).ComplexWarning)
                self.assertIn(name, checks, "no check of this function of the standard")
                checks[name](np.random.default_rng(SEED))

    def test_elementwise(self):
        self.check_all(standard.ELEMENTWISE, elementwise_checks.CHECKS)

    def test_elementwise_besides(self):
        with np.errstate(all="ignore"):
            for check in (elementwise_checks.check_integer_parts, elementwise_checks.check_integer_powers,
                          elementwise_checks.check_complex_sign):
                check(np.random.default_rng(SEED))

    def test_functions(self):
        self.check_all([name for name in standard.FUNCTIONS if name not in standard.ELEMENTWISE],
                       function_checks.CHECKS)

    def test_linalg(self):
        self.check_all(standard.LINALG, extension_checks.LINALG)

    def test_fft(self):
        self.check_all(standard.FFT, extension_checks.FFT)


if __name__ == "__main__":
    unittest.main()
