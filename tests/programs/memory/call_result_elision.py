"""NumPy computes an operator in the memory of a large result of a call that nothing else refers to.

NumPy computes an operator in the memory of a large operand that nothing else refers to, whoever made it: a function of its
own, one of the program, a property. The result then has that operand's memory order, and else the order of fresh results.
"""
# test: not-sanitized
import functools

import numpy as np

kept = []


class Layer:
    def __init__(self, x):
        self.x = x
        self.cached = x * 2

    @property
    def twice(self):
        return self.x * 2

    @property
    def held(self):
        return self.cached

    def __add__(self, other):
        return self.x + 1

    def __sub__(self, other):
        return self.cached

    def __call__(self, y):
        return np.exp(self.x)


def root(x):
    y = np.sqrt(x)
    return y


def root_kept(x):
    y = np.sqrt(x)
    kept.append(y)
    return y


def root_enclosed(x):
    y = np.sqrt(x)
    kept.append(lambda: y)
    return y


def root_seen(x):
    y = np.sqrt(x)
    kept.append(y.T)
    return y


def twice_of(x):
    return Layer(x).twice


def same(x):
    return x


def produced(x):
    yield x * 2
    kept_until = x * 3
    yield kept_until


def deeper(x, n):
    y = np.sqrt(x) if n == 0 else deeper(x, n - 1)
    return y


def updated(x, out):
    return np.sqrt(x, out=out)


layer = None
numpy_calls = [
    lambda x, y: np.sqrt(x) * y, lambda x, y: y - np.sqrt(x), lambda x, y: y + np.sqrt(x) * 2,
    lambda x, y: np.logical_or(x, 100) + (y > 0), lambda x, y: np.isfinite(x) & (y > 0), lambda x, y: x.clip(0, 1) + y,
    lambda x, y: np.where(x > 0, x, x) + y, lambda x, y: x.astype('f4') + y.astype('f4'), lambda x, y: np.add(*(x, x)) + y,
    lambda x, y: x[np.arange(len(x))] + y, lambda x, y: np.sort(x, axis=0) + y, lambda x, y: np.array(x) + y,
    lambda x, y: np.asarray(x) + y, lambda x, y: np.asarray(x * 2) + y, lambda x, y: np.roll(x, 1, 0) + y,
    lambda x, y: np.squeeze(x * 2) + y, lambda x, y: np.real(x * 2) + y, lambda x, y: np.full_like(x, 3) + y,
    lambda x, y: np.cumsum(x, axis=0) + y, lambda x, y: np.negative(x) ** 2 + y, lambda x, y: functools.reduce(np.add, [x, x]) + y]
own_calls = [
    lambda x, y: root(x) + y, lambda x, y: root_kept(x) + y, lambda x, y: root_enclosed(x) + y, lambda x, y: root_seen(x) + y,
    lambda x, y: same(x) + y, lambda x, y: same(x * 2) + y, lambda x, y: deeper(x, 3) * y, lambda x, y: sum([x, x, x]) + y,
    lambda x, y: twice_of(x) + y, lambda x, y: (Layer(x) + 1) + y, lambda x, y: (Layer(x) - 1) + y,
    lambda x, y: Layer(x)(y) + y, lambda x, y: [x * 2, y][0] + y, lambda x, y: dict(a=x * 2)['a'] + y,
    lambda x, y: next(iter([x * 2])) + y, lambda x, y: (a := x * 2) + y, lambda x, y: max([x * 2], key=id) + y,
    lambda x, y: updated(x, x.copy('K')) + y, lambda x, y: (root(x) if y[0, 0, 0] else x) + y,
    lambda x, y: [p + y for p in produced(x)][1], lambda x, y: (lambda g: next(g) + y)(produced(x)), lambda x, y: layer.held + y]

for n in (300, 300, 300, 400, 260, 20):
    for dtype in (float, 'f4'):
        for number, function in enumerate(numpy_calls + own_calls):
            x = np.asfortranarray(np.full((n, 250, 3), 4, dtype))
            y = np.ones((n, 250, 3), dtype)
            layer = Layer(x)
            for a, b in ((x, y), (y, x)):
                first, second = function(a, b), function(a, b)
                print(number, first.dtype, first.strides, second.strides, first.flags.owndata, first.sum(), a.sum(), b.sum())
    kept.clear()
