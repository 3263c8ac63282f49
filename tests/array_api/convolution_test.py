#!/usr/bin/env python3
"""dynacc.nn.convolution against sums of products in float64; captured calls have the eager ones' bits. And products of
windows as NumPy programs write them, under fast_math.
"""
import itertools
import unittest

import numpy as np

import dynacc as xp


def sums(x, w, strides, padding, dilation):
    """The convolution in float64, filter element by filter element; each argument one number for each axis of space."""
    rank = x.ndim - 2
    x = np.pad(x.astype(np.float64), [(0, 0), *padding, (0, 0)])
    places = [(x.shape[i + 1] - (w.shape[i] - 1) * dilation[i] - 1) // strides[i] + 1 for i in range(rank)]
    result = np.zeros((x.shape[0], *places, w.shape[-1]))
    for at in itertools.product(*map(range, w.shape[:rank])):
        part = [slice(at[i] * dilation[i], at[i] * dilation[i] + (places[i] - 1) * strides[i] + 1, strides[i])
                for i in range(rank)]
        result += x[(slice(None), *part)] @ w[at].astype(np.float64)
    return result


def as_pairs(padding, rank):
    pairs = (padding,) * rank if isinstance(padding, int) else padding
    return [(pair, pair) if isinstance(pair, int) else pair for pair in pairs]


def as_numbers(value, rank):
    return (value,) * rank if isinstance(value, int) else value


class Convolution(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(1)

    def draw(self, *shape, dtype=np.float32):
        return self.random.normal(size=shape).astype(dtype)

    def check(self, x, w, strides=1, padding=0, dilation=1, tolerance=1e-5):
        def convolve(x, w):
            return xp.nn.convolution(x, w, strides=strides, padding=padding, dilation=dilation)

        rank = x.ndim - 2
        expected = sums(np.asarray(x), np.asarray(w), as_numbers(strides, rank), as_pairs(padding, rank),
                        as_numbers(dilation, rank))
        eager = convolve(x, w)
        self.assertEqual((eager.shape, eager.dtype), (expected.shape, x.dtype))
        np.testing.assert_allclose(np.asarray(eager), expected, atol=tolerance * max(1.0, abs(expected).max(initial=0)))
        for backend in ("cpu", "tile"):
            fast = xp.compile(convolve, fullgraph=True, backend=backend)
            for _ in range(2):
                self.assertEqual(np.asarray(fast(x, w)).tobytes(), np.asarray(eager).tobytes(), backend)

    def test_shapes(self):
        cases = (((2, 30, 31, 16), (3, 3, 16, 32), 1, 1, 1), ((1, 40, 40, 3), (7, 7, 3, 64), 2, 3, 1),
                 ((4, 100, 8), (5, 8, 16), 1, 0, 1), ((2, 9, 10, 11, 4), (3, 2, 3, 4, 16), 1, 1, 1),
                 ((1, 50, 50, 32), (1, 1, 32, 64), 1, 0, 1), ((3, 33, 35, 24), (3, 5, 24, 20), (2, 1), (2, (0, 3)), (3, 2)),
                 ((1, 5, 5, 2), (3, 3, 2, 2), 1, 0, 1), ((2, 64, 64, 1), (5, 5, 1, 33), 1, 2, 1),
                 ((2, 20, 20, 40), (20, 20, 40, 70), 1, 0, 1), ((1, 30, 30, 16), (3, 3, 16, 1), 1, 0, 1),
                 ((9, 1, 60, 12), (1, 7, 12, 48), 1, 0, 1), ((70, 18, 18, 8), (3, 3, 8, 16), 3, 0, 1),
                 ((1, 40, 40, 8), (3, 3, 8, 24), 5, 0, 4))
        for images, filters, strides, padding, dilation in cases:
            with self.subTest(images=images, filters=filters):
                x, w = self.draw(*images), self.draw(*filters)
                self.check(xp.asarray(x), xp.asarray(w), strides, padding, dilation)

    def test_empty_ones(self):
        for images, filters in (((0, 9, 9, 3), (3, 3, 3, 4)), ((2, 9, 9, 3), (3, 3, 3, 0)), ((2, 9, 9, 0), (3, 3, 0, 4))):
            self.check(xp.asarray(self.draw(*images)), xp.asarray(self.draw(*filters)))

    def test_views(self):
        x = xp.asarray(self.draw(2, 16, 40, 42))
        w = xp.asarray(self.draw(32, 16, 3, 3))
        filters = xp.permute_dims(w, (2, 3, 1, 0))
        self.check(xp.moveaxis(x, 1, -1), filters, padding=1)         # channels first
        self.check(xp.moveaxis(x, 1, -1)[:, ::-1, 3:], filters)       # backwards
        self.check(xp.moveaxis(x, 1, -1)[:, ::2, ::3], filters, strides=2)
        self.check(xp.moveaxis(x, 1, -1), filters[::-1, ::-1])        # a convolution as mathematics has it
        self.check(xp.broadcast_to(xp.asarray(self.draw(1, 40, 1, 16)), (3, 40, 40, 16)), filters)

    def test_other_dtypes(self):
        x, w = self.draw(2, 30, 30, 16), self.draw(3, 3, 16, 32)
        self.check(xp.asarray(x.astype(np.float64)), xp.asarray(w.astype(np.float64)), tolerance=1e-13)
        integers = self.random.integers(-9, 9, (2, 12, 12, 3))
        self.check(xp.asarray(integers), xp.asarray(integers[:1, :3, :3].repeat(4, 0)[:3]))
        narrow, filters = (xp.astype(xp.asarray(a), xp.bfloat16) for a in (x, w))
        got = xp.nn.convolution(narrow, filters)
        wide = xp.nn.convolution(xp.astype(narrow, xp.float32), xp.astype(filters, xp.float32))
        self.assertIs(got.dtype, xp.bfloat16)
        self.assertTrue(bool(xp.all(got == xp.astype(wide, xp.bfloat16))))

    def test_special_values(self):
        x = self.draw(1, 40, 40, 16)
        x[0, 20, 20, 3], x[0, 5, 5, 0], x[0, 5, 6, 0] = np.nan, np.inf, -np.inf
        got = np.asarray(xp.nn.convolution(xp.asarray(x), xp.asarray(np.abs(self.draw(3, 3, 16, 32)))))
        self.assertTrue(np.isnan(got[0, 18:21, 18:21]).all())
        self.assertTrue(np.isposinf(got[0, 3:6, 3]).all() and np.isneginf(got[0, 3:6, 6]).all())
        self.assertTrue(np.isfinite(got[0, 25:]).all())

    def test_layers(self):
        """Bias, activation and residual have the bits of operations done apart; sizes may vary."""
        def layer(x, w, bias, scale):
            y = xp.nn.convolution(x, w, padding=1) + bias
            return xp.where(y > 0, y, 0.0) + x * scale

        fast = xp.compile(layer, fullgraph=True, dynamic=True)
        w, bias = xp.asarray(self.draw(3, 3, 24, 24)), xp.asarray(self.draw(24))
        for size in (30, 31, 4, 64, 1):
            x = xp.asarray(self.draw(2, size, size + 1, 24))
            self.assertEqual(np.asarray(fast(x, w, bias, 2.0)).tobytes(), np.asarray(layer(x, w, bias, 2.0)).tobytes())

    def test_errors(self):
        x, w = xp.ones((2, 9, 9, 3)), xp.ones((3, 3, 3, 4))
        for error, call in ((TypeError, lambda f: f(np.ones((2, 9, 9, 3)), w)), (TypeError, lambda f: f(x, xp.astype(w, xp.float32))),
                            (ValueError, lambda f: f(x, w[0])), (ValueError, lambda f: f(x[0, 0], w[0, 0])),
                            (ValueError, lambda f: f(x, w[:, :, :2])), (ValueError, lambda f: f(x[:, :2], w)),
                            (ValueError, lambda f: f(x, w, strides=0)), (ValueError, lambda f: f(x, w, dilation=(1, 2, 3))),
                            (ValueError, lambda f: f(x, w, padding=-1)), (ValueError, lambda f: f(x, w[:0]))):
            with self.assertRaises(error):
                call(xp.nn.convolution)
            with self.assertRaises(error):
                xp.compile(lambda: call(xp.nn.convolution))()


def rows_of_windows(x, kernel, axes):
    """NumPy's own: windows, and what a product makes of them."""
    return np.lib.stride_tricks.sliding_window_view(x, kernel, axis=axes)


class NumPyPrograms(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(2)

    def check(self, function, *arrays):
        expected = function(*arrays)
        fast = xp.compile(function, fast_math=True, fullgraph=True)
        for _ in range(2):
            np.testing.assert_allclose(fast(*arrays), expected, rtol=1e-4, atol=1e-3)
        kernels = xp.explain(fast, fresh=False)(*arrays).kernels[0]
        return "takes the windows" in kernels or "is not the library's: " in kernels  # without oneDNN

    def draw(self, *shape):
        return self.random.normal(size=shape).astype(np.float32)

    def test_channels_last(self):
        def layer(x, w, bias, rest):
            n, h, wide, c = x.shape
            windows = np.moveaxis(rows_of_windows(x, (3, 3), (1, 2)), 3, -1)
            y = windows.reshape(n, h - 2, wide - 2, 9 * c) @ w.reshape(9 * c, -1)
            return np.maximum(y + bias, np.float32(0)) + rest

        self.assertTrue(self.check(layer, self.draw(2, 32, 33, 16), self.draw(3, 3, 16, 24), self.draw(24),
                                   self.draw(2, 30, 31, 24)))

    def test_channels_first_with_strides(self):
        def layer(x, w, bias):
            windows = rows_of_windows(x, (3, 5), (2, 3))[:, :, ::2, ::3]
            n, c, h, wide, _, _ = windows.shape
            rows = windows.transpose(0, 2, 3, 1, 4, 5).reshape(n * h * wide, c * 15)
            return np.tanh(rows @ w.reshape(w.shape[0], -1).T + bias)

        self.assertTrue(self.check(layer, self.draw(3, 8, 60, 70), self.draw(32, 8, 3, 5), self.draw(32)))

    def test_signals(self):
        def smooth(x, w):
            return rows_of_windows(x, 64, 0).reshape(-1, 64) @ w

        self.check(smooth, self.draw(5000), self.draw(64, 8))

    def test_windows_that_are_no_convolution(self):
        def twice(x, w):  # windows of windows
            return rows_of_windows(rows_of_windows(x, 5, 1), 4, 1).reshape(-1, 20) @ w

        def backwards(x, w):
            return rows_of_windows(x, 8, 1)[:, :, ::-1].reshape(-1, 8) @ w

        def diagonal(x, w):  # both axes of the view walk along rows and columns
            return rows_of_windows(x, (6, 6), (0, 1))[:, :, ::2].reshape(-1, 18) @ w

        for function, x, w in ((twice, (40, 60), (20, 64)), (backwards, (40, 700), (8, 64)), (diagonal, (60, 60), (18, 64))):
            self.check(function, self.draw(*x), self.draw(*w))

    def test_default_keeps_numpys_bits(self):
        def rows(x, w):
            return rows_of_windows(x, 16, 1).reshape(-1, 16) @ w

        x, w = self.draw(40, 300), self.draw(16, 48)
        self.assertEqual(xp.compile(rows)(x, w).tobytes(), rows(x, w).tobytes())


if __name__ == "__main__":
    unittest.main()
