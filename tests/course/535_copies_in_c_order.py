"""A copy in C order that is returned, beside calls of NumPy's that read the array itself, which lies otherwise."""
import numpy as np


def reshaped(x):
    x += 1
    return x.reshape(x.shape[::-1]), [3] * x


def in_part(x):
    x[0] += 1
    return x.reshape(-1), np.sort(x, axis=0), np.cumsum(x, axis=1), np.array(x)


def contiguous(x):
    x -= 2
    return np.ascontiguousarray(x), np.multiply([3], x), np.repeat(x, 2)


def views_of_it(x):
    x *= 2
    flat = x.reshape(-1)
    doubled = flat * 2
    return np.sort(x, axis=0), doubled.reshape(x.shape), flat[:3]


def kept(x):
    x += 1
    return x.copy(order="K"), np.cumsum(x, axis=0), np.sort(x, axis=1), [3] * x


def summed(x):
    x *= 2
    flat = x.flatten()
    return np.sort(x, axis=0), flat.sum(), flat


def bases():
    numbers = np.arange(48, dtype=np.float32)
    yield np.asfortranarray(numbers.reshape(8, 6))
    yield numbers.reshape(6, 8).T[::2]
    yield numbers.reshape(8, 6)
    yield numbers.reshape(8, 6)[::-1, ::2]
    yield numbers.reshape(2, 4, 6).transpose(2, 0, 1)


for function in reshaped, in_part, contiguous, views_of_it, kept, summed:
    for _ in range(2):
        for number, base in enumerate(bases()):
            for result in function(base):
                print(function.__name__, number, result.strides, np.asarray(result).ravel()[:7].tolist())
            print(base.strides, float(base.sum()))
