"""Variables keep rows in loops over elements, and which object a name is shows when something changes."""
import warnings

import numpy as np

warnings.simplefilter("always")


def left(*rows):
    """What Python sees of arrays: the bits, whose memory it is, which are one object."""
    for row in rows:
        print(row.tolist() if isinstance(row, np.ndarray) else row, end=" ")
        if isinstance(row, np.ndarray):
            print(row.flags.owndata, row.flags.c_contiguous, row.base is not None and row.base.shape, row.strides, end="; ")
    print([[a is b for a in rows] for b in rows])


def aliases(a, n):
    kept = before = None
    for i in range(n):
        row = a[i] - a[i - 1]
        same = row
        row += 1.0
        if i == 2:
            kept = same
        same *= 2.0
        a[i] += same
        if i % 3 == 1:
            before = row
        row = same + row
        same[0] = i
    left(row, same, kept, before)
    return a


def swaps(a, n):
    one, other = a[0] * 2.0, a[1] * 3.0
    first = one
    for i in range(n):
        one, other = other, one
        one += a[i % len(a)]
        if i == 4:
            other = one.copy()
            third = other
    left(one, other, first, third)
    return one @ other


def carried(a):
    """As dynamic programming goes from row to row."""
    previous = a[0].copy()
    best = previous
    for i in range(1, len(a)):
        current = a[i] + np.minimum(previous, best[::1])
        if current.sum() > best.sum():
            best = current
        current[1:] += previous[:-1]
        previous = current
    left(previous, best, current)
    return best


def views(a):
    """Views see later writes, and write through."""
    total = 0.0
    for i in range(1, len(a)):
        row, part, column = a[i], a[i, 1:], a[:, i % a.shape[1]]
        alias = part
        a[i, 1] = 5.0
        total += part[0] + row[1]
        part *= 0.5
        alias[-1] = total
        column[0] += 1.0
        x, y = part[:2]
        total += x * y - row[-1]
        row = a[i - 1]
        row[0] = column[i]
    left(row, part, column, alias, total)
    return a


def parts(a):
    """A view of a row that was computed is the row's."""
    for i in range(len(a)):
        row = a[i] * 2.0
        row[1:] -= row[:-1]
        row[:2] = a[i, -2:]
        row[::2] *= -1.0
        a[i] = row
    left(row)
    return a


def through(a, f):
    """Rows that go into functions and come out of them."""
    out = np.zeros_like(a)
    for i in range(len(a) - 1):
        row = f(a[i] - a[i + 1], a[i])
        out[i] = row if row[0] > 0 else f(row, row)
        both = f(f(a[i], row), f(row, a[i])) - (a[i] if i % 2 else row)
        out[i] += both
    left(row, both)
    return out


def scaled(u, v):
    u *= 2.0
    w = u + v
    if w[0] > 1.0:
        w = v
    return w


def pure(u, v):
    w = u - v
    w += u
    return w * 0.5 if w.sum() > 0 else v


def raises(a, caught):
    """What warns, raises or has another size is CPython's, with the row that it had."""
    row = a[0]
    for i in range(len(a)):
        try:
            row = a[i] / a[i, 0]
            row += a[:, 0]
            row[i] = row[i + 1]
        except (ValueError, IndexError) as error:
            caught.append(str(error))
        left(row)


def numbers(a):
    row = 1.0
    for i in range(len(a)):
        if i == 3:
            row = a[i] * row
        else:
            row = row + i
    left(row)
    for row in a:
        row = row - 1.0
    left(row)
    for row in a:
        row -= 1.0
    left(row)
    return a


def made(a):
    """New rows: zeros, copies, lists of numbers, products of vectors."""
    total = np.zeros(3)
    for i in range(len(a) - 1):
        normal = np.cross(a[i], a[i + 1])
        unit = normal / np.linalg.norm(normal)
        point = np.array([a[i, 0], 1.0, i])
        null = np.zeros(3)
        null[1] = a[i].mean() - np.mean(point)
        ones = np.ones_like(null)
        total += unit * point + null - ones * np.full(3, 0.5)
        total[a[i].argmin()] += np.argmax(point) + len(point) + point.size + point.shape[0]
        point = np.array([0.0, 1.0, 2.0])
        x, y, z = normal
        total[2] -= x * y - z
    left(normal, unit, point, null, ones, total)
    return total


rng = np.random.default_rng(5)
for turn in range(2):
    for layout in (rng.random((6, 3)), np.asfortranarray(rng.random((6, 3))), rng.random((9, 7))[::-1, ::2], rng.random((5, 3, 2))[..., 0]):
        print(aliases(layout.copy(), 5).sum().hex(), swaps(layout, 9).hex(), carried(layout).sum().hex())
        print(views(layout.copy()).sum().hex(), parts(layout.copy()).sum().hex(), numbers(layout.copy()).sum().hex())
        for f in (scaled, pure):
            print(through(layout.copy(), f).sum().hex())
        if layout.shape[1] == 3:
            print(made(layout).sum().hex())
    square, caught = rng.integers(0, 3, (4, 4)).astype(float), []
    with warnings.catch_warnings(record=True) as seen:
        raises(square, caught)
    print(caught, *(f"{w.lineno} {w.category.__name__} {w.message}" for w in seen), sep="\n")
shared = rng.random((4, 3))
for k in range(1, 4):
    difference = shared[k] - shared[k - 1]
    named = difference
    difference /= np.sqrt(difference @ difference)
    shared[k] += named
left(difference, named)
