"""The standard's linear algebra functions of the main namespace."""
import numpy as _np

from dynacc._memory import Tensor, arrays, promoted, quiet, tensor_of

__all__ = ["matmul", "matrix_transpose", "tensordot", "vecdot"]


def _require_tensors(*operands):
    for operand in operands:
        if not isinstance(operand, Tensor):
            raise TypeError(f"expected a tensor, not {type(operand).__name__}")


def matmul(x1, x2, /):
    """Returns the matrix product of vectors, matrices or stacks of matrices."""
    _require_tensors(x1, x2)
    with quiet():
        product = arrays.product(x1, x2)
        return tensor_of(_np.matmul(*promoted(x1, x2))) if product is None else product


def matrix_transpose(x, /):
    """Returns a view with the last two axes exchanged."""
    return x.mT


def tensordot(x1, x2, /, *, axes=2):
    """Returns the sums of products over axes: the last of x1 and the first of x2, or two tuples of axes."""
    _require_tensors(x1, x2)
    with quiet():
        return tensor_of(_np.tensordot(*promoted(x1, x2), axes=axes))


def vecdot(x1, x2, /, *, axis=-1):
    """Returns the dot products of vectors along an axis; of complex ones the first is conjugated."""
    _require_tensors(x1, x2)
    if x1.ndim == 0 or x2.ndim == 0:
        raise ValueError("vecdot() needs tensors with an axis")
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"vecdot: the vectors have {x1.shape[axis]} and {x2.shape[axis]} elements")
    rows, columns = (_np.moveaxis(array, axis, -1) for array in promoted(x1, x2))
    with quiet():
        return tensor_of(_np.matmul(_np.conj(rows)[..., None, :], columns[..., None])[..., 0, 0])
