#!/usr/bin/env python3
"""Ufuncs of other libraries are nodes: SciPy's special functions fuse with SciPy's bits and have gradients, Numba's and
others are library calls.

usage: foreign_ufuncs_test.py FOLDER LAUNCHER

FOLDER is the build tree, in which pip makes an environment with SciPy and Numba once. DYNACC_TEST_PACKAGES_NUMBA names
another folder with both. Exits with 77 (skipped) where pip cannot install them.
"""
import os
import pathlib
import re
import subprocess
import sys
import unittest

PYTHON = "/usr/bin/python3.11"
GRADIENTS = pathlib.Path(__file__).resolve().parents[2] / "codegen/autodiff/special_gradients.def"
PACKAGES = ["scipy==1.10.1", "numba==0.57.1", "llvmlite==0.40.1"]  # for NumPy 1.24, the system's


class Case(unittest.TestCase):
    def check(self, function, *args, breaks=0):
        expected = function(*args)
        found = dynacc.explain(function)(*args)
        self.assertEqual(len(found.breaks), breaks, found.breaks)
        for result in (found.result, dynacc.compile(function)(*args)):
            self.assertEqual((result.dtype, result.shape, result.tobytes()),
                             (expected.dtype, expected.shape, expected.tobytes()))
        return found

    def kinds(self, found):
        return [group["kind"] for group in found.segments[0]["entries"][0]["groups"]]


class Special(Case):
    def test_all_functions_of_one_or_two_numbers_have_their_bits(self):
        warnings.simplefilter("ignore")  # of floats in the place of ints
        compared = fused = 0
        numbers = np.random.default_rng(0).uniform(0.1, 3.0, (2, 300))
        for name in dir(special):
            ufunc = getattr(special, name)
            if not isinstance(ufunc, np.ufunc) or ufunc.nin > 2 or ufunc.nout > 1:
                continue
            for dtype in ("float64", "float32"):
                args = [array.astype(dtype) for array in numbers[:ufunc.nin]]
                space = {"ufunc": ufunc}
                exec("def function(*arrays): return ufunc(*arrays) + ufunc(*arrays)", space)  # code of its own
                function = space["function"]
                try:
                    function(*args)
                except TypeError:
                    continue  # of complex numbers or ints alone
                found = self.check(function, *args)
                compared += 1
                fused += f"scipy.special.{name}" in found.graphs[0] and self.kinds(found) == ["elementwise"]
        self.assertGreater(compared, 200)
        self.assertGreater(fused, 0.8 * compared)

    def test_fuse_with_what_stands_around_them(self):
        x = np.linspace(-3.0, 3.0, 5000)
        found = self.check(lambda x: 0.5 * x * (1.0 + special.erf(x / np.sqrt(2.0))), x)
        self.assertEqual(self.kinds(found), ["elementwise"])
        self.check(lambda x: special.erf(x[:, None] * x[None, :50]).sum(axis=0), x)
        self.check(lambda n: special.gammaln(n) * 2, np.arange(1, 50))
        self.check(lambda x: special.xlogy(x, 2.0) + special.expit(x.astype(np.float32)), x)
        self.check(lambda x: special.erf(x * (1 + 2j)), x)
        self.check(lambda x: special.erf(x, out=np.empty_like(x)), x)

    def test_more_numbers_and_results(self):
        x = np.linspace(0.1, 0.9, 50)
        self.check(lambda x: special.betainc(2.0, 3.0, x) + special.hyp2f1(0.5, 1.0, 1.5, x), x)
        self.check(lambda x: special.sici(x)[0] * special.sici(x)[1], x)
        self.check(lambda x: special.jv(2, x), x)

    def test_warnings_are_neither_lost_nor_made(self):
        def f(x, y):
            return x / y + special.gammaln(-y)

        compiled = dynacc.compile(f)
        x = np.ones(4000)
        for y in (np.ones(4000), np.zeros(4000)):
            with warnings.catch_warnings(record=True) as plain:
                warnings.simplefilter("always")
                expected = f(x, y)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                for _ in range(3):
                    self.assertEqual(compiled(x, y).tobytes(), expected.tobytes())
            self.assertEqual([str(one.message) for one in caught], 3 * [str(one.message) for one in plain])

    def test_gradients_of_functions_that_are_no_ufuncs(self):
        rng = np.random.default_rng(3)
        x, weights = rng.normal(size=(4, 5)) * 3, rng.normal(size=(4, 5))
        x[0, 0] = x[0, 1] = x[0].max()  # two are the greatest
        soft = special.softmax(x, axis=1)
        jacobian = soft[:, :, None] * (np.eye(5) - soft[:, None, :])
        for function, expected in (
                (lambda x: special.logsumexp(x), special.softmax(x)),
                (lambda x: (special.logsumexp(x, axis=1) * weights[:, 0]).sum(), soft * weights[:, :1]),
                (lambda x: special.logsumexp(x, b=weights ** 2), weights ** 2 * np.exp(x) / (weights ** 2 * np.exp(x)).sum()),
                (lambda x: ((x - special.logsumexp(x, axis=1, keepdims=True)) * weights).sum(),
                 weights - soft * weights.sum(axis=1, keepdims=True)),
                (lambda x: (special.softmax(x, axis=1) * weights).sum(), (jacobian * weights[:, None, :]).sum(axis=-1)),
                (lambda x: (special.log_softmax(x, axis=-1) * weights).sum(),
                 weights - soft * weights.sum(axis=1, keepdims=True))):
            value, gradient = dynacc.value_and_grad(function)(x)
            self.assertEqual(value, function(x))
            np.testing.assert_allclose(gradient, expected, rtol=1e-9, atol=1e-12)

    def test_errors_that_scipy_is_asked_for(self):
        def f(x):
            return special.gammaln(x * 0.0) + 1.0

        with special.errstate(all="raise"):
            with self.assertRaises(special.SpecialFunctionError):
                dynacc.compile(f)(np.ones(4))

    def test_that_memory_runs_out_is_no_error_of_a_function(self):
        settings = special.geterr  # newer versions of SciPy have one for that, which raises
        self.addCleanup(setattr, special, "geterr", settings)
        special.geterr = lambda: {**settings(), "memory": "raise"}
        x = np.linspace(-1.0, 1.0, 50)
        found = self.check(lambda x: special.expit(x) * 3.0, x)
        self.assertEqual(self.kinds(found), ["elementwise"])
        slope = dynacc.grad(lambda x: special.erf(x * 2.0).sum())(x)
        np.testing.assert_allclose(slope, 4 / np.sqrt(np.pi) * np.exp(-4 * x * x), rtol=1e-12)
        special.geterr = lambda: {**settings(), "domain": "raise"}
        with self.assertRaisesRegex(NotImplementedError, "erf"):
            dynacc.grad(lambda x: special.erf(x * 3.0).sum())(x)

    def test_gradients(self):
        inside = np.array([0.2, 0.4, 0.7])
        rows = re.findall(r'^DYNACC_SPECIAL_GRADIENT\(\w+, "(\w+)", "\w*", (\w+), ', GRADIENTS.read_text(), re.M)
        self.assertGreater(len(rows), 50)
        other = inside + 1.1
        for name, kind in rows:
            with self.subTest(name):
                ufunc = getattr(special, name)
                if kind == "kUnary":
                    at = -inside if name == "ndtri_exp" else inside
                    self.compare_slope(lambda x: ufunc(x), at, step=1e-6, rtol=1e-7)
                    self.compare_slope(lambda x: dynacc.grad(lambda y: ufunc(y).sum())(x), at)
                    continue
                if kind == "kBinary":
                    self.compare_slope(lambda a: ufunc(a, other), inside)
                    self.compare_slope(lambda a: ufunc(a, inside * 0.3), inside)
                self.compare_slope(lambda b: ufunc(other, b), other + inside)
                self.compare_slope(lambda b: ufunc(other, b), inside)
                self.compare_slope(lambda b: dynacc.grad(lambda c: ufunc(other, c).sum())(b), other + inside)
                if kind == "kStructural":
                    with self.assertRaisesRegex(NotImplementedError, f"{name}.*by its first argument"):
                        dynacc.grad(lambda a: ufunc(a, other).sum())(other)
        for name, at, slope in (("i1", 0.0, 0.5), ("j1", 0.0, 0.5), ("i1e", 0.0, 0.5), ("i0e", 0.0, 0.0),
                                ("exprel", 0.0, 0.5), ("ellipk", 0.0, np.pi / 8), ("ellipe", 0.0, -np.pi / 8),
                                ("spence", 1.0, -1.0)):
            found = dynacc.grad(lambda x: getattr(special, name)(x).sum())(np.full(2, at))
            np.testing.assert_allclose(found, slope, rtol=1e-14, err_msg=name)
        at = np.array([-2.3, -0.4, 0.01, 0.5, 3.0, 40.0])
        of_psi = dynacc.grad(lambda x: special.psi(x).sum())
        np.testing.assert_allclose(of_psi(at[2:]), special.polygamma(1, at[2:]), rtol=1e-13)
        differences = (special.psi(at[:2] + 1e-5) - special.psi(at[:2] - 1e-5)) / 2e-5
        np.testing.assert_allclose(of_psi(at[:2]), differences, rtol=1e-6)
        by_power = dynacc.grad(lambda power: special.boxcox(other, power).sum())(np.zeros(3))
        np.testing.assert_allclose(by_power, np.log(other) ** 2 / 2, rtol=1e-14)
        with self.assertRaisesRegex(NotImplementedError, "scipy.special.jv"):
            dynacc.grad(lambda x: special.jv(1.5, x).sum())(inside)

    def compare_slope(self, f, x, step=1e-5, rtol=1e-6):
        slope = dynacc.grad(lambda x: f(x).sum())(x)
        difference = (f(x + step) - f(x - step)) / (2 * step)
        np.testing.assert_allclose(slope, difference, rtol=rtol, atol=1e-7)

    def test_what_a_device_computes_has_such_functions(self):
        table = pathlib.Path(__file__).resolve().parents[2] / "frontend/numpy/trace/scipy_special.def"
        rows = re.findall(r'^DYNACC_SCIPY_SPECIAL\("(\w+)", "(.+)"\)$', table.read_text(), re.M)
        self.assertGreater(len(rows), 15)
        x = np.array([0.25, 0.5])
        for name, expression in rows:
            ufunc = getattr(special, name)
            self.assertEqual((ufunc.nin, ufunc.nout, "a" in expression), (1, 1, True))
            graph = make_graph(lambda x: ufunc(x), x)
            self.assertEqual(graph.outputs[0].op, f"scipy.special.{name}")

    def test_graphs_are_values(self):
        x = np.linspace(0.1, 2.0, 9)
        graph = make_graph(lambda x: special.gammaln(x) * 2.0, x)
        expected = (special.gammaln(x) * 2.0).tobytes()
        self.assertEqual(type(graph).parse(str(graph)).run(x, target="tile")[0].tobytes(), expected)
        self.assertEqual(graph.run(x, target="reference")[0].tobytes(), expected)
        space = {}
        exec(graph.to_python("again"), space)
        self.assertEqual(space["again"](x)[0].tobytes(), expected)
        self.assertEqual(Interpreter(graph).run(x)[0].tobytes(), expected)


class Others(Case):
    def test_vectorize(self):
        typed = numba.vectorize(["f8(f8, f8)", "f4(f4, f4)"])(lambda a, b: a * b + 1)
        self.check(lambda x, y: typed(x + 1.0, y) * 2.0, np.arange(5.0), np.arange(5.0)[:, None])
        self.check(lambda x: typed(x, x), np.arange(5, dtype=np.float32))

        @numba.vectorize
        def untyped(a):
            return a * 2 if a > 1 else a

        found = self.check(lambda x: untyped(x * 1.5) - 1.0, np.arange(5.0))
        self.assertIn("untyped", found.graphs[0])

    def test_guvectorize(self):
        @numba.guvectorize(["(f8[:], f8[:], f8[:])"], "(n),(n)->()")
        def dot(a, b, out):
            out[0] = (a * b).sum()

        if isinstance(dot, np.ufunc):
            self.check(lambda x: dot(x, x + 1.0) * 2.0, np.arange(12.0).reshape(3, 4))

    def test_ufuncs_of_objects_are_left_alone(self):
        calls = []
        noisy = np.frompyfunc(lambda a: calls.append(a) or a + 1, 1, 1)
        function = lambda x: noisy(x * 2.0).astype(float) + 1.0
        self.assertEqual(dynacc.compile(function)(np.ones(3)).tolist(), [4.0] * 3)
        self.assertEqual(len(calls), 3)


def environment_of(folder):
    """The folder of the packages, made if need be; None where pip cannot, or that Python is not there."""
    given = os.environ.get("DYNACC_TEST_PACKAGES_NUMBA")
    packages = pathlib.Path(given) if given else pathlib.Path(folder) / "numba-packages"
    if not os.path.exists(PYTHON):
        return None
    if not (packages / "numba").is_dir():
        done = subprocess.run([PYTHON, "-m", "pip", "install", "-q", "--no-deps", "--target", packages, *PACKAGES],
                              capture_output=True)
        if done.returncode != 0:
            return None
    return packages


def main():
    folder, launcher = sys.argv[1:3]
    packages = environment_of(folder)
    if packages is None:
        sys.exit(77)
    here = os.path.abspath(__file__)
    python = pathlib.Path(folder) / "python"
    for program, path in ((launcher, f"{packages}"), (PYTHON, f"{python}:{packages}")):
        subprocess.run([program, here, "--run"], check=True, env={**os.environ, "PYTHONPATH": path})


if __name__ == "__main__" and "--run" not in sys.argv:
    main()
elif __name__ == "__main__":
    import warnings

    import numba
    import numpy as np
    from scipy import special

    import dynacc
    from dynacc.graph import Interpreter, make_graph

    unittest.main(argv=sys.argv[:1])
