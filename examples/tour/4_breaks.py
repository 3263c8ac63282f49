"""Graph breaks.

Where a trace meets what it does not understand, the graph ends. DynaCC runs that instruction as CPython does, and the
next graph begins behind it. A break costs little, but nothing is fused across it. Each has a hint.
"""
import numpy as np

import dynacc


def noisy(a):
    b = a * a + 1.0
    print("half-way")
    return np.sqrt(b) - a


seen = dynacc.explain(noisy)(np.ones(3))
for one in seen.breaks:
    print(f"{one['reason']} in {one['function']}: {one['source']}")
    print("hint:", one["hint"])
print(len(seen.graphs), "graphs")

try:
    dynacc.compile(noisy, fullgraph=True)(np.ones(3))
except RuntimeError as error:
    print("fullgraph:", "print" in str(error))
