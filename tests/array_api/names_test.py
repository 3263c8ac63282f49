#!/usr/bin/env python3
"""dynacc has every name of the array API standard, with its signature. Run by the launcher and by a stock python3."""
import inspect
import subprocess
import sys
import unittest

import standard

import dynacc

OPERATOR_FORMS = [name[:2] + form + name[2:] for name in standard.OPERATORS for form in ("", "r", "i")]

# Beyond the standard.
OTHER_METHODS = {
    "__array_function__": "(func, types, args, kwargs, /)",
    "__array_ufunc__": "(ufunc, method, /, *inputs, **kwargs)",
    "__format__": "(format_spec, /)", "__reduce__": "()", "item": "()", "tolist": "()",
    "to": "(device, /, *, stream=None)",
}


def kinds(signature):
    """What the standard fixes of a signature: the parameters' kinds and defaults, and names that can be used."""
    return [(parameter.kind, parameter.default,
             None if parameter.kind is inspect.Parameter.POSITIONAL_ONLY else parameter.name)
            for parameter in signature.parameters.values()]


def expected(text):
    """The signature that the text says. A lambda cannot be written with all defaults, so a function is."""
    scope = {}
    exec(f"def function{text}: pass", scope)
    return inspect.signature(scope["function"])


class Names(unittest.TestCase):
    def check_functions(self, module, functions):
        for name, text in functions.items():
            with self.subTest(name):
                function = getattr(module, name)
                signature = inspect.signature(function)
                if name == "from_dlpack":  # its defaults are left open
                    self.assertEqual([p.name for p in signature.parameters.values()], ["x", "device", "copy"])
                    continue
                self.assertEqual(kinds(signature), kinds(expected(text)))
                self.assertTrue(function.__doc__)
                self.assertIn(name, dir(module))

    def test_functions(self):
        self.check_functions(dynacc, standard.FUNCTIONS)

    def test_extensions(self):
        for name, functions in standard.EXTENSIONS.items():
            self.check_functions(getattr(dynacc, name), functions)

    def test_functions_stay_the_same(self):
        before = dynacc.sum, dynacc.linalg.det, dynacc.fft.fft
        dir(dynacc)
        self.assertEqual(before, (dynacc.sum, dynacc.linalg.det, dynacc.fft.fft))

    def test_constants_and_dtypes(self):
        for name in standard.CONSTANTS + standard.DTYPES:
            self.assertTrue(hasattr(dynacc, name), name)
        self.assertIsNone(dynacc.newaxis)
        self.assertEqual(len({getattr(dynacc, name) for name in standard.DTYPES}), len(standard.DTYPES))
        self.assertEqual(dynacc.__array_api_version__, "2024.12")

    def test_inspection(self):
        info = dynacc.__array_namespace_info__()
        self.check_functions(info, standard.INFO_METHODS)
        self.assertEqual(info.default_device(), "cpu")
        self.assertEqual(info.devices(), ["cpu"])
        self.assertEqual(set(info.dtypes()), set(standard.DTYPES))
        self.assertEqual(set(info.dtypes(kind="real floating")), {"float32", "float64"})
        self.assertEqual(set(info.dtypes(kind=("bool", "complex floating"))), {"bool", "complex64", "complex128"})
        self.assertEqual(info.default_dtypes(device="cpu")["integral"], dynacc.int64)
        self.assertEqual(set(info.capabilities()), {"boolean indexing", "data-dependent shapes", "max dimensions"})
        with self.assertRaises(ValueError):
            info.dtypes(kind="decimal")

    def test_tensor(self):
        x = dynacc.ones((2, 2))
        for name in standard.ATTRIBUTES:
            getattr(x, name)
        for name in [*OPERATOR_FORMS, *standard.COMPARISONS, *standard.UNARY_OPERATORS]:
            self.assertTrue(callable(getattr(x, name)), name)
        for name, text in {**standard.METHODS, **OTHER_METHODS}.items():
            with self.subTest(name):
                self.assertEqual(kinds(inspect.signature(getattr(x, name))), kinds(expected(text)))
        self.assertIs(x.__array_namespace__(), dynacc)
        self.assertIs(x.__array_namespace__(api_version="2022.12"), dynacc)
        with self.assertRaises(ValueError):
            x.__array_namespace__(api_version="1999.01")
        with self.assertRaises(TypeError):
            hash(x)
        with self.assertRaises(TypeError):
            type(x)()

    def test_nothing_is_loaded_before_it_is_asked_for(self):
        program = "import sys, dynacc; dynacc.compile; print('numpy' in sys.modules, hasattr(dynacc, 'no_such_name'))"
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual(run.stdout, "False False\n", run.stderr)


if __name__ == "__main__":
    unittest.main()
