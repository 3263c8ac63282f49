"""isinstance asks abstract classes, and a no is remembered until something is registered."""
import abc
import collections
import collections.abc
import numbers

import numpy as np
from show import show


class Layer(abc.ABC):
    @abc.abstractmethod
    def __call__(self, x): ...


class Trainable(Layer):
    """Abstract, too: which layers have weights."""


class Scale(Trainable):
    def __init__(self, k):
        self.k = np.full(4, k)

    def __call__(self, x):
        return x * self.k


class Shift(Layer):
    def __call__(self, x):
        return x + 1.0


class Duck:
    def __call__(self, x):
        return x - 2.0


class Closeable(abc.ABC):
    """What has close() counts."""

    @classmethod
    def __subclasshook__(cls, other):
        return True if any("close" in base.__dict__ for base in other.__mro__) else NotImplemented


def forward(layers, x):
    trained = 0
    for layer in layers:
        x = layer(x)
        if isinstance(layer, Trainable):
            trained += 1
        elif not isinstance(layer, Layer):
            x = x * 10.0
    return x, trained


def kinds(x, thing):
    found = [cls.__name__ for cls in (numbers.Number, numbers.Real, collections.abc.Mapping, collections.abc.Sequence,
                                      collections.abc.Iterable, collections.abc.Hashable, collections.abc.Callable,
                                      Layer, Closeable) if isinstance(thing, cls)]
    return x + len(found), found


def subclasses(x):
    return x * 2.0, issubclass(Duck, Layer), issubclass(Scale, Layer), issubclass(dict, collections.abc.Sequence)


def counted(x, items):
    return x + 1.0, collections.Counter(items), collections.Counter(dict.fromkeys(items, 2))


def flattened(items):
    out = []
    for item in items:
        if isinstance(item, collections.abc.Sequence) and not isinstance(item, str):
            out += [float(part) for part in item]
        else:
            out.append(item * 1.0)
    return np.array(out) * 2.0


class Liar:
    @property
    def __class__(self):
        return Scale


layers = [Scale(2.0), Shift(), Duck()]
x = np.arange(4.0)
for round in range(6):
    show("forward", forward(layers, x))
    for thing in (3, 2.5, 1j, "text", [1], (1,), {}, {1}, None, len, layers[0], layers[2], Liar(), np.float64(2), x):
        show(type(thing).__name__, kinds(x, thing))
    show("subclasses", subclasses(x))
    show("counted", counted(x, ["a", "b", "a"]))
    show("flattened", flattened([1, [2, 3], (4,), 5.5]))
    if round == 1:
        Layer.register(Duck)  # from now on it is one
    if round == 3:
        Trainable.register(Shift)
        Duck.close = lambda self: None  # a no is remembered: nothing asks again until something is registered
    if round == 4:
        collections.abc.Sequence.register(Duck)
