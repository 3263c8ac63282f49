"""A matrix product alone: worth an entry by itself unless it is small.

usage: DYNACC_CAPTURE_AFTER=0 dynacc-python lone_products_test.py
"""
import time
import unittest

import numpy as np

import dynacc


def entries_after(text, *arguments):
    """The entries that the default policy makes in twenty calls of a function."""
    before = dynacc.stats()["segments_compiled"]
    list(map(eval(text), *([argument] * 20 for argument in arguments)))
    return dynacc.stats()["segments_compiled"] - before


class LoneProducts(unittest.TestCase):
    def test_large(self):
        a = np.ones((64, 64), np.float32)
        self.assertEqual(entries_after("lambda a, b: a @ b", a, a), 1)

    def test_transposed(self):
        x, embedding = np.ones((4, 64)), np.ones((1000, 64))
        self.assertEqual(entries_after("lambda x, embedding: x @ embedding.T", x, embedding), 1)

    def test_small(self):
        a = np.ones((3, 3))
        self.assertEqual(entries_after("lambda a, b: a @ b", a, a), 0)

    def test_tried_again(self):
        """What was not worth it is looked at again later, whatever the reason was."""
        product = eval("lambda a, b: a @ b")
        small, middle = np.ones((3, 3)), np.ones((48, 48))
        before = dynacc.stats()["segments_compiled"]
        list(map(product, [small] * 1000, [small] * 1000))
        self.assertEqual(dynacc.stats()["segments_compiled"], before)
        end = time.monotonic() + 60  # the hook rests most of the time
        while dynacc.stats()["segments_compiled"] == before and time.monotonic() < end:
            list(map(product, [middle] * 1000, [middle] * 1000))
        self.assertGreater(dynacc.stats()["segments_compiled"], before)


unittest.main()
