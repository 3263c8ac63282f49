"""np.split and its kin take NumPy's ints, arrays of places, and places that the run computes."""
import numpy as np


def shown(parts, x):
    return [(p.shape, p.strides, p.base is x or p.base is x.base, p.tolist()) for p in parts]


def by_count(x, n):
    return np.split(x, n)


def nearly(x, n):
    return np.array_split(x, n)


def sums(x, counts):
    return np.array([part.sum() for part in np.split(x, np.cumsum(counts)[:-1])])


def at_places(x, places):
    first, *rest = np.split(x, places, axis=-1)
    return [first * 2, *rest]


def at_computed(x):
    k = x.argmax() if x.ndim == 1 else x.sum(axis=1).argmax()
    a, b = np.split(x, [k])
    return a, b, np.array_split(x, [k, k + 1])[1]


def changed(x, places):
    parts = np.split(x, places)
    parts[0][...] = -1
    x += 1
    return parts


def attempt(function, x, *args):
    try:
        result = function(x, *args)
        return result.tolist() if isinstance(result, np.ndarray) else shown(result, x)
    except Exception as error:
        return type(error).__name__, str(error)


random = np.random.default_rng(8)
for n in (np.int64(2), np.int32(3), np.uint8(4), np.int64(5), 6, np.int64(0), np.float64(2), True):
    for repeat in range(3):
        print(repr(n), attempt(by_count, np.arange(12.0), n), attempt(nearly, np.arange(14).reshape(7, 2), n))
for counts in ([3, 4, 5], [1, 10, 1], [12, 0, 0], [0, 6, 6], [2, 2, 2, 2, 2, 2]):
    for repeat in range(3):
        x = random.normal(size=12).round(3)
        print(attempt(sums, x, np.array(counts)), attempt(at_places, x, np.cumsum(counts)[:-1]), attempt(at_places, x, tuple(np.cumsum(counts)[:-1])),
              attempt(changed, x.copy(), np.cumsum(counts)[:-1]))
for x in (np.arange(9.0), np.arange(9.0)[::-1], random.normal(size=9), random.normal(size=(5, 3)), random.normal(size=(3, 5)).T):
    for repeat in range(3):
        print(attempt(at_computed, x))
