"""The run computes where views lie: rows, columns and slices are read, kept, written, and out of range."""
import warnings

import numpy as np

warnings.simplefilter("always")


def shown(x):
    if not isinstance(x, np.ndarray):
        return type(x).__name__, x
    return x.dtype.str, x.shape, x.strides, x.flags.c_contiguous, x.flags.owndata, x.flags.writeable, x.tolist()


def viterbi(start, moves, seen, observed):
    score = start + seen[:, observed[0]]
    for t in range(1, len(observed)):
        best = score[:, None] + moves
        score = best.max(axis=0) + seen[:, observed[t]]
    return score, score.argmax()


def best_column(a):
    k = a.sum(axis=0).argmax()
    column = a[:, k]
    return column * 2 + 1, column, column.base is a, a[k % 2], a[-k - 1]


def around_the_peak(x):
    k = int(np.argmax(x))
    return x[k:].sum(), x[:k + 1] * 2, x[k], x[k:], x[k:].base is x, x[max(0, 1):k + 1].mean()


def smaller(x, limit):
    x = np.sort(x)
    n = np.searchsorted(x, limit)
    low, high = x[:n], x[n:]
    return low.sum(), high.sum(), low.shape, len(high), low, high[::2]


def without_negatives(x):
    found = x[x > 0]
    x[:len(found)] = found
    return x, found.size


def pivoted(a):
    a = a.copy()
    for i in range(len(a)):
        p = i + np.abs(a[i:, i]).argmax()
        a[[i, p]] = a[[p, i]]
        a[i + 1:] -= np.outer(a[i + 1:, i] / a[i, i], a[i])
    return a


def written(a, x):
    k = a.sum(axis=1).argmin()
    a[k] = x
    a[:, k] += 1
    row = a[k]
    row *= 2
    a[k, 1:3] = 0
    a[k:, 0] = 7
    return a, row, row.base is a


def aliased(a):
    k = np.argmax(a[0])
    column = a[:, k]
    before = column.sum()
    a += 1
    column[0] = -1
    return before, column.sum(), a, a[0, k]


def beyond(a, x):
    k = x.sum()
    return a[:, k] + 1, a[k:].sum()


def attempt(function, *args):
    try:
        return [shown(r) for r in function(*args)]
    except Exception as error:
        return type(error).__name__, str(error)


random = np.random.default_rng(3)
moves, seen = np.log(random.random((4, 4))), np.log(random.random((4, 6)))
for repeat in range(3):
    print(viterbi(np.log(np.full(4, 0.25)), moves, seen, random.integers(0, 6, 20)))
for a in (random.normal(size=(4, 5)), random.normal(size=(5, 4)).T, random.integers(0, 9, (4, 5))[::-1], random.normal(size=(300, 400))[::50, ::40]):
    for repeat in range(3):
        print(attempt(best_column, a), attempt(written, a.copy(), random.random(a.shape[1])), attempt(aliased, a.copy("K")))
        a = a + random.integers(-2, 3, a.shape)
for n in (1, 2, 7, 40):
    for repeat in range(3):
        x = random.normal(size=n)
        print(attempt(around_the_peak, x), attempt(smaller, x, 0.5), attempt(without_negatives, x.copy()))
print(attempt(smaller, np.arange(5.0), 9), attempt(smaller, np.arange(5.0), -9), attempt(smaller, np.arange(0.0), 0), attempt(around_the_peak, np.zeros(0)))
print(pivoted(random.normal(size=(5, 5))).round(9).tolist())
for x in (np.array([1, 1]), np.array([3, 2]), np.array([-1, -2]), np.array([9, 9]), np.array([-9, 0]), np.array([0, 0])):
    for repeat in range(3):
        print(attempt(beyond, np.arange(24.0).reshape(4, 6), x))
large = np.zeros((200, 300))
for repeat in range(4):
    print(attempt(lambda a: written(a, 1.0)[1:], large), large.sum(), large[:, 0].sum())
