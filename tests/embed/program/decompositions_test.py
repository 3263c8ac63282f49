"""NumPy's functions that programs compute by decompositions: every row of the table, with NumPy's bytes."""
import pathlib
import unittest
import warnings

import numpy as np

import dynacc
from dynacc.graph import default_decompositions
from dynacc.program import ProgramError

RNG = np.random.default_rng(5)

A = RNG.normal(size=(4, 6))
B = RNG.normal(size=(6, 4))
V = np.sort(RNG.normal(size=7))
M = RNG.normal(size=(3, 3))
VECTORS = RNG.normal(size=(5, 3))
PLACES = np.array([2, 0, 1, -1])
HOLES = A.copy()
HOLES[0, 1] = HOLES[2, 3] = np.nan
HOLES[1, 2], HOLES[3, 4], HOLES[0, 0] = np.inf, -np.inf, -0.0
KNOTS, HEIGHTS = np.array([-1.0, 0.0, 0.25, 1.5]), np.array([2.0, -1.0, np.inf, 3.0])

TRAPEZOID = "trapezoid" if hasattr(np, "trapezoid") else "trapz"

# The name in NumPy, a function, its arguments.
CASES = [
    ("take", lambda x: np.take(x, [0, 2], axis=1), A),
    ("take", lambda x, i: np.take(x, i, axis=0), A, PLACES),
    ("take", lambda x, i: np.take(x, i), A, PLACES),
    ("take", lambda x, i: np.take(x, i * 9, 0, mode="wrap"), A, PLACES),
    ("take", lambda x, i: np.take(x, i * 9, 1, mode="clip"), A, PLACES),
    ("take", lambda x, i: x.take(i[:, None], 1), A, PLACES),
    ("take", lambda v: np.take(v, 3), V),
    ("repeat", lambda x: np.repeat(x, 3, axis=1), A),
    ("repeat", lambda x: np.repeat(x, [1, 0, 2, 1], axis=0), A),
    ("repeat", lambda x: np.repeat(x, [2]), A),
    ("repeat", lambda x: x.repeat(2, -2), A),
    ("tile", lambda x: np.tile(x, (2, 1, 3)), A),
    ("tile", lambda v: np.tile(v, 4), V),
    ("tile", lambda v: np.tile(v, 1), V),
    ("array", lambda x: np.array([[x[0, 0], 2.0], [x[1, 2] * 3, x.sum()], [x.max(), -1.5]]), A),
    ("array", lambda i: np.array([i[0], i.argmax(), 7] * 4), PLACES),
    ("concatenate", lambda v: np.concatenate([[0.0], v, (1, 2)]), V),
    ("concatenate", lambda x, i: np.concatenate((x, i[:, None]), axis=1), A, PLACES),
    ("stack", lambda v: np.stack([v[0], v.sum(), v[1] * 2]), V),
    ("stack", lambda x: np.stack((x[0], x[1].astype(np.float32)), axis=-1), A),
    ("clip", lambda x: np.clip(x, x[0].mean(), x.max() / 2), HOLES),
    ("clip", lambda x: x.clip(None, x[0, 0]), A),
    ("clip", lambda x: np.clip(x, x.mean() - x.std() * 1.5, x.max() * 0.5), A.astype(np.float32)),
    ("pad", lambda x: np.pad(x, 2, mode="mean"), A),
    ("pad", lambda x: np.pad(x, ((1, 0), (0, 3)), mode="mean", stat_length=2), A.astype(np.float32)),
    ("pad", lambda i: np.pad(i, (2, 3), mode="mean"), PLACES),
    ("pad", lambda x: np.pad(x, ((1, 2),), mode="maximum"), A),
    ("pad", lambda x: np.pad(x, (1, 2), mode="minimum", stat_length=((2, 1), (1, 3))), A),
    ("pad", lambda x: np.pad(x, (2, 3), mode="linear_ramp"), A),
    ("pad", lambda x: np.pad(x, 3, mode="linear_ramp", end_values=(5, -2)), A.astype(np.float32)),
    ("pad", lambda i: np.pad(i, 3, mode="linear_ramp", end_values=9), PLACES),
    ("resize", lambda x: np.resize(x, (5, 7)), A),
    ("resize", lambda x: np.resize(x, 3), A),
    ("append", lambda x: np.append(x, 1.0), A),
    ("append", lambda x: np.append(x.astype(np.float32), [[1, 2]]), A),
    ("append", lambda x, y: np.append(x, y.T, axis=0), A, B),
    ("delete", lambda x: np.delete(x, 1, axis=1), A),
    ("delete", lambda x: np.delete(x, [3, 0, 3], axis=1), A),
    ("delete", lambda x: np.delete(x, 5), A),
    ("insert", lambda x: np.insert(x, 1, 9.5, axis=1), A),
    ("insert", lambda x, y: np.insert(x, -1, y[:, 0], axis=0), A, B),
    ("insert", lambda v: np.insert(v, [1], [1, 2, 3]), V),
    ("block", lambda x, y: np.block([[x, y[:4, :4]], [y[:2].T, x[:, :6], x[:, :2]]]), A, B),
    ("block", lambda v: np.block([v, 1.0, v]), V),
    ("block", lambda v, i: np.block([i, v > 0, v.astype(np.float32)]), V, PLACES),
    ("meshgrid", lambda v, x: np.meshgrid(v, x[0], x[1]), V, A),
    ("meshgrid", lambda v, x: np.meshgrid(v, x[0], indexing="ij", sparse=True), V, A),
    ("diag", lambda v: np.diag(v, -2), V),
    ("diag", lambda v: np.diag(v) + 1, V),
    ("diagflat", lambda x: np.diagflat(x, 1), M),
    ("tril", lambda x: np.tril(x), A),
    ("tril", lambda x: np.tril(x, -2), A),
    ("triu", lambda x: np.triu(x, 1), A),
    ("fft.fftshift", lambda x: np.fft.fftshift(x), A),
    ("fft.fftshift", lambda v: np.fft.fftshift(v, 0), V),
    ("fft.ifftshift", lambda x: np.fft.ifftshift(x, (0, 1)), A),
    ("nan_to_num", lambda x: np.nan_to_num(x), HOLES),
    ("nan_to_num", lambda x: np.nan_to_num(x, nan=1.5, posinf=2.5), HOLES),
    ("nan_to_num", lambda x: np.nan_to_num(x), PLACES),
    ("isclose", lambda x: np.isclose(x, x * (1 + 1e-6)), HOLES),
    ("isclose", lambda x: np.isclose(x, x, equal_nan=True), HOLES),
    ("isclose", lambda x: np.isclose(x, 0.5, atol=0.3), HOLES),
    ("isclose", lambda x: np.isclose(x, 1, 0.2), HOLES.astype(np.float32)),
    ("allclose", lambda x, y: np.allclose(x, y.T), A, A.T.copy()),
    ("isin", lambda i: np.isin(i, [2, -1]), PLACES),
    ("in1d", lambda x, v: np.in1d(x, v), A, A[0, :2].copy()),
    ("fix", lambda x: np.fix(x * 3), HOLES),
    ("isposinf", lambda x: np.isposinf(x), HOLES),
    ("isneginf", lambda x: np.isneginf(x), HOLES),
    ("isreal", lambda x: np.isreal(x), HOLES),
    ("choose", lambda i, v: np.choose(np.abs(i), [v[:4], v[1:5], v[3:]]), PLACES, V),
    ("choose", lambda i: np.choose(np.abs(i), [1, 2.5, -3]), PLACES),
    ("choose", lambda i, v: i.choose([v[:4], v[3:]], mode="wrap"), PLACES, V),
    ("choose", lambda i, v: np.choose(i, [v[:4], v[3:]], mode="clip"), PLACES, V),
    ("unravel_index", lambda x: np.unravel_index(x.argmax(), (4, 6)), A),
    ("unravel_index", lambda i: np.unravel_index(i + 3, (2, 1, 3)), PLACES),
    ("ravel_multi_index", lambda i: np.ravel_multi_index((i + 1, i * i), (4, 5)), PLACES),
    ("ravel_multi_index", lambda i: np.ravel_multi_index((i, i - 7), (2, 3), mode="wrap"), PLACES),
    ("ravel_multi_index", lambda i: np.ravel_multi_index((i[0], i - 7), (2, 3), mode="clip"), PLACES),
    ("isin", lambda x, v: np.isin(x, v, invert=True), A, A[0, :2].copy()),
    ("round", lambda x: np.round(x, 2), A),
    ("around", lambda x: np.around(x * 1000, -1), A),
    ("round", lambda x: x.round(3), A.astype(np.float32)),
    ("divmod", lambda x, y: np.divmod(x, y.T), A, B),
    ("modf", lambda x: np.modf(x * 3), HOLES),
    ("polyval", lambda x: np.polyval([1.0, -2.0, 0.5], x), A),
    ("polyder", lambda v: np.polyder(v), V),
    ("polyder", lambda i: np.polyder(i, 2), PLACES),
    ("polyint", lambda v: np.polyint(v), V),
    ("polyint", lambda i: np.polyint(i, 2), PLACES),
    ("interp", lambda x, xp, fp: np.interp(x[1, 2], xp, fp), A, KNOTS, HEIGHTS),
    ("interp", lambda x, xp, fp: np.interp(x, xp, fp), A, KNOTS, HEIGHTS),
    ("interp", lambda x, xp, fp: np.interp(x, xp, fp, left=-7.0, right=9.0), HOLES, KNOTS, HEIGHTS),
    ("ediff1d", lambda x: np.ediff1d(x), A),
    ("gradient", lambda x: np.gradient(x), A),
    ("gradient", lambda v: np.gradient(v, 0.5, edge_order=2), V),
    ("gradient", lambda i: np.gradient(i), PLACES),
    ("gradient", lambda x: np.gradient(x, 2.0, axis=-1), A),
    (TRAPEZOID, lambda x: getattr(np, TRAPEZOID)(x, dx=0.5, axis=0), A),
    (TRAPEZOID, lambda x, v: getattr(np, TRAPEZOID)(x, v[:6], axis=1), A, V),
    ("ptp", lambda x: np.ptp(x, axis=0), A),
    ("ptp", lambda x: np.ptp(x, keepdims=True), A),
    ("trace", lambda x: np.trace(x), M),
    ("trace", lambda x: x.trace(1), A),
    ("mean", lambda i: (np.mean(i), i.mean(0, keepdims=True), (i > 0).mean()), PLACES),
    ("mean", lambda x: (x > 0).mean(axis=1), A),
    ("var", lambda x: np.var((x * 9).astype(np.int8), axis=0), A),
    ("std", lambda i: i.std(ddof=1), PLACES),
    ("average", lambda x: np.average(x, axis=1), A),
    ("average", lambda x, v: np.average(x, axis=1, weights=v[1:]), A, V),
    ("average", lambda x: np.average(x, weights=x * x, axis=0), A.astype(np.float32)),
    ("average", lambda i, v: np.average(i, weights=v[:4]), PLACES, V),
    ("count_nonzero", lambda x: np.count_nonzero(x > 0, axis=1), A),
    ("count_nonzero", lambda x: np.count_nonzero(x, axis=0, keepdims=True), HOLES),
    ("diff", lambda v: np.diff(v, prepend=v[0]), V),
    ("diff", lambda x: np.diff(x, 2, axis=0, prepend=0, append=x[:1]), A),
    ("nanmax", lambda x: np.nanmax(x), HOLES),
    ("nanmax", lambda x: np.nanmax(x, axis=1, keepdims=True), HOLES),
    ("nanmax", lambda i: np.nanmax(i), PLACES),
    ("nanmin", lambda x: np.nanmin(x[:, 1:2], axis=1), HOLES.astype(np.float32)),
    ("nansum", lambda x: np.nansum(x[2:, :4], axis=0), HOLES),
    ("nanprod", lambda x: np.nanprod(x[:, :2], axis=1, keepdims=True), HOLES),
    ("nancumsum", lambda x: np.nancumsum(x, axis=0), HOLES),
    ("nancumprod", lambda x: np.nancumprod(x), HOLES),
    ("nanmean", lambda x: np.nanmean(x[2:, :4], axis=0), HOLES),
    ("nanmean", lambda x: np.nanmean(x[2:, :4]), HOLES.astype(np.float32)),
    ("nanvar", lambda x: np.nanvar(x[2:, :4], axis=1, ddof=1), HOLES),
    ("nanstd", lambda x: np.nanstd(x[2:, :4], axis=0), HOLES),
    ("unwrap", lambda x: np.unwrap(x * 9), A),
    ("unwrap", lambda x: np.unwrap(x * 9, axis=0), A),
    ("einsum", lambda x: np.einsum("ij->i", x), A),
    ("einsum", lambda x: np.einsum("ij->ji", x) + 1, A),
    ("einsum", lambda x: np.einsum("ii->i", x), M),
    ("einsum", lambda x: np.einsum("ii", x), M),
    ("einsum", lambda x, y: np.einsum("ij, jk", x, y), A, B),
    ("einsum", lambda x, y: np.einsum("...j,...j->...", x, y.T), A.astype(np.float32), B.astype(np.float32)),
    ("einsum", lambda i, v: np.einsum("i,j->ij", i, i * i), PLACES, V),
    ("kron", lambda x, y: np.kron(x, y[0]), A, B),
    ("inner", lambda x, y: np.inner(x, y.T), A, B),
    ("vdot", lambda x, y: np.vdot(x, y), A, B),
    ("tensordot", lambda x, y: np.tensordot(x, y, ([1], [0])), A, B),
    ("tensordot", lambda x, y: np.tensordot(x, y.T, 2), A, B),
    ("cross", lambda x: np.cross(x, x[::-1]), VECTORS),
    ("cross", lambda x: np.cross(x, x[0]), VECTORS),
    ("cov", lambda x: np.cov(x), A),
    ("cov", lambda x: np.cov(x, rowvar=False, bias=True), A),
    ("corrcoef", lambda x: np.corrcoef(x), A),
    ("linalg.matrix_power", lambda x: np.linalg.matrix_power(x, 3), M),
    ("linalg.matrix_power", lambda x: np.linalg.matrix_power(x, 6), M),
    ("linalg.multi_dot", lambda x, y: np.linalg.multi_dot([x, y, x]), A, B),
    ("vander", lambda v: np.vander(v, 4), V),
    ("linalg.norm", lambda x: np.linalg.norm(x), A),
    ("linalg.norm", lambda x: np.linalg.norm(x, 1), A),
    ("linalg.norm", lambda x: np.linalg.norm(x, -np.inf), A),
    ("linalg.norm", lambda x: np.linalg.norm(x, np.inf, axis=1, keepdims=True), A),
    ("linalg.norm", lambda x: np.linalg.norm(x, 0, axis=0), A),
    ("linalg.norm", lambda x: np.linalg.norm(x, axis=(0, 1)), A),
    ("lexsort", lambda i, v: np.lexsort((i, v[:4] > 0)), PLACES, V),
    ("searchsorted", lambda x: np.searchsorted([-1, 0.5, 1], x), A),
    ("searchsorted", lambda v: np.searchsorted(v, 0.25), V),
    ("searchsorted", lambda v, x: v.searchsorted(x, "right"), V, A.astype(np.float32)),
    ("digitize", lambda x: np.digitize(x, [-1, 0, 1]), HOLES),
    ("digitize", lambda x, v: np.digitize(x, v[::-1], right=True), A.astype(np.float32), V),
    ("digitize", lambda v: np.digitize(v[2], v), V),
    ("bincount", lambda i: np.bincount(i + 1, minlength=6), PLACES),
    ("bincount", lambda i, v: np.bincount(i * i, v[:4].astype(np.float32), minlength=5), PLACES, V),
    ("histogram", lambda x: np.histogram(x, bins=5, range=(-1, 1)), HOLES),
    ("histogram", lambda x: np.histogram(x, bins=7, range=(-1.5, 1)), A.astype(np.float32)),
    ("histogram", lambda x: np.histogram(x, [-2, -0.5, 0.5, 0.5, 1.25]), HOLES),
    ("histogram", lambda x: np.histogram(x, 4, density=True), A),
    ("histogram", lambda i: np.histogram(i, 3), PLACES),
    ("histogram", lambda x: np.histogram(x * 0 + 3), A),
    ("nanargmax", lambda x: np.nanargmax(x), HOLES),
    ("nanargmin", lambda x: np.nanargmin(x, axis=1), HOLES),
    ("quantile", lambda x: np.quantile(x, [0.25, 0.5]), V),
    ("percentile", lambda x: np.percentile(x, [10.0, 90.0], axis=0), A),
    ("quantile", lambda x: np.quantile(x, 0.3), A.astype(np.float32)),
    ("quantile", lambda x: np.quantile(x, [0.0, 0.55, 1.0], axis=1, keepdims=True), HOLES.astype(np.float32)),
    ("percentile", lambda x: np.percentile(x, 35, axis=0), A.astype(np.float32)),
    ("nanquantile", lambda x: np.nanquantile(x, 0.9), HOLES),
    ("nanquantile", lambda x: np.nanquantile(x * np.nan, [0.25, 0.5], axis=1), A),
    ("nanpercentile", lambda x: np.nanpercentile(x, 30, axis=0, keepdims=True), HOLES.astype(np.float32)),
    ("nanmedian", lambda x: np.nanmedian(x), HOLES),
    ("nanmedian", lambda x: np.nanmedian(x, axis=1), HOLES.astype(np.float32)),
    ("nanmedian", lambda x: np.nanmedian(np.where(x > 0, np.nan, x), axis=0, keepdims=True), A),
    ("arange", lambda x: np.arange(x.shape[0]), A),
    ("arange", lambda x: x * np.arange(7, 7 - 2 * x.shape[1], -2, dtype=np.float32), A),
    ("linspace", lambda x: np.linspace(0, 1, x.shape[0]), A),
    ("linspace", lambda x: x * np.linspace(0.1, -3, x.shape[1], endpoint=False), A),
    ("eye", lambda x: np.eye(x.shape[0]), A),
    ("eye", lambda x: np.eye(x.shape[0], x.shape[1], -1, np.int8), A),
    ("identity", lambda x: np.identity(x.shape[0], np.float32), A),
    ("tri", lambda x: np.tri(x.shape[0], x.shape[1], 1, bool), A),
]
# The same, of which the sizes have to be known.
OF_KNOWN_SIZES = [
    ("delete", lambda x: np.delete(x, [0, -1], axis=1), A),
    ("delete", lambda x: np.delete(x, slice(1, None, 2), axis=0), A),
    ("insert", lambda x: np.insert(x, [2, 0, 2], [[7.0], [8.0], [9.0]], axis=0), A),
    ("vander", lambda v: np.vander(v, increasing=True), V),
    ("maximum.accumulate", lambda x: np.maximum.accumulate(x, axis=1), HOLES),
    ("minimum.accumulate", lambda v: np.minimum.accumulate(v[::-1])[::-1], V),
    ("minimum.accumulate", lambda i: np.minimum.accumulate(i), PLACES),
]
# np.correlate of vectors, which adds in an order that BLAS has a say in: (a function of vectors of 9 and 4 elements).
SUMS_OF_NEIGHBOURS = [
    ("correlate", lambda a, v: np.correlate(a, v)),
    ("correlate", lambda a, v: np.correlate(a, v, "full")),
    ("correlate", lambda a, v: np.correlate(a, v[1:], mode="same")),
    ("convolve", lambda a, v: np.convolve(a, v, "valid")),
    ("convolve", lambda a, v: np.convolve(a, v, "same")),
    ("convolve", lambda a, v: np.convolve(v, a)),
    ("convolve", lambda a, v: np.convolve(a, [0.25, 0.5, 0.25], mode="valid")),
]


# Rows that multiply matrices, whose bits programs have for some libraries behind NumPy only.
PRODUCTS = {"corrcoef", "cov", "inner", "linalg.matrix_power", "linalg.multi_dot", "linalg.norm", "tensordot", "vdot"}


def products_have_bits():
    try:
        dynacc.export(lambda a, b: a @ b, A, B)
    except ProgramError:
        return False
    return True


def leaves(value):
    if isinstance(value, (list, tuple)):
        return [type(value)] + [leaf for item in value for leaf in leaves(item)]
    return [value]


def found(name):
    function = np
    for part in name.split("."):
        function = getattr(function, part, None)
    return function


class Decompositions(unittest.TestCase):
    maxDiff = None

    def assert_same(self, function, *arguments, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = leaves(function(*arguments))
        got = leaves(dynacc.export(function, *arguments, **options)(*arguments))
        self.assertEqual(len(got), len(expected))
        for a, b in zip(got, expected):
            self.assertIs(type(a), type(b))
            if isinstance(b, (np.ndarray, np.generic)):
                self.assertEqual((a.dtype, a.shape), (b.dtype, b.shape))
                self.assertEqual(a.tobytes(), b.tobytes(), f"{a} is not {b}")
            else:
                self.assertEqual(a, b)

    def assert_all_same(self, cases, layout=np.asarray, **options):
        left_out = set() if products_have_bits() else PRODUCTS
        for number, (name, function, *arguments) in enumerate(cases):
            if found(name) is not None and name not in left_out:
                with self.subTest(case=number, name=name):
                    self.assert_same(function, *map(layout, arguments), **options)

    def test_bytes(self):
        self.assert_all_same(CASES + OF_KNOWN_SIZES)

    def test_bytes_with_sizes_that_vary(self):
        self.assert_all_same(CASES, dynamic=True)

    def test_bytes_of_arrays_in_fortran_order(self):
        self.assert_all_same(CASES + OF_KNOWN_SIZES, layout=np.asfortranarray)

    def test_bytes_of_arrays_with_gaps(self):
        self.assert_all_same(CASES + OF_KNOWN_SIZES, layout=lambda a: np.repeat(a, 2, -1)[..., ::2])

    def test_documentation_names_every_row(self):
        page = (pathlib.Path(__file__).parents[3] / "docs" / "program.md").read_text()
        for name, *_ in CASES + OF_KNOWN_SIZES + SUMS_OF_NEIGHBOURS:
            self.assertIn(f"`{name}`", page)

    def test_every_row_has_a_case(self):
        tested = {found(name) for name, *_ in CASES + OF_KNOWN_SIZES + SUMS_OF_NEIGHBOURS}
        table = default_decompositions(dynamic=True)
        covered = {table[row] for row in tested if row in table}
        self.assertEqual([row for row in table if table[row] not in covered], [])

    def test_what_they_do_not_cover_is_named(self):
        for function, *arguments in ((lambda x: np.linalg.norm(x, 3, axis=1), A),
                                     (lambda x: np.average(x, weights=x, returned=True), A),
                                     (lambda x: np.histogram(x, 4, weights=x), A),
                                     (lambda x: np.pad(x, 1, mode="median"), A)):
            with self.assertRaisesRegex(ProgramError, "decompositions_test.py:.*: .*NumPy's"):
                dynacc.export(function, *arguments)
        for function, *arguments in ((lambda x, i: np.repeat(x[:, 0], i * i), A, PLACES),
                                     (lambda i: np.bincount(i), PLACES), (lambda x: np.unique(x), A)):
            with self.assertRaisesRegex(ProgramError, "decompositions_test.py:.*size depends on values"):
                dynacc.export(function, *arguments)

    def test_sums_of_products_of_many_sizes(self):
        """What np.einsum adds in lanes, in blocks and by buffers' lengths."""
        rng = np.random.default_rng(8)
        for dtype in (np.float32, np.float64, np.int16):
            programs = [(text, dynacc.export(lambda a, b: np.einsum(text, a, b), np.ones((2, 3), dtype),
                                             np.ones((2, 3), dtype), dynamic=True))
                        for text in ("ij,ij->", "ij,kj->ik", "ij,ij->i", "ij,kj->j", "ij,kl->ijkl")]
            for shape in ((2, 7), (3, 40), (33, 2), (2, 9001), (130, 70)):
                a, b = (rng.normal(size=shape) * 9).astype(dtype), (rng.normal(size=shape) * 9).astype(dtype)
                for text, program in programs:
                    if text == "ij,kl->ijkl" and a.size > 200:
                        continue
                    with self.subTest(text=text, dtype=dtype, shape=shape):
                        self.assertEqual(program(a, b).tobytes(), np.einsum(text, a, b).tobytes())

    def test_sums_of_products_of_three(self):
        function = lambda x, y: np.einsum("ij,jk,kl->il", x, y, x)  # noqa: E731
        self.assert_same(function, (A * 9).astype(np.int32), (B * 9).astype(np.int32))
        try:
            self.assert_same(function, A, B)
        except ProgramError as error:  # NumPy 2.4's iterators have other buffers
            self.assertIn("write it with matmul, or as the sum of a product", str(error))

    def test_sums_of_products_in_another_order_of_memory_are_refused(self):
        a = np.ones((2, 3, 4, 5))
        with self.assertRaisesRegex(ProgramError, "decompositions_test.py:.*einsum.*write it with matmul"):
            dynacc.export(lambda a: np.einsum("bqhd,bkhd->bhqk", a, a), a)
        with self.assertRaisesRegex(ProgramError, "are of f32 and give f64: convert them"):
            dynacc.export(lambda a, b: np.einsum("ij,ij->i", a, b), A, A.astype(np.float32))

    def test_a_diagonal_is_not_written_into(self):
        def fill(x):
            x = x.copy()
            np.einsum("ii->i", x)[:] = 1.0
            return x

        with self.assertRaises((ProgramError, dynacc.graph.GraphBreak)):
            dynacc.export(fill, M)

    def test_places_that_are_outside(self):
        program = dynacc.export(lambda x, i: np.take(x, i), V, PLACES)
        with self.assertRaises(ProgramError):
            program(V, np.array([0, 1, 2, 7]))

    def test_sums_of_neighbours(self):
        """What this NumPy adds in another order is refused."""
        rng = np.random.default_rng(8)
        a, v = rng.normal(size=9), rng.normal(size=4)
        a[3], v[1] = np.inf, -0.0
        for number, (_, function) in enumerate(SUMS_OF_NEIGHBOURS):
            for dtype in (np.float64, np.float32, np.int16):
                with self.subTest(case=number, dtype=dtype), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    of_dtype = [np.nan_to_num(each, posinf=9) * 10 if dtype is np.int16 else each for each in (a, v)]
                    try:
                        self.assert_same(function, *[each.astype(dtype) for each in of_dtype])
                    except ProgramError as error:
                        self.assertNotEqual(dtype, np.int16)
                        self.assertIn("a call of NumPy's", str(error))

    def test_sums_of_neighbours_in_order(self):
        """Those of few terms that NumPy adds itself, and so in order whatever BLAS is behind it."""
        rng = np.random.default_rng(8)
        a = rng.normal(size=50)
        for count in (1, 2, 3, 7, 11):
            self.assert_same(lambda a, v: np.correlate(a, v), a, rng.normal(size=count))

    def test_where_numpy_raises_the_run_ends(self):
        for function, good, bad in (
                (lambda i: np.bincount(i, minlength=3), [0, 2], [0, 3]),
                (lambda i: np.bincount(i, minlength=3), [0, 2], [0, -1]),
                (lambda i: np.unravel_index(i, (2, 2)), [3, 0], [4, 0]),
                (lambda i: np.unravel_index(i, (2, 2)), [3, 0], [-1, 0]),
                (lambda i: np.ravel_multi_index((i, i), (2, 2)), [0, 1], [0, 2]),
                (lambda i: np.choose(i, [1.5, 2.5]), [0, 1], [-1, 0]),
                (lambda x: np.average(x, weights=x), [1.0, 2.0], [1.0, -1.0]),
                (lambda x: np.nanargmax(x), [1.0, np.nan], [np.nan, np.nan]),
                (lambda i: np.mean(i), [1, 2], [2**53, 1]),  # where NumPy's order of additions would count
                (lambda x: np.histogram(x, 2), [1.0, 2.0], [1.0, np.inf]),
                (lambda x: np.digitize(x, x), [1.0, 2.0], None)):
            program = dynacc.export(function, np.array(good))
            self.assert_same(function, np.array(good))
            if bad is not None:
                with self.assertRaises(ProgramError):
                    program(np.array(bad))

    def test_bins_that_neither_rise_nor_fall(self):
        program = dynacc.export(lambda x, bins: np.digitize(x, bins), V, V)
        for bins in (V, V[::-1].copy(), np.ones(7)):
            self.assertEqual(program(A[0, :6].repeat(2)[:7], bins).tobytes(),
                             np.digitize(A[0, :6].repeat(2)[:7], bins).tobytes())
        with self.assertRaisesRegex(ProgramError, "monotonically"):
            program(V, np.array([0.0, 1, 2, 1, 3, 4, 5]))

    def test_views_that_only_numpy_makes(self):
        """They are read-only where NumPy makes them; what a program gives is an array of its own."""
        for function in (lambda x: np.diagonal(x), lambda x: np.diag(x, 1), lambda x: x.diagonal() * 2,
                         lambda x: np.broadcast_to(x, (2, 3, 3)), lambda x: np.broadcast_arrays(x, x[:1]),
                         lambda x: np.lib.stride_tricks.sliding_window_view(x, 2, axis=1)):
            self.assert_same(function, M)

    def test_tables_of_ones_own(self):
        def double(x):
            return x + x

        graph = dynacc.graph.make_graph(lambda x: np.fft.fft(x), A, decompositions={np.fft.fft: double})
        self.assertEqual(graph.run(A)[0].tobytes(), (A + A).tobytes())
        left = dynacc.graph.make_graph(lambda x: np.sort(x), A, decompositions={np.sort: lambda x: NotImplemented})
        self.assertEqual(left.run(A)[0].tobytes(), np.sort(A).tobytes())

    def test_derivatives_of_what_is_decomposed(self):
        def loss(x):
            return (np.tile(x, 3) * np.repeat(x, 3)).sum()

        gradient = dynacc.grad(loss)
        program = dynacc.export(gradient, V)
        np.testing.assert_allclose(program(V), gradient(V), rtol=1e-13)


if __name__ == "__main__":
    unittest.main()
