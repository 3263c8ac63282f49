"""An operator of NumPy's numbers that warns does so in each round of a loop, and not at compilation."""
import warnings

import numpy as np

warnings.simplefilter("always")


def positive(values):
    last = None
    for v in values:
        last = +v
    return last


def in_try(values):
    last = None
    for v in values:
        try:
            last = +v
        except TypeError as error:
            last = error
    return last


def negative(values):
    count = 0
    for v in values:
        try:
            count += int(-v)
        except TypeError:
            count += 100
    return count


for kind in (np.bool_, np.int8, np.float32):
    for function in (positive, in_try, negative):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            result = function([kind(1)] * 5), function(np.ones(4, kind))
        print(function.__name__, result, [(w.category.__name__, w.lineno) for w in seen])
print(positive([np.bool_(True)] * 2))
