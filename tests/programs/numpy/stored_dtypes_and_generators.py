"""Globals, attributes and dicts hold dtype objects and generators, which are used around breaks."""
import numpy as np

KIND = np.dtype("f4")
TABLE = {"small": np.dtype(np.int16), "big": np.dtype(np.int64), "other": np.dtype(">f8")}


class Layer:
    dtype = np.float32

    def __init__(self, seed, size):
        self.rng = np.random.default_rng(seed)
        self.weights = self.rng.normal(0, 0.1, (size, size)).astype(self.dtype)
        self.kept = np.dtype(self.dtype)
        self.calls = 0

    def __call__(self, x, training=True):
        self.calls += 1
        h = np.asarray(x, dtype=self.kept) @ self.weights
        if training:
            keep = self.rng.random(h.shape) > 0.3
            h = np.where(keep, h / np.float32(0.7), 0)
            h += self.rng.standard_normal(dtype=np.float32) * np.float32(0.01)
        return h.astype(KIND)


def typed(x, name):
    dtype = TABLE[name]
    if not isinstance(dtype, np.dtype):
        return None
    y = np.zeros(len(x), dtype) + x.astype(dtype)
    return y, dtype.kind, dtype.itemsize, y.dtype == dtype, dtype.name, dtype.str, str(y.dtype)


def broken_up(rng, x):
    a = x * rng.random()
    print("first", round(float(a.sum()), 12))
    b = a + rng.normal()
    text = repr(rng.integers(100))
    c = b * rng.uniform(1, 2)
    return c, text, rng.choice(["x", "y"]), rng.permutation(3)


def nested(rng, depth):
    x = np.full(3, rng.random())
    return x if depth == 0 else x * 2 + nested(rng, depth - 1)


def two(r1, r2, same):
    a = r1.random() + r2.random(2)
    return a * (r1.integers(5) if same else r2.integers(5))


def bootstrap(rng, data, n):
    means = []
    for _ in range(n):
        sample = data[rng.integers(0, len(data), len(data))]
        means.append(float(sample.mean()) - float(data.mean()))
    return means


def pi(n):
    np.random.seed(n)
    inside = 0
    for _ in range(20):
        x, y = np.random.rand(), np.random.rand()
        if x * x + y * y < 1:
            inside += 1
    return 4 * inside / 20


layer = Layer(3, 4)
rng = np.random.default_rng(5)
old = np.random.RandomState(5)
for turn in range(4):
    print(layer(np.arange(4.0)), layer(np.arange(8).reshape(2, 4), turn % 2 == 0), layer.calls)
    for name in TABLE:
        print(typed(np.arange(3.0), name))
    print(broken_up(rng, np.arange(3.0)))
    print(nested(rng, 3), nested(old, 2))
    print(two(rng, np.random.default_rng(turn), True), two(rng, rng, False), two(old, old, turn % 2 == 0) if turn < 0 else "-")
    print(bootstrap(rng, np.arange(10.0), 3), pi(turn + 3))
    print(rng.bit_generator.state["state"]["state"], old.get_state()[2])
