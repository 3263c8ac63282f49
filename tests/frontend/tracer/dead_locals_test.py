"""Which functions keep their dead locals for those who look at frames, and that the others pay nothing for it.

usage: dynacc-python dead_locals_test.py
"""
import builtins
import inspect as frames
import re
import unittest
from inspect import stack

import numpy as np

import dynacc

A, B = np.arange(4.0), np.ones(4)


class Model:
    def eval(self):
        return 2.0


MODEL = Model()


def joins(a, b):
    parts = [a * b, a - b]
    return np.stack(parts)


def evaluates(a, b):
    c = a * b
    return c + MODEL.eval()


def looks_by_alias(a, b):
    c = a * b
    return c + 1.0 if b is not None else frames.stack()


def looks_by_name(a, b):
    c = a * b
    return c + 1.0 if b is not None else stack()


def looks_by_import(a, b):
    c = a * b
    if b is None:
        import inspect
        return inspect.stack()
    return c + 1.0


def shows(a, b):
    c = a * b
    return c + 1.0 if b is not None else locals()


def shows_by_module(a, b):
    c = a * b
    return c + 1.0 if b is not None else builtins.locals()


def outputs(function):
    """How many arrays the function's graph gives."""
    report = str(dynacc.explain(function)(A, B))
    (line,) = re.findall(r"^ *return (.*)$", report, re.MULTILINE)
    return len(line.split(","))


class DeadLocals(unittest.TestCase):
    def test_are_not_made_for_other_meanings_of_a_name(self):
        for function in joins, evaluates:
            with self.subTest(function.__name__):
                self.assertEqual(outputs(function), 1)

    def test_are_made_where_something_may_look_at_them(self):
        for function in looks_by_alias, looks_by_name, looks_by_import, shows, shows_by_module:
            with self.subTest(function.__name__):
                self.assertEqual(outputs(function), 2)


if __name__ == "__main__":
    unittest.main()
