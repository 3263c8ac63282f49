"""A program that defines code anew, runs it and drops it, as a server that reloads its models: 10,000
modules are captured, each dies when it is dropped, and memory does not grow.

usage: dynacc-python dropped_code_test.py
"""
import gc
import os
import types
import unittest
import weakref

import numpy as np

import dynacc

SOURCE = """
import numpy as np
class Layer:
    def __init__(self, w):
        self.w = w
    def __call__(self, a):
        return scaled(a, self.w) + 1.0
def scaled(a, w):
    return a * w
layer = Layer(2.0)
def f(a, depth=1):
    if depth == 0:
        return layer(a)
    return np.sqrt(f(a * 0.5, depth - 1) + 1.0) - a
"""
ARRAY = np.arange(4.0)
EXPECTED = np.sqrt(ARRAY * 0.5 * 2.0 + 1.0 + 1.0) - ARRAY


def resident():
    """Bytes of memory."""
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def new_module(number):
    module = types.ModuleType(f"model_{number}")
    exec(compile(SOURCE, "model.py", "exec"), module.__dict__)
    return module


@dynacc.compile
def serve(model, a):
    return model.f(a) * 1.0


class DroppedCode(unittest.TestCase):
    def run_and_drop(self, count, call):
        """Weak references to what `count` modules define, each captured and dropped."""
        refs = []
        for number in range(count):
            module = new_module(number)
            for _ in range(2):
                self.assertTrue((call(module) == EXPECTED).all())
            refs += map(weakref.ref, (module, module.f, module.scaled, module.Layer))
            del module
        gc.collect()
        return refs

    def check(self, call, count, per_module):
        self.run_and_drop(count // 5, call)
        before, compiled = resident(), dynacc.stats()["segments_compiled"]
        refs = self.run_and_drop(count, call)
        self.assertEqual(sum(ref() is not None for ref in refs), 0)
        self.assertGreaterEqual(dynacc.stats()["segments_compiled"] - compiled, per_module * count)
        # A module with its entries takes some 50 KB.
        self.assertLess(resident() - before, 2_000_000 + 500 * count)

    def test_functions_that_are_compiled(self):
        self.check(lambda module: dynacc.compile(module.f)(ARRAY), 10_000, 1)

    def test_called_by_one_that_stays(self):
        self.check(lambda module: serve(module, ARRAY), 500, 0.9)


if __name__ == "__main__":
    unittest.main()
