"""Real and imaginary parts of complex arrays are written: whole, by slices, in place, as out=."""
import numpy as np


def columns(v, other):
    m = np.array([True, False, True])
    for i in np.flatnonzero(m[:-1]):
        v.imag[:, i] = other[:, i + 1]
        np.conj(v[:, i], v[:, i + 1])
    return v


def whole(v, other):
    v.real = other
    v.imag = -other
    return v * 2


def in_place(v, other):
    v.imag += other
    v.real *= 0.5
    v.imag[1:] -= v.real[:-1]
    return v + 1


def as_out(v, other):
    np.multiply(other, 3.0, out=v.imag)
    np.add(v.imag, 1.0, v.real)
    return np.abs(v)


def of_a_view(v, other):
    part = v.T[::2].imag
    part[...] = 7.0
    v.reshape(-1).real[::4] = -1.0
    return v.sum()


def by_mask(v, other):
    v.imag[other > 0.5] = 0.0
    v.real[[0, 2]] = other[[1, 0]]
    return v


def of_reals(v, other):
    other.real[0] = 9.0
    try:
        other.imag[0] = 1.0
    except ValueError as error:
        print("  ", error)
    return other


def seen_before(v, other):
    part = v.imag
    v[...] = v[[1, 0, 2]]
    return v, part


def sorted_chunks(v, other):
    chosen = v[v.imag > 0.2]
    for chunk in (chosen[:2], chosen[2:]):
        chunk[...] = chunk[np.lexsort([abs(chunk.imag)])]
    return chosen


def doubled(v, other):
    chosen = v[v.imag > 0.2]
    part = chosen.real
    chosen *= 2
    chosen += 1
    return chosen, part


def twice(v, other):
    row = v[1]
    part = row.imag
    v *= 2
    row += 1
    return v, part


for function in seen_before, sorted_chunks, doubled, twice, columns, whole, in_place, as_out, of_a_view, by_mask, of_reals:
    for dtype in np.complex128, np.complex64:
        for call in range(3):
            rng = np.random.default_rng(call)
            other = rng.random((3, 3))
            v = (other * 2 + 1j * rng.random((3, 3))).astype(dtype)
            print(function.__name__, dtype.__name__, function(v, other), v.tobytes().hex()[:96])
