"""Random numbers whose generator is first seen inside a function, transforms that are first asked for there."""
import numpy as np


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
