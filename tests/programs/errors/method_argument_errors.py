"""Errors about a method's arguments tell how it was called: through the object, its class, or on its own."""
import numpy as np


def through_the_array(x):
    y = x + 1
    return y.conj(axis=-1)


def of_a_result_that_is_kept(x):
    y = x * 2
    z = y.transpose(axes=(0,))
    return y, z


def of_a_number(x):
    return x.sum().item(at=0)


def bound_before(x):
    y = x + 1
    call = y.conj
    return call(axis=-1)


def through_the_class(x):
    y = x + 1
    return np.ndarray.conj(y, axis=-1)


def too_many(x):
    y = x + 1
    return y.fill(1, 2)


def right(x):
    y = x + 1
    return y.conj(), np.ndarray.sum(y, axis=0), np.ndarray.reshape(y, -1, 1), list(map(np.ndarray.max, [y, y * 2]))


def of_another_class(x):
    y = x.sum()
    return np.ndarray.sum(y)


for values in (np.arange(3.0), np.arange(4), np.float64(2.0)):
    for call in (through_the_array, of_a_result_that_is_kept, of_a_number, bound_before, through_the_class, too_many, right,
                 of_another_class):
        for _ in range(2):
            try:
                print(call.__name__, call(values))
            except Exception as error:
                print(call.__name__, type(error).__name__, error)
