#!/usr/bin/env python3
"""dynacc.random: known answers, positions, distributions, wrong arguments; on the CPU and on a (simulated) GPU."""
import unittest

import numpy as np

import dynacc
from dynacc import random

# Of the generator's authors (kat_vectors of Random123): counter, key, what comes out.
KNOWN = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0),
     (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
]
PLACES = sorted({device.type for device in dynacc.__array_namespace_info__().devices()})


def philox(counter, key):
    """The generator once more, in Python's numbers."""
    c, k = list(counter), list(key)
    for _ in range(10):
        low, high = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [high >> 32 ^ c[1] ^ k[0], high % 2**32, low >> 32 ^ c[3] ^ k[1], low % 2**32]
        k = [(k[0] + 0x9E3779B9) % 2**32, (k[1] + 0xBB67AE85) % 2**32]
    return tuple(c)


def words(key, position):
    return philox((position % 2**32, position >> 32, 0, 0), (key % 2**32, key >> 32))


def on_host(tensor):
    return np.asarray(tensor.to_device("cpu"))


class Random(unittest.TestCase):
    def test_known_answers(self):
        for counter, key, answer in KNOWN:
            self.assertEqual(philox(counter, key), answer)
            given = [dynacc.asarray([word], dtype=dynacc.uint64) for word in counter]
            keys = dynacc.asarray(random._round_keys(key[1] << 32 | key[0]), dtype=dynacc.uint64)
            self.assertEqual(tuple(int(word[0]) for word in random._philox(*given, keys)), answer)

    def test_bits_of_keys_and_positions(self):
        for place in PLACES:
            for key, offset, size in ((0, 0, 5), (7, 3, 1025), (2**64 - 1, 2**32 - 2, 4), (1 << 40, 2**64 - 3, 3)):
                drawn = random.bits(size, key=key, offset=offset, device=place)
                self.assertIs(drawn.dtype, dynacc.uint64)
                self.assertEqual(drawn.device.type, place)
                drawn = on_host(drawn)
                for i in {0, 1, size - 1}:
                    first, second, _, _ = words(key, offset + i)
                    self.assertEqual(int(drawn[i]), second << 32 | first, (key, offset, i))

    def test_a_number_depends_on_its_position_only(self):
        for place in PLACES:
            whole = on_host(random.uniform(3000, key=42, device=place))
            for shape, offset in (((10, 100), 0), ((7, 11, 13), 500), ((1,), 2999), ((), 17), ((0, 4), 9)):
                part = on_host(random.uniform(shape, key=42, offset=offset, device=place))
                self.assertEqual(part.shape, shape)
                self.assertEqual(part.tobytes(), whole[offset:offset + part.size].tobytes())

    def test_uniform_numbers_are_the_bits(self):
        for place in PLACES:
            drawn = on_host(random.bits(2000, key=5, device=place))
            wide = on_host(random.uniform(2000, key=5, device=place))
            narrow = on_host(random.uniform(2000, key=5, dtype=dynacc.float32, device=place))
            self.assertEqual((wide.dtype, narrow.dtype), (np.float64, np.float32))
            self.assertEqual(wide.tolist(), [int(b) / 2**53 for b in drawn >> np.uint64(11)])
            self.assertEqual(narrow.tolist(), [int(b) / 2**24 for b in drawn >> np.uint64(40)])

    def test_normal_numbers(self):
        for place in PLACES:
            for dtype, tolerance in ((dynacc.float64, 1e-12), (dynacc.float32, 2e-5)):
                drawn = on_host(random.normal(500, key=9, offset=1, dtype=dtype, device=place))
                for i in range(0, 500, 99):
                    w = words(9, 1 + i)
                    step = 2.0**-53 if dtype is dynacc.float64 else 2.0**-24
                    shift = 11 if dtype is dynacc.float64 else 40
                    a, b = ((w[2 * j + 1] << 32 | w[2 * j]) >> shift for j in (0, 1))
                    expected = np.sqrt(-2 * np.log((a + 1) * step)) * np.cos(2 * np.pi * b * step)
                    self.assertLess(abs(drawn[i] - expected), tolerance)

    def test_distributions(self):
        size = 40000
        u = on_host(random.uniform(size, key=1))
        self.assertTrue((u >= 0).all() and (u < 1).all())
        counts = np.bincount((u * 20).astype(int), minlength=20)
        chi2 = float(((counts - size / 20) ** 2 / (size / 20)).sum())
        self.assertTrue(5 < chi2 < 45, chi2)  # 19 degrees of freedom
        x = on_host(random.normal(size, key=2))
        self.assertLess(abs(x.mean()), 0.02)
        self.assertLess(abs(x.std() - 1), 0.02)
        self.assertLess(abs((x**4).mean() - 3), 0.15)
        other = on_host(random.uniform(size, key=1 << 32))
        self.assertLess(abs(np.corrcoef(u, other)[0, 1]), 0.02)

    def test_on_a_device_they_are_made_by_kernels(self):
        if len(PLACES) == 1:
            self.skipTest("no device")
        for draw, launches in ((random.bits, 1), (random.uniform, 1), (random.normal, 2)):
            draw((40, 50), key=3, device="cuda")
            before = dynacc.stats()
            draw((40, 50), key=4, offset=9, device="cuda")
            after = dynacc.stats()
            self.assertEqual(after["device_launches"] - before["device_launches"], launches)
            self.assertEqual(after["bytes_from_device"], before["bytes_from_device"])

    def test_in_a_compiled_function(self):
        def noisy(x, key):
            return x + random.uniform(x.shape, key=key, device=x.device) * 2
        for place in PLACES:
            x = dynacc.asarray(np.arange(6.0).reshape(2, 3), device=place)
            for key in (1, 1, 2):
                drawn = on_host(dynacc.compile(noisy)(x, key))
                self.assertEqual(drawn.tobytes(), on_host(noisy(x, key)).tobytes())

    def test_names(self):
        self.assertIs(dynacc.random, random)
        for name in random.__all__:
            self.assertTrue(getattr(random, name).__doc__)

    def test_wrong_arguments(self):
        for arguments in ({"key": -1}, {"key": 2**64}, {"key": 0, "offset": -1}, {"key": 0, "offset": 2**64}):
            with self.assertRaisesRegex(ValueError, "must be an int of 64 bits"):
                random.bits(3, **arguments)
        with self.assertRaisesRegex(TypeError, "the key must be an int, not str"):
            random.uniform(3, key="seven")
        with self.assertRaisesRegex(TypeError, "float64 or float32"):
            random.uniform(3, key=0, dtype=dynacc.float16)
        with self.assertRaisesRegex(ValueError, "negative sizes"):
            random.normal((2, -1), key=0)
        with self.assertRaises(ValueError):
            random.bits(3, key=0, device="tpu")
        with self.assertRaises(TypeError):
            random.bits(3)


if __name__ == "__main__":
    unittest.main()
