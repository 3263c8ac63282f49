"""Reductions run along short axes: sums of a few terms, broadcast distances, any memory order."""
# test: compiled
import numpy as np
from show import repeat, show


def distances(points, centres):
    return ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)


def weighted(values, weights):
    return (values * weights).sum(axis=-1)


def others(values, weights):
    scaled = values * weights
    return scaled.max(axis=-1), scaled.prod(axis=-1), (scaled > 1).any(axis=-1), scaled.mean(axis=-1)


def two_axes(values, weights):
    return (values * weights).sum(axis=(0, 2)), (values * weights).sum(axis=1, keepdims=True)


rng = np.random.default_rng(5)
for length in (1, 2, 3, 4, 7, 8, 9, 16, 40, 64, 65):
    for dtype in ("f8", "f4", "i8", "i2"):
        points = (rng.standard_normal((701, length)) * 100).astype(dtype)
        centres = points[:9] + points[9:18]
        show(f"distances {length} {dtype}", repeat(distances, points, centres, times=3))
        show(f"weighted {length} {dtype}", repeat(weighted, points, centres[0], times=3))
        show(f"columns {length} {dtype}", repeat(weighted, points.T, points[:, 0], times=3))
        with np.errstate(all="ignore"):
            show(f"others {length} {dtype}", repeat(others, points, centres[0], times=3))
for length in (3, 8, 12):
    cube = rng.standard_normal((50, 60, length))
    show(f"two axes {length}", repeat(two_axes, cube, cube[0, 0], times=3))
    show(f"turned {length}", repeat(two_axes, cube.transpose(1, 2, 0), cube[0, 0, 0], times=3))
zeros = np.array([[-0.0, -0.0, -0.0], [0.0, -0.0, 1.0], [np.nan, 1.0, 2.0], [np.inf, 1.0, 0.0]])
show("signs of zero", repeat(weighted, zeros, np.array([1.0, 1.0, 1.0])))
