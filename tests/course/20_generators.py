"""Generators, comprehensions, send and throw, with array code between the yields."""
import numpy as np
from show import show


def relaxation(u):
    while True:
        u = 0.5 * u + 0.25 * (np.roll(u, 1) + np.roll(u, -1))
        received = yield u
        if received is not None:
            u = u + received


def batches(a, size):
    for start in range(0, len(a), size):
        batch = a[start:start + size]
        yield (batch - batch.mean()) / (batch.std() + 1e-9)


def delegating(a):
    first = yield from batches(a, 4)
    yield first
    yield a.sum()


steps = relaxation(np.arange(8.0))
for k in range(12):
    show(f"step {k}", next(steps))
show("sent", steps.send(np.ones(8)))
try:
    steps.throw(ValueError("stop"))
except ValueError as error:
    print("thrown", error)
for _ in range(3):
    show("batches", list(batches(np.arange(10.0) ** 2, 4)))
show("delegating", list(delegating(np.arange(9.0))))
for _ in range(6):
    show("comprehension", [x * 2 + k for k, x in enumerate(np.arange(6.0).reshape(3, 2))])
    show("generator", sum(row.sum() ** 2 for row in np.arange(12.0).reshape(4, 3)))
    print({k: (np.arange(3) * k).tolist() for k in range(3)}, sorted({float(x) for x in np.sin(np.arange(4))}))
