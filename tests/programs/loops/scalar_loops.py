"""Loops run over single elements with every kind of number, and other threads watch them."""
# test: compiled
import math
import threading
import weakref

import numpy as np


def seidel(a, steps):
    n = a.shape[0]
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                a[i, j] = (a[i-1, j-1] + a[i-1, j] + a[i-1, j+1] + a[i, j-1] + a[i, j] + a[i, j+1] + a[i+1, j-1] + a[i+1, j] + a[i+1, j+1]) / 9.0
    return a
def matmul(a, b):
    n, m = a.shape; p = b.shape[1]; c = np.zeros((n, p))
    for i in range(n):
        for j in range(p):
            s = 0.0
            for k in range(m):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return c, s
def cholesky(a):
    n = len(a)
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
        for k in range(i):
            a[i, i] -= a[i, k] * a[i, k]
        a[i, i] = math.sqrt(a[i, i])
    return a
def floyd(d):
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]: d[i, j] = d[i, k] + d[k, j]
    return d
def lev(a, b):
    n, m = len(a), len(b); d = np.zeros((n + 1, m + 1), dtype=int)
    for i in range(n + 1): d[i, 0] = i
    for j in range(m + 1): d[0, j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = 0 if a[i-1] == b[j-1] else 1
            d[i, j] = min(d[i-1, j] + 1, d[i, j-1] + 1, d[i-1, j-1] + cost)
    return d
def crc(data, table):
    c = 0xFFFF
    for i in range(len(data)):
        c = (c >> 8) ^ table[(c ^ data[i]) & 0xFF]
    return c
def mandel(w, h, n):
    out = np.zeros((h, w), dtype=np.int32)
    for y in range(h):
        for x in range(w):
            cr = -2.0 + 3.0 * x / w; ci = -1.0 + 2.0 * y / h; zr = zi = 0.0; k = 0
            while k < n and zr * zr + zi * zi <= 4.0:
                zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
                k += 1
            out[y, x] = k
    return out
def life(g):
    n, m = g.shape; out = np.zeros_like(g)
    for i in range(n):
        for j in range(m):
            s = 0
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if di or dj: s += g[(i + di) % n, (j + dj) % m]
            out[i, j] = 1 if s == 3 or (g[i, j] and s == 2) else 0
    return out
def life2(g):
    n, m = g.shape; out = np.zeros_like(g)
    for i in range(n):
        for j in range(m):
            s = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if di != 0 or dj != 0: s = s + g[(i + di) % n, (j + dj) % m]
            if s == 3 or (g[i, j] == 1 and s == 2): out[i, j] = 1
    return out
def sieve(n):
    p = np.ones(n + 1, dtype=bool); p[:2] = False; i = 2
    while i * i <= n:
        if p[i]:
            for j in range(i * i, n + 1, i): p[j] = False
        i += 1
    return p
def spmv(ptr, idx, val, x):
    y = np.zeros(len(ptr) - 1)
    for i in range(len(ptr) - 1):
        s = 0
        for k in range(ptr[i], ptr[i + 1]):
            s += val[k] * x[idx[k]]
        y[i] = s
    return y, s, type(s).__name__
def f32(a):
    s = np.float32(0)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]): s += a[i, j] * a[i, j]; a[i, j] = a[i, j] * 0.5 + s
    return s, type(s).__name__
def hist(x, n):
    h = np.zeros(n, dtype=np.int64)
    for i in range(x.size):
        b = int(x[i] * n)
        if b >= n: b = n - 1
        h[b] += 1
    return h
def rows(a):
    t = 0.0
    for i in range(len(a)):
        r = a[i]
        for j in range(len(r)): t += r[j] * (i - j)
    return t, r
def bubble(a):
    n = len(a)
    for i in range(n):
        sw = False
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]: a[j], a[j + 1] = a[j + 1], a[j]; sw = True
        if not sw: break
    return a, i, j, sw
def trisolve(L, b):
    x = np.zeros_like(b)
    for i in range(len(b)):
        s = b[i]
        for j in range(i): s = s - L[i][j] * x[j]
        x[i] = s / L[i][i]
    return x
def u8(a):
    s = 0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]): s += int(a[i, j]) ** 2 % 7; a[i, j] = (int(a[i, j]) + j) & 255
    return s, a
def collatz(n):
    best = np.zeros(n, dtype=np.int64)
    for i in range(1, n):
        x, c = i, 0
        while x != 1: x = x // 2 if x % 2 == 0 else 3 * x + 1; c += 1
        best[i] = c
    return best
def exps(a):
    for i in range(a.size): a[i] = math.exp(-a[i]) * math.sin(a[i] + i) + abs(a[i]) ** 0.5 + math.floor(a[i])
    return a
rs = np.random.RandomState(0)
for rep in range(2):
    print(seidel(rs.rand(40, 40), 20)[5, :5])
    r = matmul(rs.rand(30, 40), rs.rand(40, 20)); print(r[0][3, :4], repr(r[1]), type(r[1]).__name__)
    m = rs.rand(40, 40); print(cholesky(m @ m.T + 40 * np.eye(40))[30, 20:24])
    print(floyd(rs.randint(1, 100, (40, 40)))[3, :9], floyd(rs.rand(40, 40))[2, :3])
    print(lev(rs.randint(0, 4, 60), rs.randint(0, 4, 70))[-1, -5:])
    print(crc(rs.randint(0, 256, 4000), rs.randint(0, 65536, 256)), crc(rs.randint(0, 256, 4000).astype(np.uint8), rs.randint(0, 65536, 256).astype(np.uint16)))
    print(mandel(40, 30, 50).sum(0))
    g = rs.randint(0, 2, (30, 30)); print(life(g).sum(), life2(g).sum(), life2(g.astype('i1')).sum())
    print(np.flatnonzero(sieve(5000))[-5:])
    print(spmv(np.arange(0, 3001, 10), rs.randint(0, 300, 3000), rs.rand(3000), rs.rand(300))[1:])
    print(f32(rs.rand(50, 50).astype('f4')))
    print(hist(rs.rand(8000), 10))
    r = rows(rs.rand(60, 50)); print(r[0], r[1].base is not None, r[1][:3])
    r = bubble(rs.rand(120)); print(r[0][:4], r[1:])
    print(trisolve(np.tril(rs.rand(50, 50)) + np.eye(50), rs.rand(50))[:5])
    r = u8(rs.randint(0, 256, (40, 40)).astype('u1')); print(r[0], r[1][3, :8])
    print(collatz(1500).max()); print(exps(rs.rand(3000))[:5])


def first_difference(a, b):
    """Leaves loops by break, else, continue and exceptions."""
    for i in range(len(a) + 1):
        try:
            if a[i] == b[i]:
                continue
        except IndexError as error:
            return i, str(error)
        for j in range(i, len(b)):
            if a[i] == b[j]:
                break
        else:
            return i, j, "nowhere"
        return i, j
    return None


def shared_iterator(a):
    """The iterator has another name: it stands where the loop left it."""
    rounds, items = iter(range(10)), iter(a)
    total = 0.0
    for i in rounds:
        total += a[i]
        if i == 4:
            break
    for x in items:
        if x > 3:
            break
    return total, list(rounds), list(items), next(rounds, None)


def kinds(a):
    """What a variable holds after loops of which some go round no more."""
    s, last = 0, None
    for n in (0, 1, 3):
        for i in range(n):
            s = s + a[i] if i else s - 1
        last = s
        print(n, repr(s), type(s).__name__, repr(last))
    x = y = a[0]
    for i in range(len(a)):
        x, y = y, x + a[i] * i
    return x, y, i


def warned(a):
    """Each warning at its line, once, with what came before it done."""
    for i in range(len(a)):
        a[i] = a[i] * 1e200
        a[i] = a[i] / (i - 2)
    return a


def rows_of(table):
    """Views of rows as variables; and items of rows."""
    best, total = None, 0
    for row in table:
        for x in row:
            total += x
        if best is None or row[0] > best[0]:
            best = row
    best[1] = -1
    return best.base is table, total, table


def quotients(a, b):
    """divmod of NumPy's ints, of Python's, and of both."""
    said, total = [], 0
    for i in range(len(a)):
        q, r = divmod(a[i], b[i])
        s, t = divmod(a[i], 7)
        u, v = divmod(-40 + i, b[i])
        total += q * 3 + r - s * t + u + v
        if i % 9 == 0:
            said.append((q, r, s, t, u, v, type(q).__name__, type(t).__name__, type(u).__name__))
    return total, said


for dtype in (np.int64, np.int32, np.int8):
    for _ in range(2):
        numbers = np.arange(-50, 50).astype(dtype)
        print(quotients(numbers, (numbers[::-1] % 11 - 5 + ((numbers[::-1] % 11) == 5)).astype(dtype)))
        print(quotients(numbers[:20], np.array([3, -2, 0, 4, -1] * 4, dtype=dtype))[0])
        print(quotients(np.array([np.iinfo(dtype).min, 5], dtype=dtype), np.array([-1, 2], dtype=dtype)))
print(first_difference(np.arange(5), np.arange(5)), first_difference(np.arange(5), np.array([0, 1, 7, 2, 3])))
print(first_difference(np.arange(4), np.array([0, 9, 8, 7])))
for repeat in range(3):
    print(shared_iterator(np.arange(10.0)))
    print(kinds(np.array([0.5, 1.5, 2.5])), kinds(np.array([7, 8, 9], dtype=np.int16)))
    print(warned(np.array([1.0, 1e200, -3.0, 0.0])))
    print(rows_of(np.arange(12).reshape(3, 4)))


seen = []
cells = np.zeros(2, dtype=np.int64)
other = threading.Thread(target=lambda: seen.append(cells.tolist()))
other.start()
for i in range(200000):
    cells[0] += 1
    cells[1] = cells[0]
other.join()
print(cells, seen[0][0] - seen[0][1] in (0, 1))


class Thing:
    pass


item = Thing()
gone = weakref.ref(item)
for i in range(3000):
    item = cells[0] + i
print(item, gone() is None)
