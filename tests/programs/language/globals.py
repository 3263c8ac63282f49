"""Global variables and module attributes change between and during calls."""
import math
import types

import numpy as np
from show import show

SCALE = 2.0
TABLE = np.arange(4.0)
settings = types.SimpleNamespace(shift=1.0, mode="add")


def apply(a):
    if settings.mode == "add":
        return a * SCALE + settings.shift + TABLE
    return a * SCALE - settings.shift * math.pi


def count(a):
    global calls
    calls += 1
    return a * calls


calls = 0
a = np.ones(4)
for k in range(24):
    if k == 8:
        SCALE = 3
    if k == 12:
        settings.mode = "subtract"
    if k == 14:
        settings.mode, settings.shift = "add", -0.5
    if k == 16:
        TABLE = TABLE[::-1].astype("f4")
    if k == 18:
        TABLE[0] = 99
    if k == 20:
        SCALE = np.float32(1.5)
    show(f"{k}", apply(a))
    show("count", count(a))
print(calls)


def changed_builtin(a):
    return sum(a) + len(a)


for k in range(10):
    if k == 6:
        sum = lambda values: -1.0
    if k == 8:
        del sum
    show("builtin", changed_builtin(a))


def replaced(a):
    return a + 1


for k in range(12):
    if k == 6:
        replaced.__code__ = (lambda a: a - 1).__code__
    show("replaced", replaced(a))
