"""Arrays whose last axis is short: points, vectors, small matrices, and what programs compute of them."""
import warnings

import numpy as np
from show import attempt

warnings.simplefilter("always")
rng = np.random.default_rng(3)


# Pairs of points, as simulations of bodies make them.
def differences(p):
    d = p[:, None, :] - p[None, :, :]
    return d, d * d, (d * d).sum(axis=-1), d.sum(axis=1), d.sum(axis=0), d.sum(axis=(0, 1)), d.sum(axis=(0, 2))


def weighted(p, w):
    d = p[:, None] - p[None]
    return (d * w[:, :, None]).sum(axis=1), (d * w[..., None]).sum(0), (d + w[:, :, None]).mean(axis=1)


def forces(p, m):
    d = p[np.newaxis] - p[:, np.newaxis]
    r = (d ** 2).sum(axis=2) + 0.01
    f = d * (m / r ** 1.5)[:, :, None]
    return f.sum(axis=1), f.sum(axis=1).sum(axis=0), np.abs(f).max(axis=1), (f * f).min(axis=0)


def greatest(p):
    d = p[:, None] - p[None] * 2
    return d.max(axis=1), d.min(axis=1), d.max(axis=-1), d.prod(axis=1), (d > 0).sum(axis=1), (d > 0).any(axis=2)


# One row with all others, or each row with its own number.
def moved(p, v, dt):
    return p + dt * v, p - p.mean(axis=0), p / np.sqrt((p * p).sum(axis=1, keepdims=True)), (p + v[0]) * 0.5, p * v[:, :1]


def turned(p, angles):
    matrices = np.stack([np.cos(angles), -np.sin(angles), np.sin(angles), np.cos(angles)], axis=-1).reshape(-1, 2, 2)
    return (matrices * p[:, None, :2]).sum(axis=-1), matrices.sum(axis=0), matrices + matrices[0], matrices * angles[:, None, None]


# Results with gaps, in another order, and over their own input.
def stored(p, v):
    wide = np.zeros((len(p), 7))
    wide[:, :3] = p * v[0] + 1
    wide[:, 3:6] += p[:, :1] - v
    q = p.copy()
    q -= q[0]
    q[:] = q * v[:, 1:2]
    turned = np.asfortranarray(p) * v[0] + p[:, 2:]
    return wide, q, turned


def special(p):
    d = p[:, None] - p
    return d.sum(axis=1), d.max(axis=1), (d * p[:, :1, None]).sum(1)


for n, k in ((40, 3), (7, 2), (1, 3), (0, 3), (100, 1), (33, 31), (20, 5), (130, 4)):
    points, weights, masses = rng.random((n, k)), rng.random((n, n)), rng.random(n)
    for dtype in (np.float64, np.float32, np.int32, np.complex128, np.float16):
        p, w = (points * 9).astype(dtype), (weights * 3).astype(dtype)
        attempt(f"differences {n} {k}", differences, p)
        attempt("weighted", weighted, p, w)
        if dtype is not np.complex128:
            attempt("greatest", greatest, p)
    attempt("forces", forces, points, masses)
    if k == 3:
        attempt("moved", moved, points, rng.random((n, k)), 0.25)
        attempt("turned", turned, points, masses)
        attempt("stored", stored, points, rng.random((n, k)))
        attempt("parts", moved, rng.random((n, 9))[:, ::3], rng.random((3, n)).T, 0.5)

odd = rng.random((30, 3))
odd[3, 1], odd[9, 2], odd[9, 0], odd[20] = np.inf, np.nan, -np.inf, -0.0
attempt("special", special, odd)
attempt("special", special, -odd.astype(np.float32))
with np.errstate(all="raise"):
    attempt("raises", special, odd)
