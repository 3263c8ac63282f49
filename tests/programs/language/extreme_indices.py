"""Indices, slices and counts stand at the ends of 64 bits, for everything that takes them."""
from collections import deque

import numpy as np

ENDS = (-2**63, -2**63 + 1, -2**63 - 1, 2**63 - 1, 2**63, -2**31 - 1, 2**31, -5, -4, 3, 4)


def read(sequence, i):
    return sequence[i]


def read_in_row(a, rows, i):
    return a * 2 + rows[i][0]


def appended(a, items, i):
    items.append(a.sum())
    return items[i]


def tail(sequence, i):
    return sequence[i:]


def head(sequence, i):
    return sequence[:i]


def stepped(sequence, i):
    return sequence[::i]


def popped(a, items, i):
    return items.pop(i) + a


def inserted(a, items, i):
    items.insert(i, a.max())
    return items


def deleted(a, items, i):
    del items[i]
    return len(items) * a


def stored(a, items, i):
    items[i] = a.sum()
    return items


def ranges(a, i):
    return a + len(range(i, i + 3)), list(range(i, i + 2)), range(i, 2**70, 2**61)[1], range(3)[i]


def rotated(a, items, i):
    items.rotate(i)
    return a + items[0]


def over_arrays(a, i):
    return np.take(a, [i], mode="clip"), a[i:], a[..., :i], a[i]


def counted(a, i):
    for k in range(i, i + 2):
        a = a + float(k)
    return a, [x for x in range(i, 2**80, 2**79)]


def call(function, *arguments):
    try:
        result = function(*arguments)
        print(function.__name__, type(result).__name__, result)
    except Exception as error:
        print(function.__name__, type(error).__name__, error)


for _ in range(3):
    for end in ENDS:
        a = np.arange(4.0)
        for sequence in ([1.5, 2.5, 3, 4], (1, 2, 3, 4), "text", b"byte", a, range(4), deque([1, 2, 3, 4])):
            call(read, sequence, end)
            if not isinstance(sequence, deque):
                call(tail, sequence, end)
                call(head, sequence, end)
                call(stepped, sequence, end)
        call(read_in_row, a, [[1.0], [2.0]], end)
        call(read_in_row, a, ([1.0], [2.0]), end)
        call(appended, a, [1.0, 2.0], end)
        for function in popped, inserted, deleted, stored:
            call(function, a, [1.0, 2.0, 3.0, 4.0], end)
        call(ranges, a, end)
        call(rotated, a, deque([1.0, 2.0, 3.0]), end)
        call(over_arrays, a, end)
        call(counted, a, end)
