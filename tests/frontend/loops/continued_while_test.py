#!/usr/bin/env python3
"""A `while` loop with `continue` is one loop, entered once, though CPython compiles it with two headers.

usage: dynacc-python continued_while_test.py
"""
import unittest

import numpy as np

import dynacc


def queens(n):
    columns = np.zeros(n, dtype=np.int64)
    columns[0] = -1
    count = row = 0
    while row >= 0:
        columns[row] += 1
        if columns[row] == n:
            row -= 1
            continue
        for earlier in range(row):
            distance = columns[row] - columns[earlier]
            if distance == 0 or distance == row - earlier or distance == earlier - row:
                break
        else:
            if row == n - 1:
                count += 1
            else:
                row += 1
                columns[row] = -1
    return count


def entries_of(function, *arguments):
    before = dynacc.stats()["entries_hit"]
    result = function(*arguments)
    return dynacc.stats()["entries_hit"] - before, result


class ContinuedWhile(unittest.TestCase):
    def test_is_entered_once(self):
        for _ in range(50):
            self.assertEqual(queens(6), 4)
        entries, count = entries_of(queens, 7)
        self.assertEqual(count, 40)
        self.assertGreater(entries, 0)
        self.assertLess(entries, 20)  # of 1,000 rounds with a `continue`


unittest.main()
