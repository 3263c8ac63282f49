"""A function prints before and after array code, and the output keeps the program's order."""
import sys

import numpy as np
from show import show


def talkative(a):
    b = a * 2 + 1
    print("after the first step:", b[:2])
    c = b / (a + 1)
    print("sum so far", c.sum(), file=sys.stderr)
    d = np.sqrt(c)
    print(f"mean {d.mean():.17g}")
    return d - c


for n in (3, 4, 5, 1000):
    for _ in range(4):
        result = talkative(np.arange(float(n)))
    show(f"result {n}", result)


def prints_and_updates(a):
    a += 1
    print("updated to", a[0])
    a *= 2
    return a


a = np.zeros(4)
for _ in range(8):
    prints_and_updates(a)
show("a", a)
