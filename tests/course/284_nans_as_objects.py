# A NaN equals only itself, so sets, dicts, lists and caches tell which object it is: one that code makes is
# another object at each call.
import functools
import math

import numpy as np

kept, seen, table = [], set(), {}


@functools.lru_cache(maxsize=None)
def looked_up(number):
    kept.append("computed")
    return number


def gather(x):
    made = float("nan")
    nans = (made, made * 2, -math.nan, math.nan + 1.0, float(x[0]) * made, math.inf - math.inf, complex("nan"),
            float(made), +made, math.nan)
    for nan in nans:
        seen.add(nan)
        kept.append(nan)
    looked_up(made)
    table[made] = len(table)
    return x + 1, nans


results = [gather(np.arange(3.0)) for _ in range(6)]
print(len(seen), len(table), kept.count("computed"))
print([len({id(nans[i]) for _, nans in results}) for i in range(10)])
print([nans.index(nans[7]) for _, nans in results], [math.copysign(1, nans[2]) for _, nans in results])
print(results[0][1] == results[1][1], results[0][1][:1] == results[0][1][:1], results[0][1][-1] is results[1][1][-1])


def fill(x, missing=float("nan")):
    last = float("nan")
    return np.where(x > 1, x, last), missing, last


first, second = fill(np.arange(4.0)), fill(np.arange(4.0))
for _ in range(5):
    again = fill(np.arange(4.0))
print(first[1] is second[1] is again[1], first[2] is second[2], again[2] is second[2], again[2] in [first[2]])
