"""Arrays that share memory are written: arguments, globals, closures, out= and views of views."""
import numpy as np
from show import show

STATE = np.arange(12.0)


def add_shifted(a, b):
    a[1:] += b[:-1]
    b *= 0.5
    return a.sum(), b.sum()


def out_and_input(a, b, c):
    np.add(a, b, out=c)
    np.multiply(a, 2.0, out=b)
    np.subtract(c, b, out=a[:])
    return (a + b + c).sum()


def with_global(a):
    a += 1
    STATE[2:5] *= 2
    return a[3] + STATE[3]


def make_counter(a):
    def count(b):
        a[0] += 1.0
        b[1:3] = a[0]
        return a.sum() + b.sum()
    return count


def swap(a, b):
    a[:], b[:] = b, a.copy()
    a[0], b[0] = b[1], a[1]


def two_views(m):
    rows, columns = m[1:], m[:, 1:]
    rows += 1
    columns *= 2
    rows[0] = columns[0, 0]
    m[0] = rows[-1]
    return rows, columns


def step(x, v, dt):
    v -= dt * x
    x += dt * v
    return x is v


base = np.arange(20.0)
for a, b in ((base[:10], base[10:]), (base[:10], base[5:15]), (base, base), (base[::2], base[1::2]),
             (base[:10], base[:10]), (base[9::-1], base[:10]), (base[:0], base[:0])) * 4:
    print(add_shifted(a, b), end=" ")
    base %= 7
print()
show("base", base)
for a, b, c in ((base[:5], base[5:10], base[10:15]), (base[:5], base[1:6], base[2:7]),
                (base[:5], base[:5], base[:5]), (base[:5], base[5:10], base[4::-1])) * 6:
    print(out_and_input(a, b, c), end=" ")
    base %= 5
print()
other = np.arange(12.0)
for a in (other, STATE, STATE[::-1], other, STATE, other) * 3:
    print(with_global(a), end=" ")
print()
show("state", STATE)
mine = np.arange(6.0)
count = make_counter(mine)
for b in (np.zeros(6), mine, mine[::-1], np.ones(4)) * 5:
    print(count(b), end=" ")
print()
show("mine", mine)
a, b = np.arange(5.0), np.arange(5.0) * 10
for _ in range(11):
    swap(a, b)
swap(a, a)
show("swap", [a, b])
m = np.arange(30.0).reshape(5, 6).copy()
for _ in range(11):
    rows, columns = two_views(m)
    assert rows.base is m and columns.base is m
    m %= 11
show("two_views", [m, rows, columns])
grid = np.arange(24.0).reshape(12, 2)
for x, v in ((grid[:, 0], grid[:, 1]), (grid[0], grid[1]), (grid[:, 0], grid[:, 0])) * 8:
    print(step(x, v, 0.01), end=" ")
print()
show("grid", grid)
wide = np.lib.stride_tricks.as_strided(np.arange(6.0), (4, 3), (8, 8))
for _ in range(8):
    wide += 1
    wide[1:] -= 0.5
show("wide", wide.copy())
