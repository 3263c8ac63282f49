"""Inner loops over tuples of numbers, whose few rounds lie one behind the other, in loops with stores and without."""
# test: compiled
import numpy as np


def life(grid):
    height, width = grid.shape
    out = np.zeros_like(grid)
    for i in range(height):
        for j in range(width):
            alive = 0
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if di or dj:
                        alive += grid[(i + di) % height, (j + dj) % width]
            out[i, j] = 1 if alive == 3 or (grid[i, j] and alive == 2) else 0
    return out


def smoothed(row, out):
    for j in range(len(row)):
        total = 0.0
        for step in (-1, 0, 1):
            total += row[(j + step) % len(row)]
        out[j] = total / 3.0
    return out


def skipping(row, out):
    """A `continue` and a `break` of the inner loop, and one of the outer loop's."""
    for j in range(len(row)):
        if row[j] < 0.0:
            continue
        total = 0.0
        for step in (0, 1, 2, 3):
            if step == 1:
                continue
            if j + step >= len(row):
                break
            total += row[j + step]
        out[j] = total
    return out


def energy(row):
    total = 0.0
    for j in range(1, len(row) - 1):
        for step in (-1, 1):
            total += row[j] * row[j + step]
    return total


def divided(row, out):
    """A round that Python has to do, for its warning."""
    for j in range(1, len(row) - 1):
        total = 0.0
        for step in (-1, 1):
            total += row[j] / row[j + step]
        out[j] = total
    return out


rng = np.random.default_rng(7)
for k in range(8):
    for size in (1, 2, 5, 30, 257, 600):
        row = rng.normal(size=size)
        print(size, smoothed(row, np.zeros(size)).sum(), skipping(row, np.zeros(size)).sum(), energy(row))
        far = np.ones(size) * 1e300
        print(energy(far), smoothed(far, np.zeros(size))[-1])
        row[size // 2:] = np.where(rng.random(size - size // 2) < 0.1, 0.0, row[size // 2:])
        print(divided(row, np.zeros(size)).sum())
    grid = rng.integers(0, 2, (30, 41))
    for _ in range(3):
        grid = life(grid)
    print(k, grid.sum(), life(grid.astype(np.int8)).sum())
