"""max() and min() give one of their arguments, a bool as a bool, beside a size that the values decide."""
import numpy as np


def picks(x, other):
    size = x[x > 1].size
    return max(size, other), min(size, other), max(other, size), min(other, len(x)), max([size, 1, other])


for values in ([0.0, 0.0], [5.0], [2.0, 3.0, 0.0]):
    for other in (True, False, 1, 0, 1.0, 0.5):
        for _ in range(2):
            print(values, other, picks(np.array(values), other))
