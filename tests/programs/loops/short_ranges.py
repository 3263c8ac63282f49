"""Loops of a few rounds in loops over elements: windows, constant ranges, sizes that change between calls, early ends."""
# test: compiled numpy2
import numpy as np


def life(cells):
    n, m = cells.shape
    out = np.zeros_like(cells)
    for i in range(n):
        for j in range(m):
            near = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if di != 0 or dj != 0:
                        near += cells[(i + di) % n, (j + dj) % m]
            out[i, j] = 1 if near == 3 or (near == 2 and cells[i, j] == 1) else 0
    return out


def filtered(image, kernel):
    h, w = image.shape
    r = kernel.shape[0] // 2
    out = np.zeros((h, w))
    for y in range(r, h - r):
        for x in range(r, w - r):
            total = 0.0
            for dy in range(-r, r + 1):
                for dx in range(-r, r + 1):
                    total += image[y + dy, x + dx] * kernel[dy + r, dx + r]
            out[y, x] = total
    return out


def products(a, b):
    out = np.zeros((a.shape[0], a.shape[1], b.shape[2]))
    for t in range(a.shape[0]):
        for i in range(a.shape[1]):
            for j in range(b.shape[2]):
                for k in range(a.shape[2]):
                    out[t, i, j] += a[t, i, k] * b[t, k, j]
    return out


def first_large(a, limit):
    """Leaves its short loop by a break, goes on by a continue, and has an else."""
    found = []
    last = -1
    for i in range(len(a) - 4):
        for k in range(4, -1, -1):
            if a[i + k] < 0:
                continue
            if a[i + k] > limit:
                last = k
                break
        else:
            last = -2
        found.append(last + k)
    return found, last, k


def unguarded(a, width):
    """Runs out of the array in the middle of a short loop."""
    total = i = k = 0
    try:
        for i in range(len(a)):
            for k in range(width):
                total += a[i + k]
    except IndexError as error:
        return float(total), i, k, str(error)
    return float(total), i, k, None


def nested(a):
    """Ranges of one round, of none, and with steps, one in the other."""
    total = 0
    for i in range(2, len(a)):
        for p in range(1):
            for q in range(5, 0, -2):
                for r in range(p):
                    total += 1000
                total += a[i - p - q % 2] * q
    return total, p, q


rng = np.random.default_rng(4)
cells = (rng.random((30, 41)) < 0.4).astype(np.int64)
for generation in range(6):
    cells = life(cells)
    print(generation, cells.sum(), cells.tobytes().hex()[:64])
image = rng.random((40, 37))
for size in (3, 3, 5, 1, 3, 9, 11, 5):
    result = filtered(image, rng.random((size, size)))
    print(size, result.sum().hex(), result.tobytes().hex()[-48:])
image[20, 20] = np.nan
image[25, 7] = np.inf
with np.errstate(all="ignore"):
    for size in (3, 5):
        print(size, filtered(image, np.ones((size, size))).tobytes().hex()[20000:20200])
for n, m, k, p in ((50, 3, 3, 3), (50, 3, 3, 3), (40, 2, 5, 4), (9, 8, 8, 8), (7, 12, 12, 12), (5, 3, 1, 0)):
    print(n, m, k, p, products(rng.random((n, m, k)), rng.random((n, k, p))).sum().hex())
values = rng.normal(size=500)
for limit in (0.5, 0.5, 2.0, 9.0):
    print(limit, first_large(values, limit)[0][-5:], first_large(values, limit)[1:])
for width in (3, 3, 4, 1, 20, 3):
    print(width, unguarded(values, width))
for dtype in (np.int64, np.int32, np.uint8, np.float32):
    numbers = rng.integers(0, 9, 300).astype(dtype)
    print(np.dtype(dtype), nested(numbers), nested(numbers.tolist()))
