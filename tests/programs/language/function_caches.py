"""functools.lru_cache, cache and cached_property count hits and misses as CPython counts them."""
import functools

import numpy as np


@functools.lru_cache(maxsize=2)
def window(size):
    print("made", size)
    return np.linspace(0.0, 1.0, size)


@functools.cache
def scale(name, power=1):
    return {"one": 1.0, "two": 2.0}[name] ** power


@functools.lru_cache(typed=True)
def typed(x):
    return type(x).__name__


def weighted(a):
    return a * window(len(a)) + window(len(a))[-1]


def several(a, sizes):
    total = a.sum()
    for size in sizes:
        total = total + window(size).sum()
    return total


def named(a, name):
    return a * scale(name) + scale(name, 2) + scale(name, power=2)


def by_type(a):
    return a + 1, typed(1), typed(1.0), typed(True)


class Model:
    def __init__(self, values):
        self.values, self.computed = values, 0

    @functools.cached_property
    def norm(self):
        self.computed += 1
        return np.sqrt((self.values ** 2).sum())

    @functools.cached_property
    def failing(self):
        raise ValueError("no such thing")

    @functools.lru_cache(maxsize=None)
    def power(self, n):
        return self.values ** n


def normed(model):
    return model.values / model.norm + model.norm


def fresh(a):
    model = Model(a * 2)
    return model.norm * 2 + model.norm, model.computed, sorted(vars(model))


def fails(a):
    model = Model(a)
    try:
        return model.failing
    except ValueError as error:
        return str(error), "failing" in vars(model), a + 1


a = np.arange(4.0)
for _ in range(4):
    print(weighted(a), window.cache_info())
for _ in range(3):
    print(several(a, (4, 3, 5, 4)), window.cache_info())
window.cache_clear()
print(weighted(a), window.cache_info())
for name in ("one", "two", "one", "one"):
    print(named(a, name), scale.cache_info())
for _ in range(3):
    print(by_type(a), typed.cache_info())
model = Model(a + 1)
for _ in range(3):
    print(normed(model), model.computed)
    model.values = model.values * 2
del model.norm
print(normed(model), model.computed, model.power(2), model.power(2), Model.power.cache_info())
for _ in range(3):
    print(fresh(a), fails(a))
