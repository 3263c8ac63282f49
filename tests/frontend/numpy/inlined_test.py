"""NumPy's own Python functions that are traced where they are called, and those that are called at capture: captured
whole, with NumPy's results. Every row of both tables must have a call here."""
import os
import re
import unittest
import warnings

import dynacc
import numpy as np

FOLDER = os.path.join(os.path.dirname(__file__), "../../../frontend/numpy/trace")

# Calls on a matrix `a` of 4 rows and columns, and a vector `v` of 4.
INLINED = {
    "atleast_3d": ["np.atleast_3d(a)", "np.atleast_3d(v) * 2"],
    "rollaxis": ["np.rollaxis(a, 1) * 2", "np.rollaxis(a.reshape(2, 2, 4), 2, 1)", "np.rollaxis(a, 0)"],
    "dsplit": ["np.dsplit(a.reshape(2, 2, 4), 2)"],
    "triu_indices_from": ["a[np.triu_indices_from(a, 1)] * 2"],
    "tril_indices_from": ["a[np.tril_indices_from(a)]"],
    "diag_indices": ["a[np.diag_indices(4)] + v", "np.diag_indices(3, 3)"],
    "fromfunction": ["np.fromfunction(lambda i, j: i * 10 + j, (3, 4)) + v"],
    "apply_over_axes": ["np.apply_over_axes(np.sum, a, [0, 1])"],
    "asfarray": ["np.asfarray(a.astype(int)) / 2", "np.asfarray(a, np.float32)"],
    "polyadd": ["np.polyadd(v, [1.0, 2.0])"],
    "polysub": ["np.polysub(v[:2], v)"],
    "put_along_axis": ["np.put_along_axis(a, np.argmax(a, axis=1)[:, None], 9.0, axis=1), a * 2"],
    "product": ["np.product(a, axis=0)"],
    "cumproduct": ["np.cumproduct(v)"],
    "alltrue": ["np.alltrue(a > 0, axis=0)"],
    "sometrue": ["np.sometrue(a > 3, 1)"],
    "iscomplex": ["np.iscomplex(a)"],
    "astype": ["np.astype(a, np.float32) * 2"],
    "matrix_transpose": ["np.matrix_transpose(a) + v"],
    "unstack": ["np.unstack(a)", "np.unstack(a, axis=1)[2] * 2"],
    "cumulative_sum": ["np.cumulative_sum(v) * 2", "np.cumulative_sum(a, axis=1)"],
    "cumulative_prod": ["np.cumulative_prod(a, axis=0) + 1"],
    "unique_values": ["np.unique_values(a)"],
    "unique_counts": ["np.unique_counts(a)", "np.unique_counts(a).counts * 2"],
    "unique_inverse": ["np.unique_inverse(a)"],
    "unique_all": ["np.unique_all(a)"],
    "linalg.matrix_transpose": ["np.linalg.matrix_transpose(a) + v"],
    "linalg.matrix_norm": ["np.linalg.matrix_norm(a)"],
    "linalg.cross": ["np.linalg.cross(a[:, :3], a[:, 1:])"],
    "linalg.outer": ["np.linalg.outer(v, v) * 2"],
    "linalg.diagonal": ["np.linalg.diagonal(a)"],
    "linalg.trace": ["np.linalg.trace(a)"],
    "linalg.svdvals": ["np.linalg.svdvals(a)"],
    "linalg.matmul": ["np.linalg.matmul(a, a.T)"],
    "linalg.tensordot": ["np.linalg.tensordot(a, a)"],
    "linalg.vecdot": ["np.linalg.vecdot(a, a)"],
}
# Modules of which every function is traced.
SCOPES = ["error_scope(a)", "error_scope(a * 0)"]
OTHERS = ["np.polynomial.polynomial.polyval(v, [1.0, 2.0, 0.5])", "np.polynomial.chebyshev.chebval(v, v) + a"]
PURE = {
    "dtype": ["a.astype(np.dtype('f4'))", "np.dtype(float).kind"],
    "finfo": ["a + np.finfo(a.dtype).eps", "np.finfo(np.float32).max", "type(np.finfo(float).min)"],
    "iinfo": ["np.minimum(a, np.iinfo(np.int8).max)", "np.iinfo('i4').bits"],
    "result_type": ["a.astype(np.result_type(a, np.float32))", "np.result_type('f4', 3)"],
    "promote_types": ["np.promote_types(a.dtype, 'i8')"],
    "can_cast": ["np.can_cast(a.dtype, np.float32), np.can_cast('i4', 'f8')"],
    "issubdtype": ["np.issubdtype(a.dtype, np.floating), np.issubdtype(np.int8, np.signedinteger)"],
    "isscalar": ["np.isscalar(a), np.isscalar(2.5), np.isscalar([1])"],
    "broadcast_shapes": ["np.zeros(np.broadcast_shapes(a.shape, (3, 1, 1)))"],
    "core.numeric.normalize_axis_tuple": ["np.core.numeric.normalize_axis_tuple((0, -1), a.ndim)"],
    "core.multiarray.normalize_axis_index": ["np.core.multiarray.normalize_axis_index(-1, a.ndim)"],
    "_core.numeric.normalize_axis_tuple": ["np._core.numeric.normalize_axis_tuple((0, -1), a.ndim)"],
    "_core.multiarray.normalize_axis_index": ["np._core.multiarray.normalize_axis_index(-1, a.ndim)"],
    "isdtype": ["np.isdtype(a.dtype, 'real floating'), np.isdtype(a.dtype, ('integral', 'bool'))"],
}
IS_NUMPY_2 = not np.__version__.startswith("1.")


def is_there(row):
    """Whether this version of NumPy has the function, elsewhere than in numpy.core that NumPy 2 keeps for old programs."""
    return not (IS_NUMPY_2 and row.startswith("core.")) and present(np, row.split("."))


def present(owner, path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what a later version will not have
        for name in path:
            owner = getattr(owner, name, None)
    return owner is not None


def error_scope(x):
    with np.errstate(all="ignore"):
        y = 1 / x
        with np.errstate(invalid="raise", over="warn"):
            y = y + x
            modes = np.geterr()
    return y - 1, modes, np.geterr()


def make(expression):
    scope = {"np": np, "error_scope": error_scope}
    exec(f"def f(a, v):\n    a = a * 1\n    return {expression}\n", scope)
    return scope["f"]


def rows(table, macro):
    with open(os.path.join(FOLDER, table)) as file:
        return set(re.findall(rf'^{macro}\("([\w.]+)"', file.read(), re.M))


def described(result):
    if isinstance(result, (tuple, list)):
        return type(result), [described(item) for item in result]
    if isinstance(result, (np.ndarray, np.generic)):
        return type(result), result.dtype, result.shape, result.tobytes()
    return type(result), repr(result)


class Inlined(unittest.TestCase):
    def same(self, expression):
        plain, compiled = make(expression), dynacc.compile(make(expression), fullgraph=True)
        for dtype in "dfd":
            for scale in (1, 2):
                a = (np.arange(16.0).reshape(4, 4) % 5 * scale).astype(dtype)
                self.assertEqual(described(compiled(a, a[1])), described(plain(a, a[1])), (expression, dtype))

    def test_every_row_is_captured(self):
        self.assertEqual(rows("numpy_inlined.def", "DYNACC_NUMPY_INLINED"), set(INLINED))
        self.assertEqual(rows("numpy_pure.def", "DYNACC_NUMPY_PURE"), set(PURE))
        here = [calls for row, calls in (*INLINED.items(), *PURE.items()) if is_there(row)]
        self.assertGreater(len(here), 25)
        for expressions in (*here, OTHERS, SCOPES):
            for expression in expressions:
                with self.subTest(expression):
                    self.same(expression)

    def test_functions_of_one_decorator_are_told_apart(self):
        def f(change, a):
            return change(a) * 2

        compiled = dynacc.compile(f)
        a = np.arange(4.0)
        others = [np.matrix_transpose, np.iscomplex] if IS_NUMPY_2 else [np.cumproduct, np.product]
        a = np.ones((2, 2)) if IS_NUMPY_2 else a
        for change in (np.atleast_3d, others[0], np.atleast_3d, others[1], np.atleast_3d):
            self.assertEqual(described(compiled(change, a)), described(f(change, a)))


if __name__ == "__main__":
    unittest.main()
