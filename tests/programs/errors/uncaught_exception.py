"""An uncaught exception passes several captured functions: the traceback and the exit code show it."""
import traceback

import numpy as np


def inner(a, k):
    b = a * 2
    c = b + 1
    return c[k] / (
        a - np.zeros(
            k + 4))


def outer(a, k):
    total = a.sum()
    result = inner(a,
                   k)
    return result + total


def locals_at_failure(error):
    trace = error.__traceback__
    while trace.tb_next:
        trace = trace.tb_next
    return {name: repr(value) for name, value in trace.tb_frame.f_locals.items()}


a = np.ones(4)
for k in [0] * 12 + [1, 2, 9, 0]:
    try:
        outer(a, k)
    except Exception as error:
        traceback.print_exc()
        print(locals_at_failure(error))
outer(a, 3)
