"""RuntimeWarnings come with their text, file and line: once by default, always or as errors by filter."""
import warnings

import numpy as np
from show import show


def ratio(a, b):
    c = a + b
    d = a / b
    return c * d


def logs(a):
    return np.log(a) + np.log10(a * 2)


a = np.array([0.0, 1.0, -1.0])
good = np.array([1.0, 2.0, 3.0])
for _ in range(12):
    ratio(good, good)
for _ in range(3):
    show("default", ratio(a, a))
    show("default", logs(a))
with warnings.catch_warnings():
    warnings.simplefilter("always")
    for _ in range(3):
        show("always", ratio(a, a))
        show("always", logs(a))
with warnings.catch_warnings():
    warnings.simplefilter("error")
    for _ in range(3):
        try:
            ratio(a, a)
        except RuntimeWarning as warning:
            print("raised:", warning, warning.__traceback__.tb_next.tb_lineno)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in range(3):
        logs(a)
    for warning in caught:
        print(warning.category.__name__, warning.message, warning.lineno)


def warns_itself(a):
    b = a * 2
    warnings.warn(f"sum is {b.sum()}", stacklevel=2)
    return b + 1


for value in (1.0, 2.0, 1.0):
    show("own", warns_itself(np.full(3, value)))
