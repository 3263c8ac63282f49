import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def scale_in_place(x, factor):
    x *= factor


def greet(name, count):
    return f"hello {name}", count * 2


def fails(x):
    return x[100]
