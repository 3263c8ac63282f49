"""NumPy 1 promotes arrays of rank 0 by the value that they have when they are used."""
import numpy as np


def emptied(x, number):
    number -= number
    return np.where(x > 0, x, number), x - number, x + 1


def through_a_view(x, number):
    view = number[...]
    before = x + number
    view[...] = 3
    return before, x + number, x * view


def of_a_part(x, numbers):
    one = numbers[1:2].reshape(())
    before = x + one
    numbers[1] = 1
    return before, x + one, np.maximum(x, one)


def filled(x, number, value):
    number.fill(value)
    return x + number, np.add(x, number, out=np.zeros(x.shape, np.result_type(x, number)))


def show(name, results):
    print(name, *(f"{r.dtype}:{r.tolist()}" for r in results))


for size in (0, 3):
    for dtype in (np.int8, np.int16, np.float32):
        for value in (70000, 5, -1, 300):
            x = np.arange(size).astype(dtype)
            for function in (emptied, through_a_view):
                for _ in range(3):
                    show(function.__name__, function(x, np.array(value)))
            for _ in range(3):
                show("of_a_part", of_a_part(x, np.array([1, value, 2])))
                show("filled", filled(x, np.array(1), value))
                show("filled", filled(x, np.array(value), 1))
for _ in range(3):
    show("floats", emptied(np.ones(2, np.float32), np.array(1e300)))
    show("floats", through_a_view(np.ones(2, np.float16), np.array(1e30, np.float32)))
