"""Functions that NumPy computes with inner loops of its own stand between compiled steps.

Which path such a loop takes can depend on where its operands lie: scratch memory must not look
different from arrays.
"""
# test: compiled numpy2
import numpy as np

from show import show


def bell(x):
    return np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi)


def chain(x):
    return np.tanh(np.log(np.exp(x * x) + 1.0) * np.sin(x + 0.5)) - np.sqrt(np.abs(x))


for size in (1, 15, 16, 17, 1000, 1023, 1024, 1025, 2048, 5000, 70001):
    values = np.random.default_rng(size).normal(size=size)
    for dtype in (np.float64, np.float32):
        for _ in range(4):
            b, c = bell(values.astype(dtype)), chain(values.astype(dtype))
        show(f"bell {size}", b)
        show(f"chain {size}", c)
        # NumPy takes another loop where an array read backwards seems to touch the result: the first element keeps them apart.
        show("reversed", chain(np.append(0.5, values).astype(dtype)[:0:-1]))
