"""A frame and its bytecode.

CPython runs a function as a frame: bytecode, local variables and a stack of values. DynaCC looks at frames before they
run (PEP 523), and executes their bytecode once on symbolic values. `explain` says what became of each line.
"""
import numpy as np

import dynacc


def normalised(a):
    centre = a.mean()
    spread = np.sqrt(((a - centre) ** 2).mean())
    return (a - centre) / spread


seen = dynacc.explain(normalised)(np.arange(8.0))
for line in seen.lines:
    arithmetic = [one["text"] for one in line["bytecode"] if one["text"].startswith("BINARY_OP")]
    print(f"{line['state']:9} {line['text']:50} {', '.join(arithmetic)}")
print(len(seen.graphs), "graph,", len(seen.breaks), "breaks")
