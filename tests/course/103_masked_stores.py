"""Assignment through masks, and np.where-like updates."""
import numpy as np
from show import show


def clamp(a, low, high):
    a[a < low] = low
    a[a > high] = high
    return a


def rectify(a, scale):
    mask = a < 0
    a *= scale
    a[mask] = 0
    a[~mask] += 1.0
    return mask


def rows(m, chosen):
    m[chosen] = -1
    m[:, 1][chosen] = 5
    m[m == 5] = 6
    return m.sum()


def nothing(a):
    a[a > 1e9] = 1.0
    a[np.isnan(a)] = 0
    return a


def escape(z, c, count, limit):
    for step in range(limit):
        z = z * z + c
        z[z > 4] = 5.0
        count[z < 4] += 1
    return count


a = np.linspace(-3, 3, 25)
for k in range(12):
    a += 0.1 * k
    clamp(a, -2.0, 2.5)
show("clamp", a)
a = np.sin(np.arange(30.0))
for _ in range(12):
    mask = rectify(a, 1.1)
    a -= 0.7
show("rectify", [a, mask])
m = np.arange(30).reshape(6, 5)
for k in range(12):
    m += k
    print(rows(m, np.arange(6) % (k % 3 + 2) == 1), end=" ")
print()
show("rows", m)
a = np.array([1.0, np.nan, 3.0, np.inf, -0.0])
for _ in range(12):
    nothing(a)
show("nothing", a)
count = np.zeros(20, dtype=int)
for _ in range(4):
    escape(np.zeros(20), np.linspace(-2, 0.5, 20), count, 12)
show("escape", count)
f = np.asfortranarray(np.arange(12.0).reshape(3, 4))
for _ in range(12):
    f[f % 3 == 1] = 0.5
    f += 1
show("fortran", f)
