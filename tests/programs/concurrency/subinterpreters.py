"""Another interpreter in the same process neither disturbs captured functions nor is disturbed."""
import _xxsubinterpreters as interpreters

import numpy as np
from show import show


def work(a):
    b = a * 2 + 1
    return (b * b).sum()


def around(a, other):
    b = a + 1
    interpreters.run_string(other, "x = [k * k for k in range(5)]\ndef f(n): return n + sum(x)\n"
                                   "print('inside', f(1), flush=True)")
    return work(b)


show("before", [work(np.ones(3)) for _ in range(4)])
for _ in range(3):
    other = interpreters.create()
    show("around", [around(np.ones(3), other) for _ in range(3)])
    try:
        interpreters.run_string(other, "raise ValueError('in there')")
    except interpreters.RunFailedError as error:
        print("RunFailedError", error)
    interpreters.destroy(other)
    show("after", work(np.ones(3)))
