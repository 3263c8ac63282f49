"""Derivatives of NumPy's products, of numpy.linalg and of numpy.fft (_gradient_rules.py says how)."""
import operator as _operator

import _dynacc
import numpy as _np

from dynacc._decompositions import diagonal
from dynacc._gradient_rules import (LEFT, RULES, as_array, is_complex, pull, pull_each, stand_in, through, transposed,
                                    unbroadcast)

_arrays = _dynacc.arrays()
_linalg = _np.linalg
_fft = _np.fft


# --- Products --------------------------------------------------------------------------------------------------------

@stand_in("inner", arrays=2)
def _inner(a, b):
    if _np.ndim(a) == 0 or _np.ndim(b) == 0:
        return a * b
    return _tensordot(a, b, (-1, -1))


@stand_in("tensordot", "linalg.tensordot", arrays=2)
def _tensordot(a, b, axes=2):
    a, b = _np.asarray(a), _np.asarray(b)
    if isinstance(axes, int):
        left, right = tuple(range(a.ndim - axes, a.ndim)), tuple(range(axes))
    else:
        left, right = [(one,) if isinstance(one, int) else tuple(one) for one in axes]
        left, right = [axis % a.ndim for axis in left], [axis % b.ndim for axis in right]
    rows = [axis for axis in range(a.ndim) if axis not in left]
    columns = [axis for axis in range(b.ndim) if axis not in right]
    shape = tuple([a.shape[axis] for axis in rows] + [b.shape[axis] for axis in columns])
    inner = 1
    for axis in left:
        inner *= a.shape[axis]
    one = _np.transpose(a, tuple(rows) + tuple(left)).reshape(-1, inner)
    other = _np.transpose(b, tuple(right) + tuple(columns)).reshape(inner, -1)
    return (one @ other).reshape(shape)


@stand_in("dot", methods=("dot",), arrays=2)
def _dot(a, b):
    dims, other_dims = _np.ndim(a), _np.ndim(b)
    if dims == 0 or other_dims == 0:
        return a * b
    if dims > 2 or other_dims > 2:
        return _tensordot(a, b, ((-1,), (-1 if other_dims == 1 else -2,)))
    return _matmul(a, b)


@stand_in(_operator.matmul, "matmul", arrays=2)
def _matmul(a, b, **kwargs):
    if kwargs:
        return LEFT
    if is_complex(a, b):
        a, b = a * (1 + 0j), b * (1 + 0j)  # real numbers have no imaginary part to take
        real_a, imag_a, real_b, imag_b = a.real.copy(), a.imag.copy(), b.real.copy(), b.imag.copy()
        return real_a @ real_b - imag_a @ imag_b + _np.asarray(real_a @ imag_b + imag_a @ real_b) * 1j
    return (a * b).sum() if _np.ndim(a) == _np.ndim(b) == 1 else a @ b


@stand_in("vecdot", arrays=2)
def _vecdot(a, b, axis=-1, **kwargs):
    return LEFT if kwargs else (_np.conj(a) * b).sum(axis)


@stand_in("matvec", arrays=2)
def _matvec(a, b, **kwargs):
    return LEFT if kwargs else _matmul(a, b[..., None])[..., 0]


@stand_in("vecmat", arrays=2)
def _vecmat(a, b, **kwargs):
    return LEFT if kwargs else _matmul(_np.conj(a)[..., None, :], b)[..., 0, :]


@stand_in("vdot", arrays=2)
def _vdot(a, b):
    return (_np.conj(a.ravel()) * b.ravel()).sum()


@stand_in("cross", arrays=2)
def _cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    if axis is not None:
        axisa = axisb = axisc = axis
    a = _np.moveaxis(a, axisa, -1)
    b = _np.moveaxis(b, axisb, -1)
    if a.shape[-1] == 2 and b.shape[-1] == 2:
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        return LEFT
    parts = [a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return _np.moveaxis(_np.stack(parts, -1), -1, axisc)


@stand_in("trace", "linalg.trace", methods=("trace",), arrays=1)
def _trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    return diagonal(a, offset, axis1, axis2).sum(-1)


@stand_in("linalg.multi_dot")
def _multi_dot(arrays):
    product = as_array(arrays[0])
    for array in arrays[1:]:
        product = product @ as_array(array)
    return product


@stand_in("linalg.matrix_power", arrays=1)
def _matrix_power(a, n):
    if not -64 <= n <= 64:
        return LEFT
    base = _linalg.inv(a) if n < 0 else a
    result, n = None, abs(n)
    while n:
        if n % 2:
            result = base if result is None else result @ base
        base, n = base @ base, n // 2
    return result


def _diagonals(part, labels):
    """The operand with each label once: elements off the diagonals are left out."""
    for label in labels:
        while labels.count(label) > 1:
            first = labels.index(label)
            second = [place for place in range(len(labels)) if labels[place] == label][1]
            part = diagonal(part, 0, first, second)
            rest = [labels[place] for place in range(len(labels)) if place != first and place != second]
            labels = "".join(rest) + label
    return part, labels


def _summed(part, labels, kept):
    """Summed over the labels that are not kept."""
    gone = tuple([axis for axis, label in enumerate(labels) if label not in kept])
    if not gone:
        return part, labels
    return part.sum(gone), "".join([label for label in labels if label in kept])


def _ordered(part, labels, order):
    return _np.transpose(part, tuple([labels.index(label) for label in order])) if labels != order else part


def _contracted(a, labels_a, b, labels_b, kept):
    """The product of two operands, summed over the labels of both that are not kept: a batch of matrix products."""
    batch = "".join([label for label in labels_a if label in labels_b and label in kept])
    inner = "".join([label for label in labels_a if label in labels_b and label not in kept])
    rows = "".join([label for label in labels_a if label not in labels_b])
    columns = "".join([label for label in labels_b if label not in labels_a])
    a = _ordered(a, labels_a, batch + rows + inner)
    b = _ordered(b, labels_b, batch + inner + columns)
    sizes = a.shape[:len(batch) + len(rows)] + b.shape[len(batch) + len(inner):]
    batches, lengths = a.shape[:len(batch)], a.shape[len(batch) + len(rows):]
    length, height, width = 1, 1, 1
    for size in lengths:
        length *= size
    for size in a.shape[len(batch):len(batch) + len(rows)]:
        height *= size
    for size in b.shape[len(batch) + len(inner):]:
        width *= size
    product = a.reshape(batches + (height, length)) @ b.reshape(batches + (length, width))
    return product.reshape(sizes), batch + rows + columns


def _terms(text, ranks):
    """The labels of the operands and of the result; an ellipsis stands for labels that occur nowhere else."""
    inputs, arrow, output = text.partition("->")
    terms = inputs.split(",")
    free = [label for label in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" if label not in text]
    counts = [rank - len(term) + 3 if "..." in term else 0 for term, rank in zip(terms, ranks)]
    longest = max(counts)
    rest = "".join(free[:longest])
    terms = [term.replace("...", "".join(free[longest - count:longest])) for term, count in zip(terms, counts)]
    if arrow:
        return terms, output.replace("...", rest)
    letters = inputs.replace(",", "").replace(".", "")
    return terms, rest + "".join([label for label in sorted(set(letters)) if letters.count(label) == 1])


@stand_in("einsum")
def _einsum(subscripts, *operands, out=None, optimize=False, **kwargs):
    if not isinstance(subscripts, str) or kwargs:
        return LEFT
    operands = [_np.asarray(as_array(operand)) for operand in operands]
    terms, output = _terms(subscripts.replace(" ", ""), [_np.ndim(operand) for operand in operands])
    sizes = {}
    for operand, term in zip(operands, terms):
        for label, size in zip(term, _np.shape(operand)):
            if sizes.setdefault(label, size) != size:
                return LEFT  # an axis of the ellipsis that broadcasts
    result, labels = None, ""
    for number in range(len(terms)):
        later = output + "".join(terms[number + 1:])
        part, own = _diagonals(operands[number], terms[number])
        part, own = _summed(part, own, later + labels)
        if result is None:
            result, labels = part, own
        else:
            result, labels = _contracted(result, labels, part, own, later)
        result, labels = _summed(result, labels, later)
    return _ordered(result, labels, output)


def _part_of_full(longer, shorter, mode, is_reversed=False):
    """Where in a full convolution the one of a mode begins, and its length."""
    whole = longer + shorter - 1
    if mode == "full":
        return 0, whole
    size = longer if mode == "same" else longer - shorter + 1
    first = (shorter - 1) // 2 if mode == "same" else shorter - 1
    return whole - size - first if is_reversed else first, size


@pull("convolve", arrays=2)
def _convolve(g, y, a, v, mode="full"):
    n, m = a.shape[0], v.shape[0]
    first, size = _part_of_full(max(n, m), min(n, m), mode)
    whole = _np.concatenate([_np.zeros(first, g.dtype), g, _np.zeros(n + m - 1 - first - size, g.dtype)])
    return _np.convolve(whole, v[::-1])[m - 1:m - 1 + n], _np.convolve(whole, a[::-1])[n - 1:n - 1 + m]


@stand_in("correlate", arrays=2)
def _correlate(a, v, mode="valid"):
    n, m = _np.shape(a)[0], _np.shape(v)[0]
    first, size = _part_of_full(max(n, m), min(n, m), mode, n < m)
    return _np.convolve(a, _np.conj(v)[::-1])[first:first + size]


# --- Linear algebra --------------------------------------------------------------------------------------------------

@pull("linalg.inv", arrays=1)
def _inv(g, y, a):
    yt = transposed(y)
    return (-(yt @ g @ yt),)


@pull("linalg.solve", arrays=2)
def _solve(g, x, a, b):
    is_vector = b.ndim == a.ndim - 1 if int(_np.__version__.split(".")[0]) < 2 else b.ndim == 1
    at = transposed(a)
    if is_vector:
        gb = _linalg.solve(at, g[..., None])
        return unbroadcast(-(gb * x[..., None, :]), a.shape), unbroadcast(gb[..., 0], b.shape)
    gb = _linalg.solve(at, g)
    return unbroadcast(-(gb @ transposed(x)), a.shape), unbroadcast(gb, b.shape)


@pull("linalg.det", arrays=1)
def _det(g, y, a):
    return (_np.asarray(g * y)[..., None, None] * transposed(_linalg.inv(a)),)


@pull_each("linalg.slogdet")
def _slogdet(index, g, results, a):
    if is_complex(a):
        return LEFT
    return None if index == 0 else _np.asarray(g)[..., None, None] * transposed(_linalg.inv(a))


@pull("linalg.cholesky", arrays=1)
def _cholesky(g, y, a, **kwargs):
    if is_complex(a) or kwargs.get("upper", False):
        return LEFT
    # Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation", 2008.
    lower = transposed(y) @ g
    half = _np.tril(lower) - lower * (_np.eye(a.shape[-1], dtype=a.dtype) / 2)
    yt = transposed(y)
    inner = _linalg.solve(yt, transposed(_linalg.solve(yt, transposed(half))))
    return ((inner + transposed(inner)) / 2,)


@pull_each("linalg.qr")
def _qr(index, g, results, a, mode="reduced"):
    if mode != "reduced" or a.shape[-2] < a.shape[-1] or is_complex(a):
        return LEFT
    q, r = results
    lower = -(transposed(g) @ q) if index == 0 else r @ transposed(g)
    symmetric = _np.tril(lower) + transposed(_np.tril(lower, -1))
    inner = q @ symmetric + g if index == 0 else q @ symmetric
    return transposed(_linalg.solve(r, transposed(inner)))


def _off_diagonal_inverse(values):
    """1 / (values[j] - values[i]) at place i, j, and 0 on the diagonal."""
    differences = values[..., None, :] - values[..., :, None]
    unit = _np.eye(values.shape[-1], dtype=values.dtype)
    return (1 - unit) / (differences + unit)


@pull_each("linalg.eigh")
def _eigh(index, g, results, a, UPLO="L"):
    if is_complex(a):
        return LEFT
    values, vectors = results
    if index == 0:
        inner = g[..., None, :] * vectors @ transposed(vectors)
    else:
        inner = vectors @ (_off_diagonal_inverse(values) * (transposed(vectors) @ g)) @ transposed(vectors)
    return (inner + transposed(inner)) / 2


@stand_in("linalg.eigvalsh", arrays=1)
def _eigvalsh(a, UPLO="L"):
    return LEFT if is_complex(a) else _linalg.eigh(a, UPLO)[0]


def _svd_pull(index, g, results, a):
    """Townsend, "Differentiating the singular value decomposition", 2016."""
    u, s, vh = results
    ut, v = transposed(u), transposed(vh)
    if index == 1:
        return u * g[..., None, :] @ vh
    inverse = _off_diagonal_inverse(s * s)
    if index == 0:
        inner = ut @ g
        within = u @ ((inner - transposed(inner)) * inverse * s[..., None, :]) @ vh
        if u.shape[-2] == s.shape[-1]:
            return within
        return within + (g - u @ inner) / s[..., None, :] @ vh
    inner = vh @ transposed(g)
    within = u @ (s[..., :, None] * ((inner - transposed(inner)) * inverse)) @ vh
    if v.shape[-2] == s.shape[-1]:
        return within
    return within + u @ ((g - g @ v @ vh) / s[..., :, None])


@pull_each("linalg.svd")
def _svd(index, g, results, a, full_matrices=True, compute_uv=True, hermitian=False):
    if hermitian or is_complex(a) or (full_matrices and a.shape[-1] != a.shape[-2]):
        return LEFT
    return _svd_pull(index, g, results, a)


_all_of_svd = RULES[_linalg.svd]


def _svd_rule(result, a, full_matrices=True, compute_uv=True, hermitian=False):
    if isinstance(result, tuple):
        return _all_of_svd(result, a, full_matrices, compute_uv, hermitian)
    if hermitian or is_complex(as_array(a)):
        return result
    return through(result, lambda a: _linalg.svd(as_array(a), full_matrices=False)[1], (a,), {})


RULES[_linalg.svd] = _svd_rule


@stand_in("linalg.svdvals", arrays=1)
def _svdvals(x):
    return LEFT if is_complex(x) else _linalg.svd(x, full_matrices=False)[1]


@pull("linalg.pinv", arrays=1)
def _pinv(g, y, a, rcond=None, hermitian=False, **kwargs):
    if is_complex(a) or hermitian:
        return LEFT
    # Golub and Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares problems", 1973.
    yt, gt = transposed(y), transposed(g)
    left = gt @ y @ yt
    right = yt @ y @ gt
    return (left - a @ (y @ left) + right - right @ y @ a - yt @ g @ yt,)


@stand_in("linalg.lstsq", arrays=2)
def _lstsq(a, b, rcond=None):
    if is_complex(a, b):
        return LEFT, LEFT, None, LEFT
    # How many residuals there are depends on the rank.
    return _linalg.pinv(a) @ b, LEFT, None, _linalg.svd(a, full_matrices=False)[1]


@stand_in("linalg.norm", arrays=1)
def _norm(x, ord=None, axis=None, keepdims=False):
    if isinstance(axis, tuple) and len(axis) == 1:
        axis = axis[0]
    if ord is None or isinstance(axis, int) or (axis is None and x.ndim == 1):
        return _vector_norm(x, 2 if ord is None else ord, axis, keepdims)
    axes = tuple(range(x.ndim))[-2:] if axis is None else axis
    matrices = _np.moveaxis(x, axes, (-2, -1))
    result = _matrix_norm(matrices, ord)
    if result is LEFT or not keepdims:
        return result
    return _np.expand_dims(result, axes)


@stand_in("linalg.vector_norm", arrays=1)
def _vector_norm(x, ord=2, axis=None, keepdims=False):
    if ord == 2:
        return _np.sqrt(_np.sum(_np.real(x * _np.conj(x)), axis=axis, keepdims=keepdims))
    size = _np.abs(x)
    if ord == _np.inf:
        return _np.max(size, axis=axis, keepdims=keepdims)
    if ord == -_np.inf:
        return _np.min(size, axis=axis, keepdims=keepdims)
    if ord == 0:
        return None
    if ord == 1:
        return _np.sum(size, axis=axis, keepdims=keepdims)
    return _np.sum(size ** ord, axis=axis, keepdims=keepdims) ** (1.0 / ord)


def _matrix_norm(x, ord):
    if ord == "fro":
        return _np.sqrt(_np.sum(_np.real(x * _np.conj(x)), axis=(-2, -1)))
    if ord in (1, -1, _np.inf, -_np.inf):
        sums = _np.sum(_np.abs(x), axis=-2 if ord in (1, -1) else -1)
        return _np.max(sums, axis=-1) if ord > 0 else _np.min(sums, axis=-1)
    if is_complex(x):
        return LEFT
    values = _linalg.svd(x, full_matrices=False)[1]
    if ord == "nuc":
        return _np.sum(values, axis=-1)
    return values[..., 0] if ord == 2 else values[..., -1]


@stand_in("linalg.cond", arrays=1)
def _cond(x, p=None):
    if is_complex(x):
        return LEFT
    if p in (None, 2, -2):
        values = _linalg.svd(x, full_matrices=False)[1]
        return values[..., -1] / values[..., 0] if p == -2 else values[..., 0] / values[..., -1]
    return _linalg.norm(x, p, (-2, -1)) * _linalg.norm(_linalg.inv(x), p, (-2, -1))


# --- Fourier transforms ----------------------------------------------------------------------------------------------

def _resized(x, n, axis):
    """The first n elements along an axis; zeros where there are fewer."""
    if n is None or n == x.shape[axis]:
        return x
    x = _np.moveaxis(x, axis, -1)
    if n < x.shape[-1]:
        x = x[..., :n]
    else:
        x = _np.concatenate([x, _np.zeros(x.shape[:-1] + (n - x.shape[-1],), x.dtype)], -1)
    return _np.moveaxis(x, -1, axis)


def _fft_rule(transform):
    """A complex transform is a symmetric matrix: the cotangent is transformed likewise."""
    def rule(result, a, n=None, axis=-1, norm=None, out=None):
        if out is not None:
            return result
        if isinstance(a, (list, tuple)) or (n is not None and n != a.shape[axis]):
            return through(result, lambda a: transform(_resized(as_array(a), n, axis), None, axis, norm), (a,), {})
        cotangent = _arrays.cotangent(result)
        return _arrays.custom_gradient(result, cotangent, 1, a, _of_kind(a, transform(cotangent, None, axis, norm)))

    RULES[transform] = rule


def _of_kind(a, g):
    return g if is_complex(a) else _np.real(g)


_fft_rule(_fft.fft)
_fft_rule(_fft.ifft)


def _axes_of(a, s, axes):
    if axes is not None:
        return tuple(axes)
    return tuple(range(-len(s), 0)) if s is not None else tuple(range(-a.ndim, 0))


def _fftn_rule(transform, along):
    """Transforms along several axes are those along each, last axis first."""
    default = (-2, -1) if transform in (_fft.fft2, _fft.ifft2) else None

    def rule(result, a, s=None, axes=default, norm=None, out=None):
        if out is not None:
            return result
        def one_by_one(a):
            a = as_array(a)
            for place, axis in enumerate(_axes_of(a, s, axes)[::-1]):
                a = along(a, None if s is None else s[-1 - place], axis, norm)
            return a

        return through(result, one_by_one, (a,), {})

    RULES[transform] = rule


for _transform, _along in ((_fft.fft2, _fft.fft), (_fft.fftn, _fft.fft), (_fft.ifft2, _fft.ifft),
                           (_fft.ifftn, _fft.ifft)):
    _fftn_rule(_transform, _along)


@stand_in("fft.rfft", arrays=1)
def _rfft(a, n=None, axis=-1, norm=None, out=None):
    size = a.shape[axis] if n is None else n
    whole = _np.moveaxis(_fft.fft(_resized(a, n, axis), None, axis, norm), axis, -1)
    return _np.moveaxis(whole[..., :size // 2 + 1], -1, axis)


@stand_in("fft.irfft", arrays=1)
def _irfft(a, n=None, axis=-1, norm=None, out=None):
    size = 2 * (a.shape[axis] - 1) if n is None else n
    half = _np.moveaxis(_resized(a, size // 2 + 1, axis), axis, -1)
    # Of the first element and, for an even size, the last one only the real part counts.
    middle = half[..., 1:(size + 1) // 2]
    parts = [_np.real(half[..., :1]) + 0j, middle]
    if size % 2 == 0:
        parts.append(_np.real(half[..., size // 2:size // 2 + 1]) + 0j)
    parts.append(_np.conj(middle)[..., ::-1])
    return _np.moveaxis(_np.real(_fft.ifft(_np.concatenate(parts, -1), None, -1, norm)), -1, axis)


def _rfftn_of(a, s, axes, norm):
    axes = _axes_of(a, s, axes)
    result = _fft.rfft(a, None if s is None else s[-1], axes[-1], norm)
    for place, axis in enumerate(axes[:-1]):
        result = _fft.fft(result, None if s is None else s[place], axis, norm)
    return result


def _irfftn_of(a, s, axes, norm):
    axes = _axes_of(a, s, axes)
    result = a
    for place, axis in enumerate(axes[:-1]):
        result = _fft.ifft(result, None if s is None else s[place], axis, norm)
    return _fft.irfft(result, None if s is None else s[-1], axes[-1], norm)


@stand_in("fft.rfftn", arrays=1)
def _rfftn(a, s=None, axes=None, norm=None, out=None):
    return _rfftn_of(a, s, axes, norm)


@stand_in("fft.rfft2", arrays=1)
def _rfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    return _rfftn_of(a, s, axes, norm)


@stand_in("fft.irfftn", arrays=1)
def _irfftn(a, s=None, axes=None, norm=None, out=None):
    return _irfftn_of(a, s, axes, norm)


@stand_in("fft.irfft2", arrays=1)
def _irfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    return _irfftn_of(a, s, axes, norm)
