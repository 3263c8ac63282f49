"""tracemalloc counts what python3 allocates: NumPy's temporaries, and nothing of the capture's."""
import tracemalloc

import numpy as np


def temporaries(a):
    b = a * 2.0 + 1.0
    c = np.sqrt(b) - a
    return c.sum()


def counted(function, *arguments):
    tracemalloc.clear_traces()
    before = tracemalloc.get_traced_memory()
    result = function(*arguments)
    size, peak = tracemalloc.get_traced_memory()
    return before, peak // 10_000, result


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, a):
        return (a * self.factor + 1.0).max()


# Of larger ones NumPy uses temporaries again where it can tell who calls, which a sanitizer keeps from it.
a = np.arange(20_000.0)
for _ in range(5):
    print("%.3f" % temporaries(a))
tracemalloc.start()
for _ in range(4):
    print(counted(temporaries, a))
    print(counted(Scale(3.0), a))
for _ in range(3):
    tracemalloc.clear_traces()
    print(tracemalloc.get_traced_memory())
tracemalloc.stop()
for _ in range(5):
    print("%.3f" % temporaries(a), Scale(2.0)(a))
