"""Functions of numbers that a loop does not change: called with each result, warning and error as they come."""
# test: compiled
import math
import warnings

import numpy as np


def discounted(values, rate, step):
    out = values.copy()
    for i in range(len(out) - 1, -1, -1):
        for j in range(i):
            out[j] = (0.4 * out[j] + 0.6 * out[j + 1]) * math.exp(-rate * step)
    return out


def by_steps(values, rate, steps):
    """An int in the number: made a float, and a divisor that may be 0."""
    out = values.copy()
    for i in range(len(out) - 1):
        out[i] = (out[i] + out[i + 1]) * math.exp(-rate / steps)
    return out.sum()


def summed(n, x, y):
    total = 0.0
    for i in range(n):
        total += math.exp(x * 2.0 - y) * i + math.pow(x, y) + math.atan2(y, -x)
    return total


def seldom(values, x):
    """The call is not made in each round, and raises for some x."""
    count = 0.0
    for v in range(len(values)):
        if values[v] > 2.5:
            count += math.log(x) * values[v]
        else:
            count += 1.0
    return count


def never(values, x):
    count = 0.0
    for v in range(len(values)):
        if values[v] > 1e9:
            count += math.sqrt(-x) + math.exp(x * 1000.0)
        count += values[v]
    return count


def by_numpy(values, x):
    out = np.empty_like(values)
    for i in range(len(values)):
        out[i] = values[i] * np.exp(x) + np.log(x + 1.0) / np.sqrt(x)
    return out


def changes(n, x):
    """What the call is of changes now and then, and in the middle of a round."""
    total = 0.0
    for i in range(n):
        total += math.sin(x)
        if i % 100 == 99:
            x += 0.25
        total -= math.cos(x * 0.5)
    return total


def told(function, *arguments):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            result = function(*arguments)
        except (ValueError, ArithmeticError) as error:
            result = f"{type(error).__name__}: {error}"
    print(function.__name__, result, [str(one.message) for one in seen][:3], len(seen))


values = np.linspace(0.0, 5.0, 400)
for k in range(12):
    discounted(values, 0.1, 0.01)
    by_steps(values, 0.1, 200)
    summed(2000, 0.5, 1.5)
    seldom(values, 2.0)
    never(values, 2.0)
    by_numpy(values[:50] + k, 0.5)
    changes(1000, 0.5)
told(discounted, values, 0.05, 1 / 3)
told(discounted, values, -1e5, 1.0)
told(discounted, values[:0], -1e5, 1.0)
for steps in (200, 1, 0, -1, 10**30):
    told(by_steps, values, 0.05, steps)
    told(by_steps, values[:1], 0.05, steps)
told(by_steps, values, -1e6, 3)
for n in (0, 1, 3000):
    told(summed, n, 0.25, -1.5)
    told(summed, n, -0.25, 1.5)
    told(summed, n, 1e3, 1.5)
    told(summed, n, float("nan"), 1.5)
    told(summed, n, float("inf"), 1.0)
for x in (3.0, 0.0, -1.0, float("nan"), float("inf")):
    told(seldom, values, x)
    told(seldom, values[:3], x)
    told(never, values, x)
    told(by_numpy, values[:3], x)
    told(by_numpy, values[:300], x)
    told(changes, 5000, x)
