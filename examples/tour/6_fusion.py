"""Fusion.

NumPy runs one loop for each operation, through memory. Operations whose results are used once, element by element, are
put into one group: their values stay in registers. A reduction takes in what it adds up.
"""
import numpy as np

import dynacc


def loss(x, y):
    d = x - y
    return (d * d).mean(), np.exp(-d * d)


def groups(compiled):
    seen = dynacc.explain(compiled, fresh=False)(np.ones(100), np.zeros(100))
    return [entry["groups"] for segment in seen.segments for entry in segment["entries"]][0]


x, y = np.ones(100), np.zeros(100)
fused = dynacc.compile(loss)
fused(x, y)
for group in groups(fused):
    print(f"{group['kind']:12} {len(group['nodes'])} nodes")
