"""Exceptions raised by and through array code: caught inside, outside, in finally, chained."""
import numpy as np
from show import show


def risky(a, b):
    c = a * 2
    try:
        d = c + b
    except ValueError as error:
        return f"shapes: {error}"
    finally:
        trail.append(c.sum())
    return d - c


def chained(a):
    try:
        return a.reshape(7, 7) + 1
    except ValueError as error:
        raise RuntimeError("cannot reshape") from error


def raises_after(a):
    a += 1
    b = a.sum()
    if b > 20:
        raise KeyError(float(b))
    return b


trail = []
for k in range(12):
    show("same", risky(np.arange(3.0), np.arange(3.0)))
    show("other", risky(np.arange(3.0), np.arange(4.0)))
show("trail", np.array(trail))
for _ in range(4):
    try:
        chained(np.arange(5))
    except RuntimeError as error:
        print(error, "<-", error.__cause__)
counter = np.zeros(4)
for k in range(9):
    try:
        show("after", raises_after(counter))
    except KeyError as error:
        print("KeyError", error)
show("counter", counter)
for bad in (lambda a: a[10], lambda a: a["x"], lambda a: a @ np.ones(3), lambda a: a.nothing, lambda a: a + None,
            lambda a: np.concatenate([a, a[None]]), lambda a: a.sum(axis=3)):
    for _ in range(3):
        try:
            bad(np.arange(4.0))
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
    print(message)
