#!/usr/bin/env python3
"""A `while` loop with `continue` is one loop, entered once, though CPython compiles it with two headers.

usage: dynacc-python continued_while_test.py
"""
import unittest

import numpy as np

import dynacc


def odd_halves(numbers):
    """Takes numbers apart until they are odd, in one loop."""
    total = i = 0
    while i < len(numbers):
        if numbers[i] % 2 == 0:
            numbers[i] //= 2
            continue
        total += numbers[i]
        i += 1
    return total


def entries_of(function, *arguments):
    before = dynacc.stats()["entries_hit"]
    result = function(*arguments)
    return dynacc.stats()["entries_hit"] - before, result


class ContinuedWhile(unittest.TestCase):
    def test_is_entered_once(self):
        for _ in range(50):
            self.assertEqual(odd_halves(np.arange(1, 200)), 13319)
        entries, total = entries_of(odd_halves, np.arange(1, 2000))
        self.assertEqual(total, 1333271)
        self.assertGreater(entries, 0)
        self.assertLess(entries, 20)  # of 2,000 rounds with a `continue`


unittest.main()
