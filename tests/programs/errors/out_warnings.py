"""What warns as it is put into `out` does so once, also where something after it warns, too."""
import warnings

import numpy as np

warnings.simplefilter("always")


def clipped(flags, values):
    flags.clip(-1, 1, out=flags)
    return np.stack([values, values]).astype("int32").shape


def small(numbers, values):
    np.clip(numbers, -1, 1000, out=numbers)
    numbers.clip(None, 2000.5, out=values)
    return np.sqrt(values - 5).shape


for _ in range(4):
    print(clipped(np.array([True, False]), np.array([np.nan, 1e30], np.float32)), flush=True)
    print(small(np.arange(3, dtype=np.int16), np.arange(3.0)), flush=True)
