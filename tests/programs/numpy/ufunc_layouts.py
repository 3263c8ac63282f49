"""Every ufunc reads and writes floats and complex numbers of every layout, on which some roundings depend."""
# test: numpy2
import warnings

import numpy as np
from show import show

warnings.simplefilter("ignore")
np.seterr(all="ignore")
rng = np.random.default_rng(1)
SIZE = 60


def numbers(char):
    scale = 10.0 ** rng.integers(-3, 3, SIZE)
    if char in "FD":
        return ((rng.standard_normal(SIZE) + 1j * rng.standard_normal(SIZE)) * scale).astype(char)
    if char in "fd":
        return (rng.standard_normal(SIZE) * scale).astype(char)
    return rng.integers(1, 20, SIZE).astype(char)


def contiguous(ufunc, operands):
    return ufunc(*operands)


def strided(ufunc, operands):
    return ufunc(*[np.repeat(a, 2)[::2] for a in operands])


def reversed_(ufunc, operands):
    # Up to the second: NumPy takes another loop where an array read backwards seems to touch the result.
    return ufunc(*[a[:0:-1] for a in operands])


def of_rank_0(ufunc, operands):
    return ufunc(*[a[7] for a in operands]), ufunc(*[np.array(a[8]) for a in operands])


def short(ufunc, operands):
    return ufunc(*[a[:3] for a in operands]), ufunc(*[a[5:12] for a in operands])


def fortran(ufunc, operands):
    return ufunc(*[np.asfortranarray(a.reshape(5, 12)) for a in operands])


def with_a_number(ufunc, operands):
    if len(operands) == 2:
        a, b = operands
        return ufunc(a, b[3]), ufunc(a[3], b), ufunc(a, np.repeat(b, 2)[::2])


def into_gaps(ufunc, operands):
    out = np.zeros(2 * SIZE, result_char)
    ufunc(*operands, out=out[::2])
    return out


def into_an_operand(ufunc, operands):
    operands = [a + a.dtype.type(0) for a in operands]
    if operands[0].dtype.char == result_char:
        ufunc(*operands, out=operands[0])
    if operands[-1].dtype.char == result_char:
        ufunc(*operands, out=operands[-1])
    return operands


for name in sorted(dir(np)):
    ufunc = getattr(np, name)
    if not isinstance(ufunc, np.ufunc) or ufunc.signature or ufunc.nout > 1 or ufunc.__name__ != name:
        continue
    for types in ufunc.types:
        chars, result_char = types.split("->")
        if set(types) & set("OMmgGepP") or not set(types) & set("fdFD"):
            continue
        operands = [numbers(char) for char in chars]
        for function in (contiguous, strided, reversed_, of_rank_0, short, fortran, with_a_number,
                         into_gaps, into_an_operand):
            for _ in range(2):
                result = function(ufunc, operands)
            show(f"{name} {types} {function.__name__}", result)
