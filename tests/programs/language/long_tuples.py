"""Tuples have very many items and sequences repeat very often, and nobody looks at items one by one."""
import sys
import time

import numpy as np

LONG = tuple(range(1_000_000))


def length(t):
    return np.ones(3) * len(t), bool(t), isinstance(t, tuple), t is LONG


def items(t):
    return t[5] + np.arange(2), t[-2:], 7 in t, next(iter(t)), max(t)


def handed_on(t):
    return (lambda *all_items: len(all_items))(*t), hash(t) == hash(LONG), (t, 1)[0] is t


def repeated(a, n):
    return a * n


def updated(a, n):
    a *= n
    return a


def seconds(work):
    start = time.process_time()
    for _ in range(10):
        results = work()
    return time.process_time() - start, results


first, results = seconds(lambda: (length(LONG), items(LONG), handed_on(LONG)))
by_python, _ = seconds(lambda: (max(LONG), hash(LONG), hash(LONG), (lambda *all_items: len(all_items))(*LONG)))
print(results, length(LONG[:1024]), length(LONG[:1025])[:2], items(LONG[:1024]))
# What looked at each item at each capture took 3 to 13 seconds more.
print("as quick as its parts" if first < 5 * by_python + 0.5 else f"{first} seconds, its parts {by_python}")
for sequence in ([4, 5, 6, 7], (4, 5, 6, 7), "abcd", b"abcd", [], (), "", [np.ones(2)]):
    for operation in (repeated, updated):
        for count in (2, 0, -1, 2**62, 2**62 + 1, sys.maxsize, 2**70):
            def once(count=count):
                return operation(sequence[:], count)
            try:
                print(type(sequence).__name__, len(once()))
            except (MemoryError, OverflowError) as error:
                print(type(sequence).__name__, type(error).__name__, error)
