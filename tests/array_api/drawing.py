"""Inputs for the tests of the array namespace: arrays of every dtype and layout with the numbers that go wrong."""
import numpy as np

import dynacc as xp

SHAPES = ((), (0,), (1,), (5,), (64,), (3, 0), (3, 4), (1, 4), (2, 1, 5), (2, 3, 4), (1, 1, 1, 2, 1, 1, 3, 1, 2))
DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
          "float64", "complex64", "complex128")
INTEGERS = DTYPES[1:9]
FLOATS = DTYPES[9:12]
COMPLEX = DTYPES[12:]
REAL = INTEGERS + FLOATS
NUMERIC = REAL + COMPLEX
INEXACT = FLOATS + COMPLEX


def special_numbers(dtype):
    """Numbers of the dtype where functions have their special cases."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return np.array([0, 1, 2, 3, limits.min, limits.max, limits.max // 2], dtype)
    if dtype.kind == "f":
        limits = np.finfo(dtype)
        return np.array([0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, 3, -7, np.inf, -np.inf, np.nan, limits.max, limits.min,
                         limits.tiny, limits.eps, limits.smallest_subnormal], dtype)
    part = np.array([0.0, -0.0, 1, -1, 0.5, 3, np.inf, -np.inf, np.nan], f"f{dtype.itemsize // 2}")
    result = np.empty((len(part), len(part)), dtype)
    result.real, result.imag = part[:, None], part[None, :]
    return result.ravel()


def draw(random, dtype, shape, finite=False):
    """An array of numbers: some special, some ordinary, in C order, or in another layout."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape))
    ordinary = random.integers(0, 2, size) if dtype.kind == "b" else random.normal(0, 4, size)
    if dtype.kind == "u":
        ordinary = np.abs(ordinary)
    elements = ordinary.astype(dtype)
    if dtype.kind == "c":
        elements = (elements + 1j * random.normal(0, 4, size)).astype(dtype)
    if not finite:
        chosen = random.random(size) < 0.5
        elements[chosen] = random.choice(special_numbers(dtype), int(chosen.sum()))
    return in_some_layout(random, elements.reshape(shape))


def in_some_layout(random, array):
    """The same elements in C order, Fortran order, with gaps or backwards."""
    layout = random.integers(0, 4)
    if layout == 1 and array.ndim:
        return np.asfortranarray(array)
    if layout == 2 and array.ndim:
        spaced = np.empty(array.shape[:-1] + (2 * array.shape[-1],), array.dtype)
        spaced[..., ::2] = array
        return spaced[..., ::2]
    if layout == 3 and array.ndim:
        return np.ascontiguousarray(array[::-1])[::-1]
    return array


def same(tensor, array, where, exact=True):
    """AssertionError unless the tensor has the array's dtype, shape and elements, bit for bit but for NaNs."""
    array = np.asarray(array)
    assert isinstance(tensor, xp.Tensor), f"{where}: {type(tensor)}"
    got = np.asarray(tensor)
    assert (str(tensor.dtype), tensor.shape) == (array.dtype.name, array.shape), \
        f"{where}: {tensor.dtype}{list(tensor.shape)} for {array.dtype}{list(array.shape)}"
    assert (got.dtype, got.shape) == (array.dtype, array.shape), f"{where}: np.asarray gives {got.dtype}{got.shape}"
    if not exact:
        tolerance = 300 * np.finfo(array.dtype).eps if array.dtype.kind in "fc" else 0
        np.testing.assert_allclose(got, array, rtol=tolerance, atol=tolerance, err_msg=where)
        return
    for a, b in parts(got, array):
        equal = (a == b) & (np.signbit(a) == np.signbit(b)) if a.dtype.kind == "f" else a == b
        assert np.all(equal | ((a != a) & (b != b))), f"{where}:\n{got}\nfor\n{array}"


def parts(got, array):
    if array.dtype.kind == "c":
        return ((got.real, array.real), (got.imag, array.imag))
    return ((got, array),)
