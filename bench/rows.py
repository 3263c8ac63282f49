"""Kernels of rows beside a copy of the array, in one process and in turn.

    DYNACC_TIER_UP=0 DYNACC_THREADS=1 build/release/dynacc-python bench/rows.py [rows [dtype]]

Rows of 1024. Each line: the function, the least time of a call, nanoseconds an element, and the
time over that of np.copyto of the whole array.
"""

import sys
import time

import numpy as np

import dynacc

ROUNDS = 25


def softmax(a):
    e = np.exp(a - a.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def log_softmax(a):
    shifted = a - a.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def layer_norm(a):
    c = a - a.mean(axis=1, keepdims=True)
    return c / np.sqrt((c * c).mean(axis=1, keepdims=True) + np.float32(1e-5))


def rms_norm(a):
    return a / np.sqrt((a * a).mean(axis=1, keepdims=True) + np.float32(1e-5))


def variance(a):
    return a.var(axis=1)


def seconds(function, arguments, repeat):
    start = time.perf_counter()
    for _ in range(repeat):
        function(*arguments)
    return (time.perf_counter() - start) / repeat


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 4096
    dtype = sys.argv[2] if len(sys.argv) > 2 else "float32"
    a = np.random.default_rng(1).uniform(-1, 1, (rows, 1024)).astype(dtype)
    runs = {"copy": (np.copyto, (np.empty_like(a), a))}
    for function in (softmax, log_softmax, layer_norm, rms_norm, variance):
        runs[function.__name__] = (dynacc.compile(function), (a,))
    repeat = max(1, 1_000_000 // a.size)
    for function, arguments in runs.values():
        seconds(function, arguments, 5)
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(ROUNDS):
        for name, run in runs.items():
            best[name] = min(best[name], seconds(*run, repeat))
    for name, time_of_call in best.items():
        print(f"{name:12}{time_of_call * 1e6:10.1f} us{time_of_call / a.size * 1e9:8.3f} ns an element"
              f"{time_of_call / best['copy']:8.2f} copies")


main()
