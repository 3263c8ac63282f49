"""The contents of arrays decide the control flow."""
import numpy as np
from show import show


def normalise(a):
    if a.max() > 10:
        a = a / a.max()
    elif (a < 0).any():
        a = a - a.min()
    else:
        a = a + 1
    return a * 2


def converge(x, target):
    rounds = 0
    while np.abs(x * x - target).max() > 1e-12 and rounds < 50:
        x = 0.5 * (x + target / x)
        rounds += 1
    return x, rounds


def short_circuit(a, b):
    return (a.sum() > 3 and b.mean()) or (not b.all() and a)


for values in ([1, 2, 3], [-1, 2, 3], [1, 20, 3], [0, 0, 0], [-5, 50, 5]) * 4:
    show(str(values), normalise(np.array(values, float)))
for n in (1, 5, 200):
    show(f"roots {n}", converge(np.ones(n), np.arange(1.0, n + 1)))
for k in range(12):
    show(f"or {k}", short_circuit(np.arange(k % 4.0 + 1), np.arange(k % 3.0 + 1)))


def ambiguous(a):
    if a > 1:
        return "yes"
    return "no"


for _ in range(4):
    print(ambiguous(np.array([5])), ambiguous(np.array(0)))
    try:
        ambiguous(np.array([1, 2]))
    except ValueError as error:
        print(error)
