"""Functions that NumPy itself runs inside a graph: captured whole, over dtypes and memory layouts, with
NumPy's own bytes, strides, flags, kinds of object, errors and warnings. Every row of the table must
have a call here that is captured with no break."""
import os
import re
import unittest
import warnings

import dynacc
import numpy as np

NUMPY = tuple(map(int, np.__version__.split(".")[:2]))
FOLDER = os.path.join(os.path.dirname(__file__), "../../../frontend/numpy/trace")
DTYPES = "?bhilBHILfd"

# Calls on a 2-d array `a` of any dtype and layout and a vector `v` of it; of each row of the table at
# least one must be captured for every float64 array.
FUNCTIONS = {
    "sort": ["np.sort(a)", "np.sort(a, axis=0)", "np.sort(a, None)", "np.sort(a, kind='stable')"],
    "argsort": ["np.argsort(a)", "np.argsort(a, 0, 'stable')"],
    "partition": ["np.partition(a, 1)"],
    "argpartition": ["np.argpartition(v, 2)"],
    "searchsorted": ["np.searchsorted(np.sort(v), a)", "np.searchsorted(np.sort(v), v[0])"],
    "digitize": ["np.digitize(a, np.linspace(0, 3, 5))"],
    "interp": ["np.interp(a, np.arange(4.0), np.arange(4.0) ** 2)"],
    "histogram": ["np.histogram(a, bins=4)", "np.histogram(v, np.arange(5.0), range=(0, 3))"],
    "histogram2d": ["np.histogram2d(v, v[::-1], bins=3)", "np.histogram2d(v, v, [2, 3])"],
    "histogram_bin_edges": ["np.histogram_bin_edges(a, 4)", "np.histogram_bin_edges(v, 3, (0, 5))"],
    "packbits": ["np.packbits(a > 1)", "np.packbits(a > 1, axis=0, bitorder='little')"],
    "unpackbits": ["np.unpackbits(np.packbits(a > 1))"],
    "linalg.lstsq": ["np.linalg.lstsq(a.T + np.sin(np.arange(12.0)).reshape(4, 3), v, rcond=None)",
                     "np.linalg.lstsq(np.ones((4, 2)), v, rcond=None)"],
    "fft.hfft": ["np.fft.hfft(v)"],
    "fft.ihfft": ["np.fft.ihfft(v)"],
    "lexsort": ["np.lexsort((v, v[::-1]))", "np.lexsort(a)", "np.lexsort((a, a[::-1]), axis=0)"],
    "in1d": ["np.in1d(a, v)", "np.in1d(v, [1, 2], invert=True)"],
    "unravel_index": ["np.unravel_index(np.argmax(a), a.shape)", "np.unravel_index(np.array([0, 5]), (3, 4))"],
    "ravel_multi_index": ["np.ravel_multi_index((np.array([0, 1]), np.array([1, 2])), (3, 4))"],
    "bincount": ["np.bincount(np.arange(4) % 3, minlength=5)", "np.bincount([0, 1, 1, 3], v, 6)"],
    "isin": ["np.isin(a, v)"],
    "sum": ["np.sum(a, initial=1)", "np.sum(a, 0, where=a > 1)", "np.sum(v[0])"],
    "prod": ["np.prod(a, 1, initial=2)"],
    "max": ["np.max(a, initial=0)"],
    "amax": ["np.amax(a, 0, initial=0)"],
    "min": ["np.min(a, initial=0)"],
    "amin": ["np.amin(a, 1, initial=0)"],
    "any": ["np.any(a, axis=())", "np.any(a > 1, 0, where=a > 0)"],
    "all": ["np.all(a > -1, where=a > 0)", "np.all(a, axis=0, out=np.zeros(4, bool))"],
    "mean": ["np.mean((a * 9).astype('l'), 0)", "np.mean(a, 0, where=a > 0)"],
    "var": ["np.var(a, where=a > 0)", "np.var((a * 9).astype('l') + 1j)"],
    "std": ["np.std(a, 1, where=a > -9)"],
    "argmin": ["np.argmin(a)", "np.argmin(a, 0)", "np.argmin(a, axis=1, keepdims=True)"],
    "argmax": ["np.argmax(a)", "np.argmax(a, 1)"],
    "nanargmin": ["np.nanargmin(a, 0)"],
    "nanargmax": ["np.nanargmax(a)"],
    "nansum": ["np.nansum(a)", "np.nansum(a, axis=0)"],
    "nanprod": ["np.nanprod(a, 1)"],
    "nanmax": ["np.nanmax(a)", "np.nanmax(a, axis=0)"],
    "nanmin": ["np.nanmin(a, 1, keepdims=True)"],
    "nanmean": ["np.nanmean(a)", "np.nanmean(a, axis=0)", "np.nanmean(np.where(a > 1, np.nan, a), axis=1)"],
    "nanvar": ["np.nanvar(a, axis=1)", "np.nanvar(a, ddof=1)"],
    "nanstd": ["np.nanstd(a)"],
    "nanmedian": ["np.nanmedian(a, axis=0)", "np.nanmedian(a)"],
    "nanpercentile": ["np.nanpercentile(a, 30)"],
    "nanquantile": ["np.nanquantile(a, 0.3, axis=0)"],
    "cov": ["np.cov(a)", "np.cov(v, v[::-1])", "np.cov(a, rowvar=False, bias=True)"],
    "corrcoef": ["np.corrcoef(a)", "np.corrcoef(v, v[::-1] * 2)"],
    "ptp": ["np.ptp(a)", "np.ptp(a, 0)"],
    "median": ["np.median(a)", "np.median(a, axis=1)", "np.median(a, 0, keepdims=True)"],
    "percentile": ["np.percentile(a, 30)", "np.percentile(a, 75, axis=0)", "np.percentile(a, [5, 95])"],
    "quantile": ["np.quantile(a, 0.3, axis=1)"],
    "average": ["np.average(a)", "np.average(a, axis=0)", "np.average(v, weights=np.arange(1.0, 5.0))"],
    "count_nonzero": ["np.count_nonzero(a, axis=0)", "np.count_nonzero(a)"],
    "trapz": ["np.trapz(a)", "np.trapz(a, dx=0.5, axis=0)"],
    "trapezoid": ["np.trapezoid(a)", "np.trapezoid(a, dx=0.5, axis=0)"],
    "cumsum": ["np.cumsum(a)", "np.cumsum(a, 0)", "np.cumsum(a, axis=-1, dtype='d')"],
    "cumprod": ["np.cumprod(a, 1)"],
    "nancumsum": ["np.nancumsum(a)"],
    "nancumprod": ["np.nancumprod(a, 0)"],
    "trace": ["np.trace(a)"],
    "dot": ["np.dot(a, v)", "np.dot(a.T, a)", "np.dot(v, v)", "np.dot(a, 2)"],
    "matmul": ["np.matmul(a.T, a)", "a @ v", "v @ v"],
    "vecdot": ["np.vecdot(a, v)", "np.vecdot(v, v)"],
    "matvec": ["np.matvec(a, v)"],
    "vecmat": ["np.vecmat(v, a.T)"],
    "inner": ["np.inner(a, v)", "np.inner(v, v)"],
    "vdot": ["np.vdot(v, v)"],
    "outer": ["np.outer(v, a)"],
    "tensordot": ["np.tensordot(a, a, axes=([0], [0]))"],
    "einsum": ["np.einsum('ij,j->i', a, v)", "np.einsum('ij,kj', a, a)", "np.einsum('ij->', a)"],
    "kron": ["np.kron(a, v)"],
    "cross": ["np.cross(v[:3], v[1:])"],
    "convolve": ["np.convolve(v, v)", "np.convolve(v, v[:2], 'same')", "np.convolve(v, v[:2], 'valid')"],
    "correlate": ["np.correlate(v, v[:2])", "np.correlate(v, v, 'full')"],
    "concatenate": ["np.concatenate([a, a])", "np.concatenate((a, a), axis=1)", "np.concatenate([a, a], None)"],
    "stack": ["np.stack([a, a])", "np.stack((v, v), axis=-1)"],
    "vstack": ["np.vstack([a, v])"],
    "hstack": ["np.hstack((a, a))"],
    "dstack": ["np.dstack([a, a])"],
    "column_stack": ["np.column_stack([v, v])"],
    "append": ["np.append(v, 1)", "np.append(a, a, axis=0)"],
    "delete": ["np.delete(v, 1)"],
    "insert": ["np.insert(v, 1, 7)", "np.insert(a, 1, v, axis=0)", "np.insert(v, [0, 2], v[:2])"],
    "block": ["np.block([[a, a], [a, a]])", "np.block([v, v])"],
    "resize": ["np.resize(v, (2, 3))", "np.resize(a, 5)"],
    "tile": ["np.tile(a, 2)", "np.tile(v, (2, 3))"],
    "repeat": ["np.repeat(a, 2)", "np.repeat(a, 2, axis=0)"],
    "pad": ["np.pad(a, 1)", "np.pad(v, (1, 2), mode='edge')"],
    "copy": ["np.copy(a)"],
    "roll": ["np.roll(a, 1)", "np.roll(a, -1, axis=0)", "np.roll(a, (1, 2), (0, 1))", "np.roll(a, 7, -1) * 2"],
    "take_along_axis": ["np.take_along_axis(a, np.argsort(a, 1), 1)"],
    "take": ["np.take(v, [0, 2])", "np.take(a, np.array([0, 1, 0]), axis=0)", "np.take(a, 1, 1)"],
    "choose": ["np.choose([0, 1, 0, 1], [v, v + v])"],
    "select": ["np.select([a > 1, a > 0], [a, a + a], 0)", "np.select([a > k for k in range(17)], [a] * 17)"],
    "diff": ["np.diff(a)", "np.diff(v, n=2)", "np.diff(a, axis=0, prepend=0)"],
    "ediff1d": ["np.ediff1d(v)"],
    "gradient": ["np.gradient(v)", "np.gradient(a, axis=1)", "np.gradient(v, 0.5)"],
    "tril": ["np.tril(a)", "np.tril(a, 1)"],
    "triu": ["np.triu(a, -1)"],
    "diag": ["np.diag(v)", "np.diag(v, 1)"],
    "diagflat": ["np.diagflat(v)"],
    "where": ["np.where(a > 1, a, 7)"],
    "clip": ["np.clip(a, 0, 1, dtype='d')", "np.clip(a, v, None, where=a > 1, out=np.zeros((3, 4)))"],
    "round_": ["np.round_(a, 1)"],
    "round": ["np.round(a, 1)", "np.round(a)"],
    "around": ["np.around(a)"],
    "fix": ["np.fix(a)"],
    "nan_to_num": ["np.nan_to_num(a)"],
    "isclose": ["np.isclose(a, 1)", "np.isclose(a, v)"],
    "divmod": ["np.divmod(a, 2)"],
    "modf": ["np.modf(a)"],
    "frexp": ["np.frexp(a)"],
    "sinc": ["np.sinc(a)"],
    "i0": ["np.i0(a)"],
    "unwrap": ["np.unwrap(a)"],
    "angle": ["np.angle(a)"],
    "isposinf": ["np.isposinf(a)"],
    "isneginf": ["np.isneginf(a)"],
    "polyfit": ["np.polyfit(np.arange(4.0), v, 1)", "np.polyfit(np.arange(3.0), a, 2)"],
    "poly": ["np.poly(v) * 2", "np.poly(a[0] - 1)"],
    "polymul": ["np.polymul(v + 9, v[::-1]) + 1", "np.polymul(v - v[0], [1.0, 2.0])", "np.polymul(v + 9, 3)"],
    "polyder": ["np.polyder(v)"],
    "polyint": ["np.polyint(v)"],
    "polyval": ["np.polyval([1.0, 2.0, 3.0], a)"],
    "array": ["np.array([v[0], v[1], 2])", "np.array([v[0] + v[1], v[1] * 2.0, True]) * 3", "np.array([[1, 2], [3, 4]]) + a[:2, :2]", "np.array(a)"],
    "isreal": ["np.isreal(a)", "np.isreal(a * (1 + 1j))"],
    "asarray": ["np.asarray(a, copy=True)", "np.asarray(a * 2, np.float32, copy=True) + 1"],  # from NumPy 2 on
    "asfortranarray": ["np.asfortranarray(a * 2) + a", "np.asfortranarray(np.dot(a, a.T))"],
    "zeros": ["np.zeros((3, 4), order='F') + a", "np.zeros(a.shape, int, 'F')"],
    "ones": ["np.ones((3, 4), order='F')"],
    "empty": ["np.empty((3, 4), order='F').shape"],
    "full": ["np.full((3, 4), 7.5, order='F')", "np.full(4, v.sum()) + a", "np.full((3, 4), v)"],
    "empty_like": ["np.empty_like(a.T).shape", "np.empty_like(a, order='F').shape"],
    "arange": ["np.arange(4) + a", "np.arange(0, 2, 0.5) * a", "np.arange(v.shape[0])"],
    "linspace": ["np.linspace(0, 1, 4) + a"],
    "logspace": ["np.logspace(0, 1, 4) + a"],
    "geomspace": ["np.geomspace(1, 2, 4) + a"],
    "eye": ["np.eye(4) + v", "np.eye(3, 4, dtype=int)"],
    "identity": ["np.identity(4) + v"],
    "tri": ["np.tri(3, 4) + a"],
    "meshgrid": ["np.meshgrid(v, a[:, 0])", "np.meshgrid(v, v, indexing='ij')"],
    "vander": ["np.vander(v, 3)"],
    "indices": ["np.indices((3, 4)) + a"],
    "ix_": ["a[np.ix_([0, 2], [1, 3])] * 2", "np.ix_([0, 1], [2])"],
    "tril_indices": ["np.tril_indices(3)", "a[np.tril_indices(3, 0, 4)] * 2"],
    "triu_indices": ["np.triu_indices(3, 1)"],
    "hanning": ["np.hanning(4) * a"],
    "hamming": ["np.hamming(4) * a"],
    "blackman": ["np.blackman(4) * a"],
    "bartlett": ["np.bartlett(4) * a"],
    "kaiser": ["np.kaiser(4, 2.0) * a"],
    "full_like": ["np.full_like(a, 1)"],
    "zeros_like": ["np.zeros_like(a)"],
    "ones_like": ["np.ones_like(a)"],
    "linalg.solve": ["np.linalg.solve(np.dot(a, a.T) + 9 * np.eye(3), a)"],
    "linalg.inv": ["np.linalg.inv(np.dot(a, a.T) + 9 * np.eye(3))"],
    "linalg.pinv": ["np.linalg.pinv(a)"],
    "linalg.cholesky": ["np.linalg.cholesky(np.dot(a, a.T) + 9 * np.eye(3))"],
    "linalg.matrix_power": ["np.linalg.matrix_power(np.dot(a, a.T), 3)"],
    "linalg.det": ["np.linalg.det(np.dot(a, a.T))", "np.linalg.det(np.stack([a[:3, :3], a[:3, :3]]))"],
    "linalg.eigvalsh": ["np.linalg.eigvalsh(np.dot(a, a.T) + 9 * np.eye(3))"],
    "linalg.eigh": ["np.linalg.eigh(np.dot(a, a.T) + 9 * np.eye(3))"],
    "linalg.svd": ["np.linalg.svd(a)", "np.linalg.svd(a, compute_uv=False)"],
    "linalg.qr": ["np.linalg.qr(a)"],
    "linalg.cond": ["np.linalg.cond(np.dot(a, a.T) + 9 * np.eye(3))"],
    "linalg.matrix_rank": ["np.linalg.matrix_rank(a)"],
    "linalg.slogdet": ["np.linalg.slogdet(np.dot(a, a.T) + np.eye(3))"],
    "linalg.norm": ["np.linalg.norm(a)", "np.linalg.norm(a, axis=1)", "np.linalg.norm(v, 1)"],
    "linalg.vector_norm": ["np.linalg.vector_norm(a, axis=1)", "np.linalg.vector_norm(a)",
                           "np.linalg.vector_norm(a, axis=(0, 1), keepdims=True)"],
    "linalg.tensorinv": ["np.linalg.tensorinv((np.dot(a, a.T) + 9 * np.eye(3)).reshape(3, 1, 3), 2)",
                         "np.linalg.tensorinv(np.dot(a, a.T) + 9 * np.eye(3), ind=1)"],
    "linalg.tensorsolve": ["np.linalg.tensorsolve(np.dot(a, a.T) + 9 * np.eye(3), a[:, 0])",
                           "np.linalg.tensorsolve((np.dot(a, a.T) + 9 * np.eye(3)).reshape(3, 1, 3), a[:, :1])"],
    "linalg.multi_dot": ["np.linalg.multi_dot([a, a.T, a])"],
    "fft.fft": ["np.fft.fft(a)"],
    "fft.ifft": ["np.fft.ifft(v)"],
    "fft.rfft": ["np.fft.rfft(v)"],
    "fft.irfft": ["np.fft.irfft(v + 0.5)"],
    "fft.rfft2": ["np.fft.rfft2(a)"],
    "fft.irfft2": ["np.fft.irfft2(np.fft.rfft2(a))"],
    "fft.rfftn": ["np.fft.rfftn(a)"],
    "fft.irfftn": ["np.fft.irfftn(np.fft.rfftn(a))"],
    "fft.fft2": ["np.fft.fft2(a)"],
    "fft.ifft2": ["np.fft.ifft2(a)"],
    "fft.fftn": ["np.fft.fftn(a)"],
    "fft.ifftn": ["np.fft.ifftn(a)"],
    "fft.fftfreq": ["np.fft.fftfreq(4, 0.5) + a"],
    "fft.rfftfreq": ["np.fft.rfftfreq(6) + v"],
    "fft.fftshift": ["np.fft.fftshift(a)"],
    "fft.ifftshift": ["np.fft.ifftshift(v)"],
}
# Whose result has a size that depends on values.
DATA_DEPENDENT = {
    "nonzero": ["np.nonzero(a)", "np.nonzero(v)[0] + 1"],
    "flatnonzero": ["np.flatnonzero(a)", "np.flatnonzero(v > 1) * 2"],
    "where": ["np.where(a > 1)", "np.where(v)[0] * 2"],
    "unique": ["np.unique(a)", "np.unique(v, True, True, True)", "np.unique(a, return_counts=True)[1] * 2"],
    "compress": ["np.compress(v > 1, a, axis=1) * 2", "np.compress(v > 1, v)"],
    "extract": ["np.extract(a > 1, a) + a[0, 0]"],
    "repeat": ["np.repeat(v, np.arange(4)) * 2", "np.repeat(a, [1, 0, 2], axis=0)"],
    "delete": ["np.delete(v, [0, 2]) * 2", "np.delete(a, np.array([1]), 0)", "np.delete(v, v > 1)"],
    "bincount": ["np.bincount([0, 1, 3], v[:3]) * 2", "np.bincount(np.arange(4) % 3)"],
    "union1d": ["np.union1d(a, v) * 2"],
    "setdiff1d": ["np.setdiff1d(a, v)"],
    "setxor1d": ["np.setxor1d(v, a[1])"],
    "intersect1d": ["np.intersect1d(a, v) + 1"],
    "linalg.eigvals": ["np.linalg.eigvals(np.dot(a, a.T)) * 2", "np.linalg.eigvals(np.dot(a, a.T) - 9 * np.eye(3)[::-1].cumsum(0))"],
    "linalg.eig": ["np.linalg.eig(np.dot(a, a.T) + np.eye(3))", "np.linalg.eig(np.dot(a, a.T))[1] @ a"],
    "roots": ["np.roots([1.0, -6.0, 11.0, -6.0] + v * 0) * 2", "np.roots(np.arange(3.0) - 2 + v[0] * 0)"],
}
DATA_DEPENDENT_METHODS = {
    "nonzero": ["a.nonzero()[1] * 2"],
    "compress": ["a.compress([True, False, True], 0)"],
    "repeat": ["v.repeat(np.arange(4))"],
}
METHODS = {
    "sum": ["a.sum(initial=1)"],
    "prod": ["a.prod(where=a > 0)"],
    "max": ["a.max(initial=0)"],
    "min": ["a.min(initial=0)"],
    "any": ["a.any(axis=(), keepdims=True)"],
    "all": ["(a > 0).all(1, where=a > 1)"],
    "mean": ["(a * 9).astype('l').mean(0)"],
    "var": ["a.var(where=a > 0)"],
    "std": ["a.std(1, where=a > -9)"],
    "argmin": ["a.argmin()", "a.argmin(0)"],
    "argmax": ["a.argmax(axis=1)"],
    "argsort": ["a.argsort()", "v.argsort(kind='stable')"],
    "argpartition": ["v.argpartition(1)"],
    "searchsorted": ["np.sort(v).searchsorted(v)"],
    "cumsum": ["a.cumsum()", "a.cumsum(0)"],
    "cumprod": ["a.cumprod(axis=1)"],
    "ptp": ["a.ptp()"],
    "trace": ["a.trace()"],
    "dot": ["a.dot(v)"],
    "clip": ["a.clip(0, 1, casting='same_kind', dtype='d')"],
    "round": ["a.round(1)"],
    "repeat": ["v.repeat(2)"],
    "take": ["v.take([0, 1])"],
    "choose": ["(a > 1).astype('l').choose([a, a + a])"],
    "astype": ["a.astype('f', order='F') * 2", "a.astype('d', order='A')", "(a > 1).astype('h', casting='safe')",
               "a.T.astype('d', 'F', subok=False)"],
    "copy": ["a.T.copy()"],
    "flatten": ["a.T.flatten('F')"],
}
OTHERS = [
    "a[a > 1] * 2", "a[v > 1] if False else a[:, v > 1].sum(0)", "a[a[:, 0] > 0][:, 1] + 1", "v[v > 1].mean()", "a[1, v > 0]",
    "a[[0, 2, 1]]", "a[np.array([0, 1])]", "a[:, [0, 2]]", "a[np.array([[0], [1]]), np.array([1, 2])]",
    "a[1, np.array([0, 2])]", "v[np.argmax(v)]", "a[np.argmin(a, 0), np.arange(4)]", "a[None, [0, 1], ..., 1:]",
    "np.add.reduce(a)", "np.multiply.reduce(a, axis=1)", "np.maximum.reduce(a, None)", "np.subtract.reduce(a)",
    "np.add.accumulate(a)", "np.maximum.accumulate(a, axis=1)", "np.multiply.outer(v, a)", "np.hypot.outer(v, v)", "np.ldexp.outer(v, v.astype(int))",
    "np.add.reduceat(v, [0, 2])", "np.add(a, 1, dtype='d')", "np.multiply(a, v, where=True)", "np.hypot(a, v)",
    "a[:, np.argmax(v)] * 2", "a[np.argmin(v), ::2] + v[::2]", "v[int(np.argmin(v)):].sum()", "a[:, :np.argmax(v) + 1] * 2", "np.split(v, [np.argmin(v) + 1])[0] * 2",
    "a[[np.argmax(v) % 3, 0]]", "np.median(a * 2, overwrite_input=True)",
    "np.add.at(np.zeros(5), [0, 1, 1], v[:3])", "np.ldexp(a, 2)", "a // 2", "a % 3", "(a + 1) ** 3", "a ** v", "np.sqrt(a, casting='same_kind')",
]


def layouts(dtype):
    """2-d arrays of 3 rows and 4 columns, and a vector of 4."""
    base = np.arange(12).reshape(3, 4)[::-1, :] % 5
    a = base.astype(dtype) if dtype != "d" else base + np.linspace(0, 0.3, 4)
    v = np.ascontiguousarray(a[0])
    wide = np.zeros((6, 8), dtype)
    wide[::2, ::2] = a
    frozen = a.copy()
    frozen.flags.writeable = False
    yield from ((a, v), (np.asfortranarray(a), v), (a[::-1, ::-1], v[::-1]), (wide[::2, ::2], wide[0, ::2]),
                (np.broadcast_to(v, (3, 4)), v), (frozen, v))


def described(result):
    """Everything of a result that a program can see."""
    if isinstance(result, (tuple, list)):
        return type(result), [described(item) for item in result]
    if not isinstance(result, (np.ndarray, np.generic)):
        return type(result), result
    return (type(result), result.dtype, result.shape, result.strides, result.flags.owndata,
            result.flags.writeable, result.tobytes())


def outcome(function, *args):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            result = function(*args)
        except Exception as error:
            return type(error), str(error)
    return described(result), [(w.category, str(w.message)) for w in warned]


def rows(macro):
    found = set()
    for table in ("numpy_library_calls.def", "numpy_data_dependent.def"):
        with open(os.path.join(FOLDER, table)) as file:
            found.update(re.findall(rf'^{macro}\("([\w.]+)"', file.read(), re.M))
    return found


def is_there(row, owner=np):
    """Whether this version of NumPy has the function, or arrays the method, and does not warn of it."""
    if not np.__version__.startswith("1.") and (row in ("in1d", "trapz") or (owner is np.ndarray and row == "ptp")):
        return False
    if row == "asarray" and np.__version__.startswith("1."):
        return False
    for name in row.split("."):
        owner = getattr(owner, name, None)
    return owner is not None


def here(calls, owner=np):
    return [expressions for row, expressions in calls.items() if is_there(row, owner)]


def make(expression):
    scope = {"np": np}
    exec(f"def f(a, v):\n    return {expression}\n", scope)
    return scope["f"]


def is_captured(expression):
    """Whether the call becomes one graph on plain float64 arrays."""
    function = dynacc.compile(make(expression), fullgraph=True)
    try:
        function(*next(layouts("d")))
    except RuntimeError as error:
        if "fullgraph" not in str(error):
            raise
        return False
    return True


class LibraryCalls(unittest.TestCase):
    def same(self, expression):
        for dtype in DTYPES:
            for a, v in layouts(dtype):
                plain = make(expression)
                compiled = dynacc.compile(make(expression))
                expected = outcome(plain, a, v)
                for _ in range(2):
                    self.assertEqual(outcome(compiled, a, v), expected, (expression, dtype, a.strides))

    def test_functions_have_numpys_results(self):
        for calls in (*here(FUNCTIONS), *here(METHODS, np.ndarray), *here(DATA_DEPENDENT), *DATA_DEPENDENT_METHODS.values(), OTHERS):
            for expression in calls:
                self.same(expression)

    def test_what_has_fewer_axes_of_small_operands(self):
        """A covariance of one row is a number, which the call is first tried out on."""
        a, v = next(layouts("d"))
        for state in ("ignore", "warn"):
            for expression in ("np.cov(a)", "np.cov(a, ddof=0)", "np.cov(a, bias=True)", "np.corrcoef(a)"):
                with np.errstate(all=state):
                    whole = dynacc.compile(make(expression), fullgraph=True)
                    self.assertEqual(outcome(whole, a, v), outcome(make(expression), a, v), (expression, state))

    def test_every_row_is_captured(self):
        for macro, calls in (("DYNACC_NUMPY_LIBRARY_CALL", FUNCTIONS), ("DYNACC_NUMPY_LIBRARY_CALL_METHOD", METHODS),
                             ("DYNACC_NUMPY_DATA_DEPENDENT", DATA_DEPENDENT), ("DYNACC_NUMPY_DATA_DEPENDENT_METHOD", DATA_DEPENDENT_METHODS)):
            self.assertEqual(rows(macro), set(calls))
            for name, expressions in calls.items():
                if not is_there(name, np.ndarray if macro.endswith("METHOD") else np):
                    continue
                if name == "fix" and NUMPY >= (2, 5):  # warns that it is deprecated
                    continue
                first = make(expressions[0])(*next(layouts("d")))
                if getattr(first, "dtype", np.dtype("d")).kind != "c":  # not a dtype of kernels
                    self.assertTrue(any(map(is_captured, expressions)), name)
        for expression in OTHERS:
            self.assertTrue(is_captured(expression), expression)

    def test_errors_and_warnings(self):
        a, v = next(layouts("d"))
        huge = np.full((3, 4), 1e300)
        for expression in ("np.cumprod(a)", "np.dot(a, v)", "np.linalg.solve(a[:3, :3], a)", "np.take(v, [9])",
                           "np.add(a, v, dtype='f')", "np.concatenate([a, v])", "np.linalg.inv(a[:3, :3] * 0)",
                           "np.add.accumulate(a * a)", "np.interp(v, v, v[:2])", "a[[7]]"):
            plain, compiled = make(expression), dynacc.compile(make(expression))
            for args in ((a, v), (huge, v), (huge, v), (a * np.nan, v)):
                for state in ("warn", "raise", "ignore"):
                    with np.errstate(all=state):
                        self.assertEqual(outcome(compiled, *args), outcome(plain, *args), (expression, state))
                        self.assertEqual(np.geterr()["over"], state)

    def test_constant_calls_are_fresh_each_time(self):
        @dynacc.compile(fullgraph=True)
        def grid(n, scale):
            return np.linspace(0, 1, n), np.arange(n) * scale

        first, _ = grid(5, np.ones(5))
        first[:] = 7
        second, _ = grid(5, np.ones(5))
        self.assertIsNot(first, second)
        self.assertEqual(second.tolist(), np.linspace(0, 1, 5).tolist())

    def test_late_sizes_run_in_one_entry(self):
        for expressions in (*DATA_DEPENDENT.values(), *DATA_DEPENDENT_METHODS.values(), ["a[a > 1] * 2"], ["v[v > 0].sum() / len(v[v > 0])"],
                            ["a[:, v.argmax()] * 2", "v[:v.argmax() + 1] * 2", "a[1:, v.argmin():].sum()"]):
            for expression in expressions:
                function = dynacc.compile(make(expression))
                before = dynacc.stats()
                for k in range(8):
                    a, v = next(layouts("d"))
                    function(a * (k % 3 + 1), v * (k % 2 + 1))
                after = dynacc.stats()
                self.assertGreaterEqual(after["entries_hit"] - before["entries_hit"], 8, expression)
                self.assertEqual(after["segments_compiled"] - before["segments_compiled"], 1, expression)

    def test_sizes_that_change(self):
        @dynacc.compile
        def f(x):
            return np.cumsum(x * 2) + np.arange(x.shape[0]), np.sort(x)[::-1] + 1, np.roll(x, 2) * 2

        for n in (3, 5, 8, 0, 1, 20):
            x = np.sin(np.arange(n))
            for mine, numpys in zip(f(x), f.__wrapped__(x)):
                self.assertEqual(mine.tobytes(), numpys.tobytes())


if __name__ == "__main__":
    unittest.main()
