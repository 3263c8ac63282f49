"""Captured code asks for arrays that no memory holds, and NumPy's own MemoryError comes."""
import numpy as np

from show import repeat, show


# Arrays that no memory holds: NumPy's error comes even if only the array's shape, or a sum of it, is asked for.
def shape_alone():
    return (np.zeros(1 << 62) + 1.0).shape


def fallback():
    n = 1 << 55
    try:
        buffer = np.empty(n) * 2.0
    except MemoryError:
        return "in parts"
    return buffer.ndim


def distances():
    a = np.ones(1 << 23)  # 512 TiB: more than addresses reach, whatever the machine promises
    return (a[:, None] - a[None, :]).sum()


def outer(a, b):
    return np.outer(a + 1, b + 1).shape


def stored(a):
    a[1] = 5.0
    table = a[:, None, None] * a[:, None] * a
    a[2] = 6.0
    return len(table)


def views(a):
    return (np.broadcast_to(a * 2, (1 << 40, a.size)).shape, a[None, None, :3].size, (a[:0] + np.ones((5, 0))).shape)


small, large = np.ones(4), np.ones(1 << 22)
calls = [shape_alone, fallback, distances, lambda: outer(small, small), lambda: outer(large, large), lambda: stored(small),
         lambda: stored(large), lambda: views(small)]
for _ in range(3):
    for call in calls:
        try:
            print(call())
        except (MemoryError, ValueError) as error:
            print(type(error).__name__, error)
    print(small.tolist(), large[:4].tolist())


# Arrays that no memory can hold, asked for in the middle of captured code: NumPy's own MemoryError.
HUGE = np.broadcast_to(np.float64(1.5), (2**30, 2**27))  # 2**60 bytes, if it were written out


def twice(a):
    return a * 2 + 1


def outer_too_large(a, b):
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
show("outer", repeat(trial, outer_too_large, np.arange(8.0), np.broadcast_to(np.float64(2.0), (2**55,))))
show("too many bytes to count", repeat(trial, make, 2**21))
show("a step between", repeat(trial, sorted_grid, np.broadcast_to(2.0, (2**45,)), np.broadcast_to(3.0, (2**21,))))
show("a small array still works", repeat(twice, np.arange(5.0)))
twice(HUGE)
