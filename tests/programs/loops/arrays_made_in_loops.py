"""Loops that make arrays for loops in them: zeros, ones, copies, of any type and shape."""
# test: compiled
import numpy as np


def row_of_none(m):
    for k in range(3):
        empty = np.zeros((m, 0))
        for i in range(m):
            row = empty[i]
    return row.strides, row.shape, empty.strides


def power(m, n):
    size = m.shape[0]
    result = np.eye(size, dtype=np.int64)
    while n > 0:
        if n % 2 == 1:
            t = np.zeros((size, size), dtype=np.int64)
            for i in range(size):
                for j in range(size):
                    s = 0
                    for k in range(size):
                        s += result[i, k] * m[k, j]
                    t[i, j] = s % 1000003
            result = t
        t = np.zeros((size, size), dtype=np.int64)
        for i in range(size):
            for j in range(size):
                s = 0
                for k in range(size):
                    s += m[i, k] * m[k, j]
                t[i, j] = s % 1000003
        m = t
        n //= 2
    return result, t, m, m is t, result is t
def visits(graph, n):
    total = 0
    for start in range(n):
        seen = np.zeros(n, dtype=np.bool_); queue = np.empty(n, dtype=np.int64)
        queue[0] = start; seen[start] = True; head = 0; tail = 1
        while head < tail:
            u = queue[head]; head += 1; total += 1
            for k in range(graph.shape[1]):
                v = graph[u, k]
                if not seen[v]:
                    seen[v] = True; queue[tail] = v; tail += 1
    return total, seen, seen.flags.owndata, seen.base is None, queue[:tail]
def automaton(grid, steps):
    h, w = grid.shape
    for step in range(steps):
        new = grid.copy()
        for y in range(h):
            for x in range(w):
                s = grid[y - 1, x] + grid[y, x - 1] + grid[(y + 1) % h, x]
                if s > 1: new[y, x] = s - 2
        grid = new
    return grid, new is grid, new.flags.c_contiguous
def names(a, rounds):
    first = second = third = np.zeros(3, dtype=np.int32)
    for i in range(rounds):
        c = np.ones(3, dtype=np.int32)
        for j in range(3): c[j] += a[i, j] + first[j]
        third = second; second = first
        if i % 3 == 2: first = second
        else: first = c
    return first, second, third, c, first is c, first is second, second is third, third is c
def rows(a, n):
    s = 0
    for i in range(n):
        t = np.full((2, 3), i)
        row = t[1]; column = t[:, 0]
        for j in range(3): row[j] += a[i, j]
        for j in range(2): column[j] *= 2
        for part in t:
            for x in part: s += x
    return s, t, row, column, row.base is t, column.base is t
def part_only(a, n):
    last = a[0]
    for i in range(n):
        row = np.zeros((2, 3), dtype=np.int64)[1]
        for j in range(3): row[j] = last[j] + i
        last = row
    return last, last.base, last.base is None
def fills(a, n):
    s = 0.0
    for i in range(n):
        p = np.full((2, 2), 1.5); q = np.full(3, i, dtype=np.int16); r = np.ones((2, 2), dtype=np.float32)
        t = np.full(2, i > 3); u = np.ones((1, 1), dtype=complex) if i < 0 else np.ones_like(a)
        v = np.full_like(a, 2); w = np.zeros_like(a, dtype=np.uint8); z = np.empty_like(a)
        z[0, 0] = 1
        s += p[1, 1] + q[2] + r[1, 0] + t[1] + u[2, 1] + v[1, 2] + w[0, 1] + z[0, 0]
        w[1, 1] = i
    return s, p, q, r, t, u, v, w, z[0, 0], z.dtype, z.shape
def sizes(a, n):
    s = 0
    for i in range(n):
        k = i % 4 + 1 if i > 20 else 3
        t = np.zeros((k, 2), dtype=np.int64)
        for j in range(k): t[j, 0] = a[i, j % 3]; s += t[j, 0] * k
    return s, t
def computed_sizes(a, pad):
    h, w = a.shape; s = 0
    for i in range(h):
        row = np.zeros(w + 2 * pad, dtype=np.int64)
        for j in range(w): row[j + pad] = a[i, j]
        for j in range(w):
            for k in range(2 * pad + 1): s += row[j + k] * (k + 1)
    return s, row
def out_of_range(a, n):
    s = 0
    try:
        for i in range(n):
            t = np.zeros(3, dtype=np.int64)
            for j in range(3): t[a[i, j] % (3 if i < 30 else 9)] += 1
            s += t[0]
    except IndexError as error: return str(error), i, j, s, t
    return s
def negative(n):
    done = 0
    try:
        for i in range(n):
            t = np.zeros(40 - i, dtype=np.int64)
            for j in range(3): t[j] = i
            done += t[2]
    except (ValueError, IndexError) as error: return str(error), i, done
def made(n, value):
    t = np.zeros((n, n), dtype=np.int64)
    for i in range(n): t[i, i] = value
    return t
def of_functions(n, rounds):
    s = 0; kept = made(n, 1)
    for i in range(rounds):
        t = made(n, i)
        for j in range(n): s += t[j, j] + kept[j, j]
        if i % 5 == 0: kept = t
        if s % 1000003 == 7: break
    return s, t, kept, kept is t
def lookups(k):
    t = np.zeros(4, dtype=np.int64)
    for i in range(4): t[i] = k + i
    return t[k]
def of_functions_that_fail(n):
    s = 0
    try:
        for i in range(n): s += lookups(i)
    except IndexError as error: return str(error), i, s
def kept_in_tuples(n):
    pair = (0, 0)
    for i in range(n):
        t = np.zeros(2, dtype=np.int64)
        t[0] = i; t[1] = pair[0]
        pair = (t[0], i)
    return pair, t
def of_its_dtype(a, n):
    s = 0
    for i in range(n):
        d = a.dtype
        t = np.zeros((2, 3), dtype=a.dtype); u = np.ones(2, d)
        t[0, 1] = a[i, 0]; s += t[0, 1] + u[1]
    return s, t, u, d is a.dtype, d is t.dtype
def large(n):
    for i in range(n):
        t = np.zeros((600, 600), dtype=np.int64)
        for j in range(600): t[j, j] = i + j
    return t.sum()
def doubles(a, n):
    s = 0.0
    for i in range(n):
        r = np.zeros((3, 3)); p = np.zeros(3, dtype=float)
        for j in range(3):
            for k in range(3): r[j, k] = a[i, j] * a[i, k]
        p += r[1] * 2.0; r[2, 1:] = p[1:]
        s += p.sum() + r[2].max() + r[0] @ r[1]
    return s, r, p
def columns_first(a, n):
    f = np.asfortranarray(a); s = 0
    for i in range(n):
        t = np.zeros_like(f); u = f.copy()
        t[1, 0] = i; u[0, 1] += t[1, 0]
        s += u[0, 1]
    return s, t.flags.f_contiguous, t, u.flags.c_contiguous


rng = np.random.default_rng(5)
a = rng.integers(0, 9, (60, 3))
for repeat in range(4):
    print(power(rng.integers(0, 1000, (4, 4)), 12345), visits(rng.integers(0, 12, (12, 2)), 12))
    print(automaton(rng.integers(0, 2, (6, 7)), 9), automaton(rng.integers(0, 2, (6, 7)), 0 + 1), names(a, 31), names(a, 60))
    print(rows(a, 60), part_only(a, 50), fills(a, 30), sizes(a, 60), computed_sizes(a, 2), out_of_range(a, 60), negative(60))
    print(of_its_dtype(a, 20), of_its_dtype(a * 0.5, 20), row_of_none(20))
    print(of_functions(3, 40), of_functions_that_fail(9), kept_in_tuples(40), large(3), doubles(a * 0.5, 60), columns_first(a, 20))
