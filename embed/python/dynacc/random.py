"""Random numbers that depend on a key and a position alone: the counter-based generator Philox4x32-10.

Element i of a result is made of the block of 128 random bits whose counter is offset + i, and of nothing else. There is no
state: the same key and offset give the same numbers always, whatever the shape, the device and the number of threads, and
parts of a sequence can be drawn apart. Bits and uniform numbers are the same to the last bit on every target; normal ones
take logarithms and cosines, whose last digits may differ on a GPU.

The generator is that of J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel Random Numbers: As Easy as
1, 2, 3" (2011). It is written in operations on tensors of uint64, which become one kernel (for normal numbers two).
"""
import math as _math

import numpy as _np

import _dynacc
from dynacc._devices import call as _call, placed as _placed
from dynacc._dtypes import astype as _astype, require_dtype as _require_dtype
from dynacc._memory import arrays as _arrays, tensor_of as _tensor_of

__all__ = ["bits", "normal", "uniform"]

_MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
_WEYL = 0x9E3779B9, 0xBB67AE85  # what is added to the key's words after each round
_ROUNDS = 10
_WORD = 0xFFFFFFFF
_COLUMNS = 1024  # positions are sums of a row's first one and a column's, so that few are stored


def bits(shape, *, key, offset=0, device=None):
    """Returns a tensor of uint64, each with 64 random bits.

    key     an int of 64 bits that chooses the sequence
    offset  the position in it of the first element, an int of 64 bits; others follow in C order
    device  where the tensor shall be; None: the CPU
    """
    return _drawn(_bits, shape, key, offset, device)


def uniform(shape, *, key, offset=0, dtype=None, device=None):
    """Returns a tensor of numbers from [0, 1), evenly distributed, of dtype float64 (None) or float32.

    They are the multiples of 2**-53, or 2**-24, that the highest bits of `bits` with the same arguments make.
    """
    return _drawn(_forms(dtype)["uniform"], shape, key, offset, device)


def normal(shape, *, key, offset=0, dtype=None, device=None):
    """Returns a tensor of numbers with the standard normal distribution, of dtype float64 (None) or float32.

    Each is made of two uniform numbers by Box and Muller's method, and lies between -8.6 and 8.6 (float32: 5.8).
    """
    return _drawn(_forms(dtype)["normal"], shape, key, offset, device)


def _round_keys(key):
    """Both words of the key of each round, the rounds in order: Python ints."""
    words = key & _WORD, key >> 32
    return [(word + i * step) & _WORD for i in range(_ROUNDS) for word, step in zip(words, _WEYL)]


def _philox(c0, c1, c2, c3, keys):
    """The four words of each block of the counter c0 + c1 * 2**32 ...: tensors of uint64, or 0."""
    for i in range(_ROUNDS):
        low, high = c0 * _MULTIPLIERS[0], c2 * _MULTIPLIERS[1]
        c0, c2 = (high >> 32) ^ c1 ^ keys[2 * i], (low >> 32) ^ c3 ^ keys[2 * i + 1]
        c1, c3 = high & _WORD, low & _WORD
    return c0, c1, c2, c3


def _blocks(rows, columns, keys):
    """The words of the blocks at rows[i, 0] + columns[j]."""
    position = rows + columns
    return _philox(position & _WORD, position >> 32, 0, 0, keys)


def _bits(rows, columns, keys):
    first, second, _, _ = _blocks(rows, columns, keys)
    return second << 32 | first


def _uniform_64(rows, columns, keys):
    return _fraction_64(_bits(rows, columns, keys))


def _uniform_32(rows, columns, keys):
    return _fraction_32(_bits(rows, columns, keys))


def _normal_64(rows, columns, keys):
    first, second, third, fourth = _blocks(rows, columns, keys)
    return _box_muller(_fraction_64(second << 32 | first) + 2.0**-53, _fraction_64(fourth << 32 | third))


def _normal_32(rows, columns, keys):
    first, second, third, fourth = _blocks(rows, columns, keys)
    return _box_muller(_fraction_32(second << 32 | first) + 2.0**-24, _fraction_32(fourth << 32 | third))


def _fraction_64(words):
    return _astype(words >> 11, _arrays.float64) * 2.0**-53


def _fraction_32(words):
    return _astype(words >> 40, _arrays.float32) * 2.0**-24


def _box_muller(radius, angle):
    return _arrays.sqrt(_arrays.log(radius) * -2.0) * _arrays.cos(angle * (2 * _math.pi))


_FORMS = {_arrays.float64: {"uniform": _uniform_64, "normal": _normal_64},
          _arrays.float32: {"uniform": _uniform_32, "normal": _normal_32}}
_compiled = {}


def _forms(dtype):
    dtype = _require_dtype(dtype, _arrays.float64)
    if dtype not in _FORMS:
        raise TypeError(f"dynacc.random: numbers are of float64 or float32, not of {dtype}")
    return _FORMS[dtype]


def _drawn(form, shape, key, offset, device):
    """The tensor of that shape of what `form` makes of positions and keys."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if any(size < 0 for size in shape):
        raise ValueError(f"dynacc.random: negative sizes in the shape {shape}")
    size = _math.prod(shape)
    tables = [_placed(_tensor_of(table), device or "cpu") for table in _tables(size, key, offset)]
    if _arrays.device_number(tables[0]):
        drawn = _call(form, tables, {})
    else:
        if form not in _compiled:
            _compiled[form] = _dynacc.CompiledFunction(form, False, None, None, {})
        drawn = _compiled[form](*tables)
    return _arrays.reshape(_arrays.reshape(drawn, (-1,), None)[:size], shape, None)


def _tables(size, key, offset):
    """Positions of the rows' first elements, what columns add to them, and the rounds' keys: arrays of uint64."""
    for name, value in (("key", key), ("offset", offset)):
        if not isinstance(value, (int, _np.integer)):
            raise TypeError(f"dynacc.random: the {name} must be an int, not {type(value).__name__}")
        if not 0 <= value < 2**64:
            raise ValueError(f"dynacc.random: the {name} must be an int of 64 bits, not {value}")
    columns = _np.arange(min(max(size, 1), _COLUMNS), dtype=_np.uint64)
    rows = _np.arange(-(-size // len(columns)), dtype=_np.uint64) * _np.uint64(len(columns)) + _np.uint64(offset)
    return rows[:, None], columns, _np.array(_round_keys(key), dtype=_np.uint64)
