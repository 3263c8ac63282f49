"""Arrays of every memory layout are written to, and something is computed from them afterwards."""
import numpy as np
from show import show


def update(a, b):
    a += 0.5
    a[1:-1] *= b[1:-1]
    total = a.sum()
    part = a[:, 1:]
    part -= part.mean()
    return total, a.sum(axis=0), a * 2, part + 1, np.exp(a[::2]).sum()


def line(a):
    a[1:] += a[:-1]
    a[::2] = a[::2] * 1.25
    return a.sum(), a + 1, a[::-1].copy()


BASE = np.linspace(-1, 1, 9 * 10 * 2)


def layouts():
    block = BASE[:90].reshape(9, 10)
    yield block.copy()
    yield np.asfortranarray(block)
    yield BASE.reshape(9, 20).copy()[:, ::2]
    yield BASE.reshape(18, 10).copy()[::-2]
    yield block.copy()[:, ::-1]
    yield block.copy().T
    yield BASE.reshape(9, 2, 10).copy()[:, 1]
    yield block.copy()[:3]
    yield block.copy()[:, :1]
    yield block.copy()[:1]
    yield np.zeros((9, 0))
    yield np.zeros((2, 3))
    yield block.astype("f4")


for a in layouts():
    b = np.cos(np.arange(a.size)).reshape(a.shape)
    for times in range(4):
        results = update(a, b)
    show("update", [a, *results])
for a in (np.arange(11.0), np.arange(33.0)[::3], np.arange(11.0)[::-1], np.arange(1.0), np.zeros(0),
          np.arange(40.0).reshape(8, 5)[:, 2], np.arange(12, dtype="f4")):
    for times in range(4):
        results = line(a)
    show("line", [a, *results])
zero = np.array(1.5)


def rank_0(z):
    z += 1
    z[...] = z * 2
    z[()] += 1
    return z


for _ in range(8):
    assert rank_0(zero) is zero
show("zero", zero)
unaligned = np.frombuffer(bytearray(8 * 6 + 1), dtype="u1")[1:].view("f8")
swapped = np.arange(6.0).astype(">f8")
for a in (unaligned, swapped):
    for _ in range(4):
        line(a)
    show("odd", a)
