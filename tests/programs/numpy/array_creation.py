"""Functions make arrays, which are new at each call and belong to the caller."""
# test: compiled
import numpy as np
from show import repeat, show


def made(n):
    a = np.zeros(n)
    b = np.ones((n, 2), dtype="f4")
    c = np.arange(n) * 0.5
    d = np.linspace(0, 1, n) + np.full(n, 2.5)
    e = np.empty(n)
    e[:] = c
    return a, b, c, d, e, np.eye(n), np.zeros_like(b), np.ones_like(c, dtype=int), np.array([n, 1.5]), np.asarray(c)


def tables(n):
    i, j = np.indices((n, n))
    x, y = np.meshgrid(np.arange(n), np.arange(n + 1))
    return i * j, x + y, np.outer(np.arange(n), np.ones(n)), np.tri(n), np.diag(np.arange(n))


for n in (1, 3, 10):
    show(f"made {n}", repeat(made, n))
    show(f"tables {n}", repeat(tables, n))
kept = [made(4)[0] for _ in range(12)]
kept[3] += 7
print(sum(k.sum() for k in kept), len({id(k) for k in kept}))
show("random", repeat(lambda rng: rng.normal(size=3) + rng.random(3), np.random.default_rng(0)))
np.random.seed(1)
show("legacy", repeat(lambda: np.random.rand(3) * 2 - np.random.randint(0, 5, 3)))
