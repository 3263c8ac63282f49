#!/usr/bin/env python3
"""The standard's special cases, for single elements, in vectors and in captured code."""
import itertools
import unittest

import special_cases as table

import dynacc as xp

LENGTHS = (1, 3, 33)  # loops of vectors have other ways than those of single elements
_captured = {}


def forms(name, arity):
    """The function as it is, and captured."""
    if name not in _captured:
        scope = {"xp": xp}
        operands = "x, y"[:3 * arity - 2]
        exec(f"def function({operands}): return xp.{name}({operands})", scope)
        _captured[name] = xp.compile(scope["function"], fullgraph=True)
    return (getattr(xp, name), _captured[name])


class SpecialCases(unittest.TestCase):
    def check(self, name, operands, dtype, is_right):
        """`operands`: tuples of Python numbers, those of one call each. is_right(result, operands of the element)."""
        for length, function in itertools.product(LENGTHS, forms(name, len(operands[0]))):
            elements = (operands * length)[:max(length, len(operands))]
            tensors = [xp.asarray(list(column), dtype=dtype) for column in zip(*elements)]
            results = function(*tensors).tolist()
            given = list(zip(*[tensor.tolist() for tensor in tensors]))
            for numbers, result in zip(given, results):
                self.assertTrue(is_right(result, numbers), f"{name}{numbers} = {result}")

    def check_with_numbers(self, name, operands, dtype, is_right):
        """The same with Python numbers as second operands."""
        for number, pairs in itertools.groupby(operands, lambda pair: pair[1]):
            firsts = xp.asarray([x for x, _ in pairs], dtype=dtype)
            given = xp.asarray(number, dtype=dtype).item()
            for function in forms(name, 2):
                for x, result in zip(firsts.tolist(), function(firsts, number).tolist()):
                    self.assertTrue(is_right(result, (x, given)), f"{name}({x}, number {given}) = {result}")

    def test_unary(self):
        for name, row in table.UNARY.items():
            for operand, result in table.cases(row):
                numbers = [(x,) for x in table.NUMBERS[operand]]
                for dtype in (xp.float64, xp.float32):
                    with self.subTest(f"{name}: {operand}>{result} {dtype}"):
                        self.check(name, numbers, dtype, lambda got, x: table.is_result(result, float(got), x))

    def test_binary(self):
        for name, row in table.BINARY.items():
            for operands, result in table.cases(row):
                numbers = list(itertools.product(*[table.NUMBERS[operand] for operand in operands.split(",")]))
                for dtype in (xp.float64, xp.float32):
                    with self.subTest(f"{name}: {operands}>{result} {dtype}"):
                        def is_right(got, xy, result=result):
                            return table.is_result(result, float(got), xy)

                        self.check(name, numbers, dtype, is_right)
                        self.check_with_numbers(name, sorted(numbers, key=lambda pair: repr(pair[1])), dtype, is_right)

    def test_complex(self):
        for name, row in table.COMPLEX.items():
            for operands, result in table.cases(row):
                real, imag = result.split(",")
                parts = itertools.product(*[table.NUMBERS[operand] for operand in operands.split("/")])
                numbers = [(complex(*pair),) for pair in parts]

                def is_right(got, _, real=real, imag=imag):
                    return table.is_result(real, got.real, ()) and table.is_result(imag, got.imag, ())

                for dtype in (xp.complex128, xp.complex64):
                    with self.subTest(f"{name}: {operands}>{result} {dtype}"):
                        self.check(name, numbers, dtype, is_right)

    def test_expm1_of_large_numbers(self):
        self.assertEqual(complex(xp.expm1(xp.asarray(1000 + 0j))), complex(float("inf"), 0))
        self.assertEqual(complex(xp.expm1(xp.asarray(1e-10 + 0j))), 1.00000000005e-10 + 0j)


if __name__ == "__main__":
    unittest.main()
