"""sys.exit, os._exit in children, atexit and finalizers meet captured functions."""
import atexit
import sys
import threading

import numpy as np


def compute(a):
    b = a * 2 + 1
    return b.sum()


def leaves(a, k):
    b = a + k
    try:
        c = b * b
        if k == 3:
            sys.exit(f"left with {c.sum()}")
        return c.sum()
    finally:
        print("finally", k, compute(a))


for k in (1, 2, 3, 3, 1):
    try:
        print(leaves(np.ones(3), k))
    except SystemExit as error:
        print("SystemExit", error.code)


class Last:
    def __init__(self, name):
        self.name = name
        self.array = np.ones(3)

    def __del__(self):
        print("finalised", self.name, compute(self.array) if compute else None)


def in_a_thread(a):
    b = a + 1
    sys.exit(5)
    return b


thread = threading.Thread(target=in_a_thread, args=(np.ones(2),))
thread.start()
thread.join()
kept = Last("global")
loop = Last("in a cycle")
loop.itself = loop
atexit.register(lambda: print("atexit", compute(np.arange(5.0))))


def last(a):
    local = Last("local")
    b = a * 2
    c = b + local.array
    sys.exit(int(c.sum()))


last(np.ones(3))
