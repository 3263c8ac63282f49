"""Single random numbers are drawn between array operations, and stream, types and arithmetic are Python's."""
import math

import numpy as np


def jitter(rng, points):
    angle = 2 * np.pi * rng.random()
    c, s = np.cos(angle), np.sin(angle)
    scale = 1 + 0.1 * (rng.random() - 0.5)
    moved = points * scale + rng.normal(0.0, 0.01)
    return moved @ np.array([[c, -s], [s, c]]), angle, scale


def pick_rows(rng, data):
    first = data[rng.integers(0, len(data))]
    total = first * 2
    i = int(rng.integers(0, data.shape[1]))
    return total, data[0, i] + data[1, rng.integers(data.shape[1])], type(i).__name__


def noisy_loss(x):
    noise = np.random.rand()
    loss = float(((x - noise) ** 2).sum()) / len(x)
    root = math.sqrt(loss)
    return loss, root, -root + 1, round(loss, 3), max(loss, root), abs(root - 2.0)


def walk(rng, steps):
    x = np.zeros(3)
    for _ in range(steps):
        x = x + rng.standard_normal() * 0.1
        x = x * (1 + rng.uniform(-0.1, 0.1)) + rng.exponential() * 1e-3
    return x


def shuffled(rng, n):
    order = np.arange(n)
    rng.shuffle(order)
    table = np.arange(12.0).reshape(4, 3)
    rng.shuffle(table, axis=1)
    rng.shuffle(table)
    return order, table * 2, rng.permuted(table, axis=0)


def module_state(seed):
    np.random.seed(seed)
    deck = np.arange(8)
    np.random.shuffle(deck)
    a = np.random.randn(3) * np.random.uniform(1, 2)
    return deck, a, np.random.randint(0, 100), np.random.choice(deck), np.random.choice(5)


def mixture(rng, n):
    k = rng.multinomial(n, [0.2, 0.3, 0.5])
    w = rng.dirichlet([1.0, 2.0, 3.0])
    x = rng.multivariate_normal([0.0, 1.0], [[1.0, 0.5], [0.5, 2.0]], n)
    return k, w, (x * 2).sum(axis=0)


def types_of(rng):
    x = np.ones(3) * 2
    values = [rng.random(), rng.integers(0, 9), rng.choice([1, 2, 3]), rng.poisson(3.0), np.random.randint(7),
              np.random.random(), rng.choice(x), rng.binomial(10, 0.5), rng.integers(3, dtype=np.int16)]
    return [(type(v).__name__, repr(v)) for v in values], x


def impossible(rng, x):
    scale = rng.random() - 2.0
    return x * math.sqrt(scale)


def over(rng, x):
    return (x * rng.random()) / (float(x.sum()) - 6.0)


np.random.seed(3)
rng = np.random.default_rng(11)
points = np.linspace(0, 1, 12).reshape(6, 2)
data = np.arange(20.0).reshape(5, 4)
for turn in range(4):
    points, angle, scale = jitter(rng, points)
    print(points.round(6).tolist(), repr(angle), repr(scale))
    print(pick_rows(rng, data))
    print(noisy_loss(np.arange(4.0)))
    print(walk(rng, 3))
    print(shuffled(rng, 6))
    print(module_state(turn % 2))
    print(mixture(rng, 10))
    print(types_of(rng))
    for f, x in ((impossible, np.ones(3)), (over, np.arange(4.0)), (over, np.arange(5.0))):
        try:
            print(f(rng, x))
        except (ValueError, ZeroDivisionError) as error:
            print(type(error).__name__, error)
print(rng.bit_generator.state["state"], np.random.get_state()[2])
