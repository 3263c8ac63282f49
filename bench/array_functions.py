"""Functions that the benches of kernels share, and how they time a call."""
import time

import numpy as np

import dynacc


def chain3(a, b):
    return (a + b) * a - b


def chain10(a, b):
    c = a + b
    d = c * a - b
    e = d * 0.5 + a
    g = e * b - c
    return (g * d + e) * 2.0


def choose(a, b):
    return np.where(a > b, a - b, b * 0.5)


def roots(a, b):
    return np.sqrt(a * a + b * b) / (a + 1.5)


def exponentials(a, b):
    return np.exp(-a * b) * a + 1.0


def stencil(a, b):
    return a[:-2] + a[2:] - 2.0 * a[1:-1] + b[1:-1]


def total(a, b):
    return (a * b - a).sum()


def softmax(a, b=None):
    e = np.exp(a - a.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def layer_norm(a, b=None):
    c = a - a.mean(axis=1, keepdims=True)
    return c / np.sqrt((c * c).mean(axis=1, keepdims=True) + 1e-5)


def variance(a, b=None):
    return a.var(axis=1)


def seconds(function, arguments, repeat):
    """The mean time of a call."""
    start = time.perf_counter()
    for _ in range(repeat):
        function(*arguments)
    return (time.perf_counter() - start) / repeat


def plain_version(function):
    """The same function as another code object, which capture leaves alone."""
    code = function.__code__.replace(co_name=function.__name__ + "_plain")
    return dynacc.disable(type(function)(code, function.__globals__, None, function.__defaults__))
