"""Slices, steps, transposes and reshapes are views, and the program asks who shares memory with whom."""
# test: compiled cuda
import numpy as np
from show import repeat, show


def slices(a):
    return a[1:-1, ::2] + a[2:, 1::2][: a.shape[0] - 2], a[::-1], a[..., 0], a[None, :, 1], a[-1]


def stencil(u):
    return u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]


def shapes(a):
    return a.T, a.reshape(-1), a.ravel(), a.reshape(4, -1).T, a.swapaxes(0, 1), a[:, :, None], np.squeeze(a[:1])


def joined(a):
    return np.concatenate([a, a + 1]), np.stack([a, a * 2], axis=-1), np.vstack([a, a[:1]]), np.split(a, 2, axis=1)


a = np.arange(48.0).reshape(6, 8)
show("slices", repeat(slices, a))
show("stencil", repeat(stencil, a))
show("shapes", repeat(shapes, a))
show("joined", repeat(joined, a))
for view in repeat(shapes, a):
    print(view.base is a, np.shares_memory(view, a), view.strides)
index = np.array([3, 0, -1, 2])
show("fancy", repeat(lambda a: (a[index], a[:, index], a[index, index], a[index[:, None], index]), a))
show("ellipsis", repeat(lambda a: (a[..., ::-1], a[1, ...], a[1:2, 2:3]), a))
show("rolled", repeat(lambda a: np.roll(a, 2, axis=1) - np.roll(a, -1, axis=0) + np.flip(a), a))
