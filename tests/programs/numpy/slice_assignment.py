"""Parts of arrays are assigned: casts, broadcasting, every kind of key, sources that overlap targets."""
# test: numpy2
import numpy as np
from show import show


def shifts(a, k):
    a[1:] = a[:-1]
    a[:-2] = a[2:] * k
    a[:] = a[::-1]
    a[::2] = a[1::2]
    a[::-1] += a
    return a


def square(m):
    m += m.T
    m[:] = m.T
    m[::-1, :] = m * 0.5
    m[1] = m[:, 1]
    m[:, 0] = m[0]
    m[...] = m[::-1, ::-1]
    return m


def names(a):
    b = a[1:5]
    c = b[::-1]
    a[2] = 50.0
    b[0] = 60.0
    before = c.sum()
    c += 1
    d = a
    d[-1] = before
    b *= 2
    return a.sum(), b.sum(), c, b


def broadcast(m, row, column):
    m[:] = row
    m[2:5] += column[:, None][2:5]
    m[:, 1:3] = column[:, None]
    m[0] = np.ones((1, 1)) * 7
    m[1:2, ::3] = 4
    m[None, -1] = row * 2
    m[..., 0] = -1.5
    return m


def casts(i, f, d):
    f[1:4] = d[1:4]
    i[2:] = 3
    i[0] = True
    i += i[::-1]
    f[0] = 0.1
    f *= d[:f.shape[0]]
    d[:] = i
    d[1] = 2
    return i, f, d


def items(a, m, k):
    a[0] = a[-1] * 2
    a[k] += 1.5
    a[k], a[k + 1] = a[k + 1], a[k]
    m[k, 1] = a[k]
    m[-1, -k] = m[0, 0] + m[1, 1]
    return a[k] + m[k, 1]


def inside(n):
    a = np.zeros(n)
    b = np.empty((n, 3))
    a[1:] = np.arange(n - 1.0)
    a[0] = a[1:].sum()
    b[:, 0] = a
    b[:, 1:] = 2.0
    b[1:-1, 2] *= a[:-2] - a[2:]
    c = b.copy()
    c[0] += 10
    view = c[1:]
    view -= 1
    return a, b, c, view


def flattened(m):
    flat = m.reshape(-1)
    flat[::5] = 1.0
    m[0] *= 3
    flat[-4:] += m.ravel()[:4]
    return flat.sum()


def whole(a, b):
    a.fill(3)
    np.copyto(b, a)
    b[0] = 9
    a += b
    np.copyto(a, 0.5, where=a > 10)
    return a, b


for n in (2, 4, 10, 40):
    a = np.arange(n) * 1.0
    for _ in range(6):
        shifts(a, 0.5)
    show("shifts", a)
m = np.arange(36.0).reshape(6, 6)
for _ in range(12):
    square(m)
show("square", m)
a = np.linspace(0, 1, 9).copy()
for _ in range(12):
    s, t, c, b = names(a)
    assert b.base is a and c.base is not None
print(s, t)
show("names", [a, b, c])
m = np.zeros((6, 8))
for _ in range(12):
    broadcast(m, np.arange(8.0), np.arange(6.0))
show("broadcast", m)
i, f, d = np.arange(7, dtype="i2"), np.arange(7, dtype="f4"), np.linspace(0, 2, 7)
for _ in range(12):
    casts(i, f, d)
show("casts", [i, f, d])
a, m = np.arange(8.0), np.arange(30.0).reshape(5, 6)
print([items(a, m, k) for k in (1, 1, 1, 2, 2, 3, 3, 1, 2, 3, 4, 4)])
show("items", [a, m])
for n in (3, 4, 4, 5, 20) * 3:
    made = inside(n)
show("inside", made)
m = np.arange(20.0).reshape(4, 5)
print([flattened(m) for _ in range(12)])
show("flattened", m)
a, b = np.arange(5.0), np.zeros(5)
for _ in range(12):
    whole(a, b)
show("whole", [a, b])
