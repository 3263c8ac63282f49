"""How often a segment is traced again: seldom if its values are new each time, at once if they return.

usage: dynacc-python retraces_test.py
"""
import itertools
import unittest

import numpy as np

import dynacc

X = np.linspace(0.0, 1.0, 50)


def shifted(x, text):
    return x * 2.0 + 1.0 if text.upper() else x - 1.0


def scaled(x, text):
    return x * 3.0 + 1.0 if text.upper() else x - 1.0


def entries_after(function, texts):
    """The entries made by calls with `texts`, as the default policy makes them."""
    before = dynacc.stats()["segments_compiled"]
    list(map(function, itertools.repeat(X), texts))  # a loop would be captured, with the calls
    return dynacc.stats()["segments_compiled"] - before


class World:
    generations = 0

    def __init__(self):
        self.cells = X

    def rule(self, x):
        return x * 0.5 + 0.25

    def advance(self):
        self.cells = self.rule(self.cells) * 0.5
        World.generations += 1


class Retraces(unittest.TestCase):
    def test_new_each_time(self):
        made = entries_after(shifted, (f"text {k}" for k in range(300)))
        self.assertGreaterEqual(made, 3)
        self.assertLessEqual(made, 10)  # each wait is twice as long as the one before

    def test_returning(self):
        texts = [f"text {k}" for k in range(8)]
        self.assertEqual(entries_after(scaled, texts * 100), 8)


    def test_counter_of_a_class(self):
        world = World()
        before = dynacc.stats()["segments_compiled"]
        list(map(World.advance, itertools.repeat(world, 1000)))
        self.assertEqual(World.generations, 1000)
        self.assertLessEqual(dynacc.stats()["segments_compiled"] - before, 6)


unittest.main()
