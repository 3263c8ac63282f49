"""with, try/finally, match and the walrus around array code."""
import contextlib

import numpy as np
from show import show


@contextlib.contextmanager
def announced(name):
    print("enter", name)
    try:
        yield name.upper()
    finally:
        print("leave", name)


def guarded(a):
    with announced("block") as label:
        b = a * 2
        if b.sum() > 20:
            return label, b
        c = b + 1
    return label, c


def classify(a):
    match a.shape:
        case (1,):
            return a * 10
        case (n,) if n > 3:
            return a - n
        case (rows, columns):
            return a.sum() * rows + columns
    return a


def walrus(a):
    results = []
    while (norm := np.abs(a).max()) > 0.1:
        a = a / 2
        results.append(norm)
    return results


def format_spec(array):
    """printoptions is a context manager that changes how arrays print."""
    with np.printoptions(precision=3, suppress=True):
        return str(array / 3)


for k in range(12):
    show("guarded", guarded(np.arange(k % 6.0)))
    for shape in [(1,), (2,), (5,), (2, 3)]:
        show("classify", classify(np.ones(shape)))
    show("walrus", walrus(np.array([1.0, -2.0])))
    print(format_spec(np.arange(4.0)), f"{np.float64(2) / 3:.3f}")
