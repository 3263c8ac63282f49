"""A matrix product alone: worth an entry by itself unless it is small.

usage: dynacc-python lone_products_test.py
"""
import unittest

import numpy as np

import dynacc


def entries_after(function, *arguments):
    """The entries that the default policy makes in twenty calls."""
    before = dynacc.stats()["segments_compiled"]
    list(map(function, *([argument] * 20 for argument in arguments)))
    return dynacc.stats()["segments_compiled"] - before


class LoneProducts(unittest.TestCase):
    def test_large(self):
        def product(a, b):
            return a @ b

        a = np.ones((64, 64), np.float32)
        self.assertEqual(entries_after(product, a, a), 1)
        np.testing.assert_array_equal(product(a, a), np.full((64, 64), 64, np.float32))

    def test_transposed(self):
        def last_of_a_model(x, embedding):
            return x @ embedding.T

        x, embedding = np.ones((4, 64)), np.ones((1000, 64))
        self.assertEqual(entries_after(last_of_a_model, x, embedding), 1)

    def test_small(self):
        def small_product(a, b):
            return a @ b

        a = np.ones((3, 3))
        self.assertEqual(entries_after(small_product, a, a), 0)


unittest.main()
