"""Masks pick elements and rows of all element sizes, and some masks do not fit."""
import numpy as np

rng = np.random.default_rng(430)


def picked(a, m):
    return a[m]


def picked_and_used(a, m):
    kept = a[m] * 2
    return kept + 1, kept.sum()


def above(a):
    return a[a > 0.5] * 2.0, a[a > 0.5].size


def sum_of(a, m):
    return a[m].sum()


def rows_of(a, m):
    return a[m] + a[m].sum(axis=0)


def twice(a, m):
    b = a[m]
    return b[b > b.mean()] - 1.0


DTYPES = ["?", "i1", "u2", "f2", "i4", "f4", "i8", "f8", "c8", "c16"]
for dtype in DTYPES:
    for size in (1, 7, 16, 33, 1000):
        a = (rng.random(size) * 100).astype(dtype)
        for mask in (rng.random(size) < 0.5, np.ones(size, bool), np.zeros(size, bool)):
            for _ in range(3):
                out = picked(a, mask)
            print(dtype, size, out.dtype, out.shape, out.tobytes() == np.compress(mask, a).tobytes())

for _ in range(4):
    a = rng.random(5000)
    m = rng.random(5000) < 0.3
    kept, total = picked_and_used(a, m)
    print(kept.shape, kept[:3], total)
    print([x if isinstance(x, int) else (x.shape, x.sum()) for x in above(a)], sum_of(a, m))
    print(twice(a, m).sum())

# Rows of matrices, blocks of cubes; masks of one axis, of two and of all.
cube = rng.random((6, 5, 7))
for axes in (1, 2, 3):
    mask = rng.random(cube.shape[:axes]) < 0.5
    for _ in range(3):
        print(axes, rows_of(cube, mask).shape, rows_of(cube, mask).sum())

# Arrays and masks that do not lie in C order, and with gaps.
m2 = rng.random((40, 30)) < 0.5
for a in (rng.random((40, 30)), rng.random((30, 40)).T, rng.random((80, 60))[::2, ::2]):
    for mask in (m2, np.asfortranarray(m2), m2[::-1, ::-1]):
        for _ in range(3):
            out = picked(a, mask)
        print(out.shape, out.sum(), out.flags.c_contiguous, out.flags.owndata)

# Masks that do not fit, of arrays with and without elements.
for a, mask in (
    (np.arange(6.0), np.ones(5, bool)),
    (np.arange(6.0), np.ones(7, bool)),
    (np.ones((2, 3)), np.ones((3, 2), bool)),
    (np.ones(3), np.ones((3, 1), bool)),
    (np.ones((0, 3)), np.ones(0, bool)),
    (np.ones((3, 0)), np.array([True, False, True])),
    (np.ones((3, 0)), np.ones((3, 0), bool)),
    (np.array(2.0), np.array(True)),
    (np.arange(4.0), np.array(False)),
):
    try:
        for _ in range(3):
            out = picked(a, mask)
        print(out.shape, out)
    except IndexError as error:
        print(error)

# The result is an array of its own.
a = rng.random(100)
for _ in range(3):
    out = picked(a, a > 0.0)
    out[0] = -1
    print(a[0] >= 0, out.flags.writeable)
