"""Operators on constants that warn: the warning is the call's own, once, at its line."""
import warnings

import numpy as np


def wide(x=3e100):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = np.float32(1) + x
        total = np.arange(3.0) + result
    return total, [(w.category.__name__, str(w.message), w.lineno) for w in caught]


if hasattr(np, "_set_promotion_state"):  # NumPy 1.24 to 2.1
    state = np._get_promotion_state()
    np._set_promotion_state("weak_and_warn")
    print(wide(), wide())
    np._set_promotion_state(state)
print(wide(), wide())
