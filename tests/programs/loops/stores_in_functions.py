"""Loops that call functions which store to arrays, and where Python may have to go on after such a store."""
import numpy as np


def find(parent, x):
    while parent[x] != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x


def unions(n, edges):
    parent, count = np.arange(n), n
    for k in range(len(edges)):
        a, b = find(parent, edges[k, 0]), find(parent, edges[k, 1])
        if a != b:
            parent[a] = b
            count -= 1
    return parent, count


def swap(a, i, j):
    a[i], a[j] = a[j], a[i]


def reversed_in_place(a):
    for i in range(len(a) // 2):
        swap(a, i, len(a) - 1 - i)
    return a


def sift(heap, i, n):
    while 2 * i + 1 < n:
        child = 2 * i + 1
        if child + 1 < n and heap[child + 1] > heap[child]:
            child += 1
        if heap[i] >= heap[child]:
            return
        swap(heap, i, child)
        i = child


def heap_sorted(a):
    n = len(a)
    for i in range(n // 2 - 1, -1, -1):
        sift(a, i, n)
    for end in range(n - 1, 0, -1):
        swap(a, 0, end)
        sift(a, 0, end)
    return a


def draw(state):
    x = state[0]
    x = (x ^ (x << 13)) & 0xFFFFFFFF
    x = x ^ (x >> 17)
    x = (x ^ (x << 5)) & 0xFFFFFFFF
    state[0] = x
    return x / 4294967296.0


def walk(n):
    state, total = np.array([2463534242]), 0.0
    for _ in range(n):
        total += draw(state) - 0.5
    return total, state[0]


def push(stack, top, value):
    stack[top] = value
    return top + 1


def pushes(n, room):
    stack, top = np.zeros(room), 0
    try:
        for i in range(n):
            top = push(stack, top, i * 0.5)
            if i % 3 == 2:
                top -= 2
    except IndexError as error:
        return str(error), top, stack
    return top, stack


def twice(a, i, x):
    a[i] += x
    a[i + 1] = a[i] * 2 + 1 // x
    return a[i + 1]


def fails_between(n, bad):
    """The second store, or what comes before it, fails after the first one."""
    a, said = np.zeros(n), []
    for i in range(n):
        try:
            twice(a, i, 0 if i == bad else i + 1)
        except (IndexError, ZeroDivisionError) as error:
            said.append((i, str(error)))
    return a.tolist(), said


def counted(counts, k, z):
    counts[k] += 1
    z[k] *= 1 + 1j
    counts[k + 1] -= 1
    return z[k].real


def of_kinds(keys, dtype):
    counts, z, total = np.zeros(12, dtype=dtype), np.ones(12, dtype=complex), 0.0
    try:
        for k in keys:
            total += counted(counts, k, z)
    except (IndexError, OverflowError) as error:
        return str(error), counts, z, total
    return counts, z, total


def row_of(grid, i):
    row = grid[i]
    row[0] = row[-1] + i
    row[1] = row[0] / (i - 30)
    return row[1]


def rows(n):
    grid, total = np.arange(4.0 * n).reshape(n, 4), 0.0
    with np.errstate(divide="raise"):
        try:
            for i in range(n):
                total += row_of(grid, i)
        except FloatingPointError as error:
            return str(error), grid.sum(), total
    return grid.sum(), total


def fill(a, n):
    for i in range(n):
        a[i] = i + a[i - 1]
    return a[n - 1] // 1


def fills(rounds, n):
    a, total = np.zeros(n), 0.0
    for _ in range(rounds):
        total += fill(a, n)
    return total


def inner(a, i):
    a[i] += 1
    return a[i]


def outer(a, i, n):
    first = inner(a, i)
    a[i + 1] += first
    return inner(a, i + 2) + first // (n - i)


def nested(n):
    a, total = np.zeros(n), 0
    try:
        for i in range(n):
            total += outer(a, i, n - 3)
    except (IndexError, ZeroDivisionError) as error:
        return str(error), a.tolist(), total
    return a.tolist(), total


def both(a, items, i):
    a[i] = len(items)
    items.append(i)
    return a[i]


def lists(n):
    a, items, total = np.zeros(n), [], 0.0
    for i in range(n):
        total += both(a, items, i)
    return a.sum(), len(items), total


def overlaps(a, b, i):
    a[i] = b[i] + 1
    b[i] = a[i] * 2
    return b[i + 1] + 1 // (i - 50)


def overlap(n):
    whole, total = np.zeros(n + 8), 0.0
    try:
        for i in range(n):
            total += overlaps(whole[:n], whole[1:], i)
    except ZeroDivisionError as error:
        return str(error), whole.tolist(), total
    return whole.tolist(), total


rng = np.random.default_rng(8)
for turn in range(4):
    parent, count = unions(200, rng.integers(0, 200, (260, 2)))
    print(count, parent.sum(), reversed_in_place(np.arange(41.0)).tolist()[:5], heap_sorted(rng.integers(0, 500, 150)).tolist()[:20])
    print(heap_sorted(rng.random(60)).sum(), walk(300), pushes(90, 200)[0], pushes(90, 20))
    print(fails_between(40, 17), fails_between(30, 99))
    keys = rng.integers(0, 11, 90)
    for dtype in (np.int64, np.int8, np.float32, np.float64, np.int32, np.uint8):
        print(of_kinds(keys[keys > 0].tolist(), dtype), of_kinds([*keys, 11, 3], dtype)[:2])
    print(rows(25), rows(40), fills(3, 50), fills(4, 3000), nested(50), nested(90)[0], lists(60), overlap(40)[1], overlap(70))
