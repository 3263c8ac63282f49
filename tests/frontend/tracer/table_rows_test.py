"""Every row of builtins.def, recipe.def and values.def, made to happen by a small function.

usage: dynacc-python table_rows_test.py SOURCE_ROOT

Most functions are captured whole. In others a break comes while a value of the kind in question is
in the frame: the recipe must put it there for the rest of the function to find.
"""
import math
import pathlib
import re
import sys
import unittest

import numpy as np

import dynacc

ROOT = pathlib.Path(sys.argv.pop(1))
ARRAY = np.arange(1.0, 7.0).reshape(2, 3)


def builtin_rows():
    text = (ROOT / "frontend/tracer/builtins.def").read_text()
    return {f"{owner}.{name}" if owner else name
            for owner, name in re.findall(r'^DYNACC_BUILTIN\("(\w*)", "(\w+)"', text, re.M)}


def kind_rows(path, macro):
    return set(re.findall(rf"^{macro}\((\w+),", (ROOT / path).read_text(), re.M))


def append(a):
    items = [a]
    items.append(a * 2.0)
    return items[0] + items[1]


BUILTINS = {
    "len": lambda a: a * len(a) + len((1, 2)),
    "range": lambda a: [a * k for k in range(3)],
    "abs": lambda a: a * abs(-2) + abs(-1.5),
    "min": lambda a: a * min(*a.shape) + min(3, 4.0),
    "max": lambda a: a * max(*a.shape) + max(3, 4.0),
    "isinstance": lambda a: a * 2.0 + 1.0 if isinstance(a.ndim, int) else a,
    "enumerate": lambda a: [x * k + 1.0 for k, x in enumerate((a, a))],
    "zip": lambda a: [x * y for x, y in zip((a, a), (2.0, a))],
    "reversed": lambda a: [x * 2.0 + 1.0 for x in reversed((a, a + 1.0))],
    "tuple": lambda a: tuple([a * 2.0, a + 1.0]),
    "list": lambda a: list((a * 2.0, a + 1.0)),
    "float": lambda a: a * float(3) + float(a.ndim),
    "int": lambda a: a * int(2.5) + int(a.ndim),
    "sum": lambda a: a * sum([1, a.ndim, 3]) + sum(a.shape),
    "list.append": append,
    "dict.get": lambda a: {"x": a * 2.0}.get("x") + 1.0,
    "math.sqrt": lambda a: a * math.sqrt(2.0) + 1.0,
    "math.exp": lambda a: a * math.exp(2.0) + 1.0,
    "math.log": lambda a: a * math.log(2.0) + 1.0,
    "math.sin": lambda a: a * math.sin(2.0) + 1.0,
    "math.cos": lambda a: a * math.cos(2.0) + 1.0,
    "math.tanh": lambda a: a * math.tanh(2.0) + 1.0,
    "math.floor": lambda a: a * math.floor(2.5) + 1.0,
    "math.ceil": lambda a: a * math.ceil(2.5) + 1.0,
    "math.prod": lambda a: a * math.prod((2.0, 3.0)) + 1.0,
}


def stop(*values):
    """Something that is not traced: a break at its call. Gives its arguments back."""
    return values[0] if len(values) == 1 else values


dynacc.disable(stop)


def kept_iterator(a):
    left = iter((a * 2.0, a + 1.0))
    first = next(left)
    for x in left:
        first = stop(first) + x
    return first


def kept_loop(a):
    total = a * 2.0 + 1.0
    for k in (1.0, 2.0, 3.0):
        total = stop(total) * k + a
    return total


def kept_cell(a):
    b = a * 2.0 + 1.0

    def reads():
        return b
    stop()
    b = b + 1.0
    return reads() + b


def make_closure(scale):
    def closure(a):
        b = a * scale + 1.0
        stop()
        return b * scale
    return closure


class Box:
    scale = 2.0

    def grow(self, a, b):
        return a * self.scale + b


def kept_method(a, box=Box()):
    return box.grow(a * 2.0, stop(a) + 1.0)


# Of each step of a recipe: a function whose result or rest needs it, and whether it breaks on the way.
RECIPES = {
    "Load": (lambda a: (a, a * 2.0 + 1.0), False),
    "Constant": (lambda a: ("text", a * 2.0 + 1.0), False),
    "Int": (lambda a: (a.shape[0] + 1, a * 2.0 + 1.0), False),
    "Float": (lambda a: (a.shape[0] / 4, a * 2.0 + 1.0), False),
    "Bool": (lambda a: (a.shape[0] > 1, a * 2.0 + 1.0), False),
    "Output": (lambda a: a * 2.0 + 1.0, False),
    "View": (lambda a: (a[:, 1:].T, a * 2.0 + 1.0), False),
    "Tuple": (lambda a: (a * 2.0, (a + 1.0, ())), False),
    "List": (lambda a: [a * 2.0, [a + 1.0]], False),
    "Dict": (lambda a: {"x": a * 2.0, "y": {"z": a + 1.0}}, False),
    "Slice": (lambda a: (slice(1, a.shape[0]), a * 2.0 + 1.0)[0:2], True),
    "Iterator": (kept_loop, True),
    "Cell": (kept_cell, True),
    "ClosureCell": (make_closure(3.0), True),
    "Method": (kept_method, True),
    "Attribute": (lambda a: (a * 2.0 + 1.0).sum(axis=stop(0)), True),
    "Null": (lambda a: np.sqrt(a * 2.0 + stop(a)) + 1.0, True),
}

# What shows each kind of value: a row above, or a function here.
VALUES = {
    "Null": RECIPES["Null"][0],
    "Constant": RECIPES["Constant"][0],
    "Number": RECIPES["Int"][0],
    "Tensor": RECIPES["Output"][0],
    "Tuple": RECIPES["Tuple"][0],
    "List": RECIPES["List"][0],
    "Dict": RECIPES["Dict"][0],
    "Slice": lambda a: a[slice(0, 1)] * 2.0 + 1.0,
    "Iterator": RECIPES["Iterator"][0],
    "Cell": RECIPES["Cell"][0],
    "Function": lambda a: (lambda x: x * 2.0)(a) + 1.0,
    "BoundMethod": lambda a, box=Box(): box.grow(a, 1.0) * 2.0,
    "ArrayMethod": lambda a: a.sum() * 2.0 + 1.0,
    "Object": kept_method,
}


def described(value):
    """A value as something that can be compared: types, bits and structure."""
    if isinstance(value, np.ndarray):
        return ("array", value.dtype, value.shape, value.strides, value.flags.owndata, value.tobytes())
    if isinstance(value, (tuple, list)):
        return type(value), [described(item) for item in value]
    if isinstance(value, dict):
        return dict, [(key, described(item)) for key, item in value.items()]
    return type(value), repr(value)


class TableRows(unittest.TestCase):
    def check(self, function, may_break):
        expected = described(function(ARRAY))
        report = dynacc.explain(function)(ARRAY)
        self.assertEqual(described(report.result), expected)
        self.assertGreaterEqual(len(report.graphs), 1, report)
        if not may_break:
            self.assertEqual(report.breaks, [])
        compiled = dynacc.compile(function)
        for _ in range(5):
            self.assertEqual(described(compiled(ARRAY)), expected)
        # Other sizes: the constants of the first trace are constants no more.
        for other in (np.ones((3, 3)), np.ones((4, 3)), np.ones((5, 3))):
            self.assertEqual(described(compiled(other)), described(function(other)))

    def test_builtins(self):
        self.assertEqual(builtin_rows(), set(BUILTINS))
        for row, function in BUILTINS.items():
            with self.subTest(row=row):
                self.check(function, may_break=False)

    def test_recipes(self):
        self.assertEqual(kind_rows("frontend/recipe/recipe.def", "DYNACC_RECIPE"), set(RECIPES))
        for row, (function, may_break) in RECIPES.items():
            with self.subTest(row=row):
                self.check(function, may_break)

    def test_values(self):
        self.assertEqual(kind_rows("frontend/values/values.def", "DYNACC_VALUE"), set(VALUES))
        for row, function in VALUES.items():
            with self.subTest(row=row):
                self.check(function, may_break=True)


if __name__ == "__main__":
    unittest.main()
