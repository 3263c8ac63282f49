"""Array algorithms recurse, as deep as CPython allows and one call deeper."""
import sys

import numpy as np
from show import repeat, show


def merge_sum(a):
    if len(a) <= 4:
        return a.sum()
    middle = len(a) // 2
    return merge_sum(a[:middle]) + merge_sum(a[middle:])


def fft(x):
    n = len(x)
    if n == 1:
        return x
    even, odd = fft(x[::2]), fft(x[1::2])
    twiddle = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
    return np.concatenate([even + twiddle, even - twiddle])


def deep(a, depth):
    if depth == 0:
        return a
    return deep(a + 1, depth - 1) * 1.0


show("merge", repeat(merge_sum, np.sin(np.arange(1000.0)), times=3))
show("fft", repeat(fft, np.cos(np.arange(256.0)) + 0j, times=3))
for depth in (1, 10, 300, 900):
    show(f"deep {depth}", repeat(deep, np.zeros(3), depth, times=3))


def endless(a):
    return endless(a + 1)


def depth_reached():
    def dive():
        nonlocal depth
        depth += 1
        dive()

    depth = 0
    try:
        dive()
    except RecursionError:
        return depth


for _ in range(3):
    try:
        endless(np.zeros(2))
    except RecursionError as error:
        print("RecursionError:", error)
    print("depth", depth_reached())
sys.setrecursionlimit(5000)
show("deeper", deep(np.zeros(2), 4000))
