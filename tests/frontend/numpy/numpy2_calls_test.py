"""What NumPy 2 calls otherwise than NumPy 1, captured whole with the same results; and calls that raise.

Run with NumPy 1 too: there the keywords of numpy_keywords.def must raise as they do in NumPy itself."""
import os
import re
import unittest
import warnings

import dynacc
import numpy as np

TABLE = os.path.join(os.path.dirname(__file__), "../../../frontend/numpy/trace/numpy_keywords.def")
VERSION = tuple(map(int, np.__version__.split(".")[:2]))
MINOR = 100 * VERSION[0] + VERSION[1]

# Calls with the keyword on a matrix `a` of 3 rows and 4 columns.
KEYWORDS = {
    ("reshape", "shape"): "np.reshape(a, shape=(4, 3)) * 2",
    ("reshape", "newshape"): "np.reshape(a, newshape=(4, 3)) * 2",
    ("var", "correction"): "np.var(a, axis=0, correction=1)",
    ("std", "correction"): "np.std(a, correction=1)",
    ("asarray", "device"): "np.asarray(a, device='cpu') + 1",
    ("asarray", "copy"): "np.asarray(a, copy=None) + np.asarray(a, copy=True)",
    ("zeros", "device"): "np.zeros(4, device='cpu') + a",
    ("ones", "device"): "np.ones(4, device=None) + a",
    ("empty", "device"): "np.empty((0, 4), device='cpu') + a[:1]",
    ("full", "device"): "np.full((3, 4), 2, device='cpu') * a",
    ("zeros_like", "device"): "np.zeros_like(a, device='cpu') + a",
    ("ones_like", "device"): "np.ones_like(a, device='cpu') + a",
    ("empty_like", "device"): "np.empty_like(a, device='cpu').shape",
    ("full_like", "device"): "np.full_like(a, 3, device='cpu') * a",
}
# From that version on.
CALLS = {
    200: ["a.mT + 1", "a.device", "np.concat([a, a])", "np.permute_dims(a, (1, 0)) * 2", "np.acos(a * 0.1)", "np.sort(a, stable=True)",
          "np.linalg.svd(a)", "np.linalg.qr(a).R * 2", "np.linalg.eigh(a @ a.mT).eigenvalues + 1", "np.linalg.slogdet(a @ a.T)[1]",
          "np.std(a, mean=np.mean(a))", "np.linalg.pinv(a, rtol=1e-3)", "np.fft.fft(a) + 1", "np.fft.rfftfreq(6)"],
    201: ["np.clip(a, min=1)", "np.clip(a, max=3) + 1", "np.clip(a, min=1, max=3)"],
    202: ["np.matvec(a, a[0])", "np.vecmat(a[0], a.mT)"],
}
RAISING = ["np.reshape(a, shape=(5, 3))", "a.std(correction=1)", "np.reshape(a, (4, 3), shape=(4, 3))", "a[0].mT", "np.zeros(3, device='gpu')",
           "np.clip(a, 1, max=3)", "np.clip(a)", "np.var(a, ddof=1, correction=1)", "np.matrix_transpose(a[0])", "np.unstack(a[0, 0])",
           "np.vecdot(a, a[0, :3])", "np.astype(3, 'f4')", "np.linalg.qr(a, mode='none')", "np.cumulative_sum(a)",
           "np.isdtype(a.dtype, 'none')", "np.linalg.vector_norm(a, axis=5)", "np.trapezoid(a, axis=3)"]


def make(expression):
    scope = {"np": np}
    exec(f"def f(a):\n    return {expression}\n", scope)
    return scope["f"]


def described(result):
    if isinstance(result, (tuple, list)):
        return type(result), [described(item) for item in result]
    if isinstance(result, (np.ndarray, np.generic)):
        return type(result), result.dtype, result.shape, result.strides, result.tobytes()
    return type(result), repr(result)


def outcome(function, a):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            result = described(function(a))
        except Exception as error:
            result = type(error), str(error)
    return result, [(w.category, str(w.message)) for w in warned]


class Calls(unittest.TestCase):
    def setUp(self):
        self.array = np.arange(12.0).reshape(3, 4) % 5

    def captured(self, expression):
        with self.subTest(expression):
            whole = dynacc.compile(make(expression), fullgraph=True)
            for a in (self.array, self.array + 1):
                self.assertEqual(outcome(whole, a), outcome(make(expression), a))
            turned = np.asfortranarray(self.array)
            self.assertEqual(outcome(dynacc.compile(make(expression)), turned), outcome(make(expression), turned))

    def as_numpy(self, expression):
        with self.subTest(expression):
            compiled = dynacc.compile(make(expression))
            for _ in range(2):
                self.assertEqual(outcome(compiled, self.array), outcome(make(expression), self.array))

    def test_keywords(self):
        with open(TABLE) as file:
            rows = re.findall(r'^DYNACC_NUMPY_KEYWORD\("(\w+)", "(\w+)", "\w*", (\d+), (\d+)\)', file.read(), re.M)
        self.assertEqual({row[:2] for row in rows}, set(KEYWORDS))
        for function, keyword, first, last in rows:
            expression = KEYWORDS[function, keyword]
            has_it = int(first) <= MINOR <= int(last)
            (self.captured if has_it else self.as_numpy)(expression)
            if not has_it:
                self.assertTrue(outcome(make(expression), self.array)[1] or
                                outcome(make(expression), self.array)[0][0] is TypeError, expression)

    def test_calls(self):
        for first, expressions in CALLS.items():
            for expression in expressions:
                (self.captured if MINOR >= first else self.as_numpy)(expression)

    def test_errors(self):
        for expression in RAISING:
            self.as_numpy(expression)


if __name__ == "__main__":
    unittest.main()
