#!/usr/bin/env python3
"""Functions of tensors inside dynacc.compile(fullgraph=True): one graph, tensors as results, the bits of eager calls."""
import unittest

import numpy as np
import standard
from drawing import FLOATS, INTEGERS, draw, same

import _dynacc
import dynacc as xp
from dynacc._memory import quiet
from elementwise_checks import FUNCTIONS, SHIFTS

SHAPES = ((5,), (3, 4), (2, 3, 4))
IS_NUMPY2 = np.lib.NumpyVersion(np.__version__) >= "2.0.0"
COMPLEX = ("complex64", "complex128")
# Elementwise functions that are not captured whole, and why.
NOT_CAPTURED = {
    "pow": INTEGERS,                                         # signed powers may raise
    "multiply": COMPLEX if IS_NUMPY2 else ("complex128",),   # rounded as memory lies, or by NumPy 2's own loops
    "square": COMPLEX if IS_NUMPY2 else (),
}
# Functions of two complex matrices, besides the elementwise ones.
OF_COMPLEX = {
    "sums": lambda x, y: (xp.sum(x), xp.sum(x, axis=0), xp.sum(x, axis=(0, 1), keepdims=True), xp.mean(y), xp.mean(x, axis=-1)),
    "products": lambda x, y: (xp.prod(x), xp.prod(x, axis=1), xp.cumulative_prod(y, axis=1), xp.cumulative_sum(x, axis=0)),
    "parts": lambda x, y: (xp.real(x) + xp.imag(y), xp.conj(x) - y, xp.real(x) ** 2 + xp.imag(x) ** 2),
    "choices": lambda x, y: (xp.where(xp.real(x) > 0, x, y), xp.where(xp.isfinite(x), x, 1j), xp.any(x), xp.all(x, axis=0)),
    "views": lambda x, y: (x[1:], x.T + y.T, x.mT, xp.reshape(x, (-1,)), x[..., None], x[1, 2] + y),
    "made": lambda x, y: (xp.full((3, 4), 1j) + x, xp.zeros_like(x) + y, xp.ones_like(x), xp.linspace(0, 1, 4) + x),
    "dtypes": lambda x, y: (xp.astype(x, xp.complex64), xp.astype(xp.real(x), xp.complex128)),
    "numbers": lambda x, y: (x + 1, 2j - x, x / 3, 1 / y, x ** 2.0, x == 1j, x != 0),
    "moved": lambda x, y: (xp.concat([x, y]), xp.stack([x, y]), xp.roll(x, 1), xp.flip(x), xp.tile(x, (2, 1)), xp.tril(x)),
    "matrices": lambda x, y: (x @ y.T, xp.vecdot(x, y), xp.tensordot(x, y, axes=2), xp.linalg.outer(x[0], y[1]), xp.linalg.trace(x)),
    "solved": lambda x, y: (xp.linalg.solve(x @ xp.conj(x.mT) + 9 * xp.eye(3), y), xp.linalg.det(x @ x.mT)),
    "decomposed": lambda x, y: (xp.linalg.svdvals(x), xp.linalg.qr(x).R, xp.linalg.eigh(x @ xp.conj(x.mT)).eigenvalues),
    "transformed": lambda x, y: (xp.fft.fft(x), xp.fft.ifft(y), xp.fft.irfft(x)),
    "found": lambda x, y: (xp.unique_values(x), xp.nonzero(x), xp.count_nonzero(x)),
}


def draw_floats(shape):
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


def quiet_sum(x):
    with quiet():
        return xp.sum(x * 3e38)


def hits_of(function, *args):
    """How many of five calls a compiled segment did."""
    before = xp.stats()["entries_hit"]
    for _ in range(5):
        function(*args)
    return xp.stats()["entries_hit"] - before


def compiled(function):
    return xp.compile(function, fullgraph=True)


def agree(test, function, *arrays):
    """The function's results on tensors, captured and eager, are the same; twice, as the second call is a hit."""
    fast = compiled(function)
    for _ in range(2):
        inputs = [xp.asarray(array, copy=True) for array in arrays]
        again = [xp.asarray(array, copy=True) for array in arrays]
        expected, got = function(*inputs), fast(*again)
        compare(test, got, expected)
        for one, other in zip(again, inputs):
            compare(test, one, other)


def compare(test, got, expected):
    if isinstance(expected, (tuple, list)):
        test.assertEqual(len(got), len(expected))
        for one, other in zip(got, expected):
            compare(test, one, other)
    elif isinstance(expected, xp.Tensor):
        same(got, np.asarray(expected), "captured")
    elif isinstance(expected, np.ndarray):
        test.assertEqual((got.tobytes(), got.dtype), (expected.tobytes(), expected.dtype))
    else:
        test.assertEqual((got, type(got)), (expected, type(expected)))


class Captured(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(5)

    def test_elementwise(self):
        for name in standard.ELEMENTWISE:
            if name == "clip":
                continue
            dtypes = FUNCTIONS[name][1] if name in FUNCTIONS else INTEGERS
            function = getattr(xp, name)
            for dtype in dtypes:
                if dtype in NOT_CAPTURED.get(name, ()):
                    continue
                with self.subTest(f"{name} {dtype}"):
                    a = draw(self.random, dtype, (3, 4))
                    if name in standard.UNARY:
                        agree(self, lambda x: function(x), a)
                        continue
                    b = draw(self.random, dtype, (4,))
                    if name in SHIFTS:
                        b = (b % 7).astype(dtype)
                    agree(self, lambda x, y: (function(x, y), function(y, x)), a, b)

    def test_complex(self):
        for dtype in COMPLEX:
            a, b = (draw(self.random, dtype, (3, 4), finite=True) for _ in range(2))
            for name, function in OF_COMPLEX.items():
                with self.subTest(f"{name} of {dtype}"):
                    agree(self, function, a, b)

    @unittest.skipIf(IS_NUMPY2, "NumPy 2 has loops of its own for complex products")
    def test_complex_products_of_arrays_in_order(self):
        for dtype in COMPLEX:
            a, b = (draw(self.random, dtype, (3, 4), finite=True) for _ in range(2))
            agree(self, lambda x, y: (x * y, xp.square(x) + y, x * 2.5, 1j * y, x * xp.real(y)), a, b)

    def test_complex_in_place(self):
        def work(x, y):
            x += y
            x[0] = y[1]
            x[1:] -= y[1:]
            x /= 2
            return x + 1
        for dtype in COMPLEX:
            agree(self, work, draw(self.random, dtype, (3, 4), finite=True), draw(self.random, dtype, (3, 4), finite=True))

    def test_operators(self):
        a, b = draw(self.random, "float32", (3, 4)), draw(self.random, "float64", (4,))
        agree(self, lambda x, y: (x + y, x * 2 - y, 1 / x, x // y, x % 3, -x, +y, abs(x), x ** 2.0), a, b)
        agree(self, lambda x, y: (x < y, x >= 0.5, x == y, 1 != x), a, b)
        i, j = draw(self.random, "int16", (3, 4)), draw(self.random, "uint8", (3, 4))
        agree(self, lambda x, y: (x & y, x | 3, x ^ y, ~x, x << 2, x + y, x * 7, x / y, x + 1.5), i, j)
        agree(self, lambda x, y: x @ y, draw(self.random, "float64", (3, 4), True), draw(self.random, "float64", (4, 2), True))

    def test_in_place(self):
        def work(x, y):
            x += y
            x *= 2
            x[1:] -= y
            x[0] = 5
            return x + 1
        agree(self, work, draw(self.random, "float64", (3, 4)), draw(self.random, "float64", (4,)))

    def test_views_and_indexing(self):
        a = draw(self.random, "float32", (3, 4))
        agree(self, lambda x: (x[0], x[1, 2], x[::-1, 1:], x[..., None], x.T, x.mT, xp.reshape(x, (4, 3)),
                               xp.reshape(x, (-1,)), xp.permute_dims(x, (1, 0)), xp.expand_dims(x, 1)), a)

    def test_attributes(self):
        def work(x):
            y = x + 1
            return y.shape, y.ndim, y.size, y.dtype is xp.float32, y.device, isinstance(y, xp.Tensor)
        agree(self, work, draw(self.random, "float32", (3, 4)))

    def test_reductions(self):
        for name in ("sum", "prod", "max", "min", "any", "all"):
            for dtype in (*FLOATS, "int32", "uint8", "bool"):
                if dtype == "bool" and name in ("max", "min"):
                    continue
                function = getattr(xp, name)
                with self.subTest(f"{name} {dtype}"):
                    agree(self, lambda x: (function(x), function(x, axis=0), function(x, axis=(0, 1), keepdims=True)),
                          draw(self.random, dtype, (3, 4), finite=True))
        for name in ("mean", "var", "std"):
            function = getattr(xp, name)
            with self.subTest(name):
                agree(self, lambda x: (function(x), function(x, axis=-1)), draw(self.random, "float64", (3, 4), finite=True))

    def test_other_functions(self):
        a, b = draw(self.random, "float64", (3, 4), finite=True), draw(self.random, "float64", (3, 4), finite=True)
        for name, function in {
            "where": lambda x, y: xp.where(x > y, x, 0.0),
            "clip": lambda x, y: xp.clip(x, -1.0, 1.0),
            "astype": lambda x, y: xp.astype(x, xp.float32),
            "zeros_like": lambda x, y: xp.zeros_like(x) + y, "zeros of a Python type": lambda x, y: xp.zeros(3, dtype=float) + x[0, 0],
            "ones": lambda x, y: xp.ones((3, 4)) * x,
            "full": lambda x, y: xp.full((3, 4), 2.5) * x,
            "result_type": lambda x, y: xp.result_type(x, xp.float32),
            "sort": lambda x, y: xp.sort(x + y, axis=0),
            "concat": lambda x, y: xp.concat([x, y], axis=1),
            "stack": lambda x, y: xp.stack([x, y]),
            "roll": lambda x, y: xp.roll(x, 1, axis=0),
            "cumulative_sum": lambda x, y: xp.cumulative_sum(x * y, axis=0),
            "matmul": lambda x, y: xp.matmul(x, xp.matrix_transpose(y)),
            "argmax": lambda x, y: xp.argmax(x + y, axis=0),
            "flip": lambda x, y: xp.flip(x, axis=0) + y,
            "squeeze": lambda x, y: xp.squeeze(x[:, None], 1) + y,
            "moveaxis": lambda x, y: xp.moveaxis(x, 0, 1) * 2,
        }.items():
            with self.subTest(name):
                agree(self, function, a, b)

    def test_keys_that_are_tensors(self):
        a, i = draw(self.random, "float64", (4, 4), finite=True), np.array([2, 0, -1])
        agree(self, lambda x, k: (x[k] * 2, x[:, k] + 1, x[k, 0], x[0, k] - x[1, k], xp.sum(x[k], axis=0)), a, i)
        agree(self, lambda x: (x[x > 0] * 2, x[x[:, 0] == x[:, 0], :] + 1), a)

        def store(x):
            x[x > 0] = 0.0
            return x + 1
        agree(self, store, a)

    def test_linear_algebra_and_transforms(self):
        a = draw(self.random, "float64", (4, 4), finite=True)
        a = np.tanh(a) @ np.tanh(a).T + 9 * np.eye(4)
        v = draw(self.random, "float64", (4,), finite=True)
        for name, function in {
            "solve": lambda x, y: xp.linalg.solve(x, y) * 2, "inv": lambda x, y: xp.linalg.inv(x) @ y,
            "det": lambda x, y: xp.linalg.det(x) + 1, "cholesky": lambda x, y: xp.linalg.cholesky(x),
            "qr": lambda x, y: tuple(xp.linalg.qr(x)), "svdvals": lambda x, y: xp.linalg.svdvals(x) + 1,
            "eigh": lambda x, y: tuple(xp.linalg.eigh(x)), "slogdet": lambda x, y: tuple(xp.linalg.slogdet(x)),
            "vector_norm": lambda x, y: (xp.linalg.vector_norm(y), xp.linalg.vector_norm(x, axis=1)),
            "matrix_norm": lambda x, y: xp.linalg.matrix_norm(x), "outer": lambda x, y: xp.linalg.outer(y, y) + x,
            "rfft": lambda x, y: xp.abs(xp.fft.rfft(y)), "irfft": lambda x, y: xp.fft.irfft(xp.fft.rfft(y)) * 2,
            "fftfreq": lambda x, y: xp.fft.fftfreq(4) + y, "fftshift": lambda x, y: xp.fft.fftshift(y),
        }.items():
            with self.subTest(name):
                agree(self, function, a, v)

    def test_numbers_made_of_tensors(self):
        agree(self, lambda x: (float(xp.sum(x)), int(xp.argmax(x)), float(xp.max(x)) / 3 + 1, x * 2),
              draw(self.random, "float64", (3, 4), finite=True))

    def test_primitives(self):
        """What the Python files of the namespace are written with (frontend/tensor/native_functions.def)."""
        of = _dynacc.arrays()
        a, b = draw(self.random, "float32", (3, 4)), draw(self.random, "float64", (4,))
        large = xp.reshape(xp.linspace(0, 1, 110 * 120, dtype=xp.float32), (110, 120))
        for name, function in {
            "where": lambda x, y: of.where(of.less(x, y), x, 1.5),
            "result_type": lambda x, y: of.result_type(x, y, 1j) is xp.complex128,
            "product": lambda x, y: of.product(large, large.mT),
            "convolve": lambda x, y: xp.nn.convolution(large[None], xp.ones((3, large.shape[1], 8), dtype=xp.float32)),
            "cast": lambda x, y: (of.cast(x, xp.float64), of.cast(y, xp.float64)),
            "permute": lambda x, y: of.permute(x, (-1, 0)),
            "reshape": lambda x, y: of.reshape(x, (2, -1), None),
            "empty": lambda x, y: of.empty((3, 4), xp.float32).shape,
            "full": lambda x, y: (of.full((2, 2), xp.int8, 7), of.full((), xp.complex64, 1j), of.full(3, xp.bool, True)),
            "to_numpy": lambda x, y: of.from_numpy(of.to_numpy(x) * 2),
            "from_numpy": lambda x, y: of.from_numpy(np.add.reduce(of.to_numpy(y))) + y,
            "numpy_dtype": lambda x, y: np.zeros(2, of.numpy_dtype(x.dtype)),
            "is_of_kind": lambda x, y: of.is_of_kind(x.dtype, "fc"),
            "low_precision_among": lambda x, y: of.low_precision_among((x, [y, xp.bfloat16]), {"a": xp.float32}),
            "in_float32": lambda x, y: (of.in_float32((x, [of.cast(y, xp.bfloat16)], {"a": y}))[1], y),
            "rounded": lambda x, y: of.cast(of.rounded((x, y), xp.bfloat16)[0], xp.float32),
            "stop_gradient": lambda x, y: (of.stop_gradient(x), of.stop_gradient(2.5), x),
            "checkpoint": lambda x, y: (of.checkpoint(x), of.checkpoint(2.5), x),
            "end_checkpoint": lambda x, y: (of.end_checkpoint(x), x),
            "cotangent": lambda x, y: (of.cotangent(x), x),
            "custom_gradient": lambda x, y: of.custom_gradient(x + 1, of.cotangent(x + 1), 2, x, y, x * 2, None),
            "is_traced": lambda x, y: x + 1 if of.is_traced() else 1 + x,
            "errors_off": lambda x, y: quiet_sum(x),
            "errors_back": lambda x, y: (quiet_sum(x), y / 0),
        }.items():
            with self.subTest(name):
                agree(self, function, a, b)

    def test_large_products(self):
        """float32 products that oneDNN may compute have the same bits in all calls, with what follows them."""
        def layer(x, w, bias, residual):
            y = x @ w + bias
            return xp.where(y > 0, y, 0.0) + residual
        def gate(x, w, bias, residual):
            return xp.tanh(x @ w - residual) * bias
        for shapes in (((130, 96), (96, 200)), ((5, 90, 64), (64, 100)), ((5, 90, 64), (5, 64, 100)),
                       ((2, 1, 90, 64), (3, 64, 100)), ((64, 90, 5), (100, 64)), ((1, 1500), (1500, 900)), ((7, 8), (8, 9))):
            a, b = (np.asarray(draw_floats(shape)) for shape in shapes)
            if shapes[1][0] == 100:
                a, b = a.T, b.T
            shape = np.matmul(a, b).shape
            with self.subTest(shapes):
                for function in (layer, gate):
                    agree(self, function, a, b, draw_floats(shape[-1:]), draw_floats(shape))
                found, wanted = xp.asarray(a) @ xp.asarray(b), a.astype(float) @ b.astype(float)
                self.assertLess(np.abs(np.asarray(found) - wanted).max(), 1e-3)
        with self.assertRaises(ValueError):
            xp.ones((200, 100), dtype=xp.float32) @ xp.ones((200, 100), dtype=xp.float32)

    def test_floating_point_errors(self):
        """Tensors report none, so that what raises flags is no reason to leave a compiled segment; arrays do."""
        @xp.compile(fullgraph=True)
        def divide(x):
            return 1 / x, xp.sum(x / 0.0)
        @xp.compile
        def of_arrays(x):
            return 1 / x
        hits_of(divide, xp.ones(2))
        self.assertEqual(hits_of(divide, xp.asarray([0.0, 1.0])), 5)
        with self.assertWarns(RuntimeWarning):
            self.assertEqual(hits_of(of_arrays, np.array([0.0, 1.0])), 0)

    def test_a_program(self):
        def step(u, v, dt):
            lap = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
            v[1:-1, 1:-1] += dt * lap
            u += dt * v
            return xp.sum(u * u) / 2
        a, b = draw(self.random, "float64", (9, 9), True), draw(self.random, "float64", (9, 9), True)
        agree(self, lambda x, y: [step(x, y, 0.1) for _ in range(3)], a, b)
        text = str(xp.explain(lambda x, y: xp.sqrt(x * x + y * y))(xp.asarray(a), xp.asarray(b)))
        self.assertIn("1 graph in 1 segment, 0 graph breaks", text)

    def test_numpy_arrays_stay_apart(self):
        array = draw(self.random, "float64", (4,), True)
        x = xp.asarray(array, copy=True)
        @xp.compile
        def mixed(t, a):
            return t + a, a + t, np.sqrt(abs(t)), t * 2, a * 2
        for _ in range(3):
            results = mixed(x, array)
            self.assertEqual([type(one) for one in results], [xp.Tensor] * 4 + [np.ndarray])
            same(results[0], array * 2, "mixed")

    def test_numpy_functions_of_tensors(self):
        """They are NumPy's, on arrays over the tensors' memory, and give tensors."""
        a, b = draw(self.random, "float64", (4, 3), True), draw(self.random, "float32", (3,), True)
        for name, function in {
            "ufuncs": lambda x, y: (np.tanh(x), np.add(x, y), np.multiply(2, y), np.greater(x, 0)),
            "methods of ufuncs": lambda x, y: (np.add.reduce(x), np.maximum.reduce(x, axis=1), np.add.accumulate(y)),
            "reductions": lambda x, y: (np.sum(x), np.mean(x, axis=0), np.argmax(y), np.std(x, axis=1, keepdims=True)),
            "views": lambda x, y: (np.transpose(x), np.reshape(x, (2, 6)), np.expand_dims(y, 0), np.broadcast_to(y, (2, 3))),
            "joined": lambda x, y: (np.concatenate([x, x]), np.stack((y, y)), np.split(x, 2)),
            "others": lambda x, y: (np.where(x > 0, x, 0.0), np.clip(x, -1, 1), np.sort(x, axis=0), np.cumsum(y)),
            "like": lambda x, y: (np.zeros_like(x), np.full_like(y, 2.5), np.ones_like(x, dtype=np.int32)),
            "products": lambda x, y: (np.dot(x, x.T), np.matmul(x, x.T), np.linalg.norm(x)),
            "answers": lambda x, y: (np.shape(x), np.ndim(y), np.array_equal(x, x)),
        }.items():
            with self.subTest(name):
                agree(self, function, a, b)

    def test_numpy_functions_write_to_tensors(self):
        def write(x, y):
            np.copyto(x, y)
            x[0] *= 2
            return np.sum(x)
        agree(self, write, draw(self.random, "float64", (4,), True), draw(self.random, "float64", (4,), True))

    def test_what_numpy_does_not_hand_over_is_numpys(self):
        """Functions that take a tensor for any object with a buffer give arrays."""
        def plain(t, a):
            return np.asarray(t), np.sum(a, where=t > 0), np.full((2,), t[0])
        t, a = xp.asarray([1.0, -2.0, 3.0]), np.arange(3.0)
        fast = xp.compile(plain)
        for _ in range(3):
            results = fast(t, a)
            self.assertEqual([type(one) for one in results], [type(one) for one in plain(t, a)])
            self.assertIs(type(results[0]), np.ndarray)

    def test_tensors_and_arrays_in_one_operation(self):
        a, b = draw(self.random, "float64", (4, 3), True), draw(self.random, "float32", (3,), True)
        i = np.array([2, 0, 1])
        def updated(x, array):
            before = x
            x += array
            array *= before[0]
            return x, before, array
        def stored(x, array):
            x[0] = array
            x[1, 1:] = array[:2]
            array[...] = x[2]
            return x, array
        for name, function in {
            "operators": lambda x, array: (x + array, array - x, x * array, array / x, array @ x.T, -x // array),
            "comparisons": lambda x, array: (x < array, array <= x, x == array, array != x),
            "rows": lambda x, array: (array * 2, x[0] * array),
            "in place": updated,
            "stores": stored,
        }.items():
            with self.subTest(name):
                expected = function(xp.asarray(a, copy=True), b.copy())
                fast = compiled(function)
                for _ in range(3):
                    compare(self, fast(xp.asarray(a, copy=True), b.copy()), expected)
        fast = compiled(lambda array, index: (array[index], array[index > 0]))
        for _ in range(3):
            compare(self, fast(b, xp.asarray(i)), (b[i], b[i > 0]))

    def test_numpys_scalars_beside_tensors(self):
        """On a tensor's right float64 and complex128 are Python numbers; NumPy deals with the others, and with all on its left."""
        a = draw(self.random, "float32", (3, 4), True)
        scalars = np.float64(2.5), np.float32(-1.5), np.int64(3), np.complex128(1 - 2j), np.float16(0.1)
        if IS_NUMPY2:  # whose products and powers of complex numbers are its own
            scalars = tuple(s for s in scalars if not np.iscomplexobj(s))
        def updated(x, s):
            x += s
            x[0] = s
            return x
        for s in scalars:
            with self.subTest(type(s).__name__):
                for function in (lambda x, s: (x + s, x * s, x / s, x ** s, x - s, x == s),
                                 lambda x, s: (s + x, s * x, s - x, abs(x) ** s, s ** abs(x), s == x),
                                 lambda x, s: (x[0] + s, x[0, 0] * s, s * x[1, 2])):
                    expected, fast = function(xp.asarray(a), s), compiled(function)
                    for _ in range(2):
                        compare(self, fast(xp.asarray(a), s), expected)
                if not np.iscomplexobj(s):
                    expected, fast = updated(xp.asarray(a, copy=True), s), compiled(updated)
                    for _ in range(2):
                        compare(self, fast(xp.asarray(a, copy=True), s), expected)
        agree(self, lambda x: (x * float(xp.sum(x)), x / np.sum(np.ones(3)), xp.astype(xp.astype(x, xp.bfloat16) * np.float64(1.1), xp.float32)), a)

    def test_powers_of_tensors_and_arrays(self):
        a, b = np.abs(draw(self.random, "float64", (4, 3), True)), draw(self.random, "float32", (3,), True)
        def updated(x, array):
            array **= x[0]
            x **= array
            return x, array
        of_both = lambda x, array: (x ** array, array ** x, abs(array) ** 2 ** x[0])  # noqa: E731
        for function in (of_both,) if IS_NUMPY2 else (of_both, updated):
            expected = function(xp.asarray(a, copy=True), b.copy())
            fast = compiled(function)
            for _ in range(2):
                compare(self, fast(xp.asarray(a, copy=True), b.copy()), expected)

    def test_numpys_functions_fill_tensors(self):
        """out= may be a tensor, which is what the call gives."""
        a, b = draw(self.random, "float64", (4, 3), True), draw(self.random, "float64", (3,), True)
        def fill(x, y):
            z, w = xp.zeros((4, 3)), xp.zeros(4)
            same_one = np.add(x, y, out=z) is z, np.multiply(x, y, z) is z, np.sum(x, axis=0, out=y) is y
            np.add.reduce(x * 2, axis=1, out=w)
            np.clip(x, -1, 1, out=x)
            return same_one, z + 1, x, y, w
        agree(self, fill, a, b)
        def of_arrays(array, t):
            return np.exp(array, out=t) is t, t * 2, np.negative(t, out=array) is array, array
        expected, fast = of_arrays(b.copy(), xp.zeros(3)), compiled(of_arrays)
        for _ in range(2):
            compare(self, fast(b.copy(), xp.zeros(3)), expected)

    def test_numpys_warnings_are_numpys_for_tensors_too(self):
        @xp.compile
        def root(t):
            return np.sqrt(t)
        for _ in range(3):
            same(root(xp.asarray([4.0, 9.0])), np.array([2.0, 3.0]), "root")
        with self.assertWarns(RuntimeWarning):
            root(xp.asarray([-4.0, 9.0]))

    def test_writes_through_tensors_of_indices(self):
        a = draw(self.random, "float64", (5, 4), True)
        rows, columns = np.array([3, 1, 3]), np.array([0, 2, 1])
        def write(x, rows, columns):
            x[rows] = 7
            x[rows, columns] = x[0, :3] * 2
            x[:, columns] = 1.5
            x[rows] = np.ones(4)
            return x * 2
        agree(self, write, a, rows, columns)
        @xp.compile
        def beyond(x, rows):
            x[rows] = 1
        for _ in range(2):
            with self.assertRaises(IndexError):
                beyond(xp.zeros(3), xp.asarray([1, 7]))

    def test_errors(self):
        @xp.compile
        def add(x, y):
            return x + y
        for _ in range(2):
            with self.assertRaisesRegex(ValueError, "broadcast"):
                add(xp.ones(2), xp.ones(3))
            with self.assertRaises(OverflowError):
                add(xp.ones(2, dtype=xp.uint8), 300)
            self.assertEqual(add(xp.ones(2, dtype=xp.uint8), 3).tolist(), [4, 4])
            self.assertIs(add(xp.ones(2), np.ones(2)).dtype, xp.float64)


if __name__ == "__main__":
    unittest.main()
