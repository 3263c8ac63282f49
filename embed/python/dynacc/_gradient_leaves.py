"""The arrays that derivatives are by, and what is given of their dtypes and shapes: tangents and cotangents."""
import numpy as _np

from dynacc import _tensor_gradients

NUMPY_TYPES = {"f16": "float16", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128"}


def dtype_text(dtype):
    return next(text for text, name in NUMPY_TYPES.items() if dtype == name)


def as_array(path, leaf):
    """A view of its own of an array to differentiate by; a number as an array of rank 0. ByTensors: it is a tensor."""
    if isinstance(leaf, _tensor_gradients.Tensor):
        raise _tensor_gradients.ByTensors
    if isinstance(leaf, (bool, _np.bool_, int, _np.integer)) or not isinstance(
            leaf, (float, complex, _np.inexact, _np.ndarray)):
        raise TypeError(f"derivatives are by floating-point or complex numbers: {path} is {type(leaf).__name__}"
                        f"{f' {leaf!r}' if isinstance(leaf, (int, str)) else ''}. Convert it, or leave it out of "
                        "argnums")
    if isinstance(leaf, _np.ndarray) and type(leaf) is not _np.ndarray:
        raise TypeError(f"derivatives are by plain arrays: {path} is a {type(leaf).__name__}")
    array = leaf.view() if isinstance(leaf, _np.ndarray) else _np.array(leaf)
    if array.dtype.kind not in "fc":
        raise TypeError(f"derivatives are by floating-point or complex numbers: {path} is an array of {array.dtype}. "
                        "Convert it with astype, or leave it out of argnums")
    return array


def fitting(value, dtype, shape, what, like):
    """`value`, a number or an array of this shape and of this dtype or floats that it holds, as such an array."""
    wanted = _np.dtype(NUMPY_TYPES[dtype])
    array = _np.asarray(value)
    if array.shape != shape:
        raise ValueError(f"{what} has the shape {array.shape}, its {like} {shape}")
    if isinstance(value, (int, float, complex)):
        fits = array.dtype.kind in f"iuf{wanted.kind}"
    else:
        fits = array.dtype.kind in "fc" and _np.can_cast(array.dtype, wanted)
    if not fits:
        raise ValueError(f"{what} is of {array.dtype}, its {like} of {wanted}: convert it with astype")
    return array.astype(wanted, copy=False)
