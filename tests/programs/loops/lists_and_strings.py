"""Loops run over numbers in lists, strings and bytes, with enumerate, zip and reversed, and ways out of them."""
import math
import numpy as np


def sieve(n):
    flags = [True] * (n + 1)
    count = 0
    for i in range(2, n + 1):
        if flags[i]:
            count += 1
            for j in range(i * i, n + 1, i):
                flags[j] = False
    return count, flags[:20]


def insertion_sort(xs):
    for i in range(1, len(xs)):
        key = xs[i]
        j = i - 1
        while j >= 0 and xs[j] > key:
            xs[j + 1] = xs[j]
            j -= 1
        xs[j + 1] = key
    return xs


def edit_distance(a, b):
    rows = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        rows[i][0] = i
    for j in range(len(b) + 1):
        rows[0][j] = j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + cost)
    return rows[-1][-1], rows[1]


def crc(data):
    table = []
    for i in range(256):
        value = i
        for _ in range(8):
            value = (value >> 1) ^ 0xEDB88320 if value & 1 else value >> 1
        table.append(value)
    result = 0xFFFFFFFF
    for byte in data:
        result = table[(result ^ byte) & 0xFF] ^ (result >> 8)
    return result ^ 0xFFFFFFFF


def life(cells, n):
    new = [[0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            total = 0
            for di, dj in ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)):
                x, y = i + di, j + dj
                if 0 <= x < n and 0 <= y < n:
                    total += cells[x][y]
            new[i][j] = 1 if total == 3 or (total == 2 and cells[i][j]) else 0
    return new


def composed(xs, ys, a):
    out = []
    for i, (x, y) in enumerate(zip(xs, ys), 5):
        out.append(i * x + y)
    for k in reversed(range(2, len(xs), 3)):
        out.append(xs[k] - k)
    for i, row in enumerate(a):
        for x, y in zip(row, xs):
            out.append(x * y + i)
    for i, c in enumerate("text é ∂"):
        if c in "aeé∂":
            out.append(ord(c) + i)
    return out


def mixed(xs):
    total = 0
    best = None
    for x in xs:
        if best is None or x > best:
            best = x
        total += x
    while xs:
        total -= xs.pop()
    return total, best, xs


def raises(xs, n):
    found = []
    for i in range(n):
        if xs[i % 5] > 2 and i % 3 == 0:
            found.append((i, xs[i % 5]))
        if i == n - 2:
            raise ValueError(f"stop at {i}")
        xs[i % 5] += 0.25
    return found


calls = 0
limit = 10


def globals_too(n):
    global calls
    step = 0

    def inner():
        nonlocal step
        for i in range(n):
            step += i % limit
        return step
    for i in range(n):
        calls += i
    return inner(), calls


def numbers(n):
    out = []
    for i in range(-n, n):
        q, r = divmod(i, 7)
        out.append(q * 100 + r)
        out.append(round(i / 4) + i.bit_length() + pow(i, 2))
        out.append(max(i, 0.5, i / 3) if i % 2 else min(i, 3, -2.5))
        out.append(math.inf if i == 0 else float(np.float32(1) / np.float32(3)))
    return out, np.float64(out[5])


def reversed_text(s):
    data = bytearray(s.encode())
    i, j = 0, len(data) - 1
    while i < j:
        data[i], data[j] = data[j], data[i]
        i += 1
        j -= 1
    vowels = 0
    for c in s:
        if c in ("a", "e", "i", "o", "u"):
            vowels += 1
    return data, vowels, c


def boxes(xs, ys):
    for i in range(len(xs)):
        xs[-1] = ys[i]
        xs[0] = ys[i] + 1.5
    return [(type(x).__name__, x) for x in xs]


for repeat in range(3):
    print(boxes([1.0, 2.5, 3.5], np.arange(3, dtype=np.float32) / 3), boxes([1, 2, 3], np.array([7, 8, 300], np.int16)))
    print(sieve(200))
    print(insertion_sort([((i * 7919) % 101) / 4 for i in range(40)]), insertion_sort([5, 3, 2.5, 9, -1, True]))
    print(edit_distance("kitten sitting here", "sitting kitten there"), edit_distance("añb∂", "ñ∂b"))
    print(crc(b"the quick brown fox" * 5))
    print(life([[(i * j + repeat) % 3 == 1 for j in range(6)] for i in range(6)], 6))
    print(composed([1.5, 2.5, 3.5, 4.5], [1, 2, 3], np.arange(8.0).reshape(2, 4)))
    print(mixed([3, 1, 4, 1, 5]), mixed([0.5, 2, True, 1e3]), mixed([]), mixed([2**70, 1]))
    try:
        raises([1, 2, 3, 4, 5], 30)
    except ValueError as error:
        print(error)
    try:
        print(raises([1.5, 2, 3, 4, 5], 1), raises([1, 2], 4))
    except IndexError as error:
        print(error)
    print(globals_too(50))
    print(numbers(9))
    print(reversed_text("hello there, loops over text"))
