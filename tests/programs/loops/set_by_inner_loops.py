"""Variables that an inner loop sets and the outer one reads: Mandelbrot's count, the last of a search, none at all."""
# test: compiled
import numpy as np


def mandelbrot(width, height, rounds):
    out = np.zeros((height, width), dtype=np.int64)
    for i in range(height):
        for j in range(width):
            cx = -2.0 + 3.0 * j / width
            cy = -1.0 + 2.0 * i / height
            x = y = 0.0
            for k in range(rounds):
                x, y = x * x - y * y + cx, 2 * x * y + cy
                if x * x + y * y > 4.0:
                    break
            out[i, j] = k
    return out.sum(), k


def by_complex_numbers(width, height, rounds):
    total = 0
    for i in range(height):
        for j in range(width):
            c = complex(-2.0 + 3.0 * j / width, -1.0 + 2.0 * i / height)
            z = 0j
            for k in range(rounds):
                z = z * z + c
                if abs(z) > 2.0:
                    break
            total += k
    return total, z


def last_smaller(a, limits):
    """Which inner loop finds nothing depends on the data: then the last one's find is read, or nothing is there."""
    out = []
    for limit in range(len(limits)):
        for i in range(len(a)):
            if a[i] < limits[limit]:
                found = a[i] * 1.0
        out.append(float(found))
    return out


def until(a, n):
    total = 0.0
    for i in range(n):
        j = 0
        while j < a[i]:
            step = j * 0.5
            j += 1
        total += step
    return total


a = np.array([5.0, 3.0, 8.0, 1.0, 9.0])
counts = np.array([3, 1, 4, 0, 5, 0, 2] * 30)
for k in range(12):
    mandelbrot(20, 15, 30)
    by_complex_numbers(12, 10, 30)
    last_smaller(a, np.array([4.0, 0.5, 9.5] * 20))
    until(counts, 200)
print(mandelbrot(30, 20, 50), by_complex_numbers(30, 20, 50), last_smaller(a, np.array([4.0, 0.5, 9.5])), until(counts, 210))
for call in (lambda: mandelbrot(10, 10, 0), lambda: by_complex_numbers(10, 10, 0), lambda: mandelbrot(0, 10, 5),
             lambda: last_smaller(a, np.array([0.5, 4.0])), lambda: last_smaller(a, np.array([])),
             lambda: until(np.array([0, 3]), 2), lambda: until(counts, 211)):
    for _ in range(3):
        try:
            print(call())
        except (UnboundLocalError, IndexError) as error:
            print(type(error).__name__, error)
