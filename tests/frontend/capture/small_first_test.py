"""A function that is called with little work first, and is not worth capturing then, gets larger work later.

usage: dynacc-python small_first_test.py
"""
import time
import unittest

import numpy as np

import dynacc


def call(function, times, *arguments):
    for _ in range(times):
        function(*arguments)


def interpolated(image, ys, xs):
    out = np.empty(len(ys))
    for k in range(len(ys)):
        y, x = int(ys[k]), int(xs[k])
        dy, dx = ys[k] - y, xs[k] - x
        out[k] = (image[y, x] * (1 - dx) + image[y, x + 1] * dx) * (1 - dy) + image[y + 1, x] * dy
    return out


def option_tree(spot, strike, rate, up, steps):
    value = np.zeros(steps + 1)
    for i in range(steps + 1):
        value[i] = max(spot * up ** (steps - 2 * i) - strike, 0.0)
    p = (1.0 + rate / steps - 1.0 / up) / (up - 1.0 / up)
    for j in range(steps - 1, -1, -1):
        for i in range(j + 1):
            value[i] = p * value[i] + (1.0 - p) * value[i + 1]
    return value[0]


class SmallFirst(unittest.TestCase):
    def expect_entries(self, function, small, large):
        """Neither the largest argument says how much work a call is, nor how often it has been called."""
        start = time.monotonic()
        while time.monotonic() - start < 1.5:
            call(function, 20, *small)
        runs = 0
        while time.monotonic() - start < 60 and runs < 50:
            before = dynacc.stats()["entries_hit"]
            call(function, 100, *large)
            runs = dynacc.stats()["entries_hit"] - before
        self.assertGreaterEqual(runs, 50, "of 100 calls")

    def test_one_of_several_arrays_grows(self):
        image, places = np.random.default_rng(0).random((80, 80)), np.random.default_rng(1).random(500) * 78
        self.expect_entries(interpolated, (image, places[:1], places[:1]), (image, places, places))

    def test_a_number_grows(self):
        self.expect_entries(option_tree, (100.0, 100.0, 0.05, 1.02, 2), (100.0, 100.0, 0.05, 1.02, 100))


unittest.main()
