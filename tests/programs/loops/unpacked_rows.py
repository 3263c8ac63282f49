"""Loops that unpack rows of arrays of every dtype: items, sizes that do not fit, and what runs after an error."""
# test: numpy2
import numpy as np

from show import show

rng = np.random.default_rng(5)


def pairs(spins, places, chances):
    flips = 0
    for k in range(len(places)):
        i, j = places[k]
        around = spins[i - 1, j] + spins[i, j - 1]
        if spins[i, j] * around <= 0 or chances[k] < 0.25:
            spins[i, j] = -spins[i, j]
            flips += 1
    return flips


def iterated(edges, weights):
    total = 0.0
    for (a, b), w in zip(edges, weights):
        total += w * (a - b) * (a - b)
    return total


def each(rows):
    total = 0
    for a, b, c in rows:
        total = total + a * b - c
    return total


def nested(blocks):
    total = 0
    for k in range(len(blocks)):
        (a, b), (c, d) = blocks[k]
        total = total + a * d - b * c
    return total


def starting(first, n):
    total = 0
    for k in range(n):
        a, b = first
        total = total + a * k - b
    return total


spins = np.where(rng.random((16, 16)) < 0.5, 1, -1)
for _ in range(3):
    show("flips", pairs(spins, rng.integers(0, 16, (400, 2)), rng.random(400)))
show("spins", spins)
for dtype in (np.int64, np.int32, np.uint8, np.float64, np.float32, bool):
    table = (rng.random((300, 3)) * 9).astype(dtype)
    show(f"iterated {np.dtype(dtype)}", iterated(table[:, ::2].astype(np.int64), table[:, 1].astype(float)))
    if dtype is not bool:
        show(f"each {np.dtype(dtype)}", each(table.astype(np.int16 if dtype is np.uint8 else dtype)))
        show(f"nested {np.dtype(dtype)}", nested(table[:240].reshape(-1, 2, 2).astype(np.float64)))
        show(f"starting {np.dtype(dtype)}", starting(table[0, :2].astype(np.int64), 200))

# A size that does not fit is an error at its line, after the rounds before it.
for width in (1, 2, 3, 4):
    done = []
    try:
        for row in range(200):
            a, b, c = rng.integers(0, 9, (200, width))[row]
            done.append(int(a + b * c))
    except ValueError as error:
        done.append(str(error))
    show(f"width {width}", done[-3:])


def until_an_error(rows, seen):
    for k in range(400):
        a, b = rows[k]
        seen.append(a + b)


for rows in (rng.integers(0, 9, (300, 2)), rng.integers(0, 9, (300, 3)), rng.integers(0, 9, (0, 2))):
    seen = []
    try:
        until_an_error(rows.tolist() if len(rows) == 0 else rows, seen)
    except (IndexError, ValueError) as error:
        print(type(error).__name__, error, error.__traceback__.tb_next.tb_lineno, len(seen), sum(seen))
