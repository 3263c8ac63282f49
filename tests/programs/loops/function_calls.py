"""Loops over elements call Python functions that return, raise, change things and are changed themselves."""
import math
import warnings

import numpy as np

from show import attempt, repeat, show


def mix(x, y, scale=0.5, *, unused=None):
    return x * scale + y


def blend(x, y, scale=0.5):
    return x * scale + y


def clamp(x, low, high):
    """Several returns."""
    if x < low:
        return low
    if x > high:
        return high
    return x


def rotate(x, y, c=0.6, s=0.8):
    return c * x - s * y, s * x + c * y


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def checked(x):
    if x < 0:
        raise ValueError(f"{x} is negative")
    return math.sqrt(x)


def nothing(x):
    x + 1


def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


def put(a, i, value):
    a[i] = value


def put_and_read(a, i, value):
    a[i] = value
    return a[i] + a[i - 1]


def by_all(a, n):
    total = 0.0
    for i in range(n):
        total += blend(a[i], i) + blend(a[i], i, 2) + clamp(a[i], 0.25, 0.75)
        x, y = rotate(a[i], i)
        total += x - y + collatz(i + 1)
        if nothing(i) is None:
            total += 1
    return total


def by_keyword(a, n):
    total = 0.0
    for i in range(n):
        total += mix(a[i], 1, unused=3) + blend(x=a[i], y=2)
    return total


def by_checked(a, n):
    total = 0.0
    for i in range(n):
        total += checked(a[i])
    return total


def by_factorial(n):
    return [factorial(i % 9) for i in range(n)]


def powers(n):
    """Ints that leave 64 bits inside of the function, and come back."""
    def cube_mod(x):
        return x * x * x % 1000003

    total = 0
    for i in range(n):
        total += cube_mod(i * 12345678)
    return total


def stores(a, n):
    for i in range(n):
        put(a, i, i * 0.5)
    total = 0
    for i in range(n):
        total += put_and_read(a, i, i - 1.5)
    return total


def inner_loops(rows, n):
    def row_sum(row):
        s = 0
        for x in row:
            if x > 5:
                continue
            s += x
        else:
            s += 0.5
        return s

    total = 0
    for i in range(n):
        for row in rows:
            total += row_sum(row)
    return total


def wrapped(a, n):
    """NumPy warns of the function's line."""
    def double(x):
        return x + x

    last = None
    for i in range(n):
        last = double(a[i % len(a)])
    return last


data = np.random.default_rng(5).random(200)
show("all", repeat(by_all, data, 200))
show("keyword", repeat(by_keyword, data, 100))
attempt("checked", by_checked, data, 200)
attempt("checked, negative", by_checked, data - 0.5, 200)
show("factorial", repeat(by_factorial, 40))
show("powers", repeat(powers, 300))
show("stores", repeat(stores, data.copy(), 200))
show("inner", repeat(inner_loops, [[1, 2, 9], [0.5, 7.5], []], 50))
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    show("wrapped", repeat(wrapped, np.array([1, 100, 5], dtype=np.int8), 50))
print(len(warned), {(str(w.message), w.lineno) for w in warned})
attempt("an array of arrays", by_all, np.ones((3, 2)), 3)
attempt("None", by_all, [None] * 3, 3)
attempt("a list", by_all, [0.5, 1, True] * 5, 15)

# Functions and their globals that are changed between and within calls.
weight = 2


def weighted(x):
    return x * weight


def use_weighted(n):
    total = 0
    for i in range(n):
        total += weighted(i)
    return total


def count_up(n):
    global weight
    for i in range(n):
        weight += weighted(i) % 3
    return weight


show("weighted", repeat(use_weighted, 50))
weight = 2.5
show("another weight", repeat(use_weighted, 50))
weight = 1
show("written", repeat(count_up, 20, times=4))
weighted.__defaults__ = (7,)
show("with a default too many", repeat(use_weighted, 50, times=2))
weighted.__code__ = (lambda x: x - 1).__code__
show("another code", repeat(use_weighted, 50))


def weighted(x, y=3):
    return x + y


show("another function", repeat(use_weighted, 50))
weighted.__defaults__ = (4,)
show("another default", repeat(use_weighted, 50))
del weight
show("a name deleted", repeat(use_weighted, 50))

table = [1, 2, 3]
grid = np.arange(6.0)


def looked_up(i):
    return table[i % 3] + grid[i % len(grid)]


total = 0
for i in range(300):
    total += looked_up(i)
    if i == 250:
        table = [5, 6, 7]
        grid = grid * 2
show("globals of a function, in a module's loop", total)


def n_squared():
    return n * n


sums = 0
for n in range(200):
    sums += n_squared()
show("a loop's variable, read by a function", sums)
