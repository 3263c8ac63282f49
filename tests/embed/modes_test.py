#!/usr/bin/env python3
"""What the modes of dynacc.compile do. Run by the launcher and by a stock python3."""
import ctypes
import gc
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
import weakref

import numpy as np

import dynacc


def body(a, b):
    """Two arrays, and a temporary that both need."""
    c = np.sqrt(a * b + 1.0)
    return c - a, c * b


def address(array):
    return array.__array_interface__["data"][0]


class ReduceOverhead(unittest.TestCase):
    SIZES = (3, 100, 5000, 60_000, 300_000)  # some tens of bytes to some megabytes

    def compiled(self):
        return dynacc.compile(body, mode="reduce-overhead", options=None)

    def test_results_are_numpys(self):
        f = self.compiled()
        for size in self.SIZES:
            a, b = np.linspace(0.1, 2.0, size), np.linspace(3.0, 1.0, size)
            for _ in range(5):
                for one, other in zip(f(a, b), body(a, b)):
                    self.assertEqual(one.tobytes(), other.tobytes())
                    self.assertTrue(one.flags.owndata and one.flags.writeable and one.flags.c_contiguous)

    def test_no_memory_is_asked_for_in_steady_state(self):
        f = self.compiled()
        for size in self.SIZES:
            a, b = np.linspace(0.1, 2.0, size), np.linspace(3.0, 1.0, size)
            for _ in range(20):
                kept = f(a, b)
            before = dynacc.stats()
            for _ in range(50):
                kept = f(a, b)
            after = dynacc.stats()
            self.assertEqual(after["blocks_allocated"], before["blocks_allocated"], size)
            self.assertGreaterEqual(after["blocks_reused"] - before["blocks_reused"], 100, size)
            del kept

    def test_the_counter_counts(self):
        f = self.compiled()
        a, b = np.linspace(0.1, 2.0, 7000), np.linspace(3.0, 1.0, 7000)
        f(a, b)
        before = dynacc.stats()["blocks_allocated"]
        kept = [f(a, b) for _ in range(60)]
        self.assertGreater(dynacc.stats()["blocks_allocated"] - before, 60)
        del kept

    def test_memory_is_used_again_once_it_is_let_go_of(self):
        f = self.compiled()
        a, b = np.linspace(0.1, 2.0, 5000), np.linspace(3.0, 1.0, 5000)
        for _ in range(3):
            f(a, b)
        seen = set()
        for _ in range(20):
            first, second = f(a, b)
            seen |= {address(first), address(second)}
            del first, second
        self.assertLessEqual(len(seen), 4)

    def test_other_modes_do_not_keep_small_results(self):
        f = dynacc.compile(body)
        a, b = np.linspace(0.1, 2.0, 100), np.linspace(3.0, 1.0, 100)
        f(a, b)
        before = dynacc.stats()
        for _ in range(20):
            f(a, b)
        after = dynacc.stats()
        self.assertEqual([after[name] - before[name] for name in ("blocks_allocated", "blocks_reused")], [0, 0])

    def hold(self, keep):
        """Calls with `keep` of each result held: what is held never changes."""
        f = self.compiled()
        for size in (100, 5000, 200_000):
            held = []
            for turn in range(12):
                a, b = np.linspace(0.1, 2.0 + turn, size), np.linspace(3.0, 1.0 + turn, size)
                first, second = f(a, b)
                held.append((keep(first), keep(second), [part.tobytes() for part in body(a, b)]))
                del first, second
                gc.collect()
            for one, other, expected in held:
                self.assertEqual([bytes(one), bytes(other)], expected)

    def test_held_as_they_are(self):
        self.hold(lambda array: array)

    def test_held_by_views(self):
        self.hold(lambda array: array[:].reshape(1, -1).T)

    def test_held_by_memoryviews(self):
        self.hold(memoryview)

    def test_held_by_dlpack(self):
        self.hold(np.from_dlpack)

    def test_held_by_a_buffer_of_ctypes(self):
        self.hold(lambda array: (ctypes.c_char * array.nbytes).from_buffer(array))

    def test_held_by_frombuffer(self):
        self.hold(np.frombuffer)

    def test_a_result_that_is_dropped_is_gone(self):
        f = self.compiled()
        a = np.linspace(0.1, 2.0, 500)
        first, second = f(a, a)
        gone = []
        alive = [weakref.ref(one, lambda _: gone.append(1)) for one in (first, second)]
        del first, second
        self.assertEqual((gone, [one() for one in alive]), ([1, 1], [None, None]))

    def test_results_that_are_resized_and_written(self):
        f = self.compiled()
        a = np.linspace(0.1, 2.0, 500)
        expected = [part.tobytes() for part in body(a, a)]
        for size in (700, 20, 100_000):
            first, second = f(a, a)
            first.resize(size, refcheck=False)
            first[:] = 7.0
            second.fill(-1.0)
            self.assertTrue((first == 7.0).all())
            del first, second
            self.assertEqual([part.tobytes() for part in f(a, a)], expected)

    def test_a_result_as_the_next_argument(self):
        f = self.compiled()
        x, y = np.linspace(0.1, 2.0, 3000), np.linspace(3.0, 1.0, 3000)
        p, q = x.copy(), y.copy()
        for _ in range(30):
            x, y = [part / np.abs(part).max() + 0.5 for part in f(x, y)]
            p, q = [part / np.abs(part).max() + 0.5 for part in body(p, q)]
        self.assertEqual((x.tobytes(), y.tobytes()), (p.tobytes(), q.tobytes()))

    def test_threads_do_not_share(self):
        f = self.compiled()
        f(np.ones(4000), np.ones(4000))
        wrong = []

        def work(number):
            a, b = np.full(4000, 0.5 + number), np.full(4000, 2.0 + number)
            expected = [part.tobytes() for part in body(a, b)]
            last = None
            for _ in range(300):
                now = f(a, b)
                if last is not None and [part.tobytes() for part in last] != expected:
                    wrong.append(number)
                last = now

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_its_options(self):
        self.assertEqual(dynacc.list_mode_options("reduce-overhead"), {"reuse_results": True, "cuda_graphs": True})
        by_options = dynacc.compile(body, options={"reuse_results": True})
        a = np.linspace(0.1, 2.0, 2000)
        for _ in range(10):
            by_options(a, a)
        before = dynacc.stats()
        by_options(a, a)
        after = dynacc.stats()
        self.assertEqual(after["blocks_allocated"], before["blocks_allocated"])
        self.assertGreaterEqual(after["blocks_reused"] - before["blocks_reused"], 2)


class MaxAutotune(unittest.TestCase):
    """Candidates are timed in a process of its own, with a cache of its own."""

    PROGRAM = """
import numpy as np
import dynacc

def f(a, m):
    e = np.exp(m - m.max(axis=1, keepdims=True))
    return (a * a + a).sum(), e / e.sum(axis=1, keepdims=True), np.sqrt(a * 2.0 + 1.0)

a, m = np.linspace(0.1, 2.0, 30_000), np.linspace(0.0, 1.0, 30_000).reshape(100, 300)
before = a.tobytes(), m.tobytes()
tuned = dynacc.compile(f, mode=MODE)
for _ in range(3):
    results = tuned(a, m)
assert (a.tobytes(), m.tobytes()) == before, "inputs were written"
for one, other in zip(results, f(a, m)):
    assert one.tobytes() == other.tobytes(), "the bits differ"
entry = dynacc.explain(tuned, fresh=False)(a, m).segments[0]["entries"][0]
print(entry["kernels"].splitlines()[0])
print(dynacc.stats()["graphs_autotuned"])
"""

    def run_program(self, cache, program=PROGRAM, mode="max-autotune", **variables):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write(program.replace("MODE", repr(mode)))
            file.flush()
            done = subprocess.run([sys.executable, file.name], capture_output=True, text=True, check=False, timeout=300,
                                  env=os.environ | {"DYNACC_CACHE_DIR": cache} | variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines(), done.stderr

    def test_the_choice_is_kept(self):
        with tempfile.TemporaryDirectory() as cache:
            lines, logs = self.run_program(cache, DYNACC_LOGS="+autotune")
            self.assertRegex(lines[0], "^autotune: .* candidates?( not better)?$")
            self.assertEqual(lines[1], "1")
            self.assertRegex(logs, r"f \(.*\): \S+=\d+: [0-9.]+ of the time of default")
            self.assertIn(lines[0].removeprefix("autotune: "), logs)
            again, logs = self.run_program(cache, DYNACC_LOGS="autotune")
            self.assertEqual(again, [lines[0], "0"])
            self.assertIn(lines[0].removeprefix("autotune: "), logs)
            other, _ = self.run_program(cache, self.PROGRAM.replace("30_000", "15_000").replace("300", "150"))
            self.assertEqual(other[1], "1")  # other sizes

    def test_other_modes_do_not_tune(self):
        with tempfile.TemporaryDirectory() as cache:
            lines, _ = self.run_program(cache, mode="default")
            self.assertNotRegex(lines[0], "autotune")
            self.assertEqual(lines[1], "0")

    def test_a_broken_cache(self):
        with tempfile.TemporaryDirectory() as cache:
            first, _ = self.run_program(cache)
            for path in pathlib.Path(cache).glob("*.kernel"):
                path.write_bytes(path.read_bytes()[:-3] + b"xyz")
            again, _ = self.run_program(cache)
            self.assertEqual((first[1], again[1]), ("1", "1"))

    WRITES = """
import numpy as np
import dynacc

def f(a, b, out):
    out[:] = a * b + out
    a += 1.0
    return out.sum()

def arrays():
    return [np.linspace(0.1, 2.0, 5000), np.linspace(0.0, 1.0, 5000), np.ones(5000)]

tuned, ours, theirs = dynacc.compile(f, mode=MODE), arrays(), arrays()
for _ in range(4):
    assert tuned(*ours) == f(*theirs)
    assert [one.tobytes() for one in ours] == [one.tobytes() for one in theirs]
print("kept", dynacc.stats()["graphs_autotuned"])
"""

    def test_what_is_written_is_written_once(self):
        with tempfile.TemporaryDirectory() as cache:
            self.assertEqual(self.run_program(cache, self.WRITES)[0], ["kept 1"])

    CALLS = """
import numpy as np
import dynacc

def f(a, rng):
    return np.sqrt(a + 1.0) * rng.random(a.size) + np.sort(a)[0]

tuned, a = dynacc.compile(f, mode=MODE), np.linspace(0.1, 2.0, 5000)
one, other = np.random.default_rng(1), np.random.default_rng(1)
for _ in range(3):
    assert tuned(a, one).tobytes() == f(a, other).tobytes()
print("same numbers", dynacc.stats()["graphs_autotuned"])
"""

    def test_what_calls_numpy_is_not_run_for_trial(self):
        with tempfile.TemporaryDirectory() as cache:
            self.assertEqual(self.run_program(cache, self.CALLS)[0], ["same numbers 0"])

    ODD = """
import numpy as np
import dynacc

def f(a, b):
    return a * 2.0 + b, (a - b).T

base = np.arange(20_000.0).reshape(100, 200)
for a, b in ((base[::-1, ::2], base[:, 1::2]), (base, base), (base.T, base.T), (base[:0], base[:0]),
             (np.broadcast_to(base[0], base.shape), base), (base[:, :1], base[:, 5:6])):
    tuned = dynacc.compile(f, mode=MODE)
    for one, other in zip(tuned(a, b), f(a, b)):
        assert one.tobytes() == other.tobytes() and one.strides == other.strides
print("all alike")
"""

    def test_arrays_of_any_layout(self):
        with tempfile.TemporaryDirectory() as cache:
            self.assertEqual(self.run_program(cache, self.ODD)[0], ["all alike"])

    def test_its_options(self):
        self.assertEqual(dynacc.list_mode_options("max-autotune"), {"autotune": True, "cuda_graphs": True})
        self.assertEqual(dynacc.list_mode_options("max-autotune-no-cudagraphs"), {"autotune": True})


if __name__ == "__main__":
    unittest.main()
