"""Loops over single numbers: milliseconds of the first, second, ... of many calls in a row, under the python that runs this.

    python3 bench/loops.py; build/release/dynacc-python bench/loops.py

The first calls are CPython's and the interpreter's of loops, the later ones run what was compiled meanwhile
(docs/architecture.md, "Loops over elements").
"""
import time

import numpy as np

CALLS = 100
SHOWN = (0, 1, 4, 19, 99)


def gauss_seidel(a):
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            a[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
    return a.sum()


def mandelbrot(counts, limit):
    height, width = counts.shape
    for y in range(height):
        for x in range(width):
            real, imaginary = 3.0 * x / width - 2, 2.0 * y / height - 1
            a = b = 0.0
            n = 0
            while a * a + b * b < 4 and n < limit:
                a, b = a * a - b * b + real, 2 * a * b + imaginary
                n += 1
            counts[y, x] = n
    return counts.sum()


def edit_distance(left, right):
    d = np.zeros((len(left) + 1, len(right) + 1), dtype=np.int64)
    d[:, 0] = np.arange(len(left) + 1)
    d[0] = np.arange(len(right) + 1)
    for i in range(1, len(left) + 1):
        for j in range(1, len(right) + 1):
            changed = 0 if left[i - 1] == right[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + changed)
    return d[-1, -1]


def sieve(is_prime):
    is_prime[:] = True
    for i in range(2, int(len(is_prime) ** 0.5) + 1):
        if is_prime[i]:
            for j in range(i * i, len(is_prime), i):
                is_prime[j] = False
    return is_prime.sum() - 2


def main():
    grid = np.random.default_rng(0).random((400, 400))
    cases = {
        "gauss_seidel": lambda: gauss_seidel(grid.copy()),
        "mandelbrot": lambda: mandelbrot(np.zeros((80, 120), dtype=int), 100),
        "edit_distance": lambda: edit_distance("kitten" * 30, "sitting" * 30),
        "sieve": lambda: sieve(np.zeros(300_000, dtype=bool)),
    }
    for name, call in cases.items():
        times = []
        for _ in range(CALLS):
            start = time.thread_time()
            result = call()
            times.append(1000 * (time.thread_time() - start))
        print(f"{name:14} {result:<16.12g}", *(f"{times[call]:8.2f} ms" for call in SHOWN))


if __name__ == "__main__":
    main()
