"""Writes reductions.txt and orders.txt: what NumPy itself does, for the executor's tests.

    python3 make_golden.py            # NumPy 1.24 wrote the files that are checked in

reductions.txt, one case a line:
    ufunc dtype keepdims | shape | byte strides | offset elements | axes | result strides | hash
orders.txt, one case a line:
    shape | strides of operand ; strides of operand ... | strides of the fresh result of a + b
Operands are views of one array of element(0), element(1), ...; the hash is FNV-1a of the result's
bytes in C order.
"""
import pathlib

import numpy as np
from numpy.lib.stride_tricks import as_strided

COUNT = 1 << 18


def elements(dtype):
    i = np.arange(COUNT, dtype=np.uint64)
    h = (i * 2654435761) % (1 << 32)
    return ((h / 4294967296.0 - 0.5) * (1 << (i % 11)).astype(float)).astype(dtype)


def fnv(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = ((h ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return h


def random_view(rng, base, shape):
    """A view with `shape` in a random memory order, with steps, flips and broadcast axes."""
    rank = len(shape)
    perm = rng.permutation(rank)
    steps = [int(rng.choice([1, 1, 1, 2, -1, -2])) for _ in range(rank)]
    strides = [0] * rank
    stride = base.itemsize
    for axis in perm:
        strides[axis] = stride * abs(steps[axis])
        stride *= shape[axis] * abs(steps[axis])
    if rng.random() < 0.25 and rank > 1:
        strides[int(rng.integers(rank))] = 0
    offset = 0
    for axis in range(rank):
        if steps[axis] < 0:
            offset += strides[axis] * (shape[axis] - 1) // base.itemsize
            strides[axis] = -strides[axis]
    if stride > base.nbytes:
        return None
    return as_strided(base[offset:], shape, strides), offset


def random_shape(rng, long_axes):
    rank = int(rng.integers(1, 5))
    shape = [int(rng.choice([1, 2, 3, 5, 7, 8, 9, 16, 33])) for _ in range(rank)]
    if rng.random() < long_axes:
        shape[int(rng.integers(rank))] = int(
            rng.choice([127, 129, 1000, 8191, 8192, 8193, 16384, 20001]))
    return tuple(shape)


def words(numbers):
    return " ".join(str(int(n)) for n in numbers)


def write_reductions(path, rng, count):
    bases = {"f64": elements("f8"), "f32": elements("f4")}
    lines = []
    while len(lines) < count:
        shape = random_shape(rng, 0.6)
        dtype = str(rng.choice(["f64", "f32"]))
        view = random_view(rng, bases[dtype], shape)
        if view is None:
            continue
        x, offset = view
        axes = [a for a in range(x.ndim) if rng.random() < 0.6] or [0]
        ufunc = str(rng.choice(["add", "add", "add", "maximum", "multiply"]))
        keepdims = int(rng.random() < 0.3)
        with np.errstate(all="ignore"):
            result = getattr(np, ufunc).reduce(x, axis=tuple(axes), keepdims=bool(keepdims))
        result = np.asarray(result)
        lines.append(
            f"{ufunc} {dtype} {keepdims}|{words(shape)}|{words(x.strides)}|{offset}|{words(axes)}|"
            f"{words(result.strides)}|{fnv(result.tobytes()):016x}")
    path.write_text("\n".join(lines) + "\n")


def write_orders(path, rng, count):
    base = elements("f8")
    lines = []
    while len(lines) < count:
        shape = random_shape(rng, 0.0)
        views = [random_view(rng, base, shape) for _ in range(2)]
        if None in views:
            continue
        a, b = views[0][0], views[1][0]
        if len(lines) % 5 == 0:  # ufuncs have a short cut for these
            a, b = np.asfortranarray(a), np.asfortranarray(b)
        strides = (a + b).strides
        lines.append(f"{words(shape)}|{words(a.strides)};{words(b.strides)}|{words(strides)}")
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    here = pathlib.Path(__file__).parent
    write_reductions(here / "reductions.txt", np.random.default_rng(1), 400)
    write_orders(here / "orders.txt", np.random.default_rng(2), 500)
