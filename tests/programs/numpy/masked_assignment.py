"""Masks choose what is assigned and read: all dtypes and orders, several masks, rows and columns."""
# test: numpy2
import warnings

import numpy as np

from show import repeat, show

# Updates through masks that are fused: of all dtypes and orders, by several masks, of rows and columns; and reads
# through masks whose elements are needed at once.
rng = np.random.default_rng(8)


def augmented(a, mask):
    a[mask] += 1
    a[mask] *= 2
    a[~mask] -= 3
    return a


def moved(a, b, mask):
    a[mask] = b[mask]
    b[~mask] = a[~mask] * 2 - b[~mask]
    a[mask] = -a[mask]
    return a, b


def flags(a, mask):
    a[mask] = 1 / a[mask]
    a[mask] **= 2
    a[mask] -= a[mask] / 3
    return a


def reflected(position, velocity):
    for d in range(2):
        low, high = position[:, d] < 0, position[:, d] > 1
        position[low, d] = -position[low, d]
        velocity[low, d] *= -1
        position[high, d] = 2 - position[high, d]
        velocity[high, d] *= -1
    return position, velocity


def toppled(grid):
    over = grid >= 4
    grid[over] -= 4
    grid[1:, :] += over[:-1, :]
    grid[:-1, :] += over[1:, :]
    return grid


def by_rows(a, rows):
    a[rows] *= 2
    a[rows] += a[rows] * 3
    a[1:, rows[:4]] -= 1
    a[rows, 1] = 7
    return a


def named(a, mask):
    part = a[mask]
    other = part
    part += 1
    a[mask] = part * other
    return a


def needed(a, mask):
    part = a[mask] * 2
    a[mask] += 1
    return part, a[mask].sum(), len(a[mask]), a


def taken_in_between(a, mask):
    part = a[mask]
    a[mask] = 0
    a[~mask] += part.max() if len(part) else 1
    return a


for dtype in ("f8", "f4", "i8", "i2", "u1", "f2"):
    a = (rng.random((5, 4)) * 20).astype(dtype)
    b = (rng.random((5, 4)) * 20).astype(dtype)
    mask = rng.random((5, 4)) < 0.5
    for order in (lambda x: x.copy(), np.asfortranarray, lambda x: np.repeat(x, 2, axis=0)[::2]):
        x, y = order(a), order(b)
        show(dtype, repeat(augmented, x, mask))
        show(dtype, moved(x, y, mask))
        show(dtype, repeat(by_rows, order(a), np.array([True, False, True, True, False])))
        show(dtype, needed(x, mask))
        show(dtype, taken_in_between(x, mask))
        show(dtype, repeat(named, (order(a) * 0 + 1).astype(dtype), mask, times=3))

for _ in range(4):
    a = rng.normal(size=(6, 5))
    a[2] = 0
    show("only what counts", flags(a, a != 0))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in range(3):
        a = np.ones((3, 4))
        a[1] = 0
        show("divided", flags(a, np.ones((3, 4), bool)))
    print([str(w.message) for w in caught])

position, velocity = rng.random((50, 2)) * 1.4 - 0.2, rng.normal(size=(50, 2))
show("reflected", repeat(reflected, position, velocity))
grid = rng.integers(0, 9, (20, 20))
show("toppled", repeat(toppled, grid))
show("none", repeat(augmented, np.zeros((0, 3)), np.zeros((0, 3), bool)))
show("mixed", repeat(moved, np.arange(6), np.arange(6) * 1.5, np.arange(6) % 2 == 0, times=5))


def wrong_shape(a):
    a[np.ones(3, bool)] += 1


def wrong_kind(a):
    a.astype(int)[a > 0] += 1.5


def wrong_number(a):
    a[a > 0] = a[a > 1]


def read_only(a):
    a = a * 1
    a.flags.writeable = False
    a[a > 0] += 1


for function in (wrong_shape, wrong_kind, wrong_number, read_only):
    for _ in range(4):
        try:
            function(np.arange(5.0))
        except Exception as error:
            print(function.__name__, type(error).__name__, error)


# Assignment through masks, and np.where-like updates.
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
