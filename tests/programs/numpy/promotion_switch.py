"""Some arguments exclude each other, and NumPy can be switched to the promotion rules of its version 2."""
import os
import subprocess
import sys

import numpy as np
from show import repeat, show


def join(parts, **keywords):
    try:
        return np.concatenate(parts, **keywords)
    except TypeError as error:
        return str(error)


def join_into(parts, out, **keywords):
    try:
        return np.concatenate(parts, out=out, **keywords), out
    except TypeError as error:
        return str(error), out


parts = (np.array([1.5, 2.5]), np.array([3.5, 4.5]))
for casting in ("no", "equiv", "safe", "same_kind", "unsafe"):
    for dtype in ("f4", "f8", "i8", "c8"):
        show(f"{casting} {dtype}", repeat(join, parts))
        show(f"{casting} {dtype} dtype", join(parts, dtype=dtype, casting=casting))
        show(f"{casting} {dtype} out", join_into(parts, np.zeros(4, dtype), casting=casting))
        show(f"{casting} {dtype} both", join_into(parts, np.zeros(4, dtype), dtype=dtype))
show("both", [join_into(parts, np.zeros(4), dtype="f8") for _ in range(6)][-1])

PROGRAM = """
import numpy as np
def f(a, s): return a * s, a + 2, np.power(a, 2), a * np.float64(3), np.where(a > 1, a, 2.0), np.clip(a, 1, 2.5)
for dtype in "efdilB":
    for _ in range(6):
        results = f(np.array([1, 2, 3], dtype), np.float64(2))
    print(dtype, [str(r.dtype) for r in results], sum(r.sum() for r in results))
"""
for state in ("legacy", "weak", "weak_and_warn"):
    done = subprocess.run([sys.executable, "-c", PROGRAM], env={**os.environ, "NPY_PROMOTION_STATE": state},
                          capture_output=True, text=True)
    print(state, done.stdout, done.stderr.replace("<string>", ""))
