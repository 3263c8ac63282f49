"""Captured code draws random numbers: each once, in the program's order, and none by an abandoned run."""
# test: numpy2
import warnings

import numpy as np
from show import show


def put(name, *values):
    show(name, list(values))


warnings.simplefilter("always")
rng = np.random.default_rng(1)


# The stream goes on where the function left it; what nobody uses is drawn, too.
def sample(source, n, spread):
    a = source.random(n)
    b = source.normal(0.0, spread, (2, n))
    source.integers(0, 10, n)
    c = source.standard_normal(n) * 2 + a
    return a * 2 + 1, (b * b).sum(axis=1), c


for seed in range(3):
    fresh = np.random.default_rng(seed)
    for n in (5, 5, 6, 7, 100):
        put("sample", list(sample(fresh, n, 0.5)), fresh.random())


# Two generators, and one of them under two names.
def two(first, second, n):
    return first.random(n) - second.random(n) + first.uniform(-1, 1, n), second.permutation(n) * first.random(n)


other = np.random.default_rng(2)
for _ in range(3):
    put("two", list(two(rng, other, 4)), list(two(rng, rng, 4)), rng.random(), other.random())


# The module's own functions share one state, with a second normal deviate kept for the next call.
def global_state(n):
    x = np.random.rand(n, 3)
    y = np.random.randn(n)
    return x.sum(axis=1) + y, np.random.randint(0, 5, size=(n, 2)) * 2, np.random.normal(x, 1.0)


np.random.seed(3)
for n in (3, 3, 4, 5, 5):
    put("global", list(global_state(n)), np.random.randn())


# A warning or an error: the run is thrown away and made again by Python, with the same numbers.
def logarithms(source, n):
    x = source.random(n)
    y = source.standard_normal(n)
    return np.log(x - 0.5) + y


def global_roots(n):
    x = np.random.rand(n)
    y = np.random.randn(n)
    return np.sqrt(x - 0.5) + y


def scaled(source, scale):
    x = source.random(5)
    return x + source.normal(0, scale, 5) * 2


for n in (4, 4, 5):
    put("warns", logarithms(rng, n), rng.random())
    put("warns", global_roots(n), np.random.randn(), np.random.rand())
for scale in (1.0, 2.0, -1.0, 3.0):
    try:
        put("scaled", scaled(rng, scale))
    except ValueError as error:
        put("error", str(error))
    put("after", rng.random())

# Every kind of bit generator, and a RandomState of one's own.
for kind in (np.random.MT19937, np.random.Philox, np.random.SFC64, np.random.PCG64DXSM, np.random.PCG64):
    source = np.random.Generator(kind(3))
    for _ in range(3):
        put(kind.__name__, list(sample(source, 4, 1.0)), logarithms(source, 5), source.random(),
             source.integers(0, 9, 3, dtype=np.int32), source.bit_generator.state["bit_generator"])


def legacy(state, centres):
    drawn = state.normal(centres, 0.1) * state.permutation(centres.shape[0])
    return drawn + state.choice([1.0, 2.0, 3.0], centres.shape[0]), state.exponential(2.0, 3) + state.poisson(3, (1, 3))


state = np.random.RandomState(4)
for _ in range(3):
    put("legacy", list(legacy(state, np.arange(5.0))), state.randn(), state.rand())


# A generator that comes and goes, is replaced, or is no generator of NumPy's.
class Walk:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.at = np.zeros(6)

    def step(self):
        self.at += self.rng.standard_normal(6) * 0.5
        self.at *= self.rng.random(6) < 0.9


for seed in (1, 2):
    walk = Walk(seed)
    for turn in range(4):
        walk.step()
        if turn == 2:
            walk.rng = np.random.default_rng(9)
    put("walk", walk.at, walk.rng.random())


class Halves:
    def random(self, n):
        return np.full(n, 0.5)

    def normal(self, *args):
        return np.zeros(args[2])

    def standard_normal(self, n):
        return np.zeros(n)

    def integers(self, *args):
        print("asked for integers", args)


put("halves", list(sample(Halves(), 3, 1.0)), list(sample(rng, 3, 1.0)))


# Sizes of all kinds; numbers instead of arrays; draws in a loop with a branch on what was drawn.
def shapes(source, like, n):
    return (source.random(like.shape) + like, source.random((n, 1)) * source.random(size=n),
            source.integers(like.shape[0], size=(2, n), dtype=np.int8) + 1, source.random(0) * 2,
            source.random() + like.sum(), source.choice(n, 2, replace=False) * 2,
            source.choice(like.ravel(), 3, p=np.full(6, 1 / 6)) - 1)


def until(source, n):
    rounds = 0
    while True:
        x = source.random(n) * 2 + 0.25
        rounds += 1
        if x.sum() > 1.3 * n:
            return x, rounds


for n in (2, 3, 3, 2):
    put("shapes", list(shapes(rng, np.ones((2, 3)), n)), list(until(rng, 4)))
    try:
        rng.random(4)
        shapes(rng, np.ones((2, 3)), -n)
    except ValueError as error:
        put("error", str(error))
    put("after", rng.random())
