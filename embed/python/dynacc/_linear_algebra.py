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
    a, b = promoted(x1, x2)
    with quiet():
        if not arrays.device_number(x1):
            return tensor_of(_np.tensordot(a, b, axes=axes))
        return tensor_of(_product_over(a, b, *_paired_axes(a.ndim, axes)))


def _paired_axes(rank, axes):
    """The axes of both factors, the last ones and the first ones if a number is given."""
    if isinstance(axes, int):
        return tuple(range(rank - axes, rank)), tuple(range(axes))
    return axes


def _product_over(a, b, of_a, of_b):
    """tensordot as one product of matrices, as a device makes it."""
    of_a, of_b = [axis % a.ndim for axis in of_a], [axis % b.ndim for axis in of_b]
    for one, other in zip(of_a, of_b, strict=True):
        if a.shape[one] != b.shape[other]:
            raise ValueError(f"dynacc.tensordot: an axis of {a.shape[one]} elements and one of {b.shape[other]}")
    rest_a = [axis for axis in range(a.ndim) if axis not in of_a]
    rest_b = [axis for axis in range(b.ndim) if axis not in of_b]
    summed = _elements_along(a, of_a)
    rows = a.transpose(tuple(rest_a + of_a)).reshape((_elements_along(a, rest_a), summed))
    columns = b.transpose(tuple(of_b + rest_b)).reshape((summed, _elements_along(b, rest_b)))
    shape = tuple([a.shape[axis] for axis in rest_a] + [b.shape[axis] for axis in rest_b])
    return _np.matmul(rows, columns).reshape(shape)


def _elements_along(array, axes):
    count = 1
    for axis in axes:
        count *= array.shape[axis]
    return count


def vecdot(x1, x2, /, *, axis=-1):
    """Returns the dot products of vectors along an axis; of complex ones the first is conjugated."""
    _require_tensors(x1, x2)
    if x1.ndim == 0 or x2.ndim == 0:
        raise ValueError("dynacc.vecdot: tensors with an axis are needed")
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"dynacc.vecdot: the vectors have {x1.shape[axis]} and {x2.shape[axis]} elements")
    rows, columns = (_np.moveaxis(array, axis, -1) for array in promoted(x1, x2))
    with quiet():
        return tensor_of(_np.matmul(_np.conj(rows)[..., None, :], columns[..., None])[..., 0, 0])
