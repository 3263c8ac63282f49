"""A bool counts as an int in Python's arithmetic and as a size, but not as an axis or a width."""
import numpy as np

# A bool counts as an int in Python's arithmetic; NumPy takes it for a size, but not for an axis or a width.
x = np.arange(24.0).reshape(2, 3, 4)


def total(axis):
    return x.sum(axis=axis), np.sum(x, axis)


def several(axis):
    return x.sum(axis=(axis, 2)), np.transpose(x, (axis, 0, 2)).shape


def joined(axis):
    return np.concatenate([x, x], axis=axis).shape, np.stack([x, x], axis=axis).shape


def extremes(axis):
    return x.max(axis), x.any(axis), x.argmax(axis), np.sort(x, axis)[0, 0], np.diff(x, axis=axis)


def padded(width):
    return np.pad(x[0], width).shape, np.pad(x[0], (width, 1), "edge").shape


def padded_each(width):
    return np.pad(x[0], ((width, 2), (0, 1))).shape


def compared(n):
    return x.sum(axis=n > 1), np.pad(x[0], n > 0)


def sizes(n):
    return x.reshape(24, n).shape, np.reshape(x, (n, -1)).shape, np.roll(x, n)[0, 0], np.repeat(x[0, 0], n), np.split(x, n)[0].shape, np.diff(x, n).shape


def tried(function, *args):
    try:
        print(function.__name__, *args, function(*args))
    except Exception as error:
        print(function.__name__, *args, type(error).__name__, error)


for value in (True, False, np.True_, 1, np.int64(1), 0):
    for function in (total, several, joined, extremes, padded, padded_each, sizes):
        for _ in range(2):
            tried(function, value)
for n in (0, 1, 2):
    tried(compared, n)


# max() and min() give one of their arguments, a bool as a bool, beside a size that the values decide.
def picks(x, other):
    size = x[x > 1].size
    return max(size, other), min(size, other), max(other, size), min(other, len(x)), max([size, 1, other])


for values in ([0.0, 0.0], [5.0], [2.0, 3.0, 0.0]):
    for other in (True, False, 1, 0, 1.0, 0.5):
        for _ in range(2):
            print(values, other, picks(np.array(values), other))
