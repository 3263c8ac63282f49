"""Writes become values.

Programs write into arrays and look at them through views. A graph has values alone. A write is a new version of the
array, and what is written into an array of the caller happens once, at the very end.
"""
import numpy as np

import dynacc
from dynacc.graph import make_graph


def relax(a):
    b = a.copy()
    b[1:-1] = (a[:-2] + a[2:]) * 0.5     # a write through a view
    b += 1.0                             # a write in place
    return b


def fill(out):
    out[::2] = 7.0                       # a write into the caller's array


print("ops:", ", ".join(sorted({node.op for node in make_graph(relax, np.ones(6)).nodes})))
compiled, array = dynacc.compile(fill), np.zeros(6)
compiled(array)
print(array)
print((dynacc.compile(relax)(np.arange(6.0)) == relax(np.arange(6.0))).all())
