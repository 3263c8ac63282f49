"""The standard's extension linalg, by NumPy's LAPACK. Matrices are the last two axes.

Functions that LAPACK computes take floating-point dtypes and give the same dtype, unless they say otherwise; float16 is
computed in float32, and ints are taken as float64. numpy.linalg.LinAlgError for fewer than two axes, for matrices that
are not square where they must be, and where LAPACK finds no result.
"""
import collections as _collections

import numpy as _np

try:
    from numpy.lib.array_utils import normalize_axis_tuple as _normalize_axis_tuple
except ImportError:  # NumPy 1
    from numpy.core.numeric import normalize_axis_tuple as _normalize_axis_tuple

from dynacc._linear_algebra import matmul, matrix_transpose, tensordot, vecdot
from dynacc._memory import array_in, array_of, arrays, promoted, quiet, tensor_of
from dynacc._statistics import _sum_dtype

__all__ = ["cholesky", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "matmul", "matrix_norm", "matrix_power",
           "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot",
           "trace", "vecdot", "vector_norm"]

EighResult = _collections.namedtuple("EighResult", "eigenvalues eigenvectors")
QRResult = _collections.namedtuple("QRResult", "Q R")
SlogdetResult = _collections.namedtuple("SlogdetResult", "sign logabsdet")
SVDResult = _collections.namedtuple("SVDResult", "U S Vh")


def _for_lapack(x):
    """The array that NumPy's linalg takes: it has no halves."""
    return array_of(arrays.cast(x, arrays.float32) if x.dtype is arrays.float16 else x)


def _as_given(result, x):
    """The result as a tensor, in halves if x's elements are."""
    tensor = tensor_of(result)
    return arrays.cast(tensor, arrays.float16) if x.dtype is arrays.float16 and tensor.dtype is arrays.float32 else tensor


def cholesky(x, /, *, upper=False):
    """Returns the lower (or upper) triangular factor of positive definite matrices: x [..., n, n] -> [..., n, n].

    LinAlgError for a matrix that is not positive definite.
    """
    array = _for_lapack(x)
    with quiet():
        if upper:  # of the conjugate, so that what is 0 is not -0
            return _as_given(_np.swapaxes(_np.linalg.cholesky(_np.conj(array)), -1, -2), x)
        return _as_given(_np.linalg.cholesky(array), x)


def cross(x1, x2, /, *, axis=-1):
    """Returns the cross products of vectors of three elements along an axis. ValueError for other sizes."""
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError("dynacc.linalg.cross: axes of size 3 are needed")
    a, b = (_np.moveaxis(array, axis, -1) for array in promoted(x1, x2))
    with quiet():
        parts = [a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return tensor_of(_np.stack(parts, axis=axis))


def det(x, /):
    """Returns the determinants: x [..., n, n] -> [...]. 0 of a singular matrix, or nearly."""
    with quiet():
        return _as_given(_np.linalg.det(_for_lapack(x)), x)


def diagonal(x, /, *, offset=0):
    """Returns the diagonals, above the main one by offset."""
    return tensor_of(_np.diagonal(array_of(x), offset=offset, axis1=-2, axis2=-1).copy())


def eigh(x, /):
    """Returns the eigenvalues, ascending, and eigenvectors of symmetric or Hermitian matrices.

    x [..., n, n] -> real eigenvalues [..., n] and, as columns, eigenvectors [..., n, n]. Only the lower triangle is
    read.
    """
    with quiet():
        return EighResult(*(_as_given(part, x) for part in _np.linalg.eigh(_for_lapack(x))))


def eigvalsh(x, /):
    """Returns the eigenvalues, ascending and real, of symmetric or Hermitian matrices: x [..., n, n] -> [..., n]."""
    with quiet():
        return _as_given(_np.linalg.eigvalsh(_for_lapack(x)), x)


def inv(x, /):
    """Returns the inverses: x [..., n, n] -> [..., n, n]. LinAlgError for a singular matrix."""
    with quiet():
        return _as_given(_np.linalg.inv(_for_lapack(x)), x)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """Returns the norms of matrices: x [..., m, n] -> [...], or [..., 1, 1] with keepdims; real of complex ones.

    ord  "fro", "nuc", 1, -1, 2, -2, inf or -inf; ValueError for another one
    """
    array = _for_lapack(x)
    with quiet():
        if ord == "fro" and x.ndim >= 2:
            return _as_given(_root_of_squares(array, (-2, -1), keepdims), x)
        return _as_given(_np.linalg.norm(array, axis=(-2, -1), keepdims=keepdims, ord=ord), x)


def _root_of_squares(array, axes, keepdims=False):
    """The 2-norms along axes, added up as np.linalg.norm adds."""
    if array.dtype.kind not in "fc":
        array = array.astype(_np.float64)
    if array.dtype.kind == "c":
        return _np.sqrt(_np.add.reduce((array.conj() * array).real, axes, None, None, keepdims))
    return _np.sqrt(_np.add.reduce(array * array, axes, None, None, keepdims))


def matrix_power(x, n, /):
    """Returns the n-th powers of square matrices; negative ones are of the inverses."""
    with quiet():
        if arrays.device_number(x) and 1 <= n:
            return _as_given(_power_by_squaring(_for_lapack(x), n), x)
        return _as_given(_np.linalg.matrix_power(_for_lapack(x), n), x)


def _power_by_squaring(array, n):
    """As many products as n has binary digits and ones, but for one."""
    power = None
    while True:
        if n & 1:
            power = array if power is None else _np.matmul(power, array)
        n >>= 1
        if n == 0:
            return +power
        array = _np.matmul(array, array)


def _epsilon(array):
    return float(_np.finfo(array.dtype).eps)


def matrix_rank(x, /, *, rtol=None):
    """Returns how many singular values are above rtol times the largest."""
    if x.ndim < 2:
        raise ValueError("dynacc.linalg.matrix_rank: 2 dimensions or more are needed")
    with quiet():
        values = _np.linalg.svd(_for_lapack(x), compute_uv=False)
    if values.shape[-1] == 0:
        return tensor_of(_np.zeros(x.shape[:-2], dtype=_np.int64))
    relative = max(x.shape[-2:]) * _epsilon(values) if rtol is None else _tolerance(rtol)
    with quiet():
        limit = values.max(axis=-1, keepdims=True) * relative
    return tensor_of(_np.asarray(_np.count_nonzero(values > limit, axis=-1), dtype=_np.int64))


def _tolerance(rtol):
    """A tolerance for each matrix, or one for all, as it goes with their singular values."""
    return rtol if isinstance(rtol, (int, float)) else array_of(rtol)[..., None]


def outer(x1, x2, /):
    """Returns the outer product of two vectors."""
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError("dynacc.linalg.outer: vectors are needed")
    a, b = promoted(x1, x2)
    with quiet():
        return tensor_of(_np.multiply(a[:, None], b[None, :]))


def pinv(x, /, *, rtol=None):
    """Returns the Moore-Penrose pseudo-inverses; singular values below rtol times the largest count as 0."""
    array = _for_lapack(x)
    if rtol is None:
        rtol = max(x.shape[-2:]) * _epsilon(array if array.dtype.kind in "fc" else _np.empty(0))
    with quiet():
        return _as_given(_np.linalg.pinv(array, rcond=rtol if isinstance(rtol, (int, float)) else array_of(rtol)), x)


def qr(x, /, *, mode="reduced"):
    """Returns orthonormal and upper triangular factors; mode is "reduced" or "complete"."""
    if mode not in ("reduced", "complete"):
        raise ValueError(f"dynacc.linalg.qr: the mode must be 'reduced' or 'complete', not {mode!r}")
    with quiet():
        return QRResult(*(_as_given(part, x) for part in _np.linalg.qr(_for_lapack(x), mode)))


def slogdet(x, /):
    """Returns the determinants' signs and the logarithms of their magnitudes."""
    with quiet():
        return SlogdetResult(*(_as_given(part, x) for part in _np.linalg.slogdet(_for_lapack(x))))


def solve(x1, x2, /):
    """Returns what x1 must be multiplied with to give x2: a vector, or matrices."""
    dtype = arrays.result_type(x1, x2)
    exact = arrays.float32 if dtype is arrays.float16 else dtype
    a, b = array_in(x1, exact), array_in(x2, exact)
    # NumPy would take a stack of one dimension less than x1's for vectors.
    columns = b[:, None] if b.ndim == 1 else b
    with quiet():
        result = _np.linalg.solve(a, columns.reshape((1,) * (a.ndim - columns.ndim) + columns.shape))
    if b.ndim == 1:
        result = result[..., 0]
    tensor = tensor_of(result)
    return arrays.cast(tensor, dtype) if dtype is arrays.float16 else tensor


def svd(x, /, *, full_matrices=True):
    """Returns the singular value decompositions x = U @ diag(S) @ Vh.

    x [..., m, n] -> U [..., m, m], S [..., k], real and descending, and Vh [..., n, n], where k is the smaller of m and
    n; without full_matrices U [..., m, k] and Vh [..., k, n]. LinAlgError where it does not converge.
    """
    with quiet():
        return SVDResult(*(_as_given(part, x) for part in _np.linalg.svd(_for_lapack(x), full_matrices=full_matrices)))


def svdvals(x, /):
    """Returns the singular values, real and descending: x [..., m, n] -> [..., k], the smaller of m and n."""
    with quiet():
        return _as_given(_np.linalg.svd(_for_lapack(x), compute_uv=False), x)


def trace(x, /, *, offset=0, dtype=None):
    """Returns the sums of the diagonals, above the main one by offset."""
    diagonals = _np.diagonal(array_of(x), offset=offset, axis1=-2, axis2=-1)
    with quiet():
        return tensor_of(_np.add.reduce(diagonals, -1, _sum_dtype(x, dtype)))


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """Returns the norms of vectors: along an axis, several taken as one, or of all elements."""
    array = _for_lapack(x)
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(sorted(_normalize_axis_tuple(axes, x.ndim)))
    rest = tuple(i for i in range(x.ndim) if i not in axes)
    rows = array.transpose(rest + axes).reshape(tuple(x.shape[i] for i in rest) + (-1,)
                                                if x.size else tuple(x.shape[i] for i in rest)
                                                + (int(_np.prod([x.shape[i] for i in axes])),))
    with quiet():
        result = _root_of_squares(rows, -1) if ord == 2 else _np.linalg.norm(rows, axis=-1, ord=ord)
    if keepdims:
        result = _np.reshape(result, tuple(1 if i in axes else n for i, n in enumerate(x.shape)))
    return _as_given(result, x)
