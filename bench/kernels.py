"""Compiled chains beside NumPy and beside a copy of the same bytes, in one process.

    build/release/dynacc-python bench/kernels.py

Each line: the program, its dtype and number of elements; the time of one compiled call; that time
over NumPy's for the same function, and over a copy that reads and writes as many bytes (inputs read
plus results written). All three are measured in turn, and the medians compared.
"""

import statistics
import sys

import numpy as np

import dynacc

from array_functions import (chain3, chain10, choose, exponentials, layer_norm, plain_version,
                             roots, seconds, softmax, stencil, total, variance)

PROGRAMS = [chain3, chain10, choose, roots, exponentials, stencil, total]
ROW_PROGRAMS = [softmax, layer_norm, variance]  # of one array, rows of ROW_LENGTH
ROW_LENGTH = 1024
SIZES = [("in cache", 4096), ("in cache", 65536), ("64 MB each", 8 << 20)]
ROUNDS = 9


def measure(function, dtype, n):
    rng = np.random.default_rng(1)
    arguments = [rng.uniform(0.1, 1.0, n).astype(dtype) for _ in range(2)]
    if function in ROW_PROGRAMS:
        arguments = [arguments[0].reshape(-1, ROW_LENGTH)]
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
            for function in PROGRAMS + ROW_PROGRAMS:
                ours, numpy, copy = measure(function, dtype, n)
                print(f"{function.__name__:14}{dtype:9}{n:10}{ours * 1e6:12.2f}"
                      f"{ours / numpy:10.2f}{ours / copy:10.2f}", flush=True)


main()
