#!/usr/bin/env python3
"""Every function of the array API standard on tensors of a (simulated) GPU, against the same call on the host.

The standard's table decides what is called: a name without a call fails. Results are on the device, of the same dtype
and shape; numbers may differ in their last digits.
"""
import collections
import pickle
import unittest

import numpy as np
import standard
from drawing import INTEGERS, draw
from elementwise_checks import FUNCTIONS, SHIFTS

import _dynacc
import dynacc as xp
from dynacc import _devices

PLACE = "cuda"
A = np.arange(12.0).reshape(3, 4) / 5 - 1
B = np.array([[1.5, -2, 0.25, 3], [4, 1, -1, 2], [0.5, 2, 3, -3]])
S = B[:, :3] @ B[:, :3].T + 4 * np.eye(3)  # symmetric, positive
I = np.array([3, 1, 2, 1, 0])

# What is called, on tensors made of A, B, S and I.
CALLS = {
    "asarray": lambda a, b, s, i: (xp.asarray(a), xp.asarray(a, dtype=xp.float32), xp.asarray(a, copy=True)),
    "empty_like": lambda a, b, s, i: xp.empty_like(a) * 0 == 0,
    "full_like": lambda a, b, s, i: (xp.full_like(a, 2.5), xp.full_like(i, 7, dtype=xp.int8)),
    "meshgrid": lambda a, b, s, i: xp.meshgrid(i, a[0]),
    "ones_like": lambda a, b, s, i: xp.ones_like(a),
    "zeros_like": lambda a, b, s, i: xp.zeros_like(i),
    "tril": lambda a, b, s, i: xp.tril(a, k=1),
    "triu": lambda a, b, s, i: xp.triu(a),
    "from_dlpack": lambda a, b, s, i: (xp.from_dlpack(a), xp.from_dlpack(a, copy=True)),
    "astype": lambda a, b, s, i: (xp.astype(a, xp.int32), xp.astype(i, xp.complex64)),
    "take": lambda a, b, s, i: xp.take(a, i, axis=1),
    "take_along_axis": lambda a, b, s, i: xp.take_along_axis(a, xp.argsort(b, axis=1), axis=1),
    "matmul": lambda a, b, s, i: xp.matmul(s, a),
    "matrix_transpose": lambda a, b, s, i: xp.matrix_transpose(a),
    "tensordot": lambda a, b, s, i: xp.tensordot(a, b, axes=((1,), (1,))),
    "vecdot": lambda a, b, s, i: xp.vecdot(a, b),
    "broadcast_arrays": lambda a, b, s, i: xp.broadcast_arrays(a, b[0]),
    "broadcast_to": lambda a, b, s, i: xp.broadcast_to(a, (2, 3, 4)) * 2,
    "concat": lambda a, b, s, i: (xp.concat([a, b, s], axis=1), xp.concat([a, i], axis=None)),
    "expand_dims": lambda a, b, s, i: xp.expand_dims(a, 1),
    "flip": lambda a, b, s, i: xp.flip(a, axis=1) + b,
    "moveaxis": lambda a, b, s, i: xp.moveaxis(a, 0, 1),
    "permute_dims": lambda a, b, s, i: xp.permute_dims(a, (1, 0)) * 2,
    "repeat": lambda a, b, s, i: xp.repeat(a, 2, axis=0),
    "reshape": lambda a, b, s, i: (xp.reshape(a, (2, 6)), xp.reshape(a.T, (-1,)), xp.reshape(a, (12,), copy=True)),
    "roll": lambda a, b, s, i: xp.roll(a, 1, axis=1),
    "squeeze": lambda a, b, s, i: xp.squeeze(a[:, None], 1),
    "stack": lambda a, b, s, i: xp.stack([a, b], axis=1),
    "tile": lambda a, b, s, i: xp.tile(a, (2, 1)),
    "unstack": lambda a, b, s, i: xp.unstack(a, axis=1),
    "argmax": lambda a, b, s, i: (xp.argmax(b), xp.argmax(b, axis=0)),
    "argmin": lambda a, b, s, i: xp.argmin(b, axis=1, keepdims=True),
    "count_nonzero": lambda a, b, s, i: xp.count_nonzero(i),
    "nonzero": lambda a, b, s, i: xp.nonzero(i),
    "searchsorted": lambda a, b, s, i: xp.searchsorted(a[0], b[1]),
    "where": lambda a, b, s, i: (xp.where(a > b, a, b), xp.where(a > 0, 1, b)),
    "unique_all": lambda a, b, s, i: xp.unique_all(i),
    "unique_counts": lambda a, b, s, i: xp.unique_counts(i),
    "unique_inverse": lambda a, b, s, i: xp.unique_inverse(i),
    "unique_values": lambda a, b, s, i: xp.unique_values(i),
    "argsort": lambda a, b, s, i: xp.argsort(b, axis=0, descending=True),
    "sort": lambda a, b, s, i: xp.sort(b),
    "diff": lambda a, b, s, i: xp.diff(b, axis=0),
    "all": lambda a, b, s, i: (xp.all(i), xp.all(b > 0, axis=1)),
    "any": lambda a, b, s, i: xp.any(b > 3, axis=0, keepdims=True),
    "clip": lambda a, b, s, i: (xp.clip(b, -1, 2.0), xp.clip(b, a, None)),
    "result_type": lambda a, b, s, i: xp.result_type(a, i, xp.float32) is xp.float64,
    **{name: lambda a, b, s, i, f=name: getattr(xp, f)(b, axis=1, include_initial=True)
       for name in ("cumulative_sum", "cumulative_prod")},
    **{name: lambda a, b, s, i, f=name: (getattr(xp, f)(b), getattr(xp, f)(b, axis=0), getattr(xp, f)(b, axis=(0, 1), keepdims=True))
       for name in ("max", "mean", "min", "prod", "std", "sum", "var")},
}
# Not about tensors that are there already, and called below.
WITHOUT_TENSORS = {"arange": (5,), "empty": ((2, 3),), "eye": (3,), "full": ((2, 3), 1.5), "linspace": (0, 1, 5), "ones": (3,),
                   "zeros": ((2, 2),), "can_cast": None, "finfo": None, "iinfo": None, "isdtype": None,
                   "__array_namespace_info__": None}
LINALG = {
    "cross": lambda a, b, s, i: xp.linalg.cross(a[:, :3], b[:, :3]),
    "diagonal": lambda a, b, s, i: xp.linalg.diagonal(s),
    "matmul": lambda a, b, s, i: xp.linalg.matmul(s, a),
    "matrix_norm": lambda a, b, s, i: xp.linalg.matrix_norm(b),
    "matrix_power": lambda a, b, s, i: xp.linalg.matrix_power(s, 3),
    "matrix_transpose": lambda a, b, s, i: xp.linalg.matrix_transpose(b),
    "outer": lambda a, b, s, i: xp.linalg.outer(a[0], b[1]),
    "solve": lambda a, b, s, i: xp.linalg.solve(s, a),
    "tensordot": lambda a, b, s, i: xp.linalg.tensordot(a, b.T, axes=1),
    "vecdot": lambda a, b, s, i: xp.linalg.vecdot(a, b),
    "vector_norm": lambda a, b, s, i: xp.linalg.vector_norm(b, axis=1),
    **{name: lambda a, b, s, i, f=name: getattr(xp.linalg, f)(s)
       for name in ("cholesky", "det", "eigh", "eigvalsh", "inv", "matrix_rank", "pinv", "qr", "slogdet", "svd", "svdvals", "trace")},
}
FFT = {name: lambda a, b, s, i, f=name: getattr(xp.fft, f)(b if f[0] != "h" and "i" not in f[:1] and f != "irfft" else b + 0j if f != "ihfft" else b)
       for name in standard.FFT if "freq" not in name}


# What runs on the host, on copies.
ON_THE_HOST = {
    "argsort", "sort", "take_along_axis",  # takes along what argsort gives
    "unique_all", "unique_counts", "unique_inverse", "unique_values",
    *(f"linalg.{name}" for name in ("cholesky", "det", "eigh", "eigvalsh", "inv", "matrix_rank", "pinv", "qr", "slogdet", "solve",
                                    "svd", "svdvals")),
    *(f"fft.{name}" for name in FFT if "shift" not in name),
}
WAITED_FOR = 8  # bytes: how many elements a mask selects


def tensors(place):
    return [xp.asarray(array, device=place, copy=True) for array in (A, B, S, I)]


class EveryFunction(unittest.TestCase):
    def compare(self, got, expected, where, exact=False):
        if isinstance(expected, (tuple, list)):
            self.assertEqual((type(got), len(got)), (type(expected), len(expected)), where)
            for one, other in zip(got, expected):
                self.compare(one, other, where)
        elif isinstance(expected, xp.Tensor):
            self.assertEqual((got.device, got.dtype, got.shape), ("cuda:0", expected.dtype, expected.shape), where)
            np.testing.assert_allclose(np.asarray(got.to_device("cpu")), np.asarray(expected), rtol=1e-5, atol=1e-12, err_msg=where)
        else:
            self.assertEqual(got, expected, where)

    def check(self, names, calls):
        host, device = tensors("cpu"), tensors(PLACE)
        for name in names:
            with self.subTest(name):
                self.assertIn(name, calls, "no call of this function of the standard")
                for _ in range(2):  # captured, and by what was captured
                    self.compare(calls[name](*device), calls[name](*host), name)

    def test_functions(self):
        skipped = {*standard.ELEMENTWISE, *WITHOUT_TENSORS} - {"clip"}
        self.check([name for name in standard.FUNCTIONS if name not in skipped], CALLS)

    def test_linalg(self):
        self.check(standard.LINALG, LINALG)

    def test_fft(self):
        self.check([name for name in standard.FFT if "freq" not in name], FFT)

    def test_nn(self):
        x = xp.reshape(xp.linspace(-1, 1, 2 * 7 * 8 * 3, dtype=xp.float32), (2, 7, 8, 3))
        w = xp.reshape(xp.linspace(-1, 2, 3 * 2 * 3 * 4, dtype=xp.float32), (3, 2, 3, 4))
        for options in ({}, {"padding": (1, 2), "strides": 2}, {"dilation": 2}):
            got = xp.nn.convolution(x.to_device(PLACE), w.to_device(PLACE), **options)
            expected = np.asarray(xp.nn.convolution(x, w, **options))
            np.testing.assert_allclose(np.asarray(got.to_device("cpu")), expected, rtol=1e-5, atol=1e-5)

    def test_what_stays_on_the_device(self):
        """No call copies elements to the host but those that are said to; captured calls, and those before."""
        calls = {**{name: CALLS[name] for name in CALLS if name in standard.FUNCTIONS},
                 **{f"linalg.{name}": call for name, call in LINALG.items()},
                 **{f"fft.{name}": call for name, call in FFT.items()}}
        arguments = tensors(PLACE)
        _devices._breaks.clear()  # what other tests' calls have led to
        _devices._forms.clear()
        for name, call in calls.items():
            before = xp.stats()["bytes_from_device"]
            call(*arguments)
            call(*arguments)
            copied = xp.stats()["bytes_from_device"] - before
            with self.subTest(name):
                if name in ON_THE_HOST:
                    self.assertGreater(copied, 0)
                else:
                    self.assertLessEqual(copied, 2 * WAITED_FOR)

    def test_elementwise(self):
        random = np.random.default_rng(7)
        for name in standard.ELEMENTWISE:
            if name == "clip":
                continue
            dtypes = FUNCTIONS[name][1] if name in FUNCTIONS else INTEGERS
            function = getattr(xp, name)
            for dtype in dtypes[::3] if name not in SHIFTS else ("int32",):  # all dtypes: tests/codegen, tests/embed/cuda_test.py
                if dtype.startswith(("complex", "float16")):
                    continue
                with self.subTest(f"{name} {dtype}"), np.errstate(all="ignore"):
                    arrays = [np.abs(draw(random, dtype, shape, finite=True)).astype(dtype) % 7 for shape in ((3, 4), (4,))
                              ] if dtype != "bool" else [draw(random, dtype, shape) for shape in ((3, 4), (4,))]
                    host = [xp.asarray(array) for array in arrays]
                    device = [xp.asarray(array, device=PLACE) for array in arrays]
                    count = 1 if name in standard.UNARY else 2
                    try:
                        expected = function(*host[:count])
                    except (TypeError, ValueError) as error:
                        with self.assertRaises(type(error)):
                            function(*device[:count])
                        continue
                    self.compare(function(*device[:count]), expected, f"{name} {dtype}")

    def test_creation(self):
        for name, arguments in WITHOUT_TENSORS.items():
            if arguments is None:
                continue
            with self.subTest(name):
                made, expected = getattr(xp, name)(*arguments, device=PLACE), getattr(xp, name)(*arguments)
                self.compare(made if name != "empty" else made * 0 == 0, expected if name != "empty" else expected * 0 == 0, name)
        self.compare(xp.fft.fftfreq(5, device=PLACE), xp.fft.fftfreq(5), "fftfreq")
        self.compare(xp.fft.rfftfreq(5, device=PLACE), xp.fft.rfftfreq(5), "rfftfreq")

    def test_operators(self):
        def all_of(a, b, s, i):
            yield from (a + b, a - 1, 2 * a, a / b, a // b, b % 2.0, abs(a) ** 2.0, -a, +a, abs(b), s @ a)
            yield from (a < b, a <= 0, a == b, a != b, a > b, a >= 1, i & 1, i | 4, i ^ 3, ~i, i << 2, i >> 1)
            yield from (a.T, a.mT, a[1], a[:, ::-2], a[..., None], a[-1, 2])
        host, device = tensors("cpu"), tensors(PLACE)
        for number, (got, expected) in enumerate(zip(all_of(*device), all_of(*host))):
            self.compare(got, expected, f"operator {number}")

    def test_in_place(self):
        def work(a, b, s, i):
            a += b
            a[1:] *= 2
            a[0] = 5
            a[:, 1] = b[:, 0]
            a[::-1, 2:] -= s[:, :2]
            a[1:] = a[:-1]  # overlaps
            i[i > 1] = 9
            i[xp.asarray([0, 2], device=i.device)] = 4
            a[...] = xp.where(a > 4, a, i[:4])
            b[1] = i[:4]
            b -= 1
            return a, b, i
        for _ in range(3):
            self.compare(work(*tensors(PLACE)), work(*tensors("cpu")), "in place")

    KEYS = (lambda b, i: b > 0, lambda b, i: b[:, 0] > 0, lambda b, i: (slice(None), b[0] > 0), lambda b, i: b > 9,
            lambda b, i: (b[:, 0] > 0, 1), lambda b, i: (b[:, 0] > 0, slice(1, 3)), lambda b, i: (b[:, 0] > 0, None, slice(None, None, -1)),
            lambda b, i: (b[:, 0] > 0, i[:1] % 4), lambda b, i: i % 3, lambda b, i: (slice(None), i % 4), lambda b, i: (i % 3, i % 4),
            lambda b, i: [0, 2, -1], lambda b, i: ([0, 2], slice(1, 3)), lambda b, i: (i % 3, slice(1, 3)),
            lambda b, i: (slice(None, None, 2), i % 4), lambda b, i: (i % 3, None), lambda b, i: (None, i % 3, slice(-3, None, 2)),
            lambda b, i: (..., i % 4), lambda b, i: (i % 3, ..., i % 4), lambda b, i: (i[:, None] % 3, [[0, 1]]),
            lambda b, i: (1, i % 4), lambda b, i: [True, False, True], lambda b, i: (i[:0],), lambda b, i: (i % 3, None, 2))

    def test_indexing_with_tensors(self):
        """Masks, lists and parts of axes among indices; only how many elements a mask has is waited for."""
        (a, b, _, i), (host_a, host_b, _, host_i) = tensors(PLACE), tensors("cpu")
        for number, key in enumerate(self.KEYS):
            with self.subTest(number):
                before = xp.stats()["bytes_from_device"]
                got = a[key(b, i)]
                self.assertLessEqual(xp.stats()["bytes_from_device"] - before, WAITED_FOR)
                self.compare(got, host_a[key(host_b, host_i)], f"key {number}")
        for wrong, error in (((b[:2] > 0), IndexError), ((i, i, i), IndexError), ((..., ..., i), IndexError), (1.5, (IndexError, TypeError))):
            with self.assertRaises(error):
                a[wrong]

    def test_compiled_keys(self):
        """Parts of axes and lists among indices are one gather or scatter of the compiled function."""
        @xp.compile(fullgraph=True)
        def read(a, i, n):
            return a[i % 3, 1:n], a[::-2, i % n], a[[0, -1], None, n - 2:], a[1, [3, 0]] + a[i % 3, n:1:-1][0, 0], a[..., -n::2, i % 4][0]

        @xp.compile(fullgraph=True)
        def write(a, i, n):
            b = a * 2
            b[i % 3, 1:n] = 7.0
            b[[2, 0, 2], ::-1] = a[[0, 1, 2]]
            b[None, i[:1] % 3, n - 1] = a[0, 0]
            a[i[:2] % 3, -n:] = 5
            return b

        for place in (PLACE, "cpu"):
            a, b, _, i = tensors(place)
            results = []
            for round in range(6):
                before = xp.stats()["bytes_from_device"]
                results += [*read(a, i, 3 + round // 4), write(a, i, 3 + round // 4)]
                self.assertEqual(xp.stats()["bytes_from_device"], before)
            results.append(a)
            on_device = results if place == PLACE else on_device
        for number, (got, expected) in enumerate(zip(on_device, results, strict=True)):
            self.compare(got, expected, f"compiled key {number}")

    def test_stores_through_keys(self):
        for number, key in enumerate(self.KEYS):
            with self.subTest(number):
                results = []
                for place in (PLACE, "cpu"):
                    a, b, _, i = tensors(place)
                    where = key(b, i)
                    a[where] = 100
                    a[where] += a[where]
                    a[where] = xp.astype(b[where] * 3, xp.float32)  # cast to the tensor's dtype
                    results.append(a)
                self.compare(*results, f"key {number}")

    def test_searching(self):
        values = np.array([[2.0, 7, 7, -1], [np.nan, 3, np.nan, 9], [5, 5, 5, 5]])
        ordered = np.array([-np.inf, 1.0, 1, 2, 5, 5, np.inf, np.nan, np.nan])
        wanted = np.array([[-np.inf, 0, 1], [5, 6, np.nan], [np.inf, 2, 7]])
        def work(x, o, w):
            for function in (xp.argmax, xp.argmin):
                yield from (function(x), function(x, axis=0), function(x, axis=-1, keepdims=True), function(x, keepdims=True))
                yield function(xp.asarray(w > 1, device=w.device), axis=1)
            yield from (xp.searchsorted(o, w[0]), xp.searchsorted(o, w[1], side="right"), xp.searchsorted(o, w[1]), xp.searchsorted(o[:0], w[0]))
            yield from (xp.nonzero(x > 5), xp.nonzero(w[0]), xp.count_nonzero(x > 5, axis=0), xp.count_nonzero(x, axis=1, keepdims=True))
        device, host = ([xp.asarray(array, device=place) for array in (values, ordered, wanted)] for place in (PLACE, "cpu"))
        for number, (got, expected) in enumerate(zip(work(*device), work(*host))):
            self.compare(got, expected, f"search {number}")

    def test_forms_of_a_device(self):
        """Functions that are written in other terms where their tensors are on a device."""
        def work(a, b, s, i):
            yield from (xp.tile(a, (2,)), xp.tile(a, (2, 1, 3)), xp.tile(a, (1, 1)), xp.tile(i, (2, 2)), xp.tile(a, (0, 2)))
            yield from (xp.repeat(a, 3), xp.repeat(a, 2, axis=-1), xp.repeat(a, 0, axis=0), xp.repeat(i, 1))
            yield from (xp.tril(a, k=-1), xp.triu(a, k=2), xp.tril(xp.stack([s, s]), k=1), xp.triu(i[:, None] > 0))
            yield from (xp.tensordot(a, b), xp.tensordot(a, b, axes=0), xp.tensordot(i, i, axes=1), xp.tensordot(s, a, axes=((0,), (-2,))))
            yield from (xp.linalg.matrix_power(s, n) for n in (1, 2, 5))
            yield from (xp.linalg.vector_norm(b), xp.linalg.vector_norm(b, axis=(0, 1), keepdims=True), xp.linalg.vector_norm(b, axis=0, ord=1))
            yield from (xp.linalg.matrix_norm(b, keepdims=True), xp.linalg.trace(b, offset=1), xp.linalg.trace(s, dtype=xp.float32))
            yield from (xp.fft.fftshift(b), xp.fft.fftshift(b, axes=1), xp.fft.ifftshift(b, axes=(0, 1)), xp.concat([a, i, b], axis=None))
            yield from (xp.flip(b), xp.flip(b, axis=(0,)), xp.moveaxis(b, 0, -1), xp.moveaxis(xp.stack([b, b]), (0, 1), (1, 2)), xp.roll(a, 5))
            yield from (xp.cumulative_sum(i), xp.cumulative_sum(i, dtype=xp.float64), xp.cumulative_prod(b, axis=1, include_initial=True))
            yield from (xp.all(b, axis=1), xp.any(i, keepdims=True), xp.all(b > -9))
        for number, (got, expected) in enumerate(zip(work(*tensors(PLACE)), work(*tensors("cpu")), strict=True)):
            self.compare(got, expected, f"form {number}")
        a = tensors(PLACE)[0]
        xp.flip(a, axis=0)[0] = 5  # views, as on the host
        xp.moveaxis(a, 0, 1)[1, :] = 6
        self.assertEqual(a[2].tolist(), [5, 6, 5, 5])

    def test_empty_and_rank_0(self):
        for shape in ((), (0,), (3, 0), (1, 1)):
            host, device = xp.ones(shape), xp.ones(shape, device=PLACE)
            self.compare((device + 1, xp.sum(device), xp.exp(device)), (host + 1, xp.sum(host), xp.exp(host)), f"{shape}")

    def test_every_dtype(self):
        for dtype in (*standard.DTYPES, "float16"):
            values = np.array([[0, 1, 2], [3, 1, 0]]).astype(dtype)
            device, host = xp.asarray(values, device=PLACE), xp.asarray(values)
            self.assertEqual(device.tolist(), host.tolist(), dtype)
            for _ in range(2):
                device[1:, ::2] = device[0, 1]
                host[1:, ::2] = host[0, 1]
            self.compare((device, device.T, device.__copy__()), (host, host.T, host.__copy__()), dtype)

    def test_float8(self):
        """All numbers of both formats: conversions, and what is computed between them, have the host's bits."""
        of = _dynacc.arrays()
        for dtype, other in ((xp.float8_e4m3fn, xp.float8_e5m2), (xp.float8_e5m2, xp.float8_e4m3fn)):
            host = of.of_bits(xp.asarray(np.arange(256, dtype=np.uint8)), dtype)
            def work(x):
                wide = xp.astype(x, xp.float64)
                for near in (1, 1 + 2.0**-4, 1 - 2.0**-5, 1 + 2.0**-4 + 2.0**-40, 1 + 2.0**-3 - 2.0**-50):  # middles and beside them
                    yield from (xp.astype(wide * near, dtype), xp.astype(xp.astype(wide * near, xp.float32), other))
                for name in ("float32", "float16", "bfloat16", "bool"):
                    yield xp.astype(x, getattr(xp, name))
                whole = xp.astype(xp.where(abs(x) < 1e9, x, 0), xp.int64) * 3
                yield from (xp.astype(whole, dtype), xp.astype(xp.astype(x, xp.bfloat16), other), xp.astype(xp.astype(x, xp.float16), other))
                yield from (x + x, x * 0.1, -x, xp.where(x > 1, x, 3), x < 0.1, x[::-3], xp.concat([x, x[:5]]), xp.sum(x[:100]))
                yield x[xp.asarray([3, 255, 3], device=x.device)]
                x[1:4] = 0.3
                yield x
            device = host.to_device(PLACE)
            for number, (got, expected) in enumerate(zip(work(device), work(of.of_bits(xp.asarray(np.arange(256, dtype=np.uint8)), dtype)),
                                                         strict=True)):
                self.assertEqual((got.device, got.dtype), (PLACE + ":0", expected.dtype))
                got, expected = (np.asarray(xp.astype(x, xp.float32)) for x in (got.to_device("cpu"), expected))
                np.testing.assert_array_equal(got, expected, f"{dtype} {number}")
                np.testing.assert_array_equal(np.signbit(got) & (got == got), np.signbit(expected) & (got == got), f"{dtype} {number}")

    def test_bfloat16(self):
        """All numbers: every operation is float32's between two conversions, so the bits are the host's."""
        of = _dynacc.arrays()
        host = of.of_bits(xp.asarray(np.arange(65536, dtype=np.uint16)), xp.bfloat16)
        def work(x):
            wide = xp.astype(x, xp.float64) * (1 + 2.0**-9)
            whole = xp.astype(xp.where(abs(x) < 1e9, x, 0), xp.int64) * 1000003
            yield from (x + x, x * 0.1, 1 / x, -x, xp.where(x > 1, x, 3), xp.sqrt(x), x < 0.1, xp.isnan(x))
            yield from (xp.astype(wide, xp.bfloat16), xp.astype(whole, xp.bfloat16), xp.astype(x, xp.float16))
            yield from (xp.astype(xp.astype(x, xp.float16), xp.bfloat16), xp.astype(x, xp.bool), x[::-3], xp.max(x[:32640]))
            yield x[0x3F80:0x3F88] @ x[0x3F80:0x3F88]  # exact sums
        for got, expected in zip(work(host.to_device(PLACE)), work(host)):
            self.assertEqual((got.device, got.dtype), (PLACE + ":0", expected.dtype))
            got, expected = (np.asarray(xp.astype(x, xp.float32)) for x in (got.to_device("cpu"), expected))
            np.testing.assert_array_equal(got, expected)

    def test_compiled(self):
        @xp.compile(fullgraph=True)
        def layer(x, w, scale):
            h = x * w + 1
            mean = xp.mean(h, axis=-1, keepdims=True)
            c = h - mean
            return c / xp.sqrt(xp.mean(c * c, axis=-1, keepdims=True) + 1e-5) * scale, xp.max(h, axis=0)
        before = xp.stats()["bytes_from_device"]
        results = [layer(*tensors(PLACE)[:2], 2.0) for _ in range(3)]
        self.assertEqual(xp.stats()["bytes_from_device"], before, "something was copied to the host")
        for result in results:
            self.compare(result, layer(*tensors("cpu")[:2], 2.0), "layer")

    def test_compiled_with_updates(self):
        @xp.compile
        def step(u, v):
            v[1:-1] += 0.1 * (u[:-2] + u[2:] - 2 * u[1:-1])
            u += v
            print(end="")  # a break
            return xp.sum(u * u)
        results = []
        for place in (PLACE, "cpu"):
            u, v = xp.asarray(np.sin(np.arange(20.0)), device=place), xp.zeros(20, device=place)
            results.append((*[step(u, v) for _ in range(4)], u, v))
        self.compare(*results, "step")

    def test_constants_made_inside(self):
        """What is made inside is on the host unless it is said otherwise, captured or not."""
        @xp.compile
        def work(x):
            return x * 2 + 1, xp.ones(3), xp.zeros_like(x), x.device, x.shape
        for _ in range(3):
            scaled, ones, zeros, device, shape = work(xp.asarray(A, device=PLACE))
            self.assertEqual((scaled.device, ones.device, zeros.device), ("cuda:0", "cpu", "cuda:0"))
            self.assertEqual((device, shape, type(device)), ("cuda:0", (3, 4), xp.Device))

        arrays = _dynacc.arrays()

        @xp.compile(fullgraph=True)
        def numbers(x):
            return x + 1, arrays.device_number(x), arrays.device_number(x * 2), arrays.device_number(xp.ones(3))
        for place, number in (PLACE, 1), ("cpu", 0):
            for _ in range(3):
                self.assertEqual(numbers(xp.asarray(A, device=place))[1:], (number, number, 0))

        @xp.compile
        def mixed(x):
            return x * xp.full((4,), 2.0)
        for _ in range(3):
            with self.assertRaisesRegex(ValueError, "^multiply: tensors on cuda:0 and cpu; to_device"):
                mixed(xp.asarray(A, device=PLACE))

    def test_constants(self):
        c = xp.constant(A, device=PLACE)
        self.assertEqual((c.device, xp.is_constant(c), xp.is_constant(c.T), xp.is_constant(c[1:, ::2])), ("cuda:0", True, True, True))
        for place in (PLACE, "cpu"):  # moved, it is a copy
            moved = xp.constant(xp.asarray(A, device=PLACE), device=place)
            self.assertEqual((moved.device, xp.is_constant(moved)), (xp.Device(place), True))
        self.assertFalse(xp.is_constant(c.to_device("cpu")))

        def add(x):
            x += 1

        for change in (add, lambda x: x.__setitem__(0, 1), lambda x: x.__setitem__(x > 0, 1), lambda x: x.T.__setitem__(0, 1),
                       lambda x: x.__setitem__(xp.asarray([0], device=PLACE), 1), xp.compile(add)):
            with self.assertRaisesRegex(ValueError, "asarray.*copy=True|read-only"):
                change(c)
        self.assertTrue(c.__cuda_array_interface__["data"][1])
        view = c[1:]
        del c
        products = [(x @ w.T, xp.compile(lambda x, w: x @ w.T + 1)(x, w))
                    for x, w in ((xp.asarray(B, device=PLACE), view), (xp.asarray(B), xp.constant(A[1:])))]
        self.compare(*products, "products")
        self.assertIs(type(pickle.loads(pickle.dumps(view))), type(view))
        self.assertTrue(xp.is_constant(pickle.loads(pickle.dumps(view))))
        self.assertTrue(xp.is_constant(xp.constant(xp.empty((0, 2), device=PLACE))))


if __name__ == "__main__":
    unittest.main()
