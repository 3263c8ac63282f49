"""The primitives of control flow (frontend/tensor/control_flow.cc): what they are outside of a trace, and that a trace
that ends between them begins anew in plain Python."""
import unittest

import _dynacc
import numpy as np

import dynacc

ARRAYS = _dynacc.arrays()
ONLY_TRACED = ("parameter", "end_subgraph", "cond_of", "loop_of", "batch_of", "refuse", "derivatives_of")


class Primitives(unittest.TestCase):
    def test_outside_of_a_trace(self):
        self.assertIsNone(ARRAYS.begin_subgraph())
        for name in ONLY_TRACED:
            with self.assertRaisesRegex(RuntimeError, "outside of a trace"):
                getattr(ARRAYS, name)(1, 2, 3)

    def test_derivatives_of_calls_of_numpys_own(self):
        self.assertIsNone(ARRAYS.begin_derivatives())
        self.assertIsNone(ARRAYS.end_derivatives())
        matrices = np.random.default_rng(0).normal(size=(5, 3, 3)) + 2 * np.eye(3)
        gradient = dynacc.grad(lambda a: np.linalg.inv(a).sum() + np.sort(a, axis=None)[0] ** 2)
        found = dynacc.vmap(gradient)(matrices)
        np.testing.assert_allclose(found, [gradient(matrix) for matrix in matrices], rtol=1e-12)

    def test_a_break_in_a_branch_leaves_it_to_python(self):
        seen = []

        def noisy(a):
            seen.append(float(a[0]))
            return a * 2

        def f(x):
            y = x + 1
            z = dynacc.cond(y[0] > 0, noisy, lambda a: a - 1, y)
            return z * 3

        captured = dynacc.compile(f)
        for value in (1.0, -5.0, 2.0):
            x = np.full(3, value)
            del seen[:]
            wanted, expected = f(x), seen.copy()
            del seen[:]
            np.testing.assert_array_equal(captured(x), wanted)
            self.assertEqual(seen, expected)

    def test_what_begins_as_a_segment_of_its_own(self):
        scan = dynacc.compile(dynacc.scan)
        for f in (lambda c, x: (c + x, c * x), lambda c, x: (c + x, print(end="") or c)):
            xs = np.arange(5.0)
            for _ in range(4):
                found, wanted = scan(f, 1.0, xs), dynacc.scan(f, 1.0, xs)
                np.testing.assert_array_equal(found[0], wanted[0])
                np.testing.assert_array_equal(found[1], wanted[1])


if __name__ == "__main__":
    unittest.main()
