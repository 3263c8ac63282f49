"""Generators and transforms are made or first met inside the functions that use them, in loops and across breaks."""
# test: numpy2
import numpy as np


# Generators made by the functions that draw from them: local ones, returned and kept ones, in loops and across
# breaks.
def sample(seed, n):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    noise = rng.uniform(-1, 1) * 0.1
    rng.shuffle(x)
    return x * 2 + noise, rng.integers(100)


def split(seed, n, keep):
    rng = np.random.RandomState(seed)
    order = rng.permutation(n)
    data = np.arange(n) * 1.5
    first, second = data[order[: n // 2]], data[order[n // 2 :]]
    if keep:
        return first, second, rng
    return first + rng.rand(), second - rng.randn(), None


class Model:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.w = self.rng.standard_normal(4) * 0.1
        self.same = self.rng is not None and isinstance(self.rng, np.random.Generator)

    def step(self, rng=None):
        if rng is None:
            rng = self.rng
        self.w = self.w - 0.1 * rng.random(4)
        return self.w.sum()


def across(seed):
    rng = np.random.default_rng(seed)
    a = rng.random(3)
    print("drawn", a.round(6).tolist())
    b = a + rng.random()
    try:
        c = np.random.default_rng(-seed).random(2)
    except ValueError as error:
        c = type(error).__name__
    return b, c, rng.bit_generator.state["state"]["state"]


def many(n):
    total = np.zeros(3)
    for k in range(n):
        total += np.random.default_rng(k).random(3)
    return total


def failing(seed, x):
    rng = np.random.default_rng(seed)
    y = rng.random(3) + x
    with np.errstate(divide="raise"):
        return 1 / (y - y), rng


for turn in range(4):
    print(sample(turn % 2, 5), sample(turn + 3, 5 + turn))
    for keep in (True, False):
        first, second, rng = split(turn, 6, keep)
        print(first, second, rng.get_state()[2] if rng else None, rng.rand() if rng else None)
    model = Model(turn)
    print(model.w, model.same, model.step(), model.step(np.random.default_rng(9)), model.step(), model.rng.random())
    print(across(turn), many(5 + turn))
    try:
        failing(turn, np.ones(3))
    except FloatingPointError as error:
        print(error)


# Random numbers whose generator is first seen inside a function, transforms that are first asked for there.
def walk(x):
    rng = np.random.default_rng(7)
    return (x + rng.normal(size=x.shape)).sum().round(6), rng.integers(0, 10, 4) * 2


def spectrum(x):
    return np.round(np.abs(np.fft.rfft(x)) * 2, 6) + 0.0, np.fft.rfftfreq(len(x)) + 1


def of_the_module(n):
    np.random.seed(3)
    return np.round(np.random.rand(n) + np.random.normal(size=n), 6), np.random.randint(0, 5, n) + 1


def drawn(rng, x):
    y = x + rng.random(x.shape)
    rng.shuffle(x)
    return np.round(y * rng.standard_normal(), 6), x


x = np.arange(8.0)
for _ in range(3):
    print(walk(x), spectrum(x), of_the_module(5))
rng = np.random.default_rng(11)
for _ in range(4):
    print(drawn(rng, x.copy()))
print(rng.random())
