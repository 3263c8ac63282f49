"""Matrix products and whole powers: captured beside NumPy's own, in one process and in turn.

    build/release/dynacc-python bench/products.py

Each line: the operation, its dtype and sizes, NumPy's time of a call in microseconds, and that time
over DynaCC's; medians of interleaved rounds. What stands here depends on the BLAS behind NumPy: only
one whose sums are in order, as the reference BLAS of Debian's NumPy, is replaced.
"""

import statistics

import numpy as np

import dynacc

from array_functions import plain_version, seconds

ROUNDS = 7
SIZES = [(16, 16, 16), (40, 40, 40), (64, 64, 64), (256, 288, 32), (512, 512, 512), (128, 768, 3072), (1, 784, 300),
         (300, 784, 1), (1000, 10, 3)]


def product(a, b):
    return a @ b


def cubic(a, b):
    return a - a**3 / 3


def measure(function, *arguments):
    compiled, plain = dynacc.compile(function), plain_version(function)
    assert np.array_equal(compiled(*arguments), plain(*arguments))
    repeat = max(1, int(0.01 / seconds(plain, arguments, 3)))
    rounds = [(seconds(plain, arguments, repeat), seconds(compiled, arguments, repeat))
              for _ in range(ROUNDS)]
    theirs, ours = (statistics.median(times) for times in zip(*rounds))
    return f"{theirs * 1e6:12.1f} {theirs / ours:8.2f}"


def main():
    rng = np.random.default_rng(1)
    print(f"{'operation':12} {'dtype':8} {'sizes':>16} {'numpy us':>12} {'quicker':>8}")
    for dtype in (np.float32, np.float64, np.int64):
        for m, k, n in SIZES:
            a = (rng.standard_normal((m, k)) * 9).astype(dtype)
            b = (rng.standard_normal((k, n)) * 9).astype(dtype)
            print(f"{'a @ b':12} {dtype.__name__:8} {f'{m} x {k} x {n}':>16}", measure(product, a, b),
                  flush=True)
    for dtype in (np.float32, np.float64):
        a = rng.standard_normal(100_000).astype(dtype)
        print(f"{'a - a**3/3':12} {dtype.__name__:8} {a.size:16}", measure(cubic, a, a), flush=True)


main()
