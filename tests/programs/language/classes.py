"""Objects have array attributes: methods, properties, inheritance, operators, slots and dataclasses use them."""
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from show import show


class Layer:
    count = 0

    def __init__(self, weights, bias=0.0):
        self.weights = weights
        self.bias = bias
        self.last = None

    def __call__(self, x):
        type(self).count += 1
        self.last = self.activate(x @ self.weights + self.bias)
        return self.last

    def activate(self, z):
        return z

    @property
    def norm(self):
        return np.sqrt((self.weights**2).sum())


class ReLU(Layer):
    def activate(self, z):
        return np.maximum(super().activate(z), 0.0)


class Vector:
    __slots__ = ("data",)

    def __init__(self, data):
        self.data = data

    def __add__(self, other):
        return Vector(self.data + getattr(other, "data", other))

    def __mul__(self, factor):
        return Vector(self.data * factor)

    __rmul__ = __mul__

    def __getitem__(self, key):
        return self.data[key]

    def __len__(self):
        return len(self.data)


@dataclass
class State:
    position: np.ndarray
    velocity: np.ndarray
    history: list = field(default_factory=list)

    def step(self, dt):
        self.velocity = self.velocity - dt * self.position
        self.position = self.position + dt * self.velocity
        self.history.append(float(self.position[0]))
        return self


class Pair(NamedTuple):
    low: np.ndarray
    high: np.ndarray


def split(a):
    return Pair(np.minimum(a, 0), np.maximum(a, 0))


rng = np.random.default_rng(1)
layers = [ReLU(rng.normal(size=(8, 8)), 0.1), Layer(rng.normal(size=(8, 3)))]
x = rng.normal(size=(5, 8))
for k in range(12):
    y = x
    for layer in layers:
        y = layer(y)
    if k == 6:
        layers[0].bias = np.arange(8.0)
    if k == 8:
        ReLU.activate = lambda self, z: np.tanh(z)
    show(f"y {k}", y)
    show("norm", layers[0].norm)
print(Layer.count, ReLU.count, layers[0].last.shape)
v = Vector(np.arange(4.0))
for _ in range(12):
    w = 2 * (v + v) * 0.5 + 1
show("vector", w[1:])
print(len(w))
state = State(np.ones(3), np.zeros(3))
for _ in range(20):
    state.step(0.1)
show("state", state.position)
print(state.history)
for _ in range(12):
    pair = split(np.arange(-2.0, 3.0))
show("pair", pair.low + pair.high)
print(type(pair).__name__, pair._fields)
