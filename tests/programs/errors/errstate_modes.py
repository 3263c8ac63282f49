"""Floating-point errors are ignored, called, raised and printed as np.errstate says at that moment."""
# test: compiled numpy2
import numpy as np
from show import show


def divide(a, b):
    return a / b + np.sqrt(a) - np.log(b)


good = np.array([1.0, 2.0, 3.0])
bad = np.array([1.0, 0.0, -1.0])
for _ in range(12):
    show("good", divide(good, good))
with np.errstate(all="ignore"):
    for _ in range(12):
        show("ignored", divide(bad, bad))
with np.errstate(all="raise"):
    for first, second in [(good, good), (bad, good), (good, bad), (bad, bad)] * 3:
        try:
            show("raised", divide(first, second))
        except FloatingPointError as error:
            print("FloatingPointError:", error)


def inside(a, b):
    with np.errstate(divide="ignore", invalid="raise"):
        try:
            return a / b
        except FloatingPointError as error:
            return str(error)


for _ in range(6):
    show("inside", inside(good, bad))
    show("inside", inside(bad * 0, bad * 0))
    print(np.geterr())


def seen(kind, flag):
    print("callback", kind, flag)


with np.errstate(all="call", call=seen):
    for _ in range(6):
        show("called", divide(bad, bad))


def overflow(a):
    return np.exp(a * 1000) + np.float32(1e30) * a.astype("f4") ** 3


for mode in ("ignore", "raise"):
    with np.errstate(all=mode):
        for _ in range(6):
            try:
                show(mode, overflow(good))
                show(mode, (good * 1e-200) ** 2)
            except FloatingPointError as error:
                print(error)
