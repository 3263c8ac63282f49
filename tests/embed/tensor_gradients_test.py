#!/usr/bin/env python3
"""Derivatives by dynacc.Tensor: of every function of the family, dtypes that NumPy lacks, marks, errors.

usage: tensor_gradients_test.py [DEVICE]    a device where the tensors are
"""
import os
import sys
import unittest

import numpy as np

import dynacc as xp

DEVICE = sys.argv[1] if len(sys.argv) > 1 else None
FILE = os.path.basename(__file__)
N = np.linspace(0.1, 1, 6)


def tensor(values, dtype=None):
    made = xp.asarray(np.asarray(values), dtype=dtype)
    return made.to_device(DEVICE) if DEVICE else made


def waves(x):
    return xp.sum(xp.tanh(x * x))


def slope(x):
    return 2 * x * (1 - np.tanh(x * x) ** 2)


class Tensors(unittest.TestCase):
    def check(self, found, wanted, tolerance=1e-12):
        self.assertIsInstance(found, xp.Tensor)
        self.assertEqual(found.device, tensor(0.0).device)
        np.testing.assert_allclose(np.asarray(found.to_device("cpu")), wanted, rtol=tolerance, atol=tolerance)

    def test_values_and_gradients_of_trees(self):
        value, found = xp.value_and_grad(waves)(tensor(N))
        self.check(value, np.tanh(N * N).sum())
        self.check(found, slope(N))

        def loss(p, y):
            return xp.sum((p["w"] * y + p["b"][0]) ** 2)

        gradient = xp.grad(loss)
        for scale in (1.0, 2.0):
            p = {"w": tensor(scale * N), "b": [tensor(2.0)]}
            found = gradient(p, tensor(N))
            inner = 2 * (scale * N * N + 2)
            self.check(found["w"], inner * N)
            self.check(found["b"][0], inner.sum())

    def test_other_functions_of_the_family(self):
        x, n = tensor(N), N
        out, pull = xp.vjp(xp.sin, x)
        self.check(out, np.sin(n))
        self.check(pull(x)[0], n * np.cos(n))
        self.assertEqual(pull.saved_bytes, N.nbytes)
        out, tangent = xp.jvp(xp.sin, (x,), (x,))
        self.check(tangent, n * np.cos(n))
        self.check(xp.jacobian(lambda x: x[:3] * x[3:])(x), np.hstack([np.diag(n[3:]), np.diag(n[:3])]))
        self.check(xp.hessian(lambda x: xp.sum(x ** 3))(x), np.diag(6 * n))

    def test_marks(self):
        x = tensor(N)
        self.check(xp.grad(lambda x: xp.sum(x * xp.stop_gradient(x)))(x), N)
        twice = xp.checkpoint(lambda x: xp.tanh(xp.tanh(x)))
        plain = np.asarray(xp.grad(lambda x: xp.sum(xp.tanh(xp.tanh(xp.tanh(xp.tanh(x))))))(x).to_device("cpu"))
        self.check(xp.grad(lambda x: xp.sum(twice(twice(x))))(x), plain)
        clipped = xp.custom_gradient(lambda x: (x * 1.0, lambda g: xp.clip(g, -1, 1)))
        self.check(xp.grad(lambda x: xp.sum(3 * x * clipped(x)))(x), np.minimum(3 * N, 1) + 3 * N)

        @xp.custom_gradient
        def parts(x, scale):
            return {"a": x * scale, "b": [xp.sum(x)]}, lambda g: (7 * g["a"] * x + g["b"][0], xp.sum(g["a"] * x))

        def of_parts(x, scale):
            both = parts(x, scale)
            return xp.sum(both["a"]) + 2 * both["b"][0]

        found = xp.grad(of_parts, (0, 1))(x, tensor(3.0))
        self.check(found[0], 7 * N + 2)
        self.check(found[1], N.sum())

    def test_dtypes_that_numpy_lacks(self):
        x = tensor(N, xp.bfloat16)
        rounded = np.asarray(xp.astype(x, xp.float32).to_device("cpu"), np.float64)
        found = xp.grad(lambda x: xp.sum(x * x * x))(x)
        self.assertEqual(found.dtype, xp.bfloat16)
        self.check(xp.astype(found, xp.float32), 3 * rounded ** 2, 2e-2)

    def test_errors(self):
        x = tensor(N)
        for f, words in ((lambda x: x * 2, "a gradient is of one number"), (lambda x: print(x), "print")):
            with self.assertRaisesRegex(RuntimeError, f"{words}"):
                xp.grad(f)(x)
        with self.assertRaisesRegex(RuntimeError, "floating-point"):
            xp.grad(lambda x: xp.sum(x))(tensor(np.arange(3)))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
