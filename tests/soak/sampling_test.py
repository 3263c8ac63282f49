#!/usr/bin/env python3
"""That a soak's verdicts see what they are for: growth, jumps, and neither where there is none.

usage: sampling_test.py [unittest arguments]
"""
import random
import unittest

import sampling


def memory_of(values):
    """A Memory with one sample a second."""
    memory = sampling.Memory()
    memory.samples = list(enumerate(values))
    return memory


class Verdicts(unittest.TestCase):
    bounds = sampling.Flatness(0.03, 0.03)

    def test_flat_after_a_warm_up(self):
        noise = random.Random(1)
        values = [min(100_000, 1000 * t) + noise.randrange(-500, 500) for t in range(1200)]
        self.assertEqual(memory_of(values).verdict(self.bounds), [])

    def test_a_slow_leak_is_seen(self):
        noise = random.Random(2)
        values = [100_000 + 10 * t + noise.randrange(-500, 500) for t in range(1200)]
        self.assertEqual(len(memory_of(values).verdict(self.bounds)), 2)

    def test_a_jump_is_seen(self):
        self.assertTrue(memory_of([100_000] * 900 + [110_000] * 300).verdict(self.bounds))

    def test_memory_that_falls_is_no_leak(self):
        self.assertEqual(memory_of([100_000 - 10 * t for t in range(1200)]).verdict(self.bounds), [])

    def test_too_few_samples_are_no_proof(self):
        self.assertTrue(memory_of([1] * 5).verdict(self.bounds))

    def test_samples_stay_few(self):
        memory = sampling.Memory()
        for value in range(3 * sampling.MOST_SAMPLES):
            memory.sample(value)
        self.assertLessEqual(len(memory.samples), sampling.MOST_SAMPLES)
        self.assertEqual(memory.samples[-1][1], 3 * sampling.MOST_SAMPLES - 1)


class Histograms(unittest.TestCase):
    def test_buckets_are_in_order_and_hold_their_values(self):
        numbers = sorted({int(1.013 ** k) for k in range(2000)})
        buckets = [sampling.Histogram.bucket(n) for n in numbers]
        self.assertEqual(buckets, sorted(buckets))
        for number, bucket in zip(numbers, buckets):
            if bucket < len(sampling.Histogram().counts) - 1:
                self.assertLessEqual(number, sampling.Histogram.upper_end(bucket))
                self.assertGreaterEqual(number * 1.07 + 1, sampling.Histogram.upper_end(bucket))

    def test_percentiles(self):
        histogram = sampling.Histogram()
        for value in range(1, 10001):
            histogram.add(value * 1000)
        for share, name in ((0.5, "p50_us"), (0.99, "p99_us"), (0.999, "p99.9_us")):
            self.assertAlmostEqual(histogram.figures()[name] / (share * 10000), 1.0, delta=0.07)

    def test_nothing_was_counted(self):
        self.assertIsNone(sampling.Histogram().figures()["p50_us"])


if __name__ == "__main__":
    unittest.main()
