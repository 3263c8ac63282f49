"""A process forks while kernels are compiled, and a program ends in the middle of that."""
import os
import sys
import warnings

import numpy as np

# From CPython 3.12 on, as DynaCC has threads.
warnings.filterwarnings("ignore", "This process .* is multi-threaded")


def formula(a, b):
    return np.sqrt(a * b + 1.0) * a - b


values = np.linspace(0.0, 1.0, 200_000)
children = []
for number in range(3):
    for _ in range(12):
        result = formula(values, values + number)
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        for _ in range(12):
            result = formula(values, values - number)
        os._exit(int(result.sum()) % 7)
    children.append(child)
print([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children])
print(result.sum())


def another(a):
    return (a * 3.0 - 1.0) / (a + 2.0) + a * a


for _ in range(20):
    result = another(values)
print(result.sum())
