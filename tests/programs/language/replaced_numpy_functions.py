"""Programs put functions of their own in the place of NumPy's while loops use them."""
import functools
import unittest.mock

import numpy as np

POINTS = np.arange(12.0).reshape(4, 3)


def nothing(*arguments):
    return 0.5


def total(function_name, patch_at, replacement):
    module = np.linalg if function_name == "norm" else np
    original = getattr(module, function_name)
    seen = []
    for k in range(60):
        if k == patch_at:
            setattr(module, function_name, replacement)
        seen.append(lengths(POINTS, 2.0))
    setattr(module, function_name, original)
    return seen[0], seen[patch_at], sum(seen)


def lengths(points, scale):
    length = 0.0
    for i in range(len(points)):
        length += np.sum(points[i]) * scale + np.max(points[i]) + np.dot(points[i], points[0])
        length += np.linalg.norm(points[i]) + np.argmin(points[i]) + np.sqrt(length)
    return length


for name in ("sum", "max", "dot", "norm", "argmin", "sqrt"):
    print(name, total(name, 40, nothing))

calls = 0
genuine = np.sum


@functools.wraps(genuine)
def counted(*arguments, **options):
    global calls
    calls += 1
    return genuine(*arguments, **options)


for i in range(150):
    if i == 100:
        np.sum = counted
    last = np.sum(POINTS[i % 4])
np.sum = genuine
print(last, calls)

with unittest.mock.patch("numpy.sum", return_value=7.0) as mocked:
    results = [0.0] * 50
    for i in range(50):
        results[i] = np.sum(POINTS[i % 4]) + np.max(POINTS[i % 4])
print(sum(results), mocked.call_count, mocked.call_args)
