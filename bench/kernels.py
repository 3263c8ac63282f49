"""Compiled chains beside NumPy and beside a copy of the same bytes, in one process.

    build/release/dynacc-python bench/kernels.py

Each line: the program, its dtype and number of elements; the time of one compiled call; that time
over NumPy's for the same function, and over a copy that reads and writes as many bytes (inputs read
plus results written). All three are measured in turn, and the medians compared.
"""

import statistics
import sys
import time

import numpy as np

import dynacc


def chain3(a, b):
    return (a + b) * a - b


def chain10(a, b):
    c = a + b
    d = c * a - b
    e = d * 0.5 + a
    g = e * b - c
    return (g * d + e) * 2.0


def choose(a, b):
    return np.where(a > b, a - b, b * 0.5)


def roots(a, b):
    return np.sqrt(a * a + b * b) / (a + 1.5)


def exponentials(a, b):
    return np.exp(-a * b) * a + 1.0


def stencil(a, b):
    return a[:-2] + a[2:] - 2.0 * a[1:-1] + b[1:-1]


def total(a, b):
    return (a * b - a).sum()


PROGRAMS = [chain3, chain10, choose, roots, exponentials, stencil, total]
SIZES = [("in cache", 4096), ("in cache", 65536), ("64 MB each", 8 << 20)]
ROUNDS = 9


def seconds(function, arguments, repeat):
    start = time.perf_counter()
    for _ in range(repeat):
        function(*arguments)
    return (time.perf_counter() - start) / repeat


def plain_version(function):
    """The same function as another code object, which capture leaves alone."""
    code = function.__code__.replace(co_name=function.__name__ + "_plain")
    return dynacc.disable(type(function)(code, function.__globals__))


def measure(function, dtype, n):
    rng = np.random.default_rng(1)
    arguments = [rng.uniform(0.1, 1.0, n).astype(dtype) for _ in range(2)]
    compiled, plain = dynacc.compile(function), plain_version(function)
    moved = sum(a.nbytes for a in arguments) + np.asarray(plain(*arguments)).nbytes
    source, destination = np.ones(moved // 2, np.uint8), np.empty(moved // 2, np.uint8)
    repeat = max(1, 2_000_000 // n)
    for _ in range(5):
        compiled(*arguments)
    rows = [(seconds(compiled, arguments, repeat), seconds(plain, arguments, repeat),
             seconds(np.copyto, (destination, source), repeat)) for _ in range(ROUNDS)]
    return [statistics.median(column) for column in zip(*rows)]


def main():
    sizes = SIZES if len(sys.argv) < 2 else [("", int(size)) for size in sys.argv[1:]]
    print(f"{'program':14}{'dtype':9}{'n':>10}{'us':>12}{'/ numpy':>10}{'/ copy':>10}")
    for _, n in sizes:
        for dtype in ("float64", "float32"):
            for function in PROGRAMS:
                ours, numpy, copy = measure(function, dtype, n)
                print(f"{function.__name__:14}{dtype:9}{n:10}{ours * 1e6:12.2f}"
                      f"{ours / numpy:10.2f}{ours / copy:10.2f}", flush=True)


main()
