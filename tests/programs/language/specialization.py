"""Arguments pick branches, change type or size, or alias, and each call gets its own answer."""
import numpy as np
from show import show

a = np.arange(6.0).reshape(2, 3)


def picks(b, flag):
    if flag is None:
        return b * 2.0 + 1.0
    return b * 3.0 - 1.0 if flag else b - 5.0 * b


for flag in (True, False, None) * 4 + (1, 0, "", "text", (), (0,)):
    show(repr(flag), picks(a, flag))


def total(b):
    return (b * b).sum() + b.shape[0]


for size in (5, 7, 3, 2, 1, 0, 9, 11):
    show(f"size {size}", total(np.arange(float(size))))


def either(b):
    return b * 2.0 + 1.0


for value in (a, 3, a, 4, 2.5, a, np.float64(2.0), 5, True, a):
    show("either", either(value))


# Swapped arguments, then arguments that are one array, then a global that is.
def pair(x, y):
    return (x is y, x * 2.0 + y)


one, two = a.copy(), a + 1.0
for x, y in [(one, two), (two, one), (one, one), (two, one), (two, two), (one, two)]:
    same, value = pair(x, y)
    show(f"same {same}", value)
SHARED = one


def with_global(x):
    return x is SHARED, x + SHARED * 2.0


for x in (two, one, two, one):
    show("global", list(with_global(x)))


def toggled(model, b):
    return b * 2.0 + 1.0 if model["training"] else b * 0.5 - 1.0


model = {"training": True}
for k in range(20):
    model["training"] = k % 2 == 0
    toggled(model, a)
show("toggled", toggled(model, a))


# More values than there are entries: old ones still serve, new ones run.
def many(b, k):
    return b * 2.0 + len(k)


for k in range(25):
    many(a, "x" * k)
show("many", [many(a, "xx"), many(a, "x" * 24), many(a, "x" * 30)])


def make(n):
    def closure(b):
        return b * n + 1.0
    return closure


for n in (1, 2, 3, 4, 2.5, "3"[0:0] or 7):
    show("closure", make(n)(a))


def scaled(b, k):
    return b * k + 1.0


for k in (float("nan"), float("nan"), -0.0, 0.0, float("inf"), 10 ** 30, -1, True):
    show("scalar", scaled(a, k))


def unused_text(b):
    text = f"rows: {b.shape[0]}"
    return b * 2.0 + 1.0


def used_text(b):
    return f"rows: {b.shape[0]} {b.ndim!r:>3} {'x'}", b * 2.0 + 1.0


for rows in (1, 2, 3, 4, 3):
    unused_text(np.ones((rows, 2)))
    show("text", used_text(np.ones((rows, 2)))[0])


def is_zero(x):
    if x == 0:
        return "zero"
    return "not zero"


def on_data(b):
    return is_zero(b.sum()), is_zero(b.sum() * 0.0), b * 2.0 + 1.0


for value in (a, a * 0.0, a, a - a):
    print(on_data(value)[:2])


def rows(b):
    out = []
    for row in b:
        row = row * 2.0
        row += 1.0
        out.append(row)
    return out


for n in (1, 2, 3, 2, 0):
    show("rows", rows(np.ones((n, 2))))


def unpacked(state, dt):
    x, y, z = state
    return np.array([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z]) * dt


state = np.array([1.0, 1.0, 1.05])
for _ in range(50):
    state = state + unpacked(state, 0.01)
show("lorenz", state)


def builtins_on_arrays(b, items, names):
    total = abs(b) + abs(-b[0])
    total = total * (isinstance(b, np.ndarray) + isinstance(b, (int, float)))
    for (name, item), k in zip(sorted(names.items()), reversed(items)):
        total = total + len(name) * item * k
    n = ~len(items) + sum(items, 0.5) + max(items, key=lambda k: -k) + min(3, *items)
    return total * n, max(b.shape), sum(x for x in items if x > 1), divmod(b.shape[1], 2)


for _ in range(4):
    result = builtins_on_arrays(-a, [1, 2, 3], {"b": a, "ab": 2.0})
show("builtins", list(result))
