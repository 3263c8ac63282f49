"""Python numbers that the run computes meet arrays of other dtypes; scalars get axes; what is flattened is a copy."""
# test: compiled numpy2
import numpy as np

from show import repeat, show


def less(x, a):
    return x - np.sin(a).sum().item()


def less_in_place(x, a):
    x = x + 0
    x -= float(np.sin(a).sum())
    return x


def times(x, a):
    return float(np.cos(a).sum()) * x, np.cos(a).sum() * x


def compared(x, a):
    number = float(x.sum()) / x.size
    return x < number, number >= x


def ints(x, a):
    return x + int(a.size), x * np.argmax(a).item(), x + np.count_nonzero(a > 0)


def axes(x, a):
    return a.sum()[None], a[1][..., None, None], np.abs(a.max())[None] + x.sum(), a.sum()[None, ...]


def changed_axes(x, a):
    made = (a * 2.0).sum()[None] + 0.0
    made[0] = 5.0
    return made, a.sum()[None]


def flat(x, a):
    turned = a[::-1]
    apart = np.stack([a, a])[:, ::2]
    return (np.dot(turned.ravel(), turned.ravel()), np.dot(a[::2].flatten(), a[::2].flatten()), np.dot(turned, turned),
            np.dot(apart.ravel(), apart.ravel()), np.dot(a[::2][:, None].ravel(), a[::2][:, None].ravel()))


def flat_and_written(x, a):
    turned = a[::-1]
    taken = turned.ravel()
    taken[0] = 100.0
    return taken, turned, a[::-1].flatten()


rng = np.random.default_rng(2213)
for dtype in ("f2", "f4", "f8", "i2", "i8", "c8"):
    for shape in ((1, 1), (7, 1), (40, 4)):
        x = (rng.standard_normal(shape) * 20).astype(dtype)
        for function in (less, less_in_place, times, compared, ints):
            if function is less_in_place and dtype[0] == "i" or function is compared and dtype[0] == "c":
                continue
            for turn in range(3):
                show(f"{function.__name__} {dtype} {shape}", repeat(function, x, rng.standard_normal(9), times=3))
for function in (axes, changed_axes, flat, flat_and_written):
    for turn in range(4):
        show(function.__name__, repeat(function, np.ones(3, "f4"), rng.standard_normal(9 + turn), times=4))
