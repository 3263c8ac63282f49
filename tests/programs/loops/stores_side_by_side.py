"""Loops that store an element a round: lengths, strides, aliases, and what goes wrong in the middle of them."""
import warnings
import zlib

import numpy as np

warnings.simplefilter("always")
LENGTHS = (1, 15, 16, 17, 31, 255, 256, 257, 700)


def arithmetic(out, a, b):
    for i in range(len(a)):
        out[i] = (a[i] * 1.25 + b[i]) / 3.0 - a[i] * b[i]


def roots(out, a, b):
    for i in range(len(a)):
        out[i] = np.sqrt(a[i]) + abs(b[i])


def quotients(out, a, b):
    for i in range(len(a)):
        out[i] = a[i] / b[i]


def clipped(out, a, b):
    for i in range(len(a)):
        value = a[i] - b[i]
        if value > 0.25:
            out[i] = value
        elif value < -0.25:
            out[i] = -value * 2.0


def mixed(out, a, b):
    for i in range(len(a)):
        out[i] = a[i]
        if b[i] > 0:
            out[i] = a[i] + b[i]


def shifted(out, a, b):
    for i in range(len(a) - 1):
        out[i] = a[i + 1] * 0.5 + b[i] * 0.5


def forward(out, a, b):
    for i in range(len(a) - 1):
        out[i + 1] = out[i] * 0.5 + a[i]


def two_stores(out, a, b):
    for i in range(1, len(a)):
        out[i] = a[i] + b[i]
        out[i - 1] = a[i] - b[i]


def truths(out, a, b):
    flags = np.zeros(len(a), dtype=bool)
    for i in range(len(a)):
        flags[i] = a[i] > b[i]
    out[:] = flags


def counts(out, a, b):
    for i in range(len(a)):
        out[i] = a[i] + b[i] - 3


def rows(out, a, b):
    square = np.zeros((7, len(a)))
    for i in range(7):
        for j in range(len(a)):
            square[i, j] = a[j] * i + square[i - 1, j]
    out[:] = square[6]


def columns(out, a, b):
    square = np.zeros((len(a), 5))
    for i in range(len(a)):
        for j in range(5):
            square[i, j] = a[i] + j
    for j in range(5):
        for i in range(len(a)):
            square[i, j] = square[i, j] * 2.0 + b[i]
    out[:] = square.sum(axis=1)


def from_the_end(out, a, b):
    for i in range(len(a)):
        out[-1] = a[i]
        out[i - len(a)] = b[i]


FUNCTIONS = (arithmetic, roots, quotients, clipped, mixed, shifted, forward, two_stores, truths, rows, columns, from_the_end)


def show(name, function, out, a, b):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            function(out, a, b)
            error = ""
        except (IndexError, FloatingPointError, OverflowError, ValueError) as found:
            error = f"{type(found).__name__}: {found}"
    told = [(str(one.message), one.lineno) for one in caught]
    print(name, len(a), zlib.crc32(out.tobytes()), zlib.crc32(a.tobytes()), len(told), told[:2], error)


def operands(n, dtype):
    random = np.random.default_rng(n)
    return random.uniform(0.1, 1.0, n).astype(dtype), random.uniform(0.1, 1.0, n).astype(dtype)


def run_lengths():
    for function in FUNCTIONS:
        for n in LENGTHS:
            for dtype in (np.float64, np.float32):
                a, b = operands(n, dtype)
                show(f"{function.__name__} {np.dtype(dtype)}", function, np.zeros(n, dtype), a, b)


def run_ints():
    for dtype in (np.int64, np.int32, np.uint8, np.int8):
        for n in LENGTHS:
            a = (np.arange(n) % 40).astype(dtype)
            show(f"counts {np.dtype(dtype)}", counts, np.zeros(n, dtype), a, a[::-1].copy())
    for place in (0, 20, 300, 699):
        a = np.arange(700)
        a[place] = np.iinfo(np.int64).max
        show(f"overflow at {place}", counts, np.zeros(700, np.int64), a, np.arange(700) + 5)


def run_strides():
    for function in FUNCTIONS:
        base = np.linspace(0.1, 0.9, 4 * 300)
        a, b = base[::4].copy(), base[1::4].copy()
        wide = np.zeros(3 * 300)
        show(f"{function.__name__} every third", function, wide[::3], a, b)
        show(f"{function.__name__} reversed", function, np.zeros(300)[::-1], a[::-1], b)
        records = np.zeros(300, dtype=[("x", np.int8), ("y", np.float64)])
        show(f"{function.__name__} fields", function, records["y"], a, b)


def run_aliases():
    for function in FUNCTIONS:
        for shift in (-2, -1, 0, 1, 2, 5):
            memory = np.linspace(0.1, 0.9, 600)
            a, out = memory[10:510], memory[10 + shift:510 + shift]
            show(f"{function.__name__} shifted by {shift}", function, out, a, memory[50:550])


def run_faults():
    for value in (np.inf, -np.inf, np.nan, 1e308, -1.0, 0.0):
        for place in (0, 17, 255, 256, 600):
            for function in FUNCTIONS:
                a, b = operands(601, np.float64)
                a[place] = b[place] = value
                show(f"{function.__name__} {value} at {place}", function, np.zeros(601), a, b)
    with np.errstate(all="raise"):
        for function in (arithmetic, quotients, rows):
            a, b = operands(601, np.float64)
            a[300] = b[300] = 1e308 if function is not quotients else 0.0
            show(f"{function.__name__} raises", function, np.zeros(601), a, b)


def run_short():
    for function in FUNCTIONS:
        a, b = operands(400, np.float64)
        show(f"{function.__name__} short", function, np.zeros(333), a, b)


for _ in range(3):  # the last time by what the first have made
    run_lengths()
    run_ints()
    run_strides()
    run_aliases()
    run_faults()
    run_short()
