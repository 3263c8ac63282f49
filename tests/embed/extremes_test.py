#!/usr/bin/env python3
"""Inputs at the edges of what the compiler takes: very many nodes and arrays, sizes that no memory has, thread counts of
0 and 10,000, older CPUs, each pass and rule switched off, a million calls.

usage: extremes_test.py SOURCE LAUNCHER [unittest arguments]
"""
import os
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE, LAUNCHER = pathlib.Path(), ""
PYTHON = sys.executable
INHERITED = {k: v for k, v in os.environ.items() if not k.startswith("DYNACC_")}

# 10^5 operations in a row, and more arrays in one expression than a kernel takes.
MANY_NODES = """
import numpy as np
lines = ["def f(a):"] + [f"    a = a * 0.999{i % 7} + {i % 5}.5" for i in range(50000)] + ["    return a"]
exec("\\n".join(lines))
a = np.linspace(0.0, 1.0, 40)
for _ in range(3):
    print(f(a).tobytes().hex())
"""
MANY_INPUTS = """
import numpy as np
names = [f"a{i}" for i in range(500)]
exec(f"def f({', '.join(names)}):\\n    return {' + '.join(names)}, np.sqrt({' * '.join(names[:300])}), [{', '.join(n + ' * 2' for n in names[::7])}]")
arrays = [np.linspace(0.9, 1.1, 1000) * (i % 7 + 0.5) / 3 for i in range(500)]
for _ in range(3):
    total, root, rest = f(*arrays)
    print(total.tobytes().hex(), root.tobytes().hex(), sum(rest).tobytes().hex())
"""
TOO_LARGE = """
import numpy as np
def f(a, b):
    return a[:, None, None] * b[None, :, None] * a[None, None, :] + 1.0
def g(a, n):
    return np.broadcast_to(a, (n, n, n)).reshape(-1) + 1.0
def h(a):
    return a @ a.T
kept = []
huge = np.broadcast_to(np.float64(1.0), 1 << 31)
for call in (lambda: f(huge, huge), lambda: g(np.ones(1), 1 << 22), lambda: h(np.broadcast_to(np.float32(1), (1 << 31, 1))),
             lambda: np.zeros(1 << 62) + 1.0):
    for _ in range(3):
        try:
            kept.append(call())  # an array that nobody keeps may never be made (docs/limits.md)
            print(kept[-1].shape)
        except (MemoryError, ValueError) as error:
            print(type(error).__name__, error)
"""
PROGRAM = """
import numpy as np
def f(a, b):
    c = np.where(a > b, a * 1.0 + 0.0, np.sqrt(np.abs(b)) - a)
    c[1:] = (c * 2.0)[:-1] + np.roll(a, 3)[1:]
    d = c - c.mean()
    e = (a[:960].reshape(30, 32) - a[:30, None]) @ np.ones((32, 31))
    return (d / np.sqrt((d * d).mean() + 1e-5)).sum(), np.concatenate([c, d[::-1]]) * 3.0, np.exp(e).max(axis=1) - e.sum(axis=0)[:30]
def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)
def loop(a):
    total = 0.0
    for i in range(len(a) - 1):
        total += a[i] * a[i + 1]
    return total
rng = np.random.default_rng(3)
a, b = rng.normal(size=(2, 100_000))
for _ in range(4):
    for x, y in ((a, b), (a[:1000], b[:1000])):
        print([part.tobytes().hex()[:4000] for part in f(x, y)], loop(x[:300]))
    print(softmax(a.reshape(100, 1000)).tobytes().hex()[:4000], softmax(a[:0].reshape(0, 5)).shape, softmax(a[:1].reshape(1, 1)))
"""
GROWTH = """
import numpy as np
from dynacc import nn
import dynacc
def status():
    for line in open("/proc/self/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1])
@dynacc.compile
def f(a, b):
    return np.sqrt(a * a + b) - a
def library(x, w):
    return np.maximum(x @ w, 0)
fast = dynacc.compile(library, fast_math=True)
a = np.linspace(0.0, 1.0, 100)
x, w = np.ones((128, 128), np.float32), np.ones((128, 80), np.float32)
images, filters = dynacc.ones((1, 40, 40, 8), dtype=dynacc.float32), dynacc.ones((3, 3, 8, 16), dtype=dynacc.float32)
def run(n):
    for _ in range(n):
        f(a, a)
def products(n):
    for _ in range(n):
        fast(x, w)
        nn.convolution(images, filters)
run(20000)
products(300)
before = status()
run(1_000_000)
products(3000)
print(status() - before)
"""


def run(program, launcher=None, **variables):
    return subprocess.run([launcher or LAUNCHER, "-c", program], env=INHERITED | variables, capture_output=True, text=True,
                          timeout=900)


class Extremes(unittest.TestCase):
    def same(self, program, **variables):
        expected = run(program, PYTHON)
        self.assertEqual(expected.returncode, 0, expected.stderr)
        settings = {"DYNACC_POLICY": "always", **variables}
        done = run(program, **settings)
        self.assertEqual((done.returncode, done.stdout), (0, expected.stdout), f"{settings} {done.stderr[-2000:]}")
        return done.stderr

    def test_a_hundred_thousand_nodes(self):
        self.same(MANY_NODES)
        self.same(MANY_NODES, DYNACC_TARGET="tile", DYNACC_TIER_UP="0")

    def test_five_hundred_inputs(self):
        for variables in ({}, {"DYNACC_TIER_UP": "0"}, {"DYNACC_TARGET": "tile"}):
            self.same(MANY_INPUTS, **variables)

    def test_sizes_beyond_64_bits_and_beyond_memory(self):
        for variables in ({}, {"DYNACC_TIER_UP": "0"}):
            self.same(TOO_LARGE, **variables)

    def test_thread_counts(self):
        for threads in ("0", "1", "3", "10000"):
            log = self.same(PROGRAM, DYNACC_THREADS=threads, DYNACC_TIER_UP="0")
            self.assertEqual(log, "")
        for threads in ("-1", "many", "99999999999999999999"):
            self.assertIn("ignored", self.same(PROGRAM, DYNACC_THREADS=threads))

    def test_older_cpus(self):
        for level in ("x86-64-v2", "x86-64-v3"):
            self.same(PROGRAM, DYNACC_CPU=level, DYNACC_TIER_UP="0")

    def test_each_pass_and_rule_switched_off(self):
        names = ["loop-compiler", "donate-memory"]
        for table in ("codegen/passes/passes.def", "codegen/schedule/rules.def"):
            rows = re.findall(r'^DYNACC_\w+\(\w+, "([\w-]+)", (?!kRequired|kForDevice)',
                              (SOURCE / table).read_text(encoding="utf-8"), re.M)
            self.assertGreater(len(rows), 5)
            names += rows
        for name in names:
            self.assertEqual(self.same(PROGRAM, DYNACC_DISABLE_PASSES=name, DYNACC_TIER_UP="0"), "", name)
        self.same(PROGRAM, DYNACC_DISABLE_PASSES=", ".join(names), DYNACC_TIER_UP="0")

    def test_a_million_calls_leave_nothing(self):
        done = run(GROWTH, DYNACC_TIER_UP="0")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(int(done.stdout), 2000, "kB")


if __name__ == "__main__":
    SOURCE, LAUNCHER = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(2))
    unittest.main()
