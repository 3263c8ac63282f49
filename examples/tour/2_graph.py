"""The graph.

What the trace finds is a graph: a list of values, each computed from earlier ones by one op. It has no variables, no
memory and no control flow of Python any more. Sizes and numbers may be inputs, too.
"""
import numpy as np

from dynacc.graph import make_graph


def energy(q, p, mass):
    return (p * p).sum() / (2.0 * mass) + np.sqrt(q * q + 1.0).sum()


graph = make_graph(energy, np.ones(6), np.ones(6), 3.0)
for node in graph.nodes:
    print(f"{node.op:12} {node.dtype:5} {list(node.shape)}")
q, p = np.linspace(0.0, 1.0, 6), np.linspace(1.0, 2.0, 6)
print(graph.compile("tile")(q, p, 3.0) == energy(q, p, 3.0))
