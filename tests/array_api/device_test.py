#!/usr/bin/env python3
"""Every function of the array API standard on tensors of a (simulated) GPU, against the same call on the host.

The standard's table decides what is called: a name without a call fails. Results are on the device, of the same dtype
and shape; numbers may differ in their last digits.
"""
import collections
import unittest

import numpy as np
import standard
from drawing import INTEGERS, draw
from elementwise_checks import FUNCTIONS, SHIFTS

import _dynacc
import dynacc as xp

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


def tensors(place):
    return [xp.asarray(array, device=place) for array in (A, B, S, I)]


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

    def test_indexing_with_tensors(self):
        for where in (lambda a, b, s, i: a[b > 0], lambda a, b, s, i: a[i % 3], lambda a, b, s, i: a[:, i % 4],
                      lambda a, b, s, i: a[i % 3, i % 4]):
            self.compare(where(*tensors(PLACE)), where(*tensors("cpu")), "index")

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

    def test_bfloat16(self):
        """All numbers: every operation is float32's between two conversions, so the bits are the host's."""
        of = _dynacc.arrays()
        host = of.of_bits(xp.asarray(np.arange(65536, dtype=np.uint16)))
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

        @xp.compile
        def mixed(x):
            return x * xp.full((4,), 2.0)
        for _ in range(3):
            with self.assertRaisesRegex(ValueError, "^multiply: tensors on cuda:0 and cpu; to_device"):
                mixed(xp.asarray(A, device=PLACE))


if __name__ == "__main__":
    unittest.main()
