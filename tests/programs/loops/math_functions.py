"""Loops over elements use math, random numbers, variables of enclosing functions and comprehensions."""
import math
import random

import numpy as np

from show import attempt, repeat, show

VALUES = [0.5, -0.0, 0.0, 1.0, -1.0, 2.5, 1e-310, 1e300, -7.25, 3, True, 2**53 + 1]
ODD = [float("inf"), float("-inf"), float("nan")]


def singles(values):
    total = 0.0
    for x in values:
        total += math.asinh(x) + math.erf(x) + math.erfc(x) + math.cbrt(x) + math.atan(x)
        total += math.log(abs(x) + 1) + math.log2(abs(x) + 1) + math.log10(abs(x) + 1) + math.log1p(abs(x))
        total += math.exp2(-abs(x)) + math.expm1(-abs(x)) + math.acosh(abs(x) + 1) + math.atanh(0.5 * x / (abs(x) + 1))
        total += math.degrees(x) * 1e-300 + math.radians(x)
    return total


def doubles(values):
    results = []
    for x in values:
        for y in values:
            results.append(math.atan2(x, y))
            results.append(math.copysign(x, y))
            if y != 0:
                results.append(math.fmod(x, y))
    return results


def tests(values):
    count = 0
    for x in values:
        count = count * 2 + math.isnan(x)
        count += 3 * math.isinf(x)
        if math.isfinite(x):
            count += math.trunc(x) % 7 + math.floor(x) % 5 + math.ceil(x) % 3
    return count


def draws(n):
    random.seed(4)
    inside = 0
    draw = random.random
    for _ in range(n):
        x = random.random()
        y = draw()
        if x * x + y * y <= 1:
            inside += 1
    return inside, random.random()


def own_draws(n, source):
    def sample(scale):
        return source.random()

    total = 0.0
    for i in range(n):
        total += sample(i)
    return total


def nearest(points, x, y):
    best = float("inf")
    for a, b in points:
        d = (a - x) ** 2 + (b - y) ** 2
        if d < best:
            best = d
    return best


def enclosed(n, scale):
    offset = 1

    def shifted(x):
        return x * scale + offset + len(table)

    table = [1, 2]
    total = 0
    for i in range(n):
        total += shifted(i)
    for i in range(n):
        offset += i
        total += shifted(i)
    return total


def doubled(values):
    return [x * 2 for x in values if x < 5], [x + i for i, x in enumerate(values)]


show("singles", repeat(singles, VALUES * 4))
show("singles of floats", repeat(singles, [float(x) for x in VALUES] * 4))
attempt("singles, odd", singles, [1.0] * 9 + ODD)
show("doubles", repeat(doubles, VALUES))
attempt("doubles, odd", doubles, [1.0, -2.0, 0.0, -0.0] + ODD)
show("tests", repeat(tests, [float(x) for x in VALUES] * 4 + ODD))
show("tests of ints", repeat(tests, list(range(-50, 50))))
attempt("log of nothing", lambda values: [math.log(x) for x in values], [2.0, 1.0, 0.0])
attempt("exp2 too large", lambda values: [math.exp2(x) for x in values], [2.0] * 9 + [1e9])
show("draws", repeat(draws, 500))
show("own draws", repeat(own_draws, 100, random.Random(9)))
show("nearest", repeat(nearest, [(i * 0.5, i % 7 - 3.0) for i in range(99)], 3.25, 1.5))
show("enclosed", repeat(enclosed, 100, 3))
show("enclosed, of floats", repeat(enclosed, 100, 0.5))
show("doubled", repeat(doubled, [1, 7, 3, 2.5, 9] * 20))
numbers = iter([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
show("what an iterator has left", ([x for x in numbers if x < 4 or next(numbers, None)], list(numbers)))
bits = np.array([0, 1, 2, 255], dtype=np.uint8).view(bool)


def count_true(flags):
    count = 0
    for flag in flags:
        count += 2 if flag == True else 1  # noqa: E712
    return count, flags[2] + 0


show("bytes for truth", repeat(count_true, bits))
