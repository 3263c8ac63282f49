"""Inner functions capture variables that change; nonlocal, lambdas and partial application are used."""
import functools

import numpy as np
from show import show


def make_scaler(scale):
    def scaled(a):
        return a * scale + offset[0]

    offset = [1.0]
    return scaled, offset


def make_counter():
    count = 0

    def step(a):
        nonlocal count
        count += 1
        return a + count

    return step


scaled, offset = make_scaler(3.0)
step = make_counter()
a = np.arange(4.0)
for k in range(15):
    offset[0] = k // 4
    show(f"scaled {k}", scaled(a))
    show(f"step {k}", step(a))
functions = [lambda x, n=n: x**n + n for n in range(4)]
for _ in range(5):
    for n, function in enumerate(functions):
        show(f"power {n}", function(a))
weighted = functools.partial(lambda w, x: (w * x).sum(), np.arange(4.0))
for _ in range(12):
    show("partial", weighted(a + 1))
composed = functools.reduce(lambda f, g: lambda x: g(f(x)), functions[1:])
for _ in range(6):
    show("composed", composed(a))
