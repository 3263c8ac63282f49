"""Array code amid the rest of the language: decorators, closures, matching, exceptions, iteration."""
import functools
import operator
from collections import namedtuple
from dataclasses import dataclass, field

import numpy as np

from show import show

Pair = namedtuple("Pair", "left right")


@dataclass
class Filter:
    taps: np.ndarray
    gain: float = 1.0
    seen: list = field(default_factory=list)

    def __call__(self, x):
        self.seen.append(x.shape)
        y = x * self.taps[0]
        for i, tap in enumerate(self.taps[1:], 1):
            y = y + np.roll(x, i) * tap
        return y * self.gain


class Base:
    scale = 2.0

    def apply(self, x):
        return x * self.scale + 1.0


class Derived(Base):
    def apply(self, x):
        return super().apply(x) - self.scale


def logged(function):
    calls = 0

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        nonlocal calls
        calls += 1
        result = function(*args, **kwargs)
        return result, calls

    return wrapper


@logged
def normalise(x, *, axis=-1, eps=1e-9):
    """Zero mean, unit variance."""
    return (x - x.mean(axis=axis, keepdims=True)) / np.sqrt(x.var(axis=axis, keepdims=True) + eps)


@functools.lru_cache(maxsize=None)
def window(n):
    return 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(n) / (n - 1))


def optional(x, callback=None, bias=None):
    if callback is not None:
        x = callback(x)
    if bias is None:
        return x * 2
    return x * 2 + bias


def classify(value):
    match value:
        case {"kind": "scale", "by": by}:
            return lambda x: x * by
        case [first, *rest]:
            return lambda x: x + first + len(rest)
        case _:
            return lambda x: -x


def guarded(x, limit):
    try:
        if (peak := float(np.abs(x).max())) > limit:
            raise ValueError(f"peak {peak:.3f} over {limit}")
        return x / (limit - peak)
    except ValueError as error:
        return str(error)
    else:
        return None
    finally:
        show("finally", x.sum())


def generate(x, n):
    for i in range(n):
        x = x * 0.5 + i
        yield x


def search(rows, wanted):
    for i, row in enumerate(rows):
        if row.sum() > wanted:
            break
    else:
        return -1
    return i


def poly(x, *coefficients, **options):
    y = functools.reduce(lambda acc, c: acc * x + c, coefficients, 0.0)
    return operator.neg(y) if options.get("negate") else y


def fixpoint(x, tolerance=1e-6):
    n = 0
    while True:
        nxt = np.cos(x)
        n += 1
        if np.max(np.abs(nxt - x)) < tolerance or n > 200:
            return nxt, n
        x = nxt


data = np.random.default_rng(3).normal(size=(6, 40))
smooth = Filter(np.array([0.5, 0.3, 0.2]))
for round_number in range(6):
    x = data[round_number % 6]
    show("filter", smooth(x))
    show("super", Derived().apply(x))
    show("normalise", normalise(data, axis=round_number % 2))
    show("window", x * window(40))
    show("optional", optional(x))
    show("optional callback", optional(x, np.tanh if round_number % 2 else (lambda v: v - 1)))
    show("optional bias", optional(x, bias=round_number or None))
    for value in ({"kind": "scale", "by": 3.0}, [1, 2, 3], None):
        show("match", classify(value)(x))
    show("guarded", guarded(x, 2.2))
    show("generator", [v for v in generate(x, 3)])
    show("search", search(data, 3.0 + round_number))
    show("poly", poly(x, 1.0, -2, 0.5, negate=round_number % 2 == 0))
    show("fixpoint", fixpoint(x))
    pair = Pair(*np.split(x, 2))
    show("pair", pair.left @ pair.right + pair._replace(left=-pair.left).left)
    Base.scale += 0.25
show("seen", smooth.seen)
print(normalise.__name__, normalise.__doc__, normalise.__wrapped__.__kwdefaults__)
