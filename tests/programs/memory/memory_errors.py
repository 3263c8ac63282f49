"""Arrays that no memory holds: NumPy's error comes even if only the array's shape, or a sum of it, is asked for."""
import numpy as np


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
