"""Arrays are taken apart and put together: splits, blocks, grids of indices, triangles, elements along an axis."""
import numpy as np
from show import layouts, show


def attempt(name, function, *args, times=3):
    for _ in range(times):
        try:
            show(name, function(*args))
        except Exception as error:
            print(name, type(error).__name__, error)


def split(a, n):
    return [part * 2 for part in np.array_split(a, n)], np.array_split(a, n, axis=1)[0] + 1, np.array_split(a, n, 1)


def cut(a):
    top, middle, bottom = np.split(a, [1, 3])
    left, right = np.hsplit(a, [2])
    return top + 1, middle * 2, bottom, left.sum(), right @ right.T, np.split(a, [2, 2, 9], axis=1)


def chosen(a, v):
    order = np.argsort(a, axis=1)
    ranked = np.take_along_axis(a, order, axis=1)
    b = a.copy()
    np.put_along_axis(b, order[:, :1], 0, axis=1)
    return ranked * 2, b, a[np.ix_([0, 2], [1, 3])] * 2, a[np.ix_(np.array([1, 0]), v > v.mean())], a[np.tril_indices(3, 0, 4)].sum()


def sorted_in_place(a):
    b = a.copy()
    b.sort(axis=0)
    c = b * 2
    b.sort()
    v = b[0] + 0
    v[::-1].sort()
    return b, c, v


def objects(a):
    total = a.sum()
    before = a.tolist()
    a = a * 2
    a[0] = 0
    return before, a.tolist(), total.item(), a[1].tolist(), a[0, 0].item(), a.T.tobytes(), a.max().tolist(), a[:1].tolist()[0][:2]


def compared(a, b):
    return (np.array_equal(a, b), np.array_equal(a, a.copy()), np.allclose(a, b), np.allclose(a, a + 1e-12), np.array_equal(a, b[:1]),
            np.allclose(a, b, atol=100), np.array_equal(a[0], [0, 1, 2, 3]))


for dtype in "dfliB?":
    for a in layouts((np.arange(16).reshape(4, 4) * 5 % 7).astype(dtype)):
        for n in (1, 2, 3, 4, 5):
            attempt("split" + dtype, split, a, n, times=2)
        attempt("cut" + dtype, cut, a, times=2)
        attempt("chosen" + dtype, chosen, a, a[0] * 1.0, times=2)
        attempt("sorted" + dtype, sorted_in_place, a, times=2)
        attempt("objects" + dtype, objects, a, times=2)
        attempt("compared" + dtype, compared, a, a.T, times=2)
for shape in ((1, 1), (0, 3), (5, 2)):
    a = np.arange(np.prod(shape)).reshape(shape) * 1.0
    attempt("split", split, a, 3)
    attempt("cut", cut, a)
    attempt("sorted", sorted_in_place, a)
    attempt("compared", compared, a, a)
frozen = np.arange(4.0)[::-1]
frozen.flags.writeable = False
attempt("frozen", lambda: frozen.sort())
with_nan = np.array([3.0, np.nan, -0.0, 0.0, 1.0, np.nan, -np.inf])
attempt("nan", lambda a: (sorted_in_place(np.stack([a, -a])), np.array_equal(a, a), np.allclose(a, a, equal_nan=True)), with_nan)


# What was made a list of is not what becomes of the array.
def written_after(a):
    now = a.tolist()
    first = a[0].item() if a.ndim == 1 else a[0, 0].item()
    a += 1
    then = a.tolist()
    a[...] = 7
    return now, first, then, a.tolist(), a.tobytes()[:8]


for a in (np.arange(3.0), np.arange(4).reshape(2, 2), np.asfortranarray(np.arange(4.0).reshape(2, 2))):
    attempt("written_after", lambda: written_after(a.copy()))
    attempt("written_after", written_after, a)
