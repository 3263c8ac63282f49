"""Draws of random numbers inside a graph: captured whole, with NumPy's numbers, and the generator left in NumPy's
state. Every row of the table must have a draw here."""
import os
import re
import unittest

import dynacc
import numpy as np

TABLE = os.path.join(os.path.dirname(__file__), "../../../frontend/numpy/trace/numpy_sampling.def")

# The arguments of draws, with `v` a vector of positive numbers below 1 and `n` a size.
BOTH = {
    "random": ["n", "(2, n)", "size=n"],
    "choice": ["v, n", "n, 2, replace=False", "v, size=(2, n)", "[1, 5], n, p=[0.25, 0.75]"],
    "permutation": ["n", "v"],
    "multivariate_normal": ["[0.0, 1.0], [[1.0, 0.5], [0.5, 2.0]], n", "v[:2], np.eye(2), size=(2, n)"],
    "dirichlet": ["v, n", "[1.0, 2.0], size=(n, 2)"],
    "multinomial": ["9, [0.25, 0.75], n", "9, v / v.sum(), size=n"],
    "uniform": ["-1.0, 2.0, n", "v, v + 1", "size=n"],
    "normal": ["0.0, 1.5, n", "v, 0.1", "size=(n, 2)"],
    "standard_normal": ["n", "size=(2, n)"],
    "exponential": ["2.0, n", "v"],
    "standard_exponential": ["n"],
    "gamma": ["2.0, 3.0, n", "v, 1.0"],
    "beta": ["0.5, 0.5, n"],
    "lognormal": ["0.0, 0.5, n"],
    "laplace": ["0.0, 1.0, n"],
    "poisson": ["4.0, n", "v * 9"],
    "binomial": ["9, 0.3, n", "7, v"],
}
DRAWS = {
    "Generator": BOTH | {
        "random": ["n", "(2, n)", "n, dtype=np.float32"],
        "integers": ["0, 9, n", "5, size=(n, 2), dtype=np.int16", "0, 9, n, endpoint=True", "(v * 9).astype(int), 10"],
        "permuted": ["v", "np.ones((n, 3)) * v[:3], axis=1"],
        "standard_gamma": ["2.0, n"], "logistic": ["0.0, 1.0, n"], "gumbel": ["0.0, 1.0, n"], "rayleigh": ["2.0, n"],
        "weibull": ["2.0, n"], "pareto": ["2.0, n"], "chisquare": ["3.0, n"], "standard_t": ["3.0, n"],
        "standard_cauchy": ["n"], "triangular": ["0.0, 0.5, 1.0, n"], "vonmises": ["0.0, 1.0, n"], "geometric": ["0.3, n"],
    },
    "RandomState": BOTH | {
        "rand": ["n", "2, n"], "randn": ["n", "n, 2"], "random_sample": ["n", "(2, n)"],
        "randint": ["0, 9, n", "5, size=(n, 2), dtype=np.int16"],
    },
}
# Draws that change an array in its place, or the generator alone.
CHANGES = {
    "Generator": {"shuffle": ["np.arange(n)", "np.ones((2, n)) * np.arange(n), axis=1"]},
    "RandomState": {"shuffle": ["np.arange(n)"], "seed": ["n"]},
}
# Of single numbers: the arguments are numbers, and no size is given.
SINGLE = {
    "Generator": ["random()", "integers(9)", "integers(3, 9, dtype=np.int16)", "normal()", "normal(1.0, n)", "choice(5)",
                  "choice([1.5, 2.5])", "standard_normal(dtype=np.float32)", "poisson(n)", "uniform(0, n)", "binomial(n, 0.5)"],
    "RandomState": ["rand()", "randn()", "randint(9)", "randint(0, 9, dtype=np.int16)", "choice(5)", "random()",
                    "normal(0, n)", "choice([1, 2], p=[0.5, 0.5])", "exponential()", "poisson(3.0)"],
}
MAKE = {"Generator": np.random.default_rng, "RandomState": np.random.RandomState}


def rows():
    with open(TABLE) as file:
        found = re.findall(r'^DYNACC_NUMPY_SAMPLING\((\w+), "(\w+)"', file.read(), re.M)
    return {owner: {name for kind, name in found if kind == owner} for owner in DRAWS}


def make(call):
    scope = {"np": np}
    exec(f"def f(g, v, n):\n    return {call} * 2 + n, {call}\n", scope)
    return scope["f"]


def state_of(generator):
    asked = getattr(generator, "bit_generator", None)
    return str(asked.state if asked is not None else generator.get_state(legacy=False))


class Draws(unittest.TestCase):
    def same(self, call, mine, numpys, n):
        v = np.linspace(0.1, 0.9, 5)
        plain, compiled = make(call), dynacc.compile(make(call), fullgraph=True)
        for size in (n, n, n + 1, n + 2):
            expected, got = plain(numpys, v, size), compiled(mine, v, size)
            for a, b in zip(expected, got):
                self.assertEqual((a.dtype, a.shape, a.strides, a.tobytes()), (b.dtype, b.shape, b.strides, b.tobytes()), call)
            self.assertEqual(state_of(mine), state_of(numpys), call)

    def test_every_row_is_captured_and_draws_numpys_numbers(self):
        self.assertEqual(rows(), {owner: set(DRAWS[owner]) | set(CHANGES[owner]) for owner in DRAWS})
        for owner, calls in DRAWS.items():
            for name, arguments in calls.items():
                for given in arguments:
                    self.same(f"g.{name}({given})", MAKE[owner](7), MAKE[owner](7), 3)

    def test_what_is_changed_in_its_place(self):
        for owner, calls in CHANGES.items():
            for name, arguments in calls.items():
                for given in arguments:
                    array, comma, rest = given.partition(", axis")
                    scope = {"np": np}
                    exec(f"def f(g, n):\n    x = {array} * 1\n    g.{name}(x{comma}{rest})\n    return x * 2, g.random(n)\n"
                         if name == "shuffle" else
                         f"def f(g, n):\n    g.{name}({given})\n    return g.random(n) * 2, g.normal()\n", scope)
                    compiled = dynacc.compile(scope["f"], fullgraph=True)
                    mine, numpys = MAKE[owner](7), MAKE[owner](7)
                    for n in (3, 3, 4, 5):
                        self.assertEqual(repr(scope["f"](numpys, n)), repr(compiled(mine, n)), given)
                        self.assertEqual(state_of(mine), state_of(numpys), given)

    def test_single_numbers(self):
        for owner, calls in SINGLE.items():
            for call in calls:
                scope = {"np": np}
                exec(f"def f(g, n):\n    x = g.{call}\n    return x, type(x), np.ones(3) * g.{call} + n\n", scope)
                compiled = dynacc.compile(scope["f"], fullgraph=True)
                mine, numpys = MAKE[owner](7), MAKE[owner](7)
                for n in (3, 3, 4, 5):
                    self.assertEqual(repr(scope["f"](numpys, n)), repr(compiled(mine, n)), call)
                    self.assertEqual(state_of(mine), state_of(numpys), call)

    def test_generators_made_inside(self):
        class Keeper:
            pass

        def local(seed, x):
            rng = np.random.default_rng(seed)
            return x * rng.random() + rng.normal(size=3), rng.integers(9)

        def returned(seed, x):
            rng = np.random.default_rng(seed=seed)
            y = x + rng.random(3)
            return y * 2, rng, rng.random()

        def kept(seed, x):
            keeper = Keeper()
            keeper.rng = np.random.RandomState(seed)
            keeper.first = keeper.rng.rand(3) * x
            return keeper.first, keeper.rng, keeper.rng.randint(100), isinstance(keeper.rng, np.random.RandomState)

        def two(seed, x):
            one, other = np.random.default_rng(seed), np.random.default_rng(seed)
            a = one.random(3)
            order = np.arange(5)
            other.shuffle(order)
            return a - other.random(3) + x, order, one.random() == 0.5 if seed is None else order.sum()

        def shown(result):
            return [state_of(r) if hasattr(r, "normal") else repr(r) for r in result]

        for function in (local, returned, kept, two):
            compiled = dynacc.compile(function, fullgraph=True)
            for seed in (1, 1, 2, 30):
                self.assertEqual(shown(compiled(seed, np.ones(3))), shown(function(seed, np.ones(3))), function.__name__)
            self.assertRaises(ValueError, dynacc.compile(function), -1, np.ones(3))
        rngs = [dynacc.compile(returned)(1, np.ones(3))[1] for _ in range(3)]
        self.assertEqual(len({id(rng) for rng in rngs}), 3)
        self.assertNotEqual(*[dynacc.compile(local)(None, np.ones(3))[0].tobytes() for _ in range(2)])

    def test_the_functions_of_the_module(self):
        for name in DRAWS["RandomState"]:
            np.random.seed(5)
            twin = np.random.RandomState(5)
            given = DRAWS["RandomState"][name][0]
            plain = make(f"g.{name}({given})")
            compiled = dynacc.compile(make(f"np.random.{name}({given})"), fullgraph=True)
            v = np.linspace(0.1, 0.9, 5)
            for n in (3, 3, 4):
                for a, b in zip(plain(twin, v, n), compiled(None, v, n)):
                    self.assertEqual(a.tobytes(), b.tobytes(), name)
            self.assertEqual(str(np.random.get_state()), str(twin.get_state()))

    def test_a_run_that_comes_to_nothing_has_drawn_nothing(self):
        def f(g, x):
            return np.sqrt(g.random(4) * x), g.standard_normal(4) + g.integers(0, 5, 4, dtype=np.int32)

        compiled = dynacc.compile(f, fullgraph=True)
        kinds = [np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64]
        for kind in kinds:
            mine, numpys = np.random.Generator(kind(1)), np.random.Generator(kind(1))
            for x in (np.ones(4), np.full(4, -1.0), np.ones(4), np.full(4, -1.0)):
                with np.errstate(invalid="raise"):
                    for function, g in ((f, numpys), (compiled, mine)):
                        if x[0] < 0:
                            self.assertRaises(FloatingPointError, function, g, x)
                        else:
                            function(g, x)
                self.assertEqual(state_of(mine), state_of(numpys), kind)

    def test_one_entry_for_all_generators_of_a_class(self):
        @dynacc.compile(fullgraph=True)
        def f(g, n):
            return g.random(n) * 2 + 1

        before = dynacc.stats()["segments_compiled"]
        for seed in range(20):
            f(np.random.default_rng(seed), 3)
        self.assertEqual(dynacc.stats()["segments_compiled"] - before, 1)


if __name__ == "__main__":
    unittest.main()
