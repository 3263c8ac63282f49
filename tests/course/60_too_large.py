"""Arrays that no memory can hold, asked for in the middle of captured code: NumPy's own MemoryError."""
import numpy as np

from show import repeat, show

HUGE = np.broadcast_to(np.float64(1.5), (2**30, 2**27))  # 2**60 bytes, if it were written out


def twice(a):
    return a * 2 + 1


def outer(a, b):
    c = np.sqrt(a + 1)
    return c[:, None] * b + b


def make(n):
    return np.zeros((n, n, n)) + 1


def catches(a):
    small = a[0, :4] * 2 + 1
    try:
        large = a + 1
    except MemoryError as error:
        return small, str(error)
    return large


def sorted_grid(a, b):
    grid = a[:, None] * b  # 2**69 bytes, which is 0 in 64 bits
    return np.sort(grid, axis=0)[0] + np.cumsum(grid, axis=1)[1]


def trial(function, *arguments):
    try:
        return function(*arguments)
    except (MemoryError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


show("elementwise", repeat(trial, twice, HUGE))
show("caught inside", repeat(catches, HUGE))
show("outer", repeat(trial, outer, np.arange(8.0), np.broadcast_to(np.float64(2.0), (2**55,))))
show("too many bytes to count", repeat(trial, make, 2**21))
show("a step between", repeat(trial, sorted_grid, np.broadcast_to(2.0, (2**45,)), np.broadcast_to(3.0, (2**21,))))
show("a small array still works", repeat(twice, np.arange(5.0)))
twice(HUGE)
