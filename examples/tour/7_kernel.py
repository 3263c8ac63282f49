"""A kernel.

Each group becomes a C++ function, which Clang compiles in the same process. It does one tile of elements at a time. Each
step has NumPy's very bits: emitted arithmetic where that is provable, or a call of NumPy's own loop.
"""
import re

import numpy as np

import dynacc


def polynomial(a, b):
    return np.sqrt(a * b + 1.0) - a


compiled = dynacc.compile(polynomial, options={"tier_up": 0})
a, b = np.linspace(0.0, 1.0, 10_000), np.linspace(1.0, 2.0, 10_000)
print("the same bits:", compiled(a, b).tobytes() == polynomial(a, b).tobytes())
seen = dynacc.explain(compiled, fresh=False)(a, b)
source = seen.segments[0]["entries"][0]["kernels"]
for line in source[source.index('extern "C"'):].splitlines():
    print(re.sub(r", /.*/", ", ", line))    # without the folder of this file
