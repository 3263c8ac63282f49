#!/usr/bin/env python3
"""Gradients, Jacobians and Hessians of the same functions by dynacc and by JAX, which has the last word on conventions.

usage: gradients_jax_test.py FOLDER

FOLDER is the build tree: its `python` has the extension module, and a virtual environment with JAX is made in it with
pip, and kept. DYNACC_TEST_JAX names another environment. Exits with 77 (skipped) where pip cannot install it.
"""
import os
import pathlib
import subprocess
import sys

PACKAGES = ["jax[cpu]", "numpy>=2,<2.3"]  # later ones compute powers in ways that a graph leaves to them


def squares(x):
    """Their sum; x ** 2 of complex arrays is a call of NumPy's own in some of its versions."""
    return (x * x).sum()


# name: (function of the module and the arguments, how many arguments, whether they may be complex). Arguments lie
# between 0.2 and 0.9.
CASES = {
    "sums": (lambda m, x: (x * x).sum(), 1, True),
    "waves": (lambda m, x: (m.sin(x) + m.cos(x) * m.tan(x) + m.sinh(x) * m.cosh(x) + m.tanh(x)).sum(), 1, True),
    "inverse_waves": (lambda m, x: (m.arctan(x) + m.arcsin(x) + m.arcsinh(x)).sum(), 1, True),
    "exponentials": (lambda m, x: (m.exp(x) + m.exp2(x) * m.expm1(x) + m.log(x) + m.log2(x) * m.log10(x)
                                   + m.log1p(x)).sum(), 1, True),
    "roots": (lambda m, x: (m.sqrt(x) + m.sin(x) * m.reciprocal(x)).sum(), 1, True),
    "real_unary": (lambda m, x: (m.abs(x) + m.fabs(x) * m.cbrt(x) + m.arccos(x) + m.arctanh(x) + m.degrees(x)
                                 + m.radians(x)).sum(), 1, False),
    "steps": (lambda m, x: (x * (m.sign(x) + m.floor(3 * x) + m.ceil(x) + m.rint(2 * x))).sum(), 1, False),
    "arccosh": (lambda m, x: m.arccosh(x + 1).sum(), 1, True),
    "binary": (lambda m, x, y: ((x + y) * (x - y) / (x * y + 1) + x ** y).sum(), 2, True),
    "real_binary": (lambda m, x, y: (m.maximum(x, y) + m.minimum(x, y) * x + m.arctan2(x, y) + m.hypot(x, y)
                                     + m.logaddexp(x, y) + m.logaddexp2(x, y) + m.fmod(x, y) + x % y).sum(), 2, False),
    "ties": (lambda m, x: (m.maximum(x, x[::-1] * 0 + x) * x).sum() + m.max(x - x) + m.min(m.floor(x) * x), 1, False),
    "powers": (lambda m, x: (x ** 2 + x ** 3 + x ** 0.5 + x ** -1.5 + 2.0 ** x).sum(), 1, False),
    "absolute": (lambda m, x: m.abs(x * x - 0.3).sum(), 1, True),
    "parts": (lambda m, x: (x.real * x.imag + m.conj(x).imag).sum(), 1, "only"),
    "products": (lambda m, x: m.prod(x) + squares(x.reshape(2, 3).prod(axis=0)), 1, True),
    "prod_zero": (lambda m, x: m.prod(x * m.array([1.0, 0, 1, 1, 1, 1])), 1, False),
    "extremes": (lambda m, x: (x.reshape(2, 3).max(axis=1) * x.reshape(3, 2).min(axis=0)).sum(), 1, False),
    "means": (lambda m, x: (m.mean(x.reshape(2, 3), axis=0) ** 2).sum() + m.var(x) + m.std(x), 1, False),
    "views": (lambda m, x: (x[::-1] * x[1] + x.reshape(2, 3).T.ravel() * m.roll(x, 2)).sum(), 1, True),
    "joined": (lambda m, x, y: (m.concatenate([x, y[::2]]) * m.concatenate([y[:3], x])).sum(), 2, True),
    "taken": (lambda m, x: (x[m.array([0, 3, 3, -1])] * m.take(x, m.array([2, 0, 2, 5]))).sum()
              + squares(x.reshape(2, 3)[m.array([1, 0]), m.array([0, 0])]), 1, True),
    "scans": (lambda m, x: (m.cumsum(x) * x).sum() + (m.cumsum(x.reshape(2, 3), axis=0) ** 2).sum(), 1, False),
    "argmax": (lambda m, x: (x * (m.argmax(x) + 1)).sum(), 1, False),
    "where": (lambda m, x, y: m.where(x < y, m.log(x), y * x).sum(), 2, False),
    "matrix": (lambda m, x, y: squares(x.reshape(2, 3) @ y.reshape(3, 2)), 2, True),
    "vectors": (lambda m, x, y: (x @ y) * (x.reshape(2, 3) @ y[:3]).sum() + (x[:2] @ y.reshape(2, 3)).sum(), 2, True),
    "batches": (lambda m, x, y: squares(x.reshape(3, 1, 2, 1) @ y.reshape(2, 1, 3)), 2, True),
    "softmax": (lambda m, x, y: -(y * (x - m.log(m.exp(x - x.max()).sum()))).sum(), 2, False),
    "broadcast": (lambda m, x, y: squares(x[:, None] * y[None] + x[:, None]), 2, True),
}


def skip(reason):
    print("skipped:", reason)
    return 77


def environment_with_jax(folder):
    """The interpreter of an environment with JAX, or the reason why there is none."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
    from pip_environment import environment
    return environment(pathlib.Path(folder) / "jax", PACKAGES, "import jax", os.environ.get("DYNACC_TEST_JAX"))


def compare():
    import jax
    import jax.numpy as jnp
    import numpy as np

    import dynacc
    jax.config.update("jax_enable_x64", True)
    failures = []
    for name, (case, count, complex_too) in CASES.items():
        for is_complex in ((True,) if complex_too == "only" else (False, True) if complex_too else (False,)):
            rng = np.random.default_rng(len(name))
            args = [rng.uniform(0.2, 0.9, 6) + (1j * rng.uniform(0.2, 0.9, 6) if is_complex else 0)
                    for _ in range(count)]
            try:
                failures += differences(name, case, args, is_complex, (np, dynacc), (jnp, jax))
            except (NotImplementedError, RuntimeError, TypeError) as error:
                failures.append(f"{name}: {error}")
    print("\n".join(failures) or f"{len(CASES)} cases agree")
    return 1 if failures else 0


def differences(name, case, args, is_complex, ours, theirs):
    """What dynacc and JAX differ in, as lines."""
    (np, dynacc), (jnp, jax) = ours, theirs
    numbers = tuple(range(len(args)))
    takes_part = np.iscomplexobj(case(np, *args))
    mine = lambda *a: case(np, *a).real if takes_part else case(np, *a)
    other = lambda *a: case(jnp, *a).real if takes_part else case(jnp, *a)
    found = {}
    with np.errstate(all="ignore"):
        found["gradient"] = dynacc.grad(mine, numbers)(*args), jax.grad(other, numbers)(*args)
        tangents = tuple(a * 0.5 + 1 for a in args)
        found["tangent"] = dynacc.jvp(mine, args, tangents)[1:], jax.jvp(other, tuple(args), tangents)[1:]
        if not is_complex:
            found["Hessian"] = dynacc.hessian(mine)(*args), jax.hessian(other)(*args)
    lines = []
    for what, (a, b) in found.items():
        for one, two in zip(a, b):
            if not np.allclose(one, np.asarray(two), rtol=1e-9, atol=1e-10, equal_nan=True):
                lines.append(f"{name} ({'complex' if is_complex else 'real'}): the {what} is {one}, and JAX's {two}")
    return lines


def main():
    if sys.argv[1] == "--compare":
        return compare()
    python, reason = environment_with_jax(sys.argv[1])
    if reason:
        return skip(reason)
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    environment = inherited | {"PYTHONPATH": str(pathlib.Path(sys.argv[1]) / "python"), "JAX_PLATFORMS": "cpu"}
    return subprocess.run([python, __file__, "--compare"], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
