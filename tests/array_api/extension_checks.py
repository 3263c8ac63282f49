"""The extensions linalg and fft against NumPy's."""
import math

import numpy as np
from drawing import COMPLEX, FLOATS, INEXACT, NUMERIC, draw, same
from function_checks import CHECKS as MAIN
from function_checks import raises

import dynacc as xp

SHAPES = ((2, 2), (3, 3), (4, 2, 2), (0, 3, 3), (2, 1, 3, 3))
LAPACK = ("float32", "float64", "complex64", "complex128")


def matrices(random, dtypes=LAPACK, shapes=SHAPES):
    """Well-conditioned matrices."""
    for dtype in dtypes:
        for shape in shapes:
            array = draw(random, dtype, shape, finite=True)
            size = min(shape[-2:])
            array[..., :size, :size] += 30 * np.eye(size, dtype=array.dtype)
            yield xp.asarray(array), array, f"of {dtype}{shape}"


def rectangles(random):
    return matrices(random, shapes=((3, 2), (2, 4), (5, 2, 3), (3, 3)))


def hermitian(array):
    return array + np.conj(np.swapaxes(array, -1, -2))


def check_plain(name, given=matrices, prepare=lambda array: array):
    """A function that is NumPy's of the same name."""
    def run(random):
        for _, array, where in given(random):
            array = prepare(array)
            same(getattr(xp.linalg, name)(xp.asarray(array)), getattr(np.linalg, name)(array), f"{name} {where}",
                 exact=False)
    return run


def product(*factors):
    result = factors[0]
    for factor in factors[1:]:
        result = np.matmul(result, factor)
    return result


def check_cholesky(random):
    for _, array, where in matrices(random):
        array = hermitian(array)
        expected = np.linalg.cholesky(array)
        same(xp.linalg.cholesky(xp.asarray(array)), expected, where, exact=False)
        same(xp.linalg.cholesky(xp.asarray(array), upper=True), np.conj(np.swapaxes(expected, -1, -2)), where,
             exact=False)


def check_cross(random):
    for dtype in NUMERIC:
        a, b = draw(random, dtype, (4, 3), finite=True), draw(random, dtype, (2, 4, 3), finite=True)
        same(xp.linalg.cross(xp.asarray(a), xp.asarray(b)), np.cross(a, b).astype(dtype), dtype, exact=False)
        same(xp.linalg.cross(xp.asarray(a.T), xp.asarray(a.T), axis=0), np.cross(a.T, a.T, axis=0).astype(dtype), dtype,
             exact=False)
    raises(ValueError, xp.linalg.cross, xp.ones(2), xp.ones(2))


def check_eigh(random):
    for _, array, where in matrices(random):
        array = hermitian(array)
        values, vectors = xp.linalg.eigh(xp.asarray(array))
        same(values, np.linalg.eigvalsh(array), where, exact=False)
        v = np.asarray(vectors)
        np.testing.assert_allclose(product(v * np.asarray(values)[..., None, :], np.conj(np.swapaxes(v, -1, -2))), array,
                                   rtol=1e-3, atol=1e-3)
        assert xp.linalg.eigh(xp.asarray(array))._fields == ("eigenvalues", "eigenvectors")


def check_diagonal(random):
    for tensor, array, where in rectangles(random):
        for offset in (-1, 0, 1, 9):
            same(xp.linalg.diagonal(tensor, offset=offset), np.diagonal(array, offset, -2, -1), where)


def check_trace(random):
    for tensor, array, where in rectangles(random):
        for offset in (-1, 0, 1):
            same(xp.linalg.trace(tensor, offset=offset), np.trace(array, offset, -2, -1), where)
    same(xp.linalg.trace(xp.ones((2, 2), dtype=xp.int8)), np.int64(2), "trace of int8")
    same(xp.linalg.trace(xp.ones((2, 2)), dtype=xp.float32), np.float32(2), "trace in float32")


def check_matrix_norm(random):
    for tensor, array, where in rectangles(random):
        for order in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf):
            for keepdims in (False, True):
                same(xp.linalg.matrix_norm(tensor, ord=order, keepdims=keepdims),
                     np.linalg.norm(array, order, (-2, -1), keepdims), f"{order} {where}", exact=False)


def check_matrix_power(random):
    for dtype in LAPACK:
        array = draw(random, dtype, (2, 3, 3), finite=True) / 4 + np.eye(3, dtype=dtype)
        for n in (0, 1, 3, -1):
            got = np.asarray(xp.linalg.matrix_power(xp.asarray(array), n))
            np.testing.assert_allclose(got, np.linalg.matrix_power(array, n), rtol=1e-2)


def check_matrix_rank(random):
    for rank in (0, 1, 2):
        array = sum((np.outer(draw(random, "f8", 4, True), draw(random, "f8", 3, True)) for _ in range(rank)),
                    np.zeros((4, 3)))
        same(xp.linalg.matrix_rank(xp.asarray(array)), np.int64(rank), "matrix_rank")
        same(xp.linalg.matrix_rank(xp.asarray(array[None]), rtol=xp.asarray([1e-9])), np.array([rank]), "matrix_rank")
    raises(ValueError, xp.linalg.matrix_rank, xp.ones(3))


def check_outer(random):
    for dtype in NUMERIC:
        a, b = draw(random, dtype, (4,), finite=True), draw(random, dtype, (3,), finite=True)
        same(xp.linalg.outer(xp.asarray(a), xp.asarray(b)), np.outer(a, b), dtype)
    raises(ValueError, xp.linalg.outer, xp.ones((2, 2)), xp.ones(2))


def check_qr(random):
    for tensor, array, where in rectangles(random):
        for mode in ("reduced", "complete"):
            q, r = xp.linalg.qr(tensor, mode=mode)
            same(xp.matmul(q, r), array, f"{mode} {where}", exact=False)
            assert bool(xp.all(xp.tril(r, k=-1) == 0))
    raises(ValueError, xp.linalg.qr, xp.ones((2, 2)), mode="other")


def check_slogdet(random):
    for tensor, array, where in matrices(random):
        got, expected = xp.linalg.slogdet(tensor), np.linalg.slogdet(array)
        assert got._fields == ("sign", "logabsdet")
        same(got.sign, expected[0], where, exact=False)
        same(got.logabsdet, expected[1], where, exact=False)


def check_solve(random):
    for tensor, array, where in matrices(random):
        n = array.shape[-1]
        for b_shape in ((n,), (n, 2), array.shape[:-2] + (n, 1)):
            b = draw(random, array.dtype, b_shape, finite=True)
            x = xp.linalg.solve(tensor, xp.asarray(b))
            expected = np.matmul(np.linalg.inv(array), b)
            np.testing.assert_allclose(np.asarray(x), expected, rtol=1e-2, atol=1e-3, err_msg=where)
            assert x.shape == expected.shape and x.dtype is tensor.dtype
    stack = draw(random, "f8", (3, 3, 3)[1:], True) + 30 * np.eye(3)
    b = draw(random, "f8", (4, 3, 2), True)
    same(xp.linalg.solve(xp.asarray(stack), xp.asarray(b)), np.linalg.solve(stack[None], b), "solve", exact=False)


def check_svd(random):
    for tensor, array, where in rectangles(random):
        for full in (True, False):
            u, s, vh = map(np.asarray, xp.linalg.svd(tensor, full_matrices=full))
            k = s.shape[-1]
            back = product(u[..., :k] * s[..., None, :], vh[..., :k, :])
            np.testing.assert_allclose(back, array, rtol=1e-3, atol=1e-3, err_msg=where)
            expected = np.linalg.svd(array, full_matrices=full)
            assert [u.shape, s.shape, vh.shape] == [one.shape for one in expected]
        assert xp.linalg.svd(tensor)._fields == ("U", "S", "Vh")


def check_svdvals(random):
    for tensor, array, where in rectangles(random):
        same(xp.linalg.svdvals(tensor), np.linalg.svd(array, compute_uv=False), where, exact=False)


def check_vector_norm(random):
    for dtype in LAPACK:
        array = draw(random, dtype, (2, 3, 4), finite=True)
        tensor = xp.asarray(array)
        for order in (2, 1, 0, 3, 0.5, -1, math.inf, -math.inf):
            for axis in (0, 1, -1):
                for keepdims in (False, True):
                    same(xp.linalg.vector_norm(tensor, axis=axis, keepdims=keepdims, ord=order),
                         np.linalg.norm(array, order, axis, keepdims), f"{order}, {axis}", exact=False)
            same(xp.linalg.vector_norm(tensor, ord=order), np.linalg.norm(array.ravel(), order), "all", exact=False)
            same(xp.linalg.vector_norm(tensor, ord=order, axis=(0, -1), keepdims=True),
                 np.linalg.norm(array.transpose(1, 0, 2).reshape(3, 8), order, -1)[None, :, None], "two", exact=False)


LINALG = {
    **{name: MAIN[name] for name in ("matmul", "matrix_transpose", "tensordot", "vecdot")},
    **{name: check_plain(name) for name in ("det", "inv")},
    "pinv": check_plain("pinv", rectangles),
    "eigvalsh": check_plain("eigvalsh", prepare=hermitian),
    **{name.removeprefix("check_"): function for name, function in list(globals().items())
       if name.startswith("check_") and name != "check_plain"},
}


# --- fft -----------------------------------------------------------------------------------------

def check_transform(name, dtypes, several):
    def run(random):
        for dtype in dtypes:
            for shape in ((8,), (3, 5), (2, 3, 4)):
                array = draw(random, dtype, shape, finite=True)
                for norm in ("backward", "ortho", "forward"):
                    for kwargs in several_options(shape) if several else one_options(shape):
                        expected = getattr(np.fft, name)(array, norm=norm, **kwargs)
                        if dtype in ("float32", "complex64"):
                            expected = expected.astype("c8" if expected.dtype.kind == "c" else "f4")
                        same(getattr(xp.fft, name)(xp.asarray(array), norm=norm, **kwargs), expected, f"{name}({dtype})")
    return run


def one_options(shape):
    return [{"axis": axis, "n": n} for axis in range(-len(shape), len(shape)) for n in (None, 2, 9)]


def several_options(shape):
    return [{}, {"axes": (0,)}, {"s": (4,), "axes": (-1,)}] + ([{"axes": (0, 1)}] if len(shape) > 1 else [])


def check_frequencies(name):
    def run(random):
        for n in (1, 4, 7):
            same(getattr(xp.fft, name)(n, d=0.25), getattr(np.fft, name)(n, 0.25), name)
            same(getattr(xp.fft, name)(n, dtype=xp.float32), getattr(np.fft, name)(n).astype("f4"), name)
        raises(ValueError, getattr(xp.fft, name), 4, device="tpu")
    return run


def check_shift(name):
    def run(random):
        for dtype in INEXACT:
            array = draw(random, dtype, (3, 5))
            for axes in (None, 0, (0, 1)):
                same(getattr(xp.fft, name)(xp.asarray(array), axes=axes), getattr(np.fft, name)(array, axes), name)
    return run


WIDE = tuple(name for name in FLOATS if name != "float16")
FFT = {
    **{name: check_transform(name, WIDE + COMPLEX, several=False) for name in ("fft", "ifft", "irfft", "hfft")},
    **{name: check_transform(name, WIDE, several=False) for name in ("rfft", "ihfft")},
    **{name: check_transform(name, WIDE + COMPLEX, several=True) for name in ("fftn", "ifftn", "irfftn")},
    "rfftn": check_transform("rfftn", WIDE, several=True),
    **{name: check_frequencies(name) for name in ("fftfreq", "rfftfreq")},
    **{name: check_shift(name) for name in ("fftshift", "ifftshift")},
}
