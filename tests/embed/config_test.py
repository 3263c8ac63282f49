#!/usr/bin/env python3
"""dynacc.config, list_options, list_mode_options: the process's options from Python. usage: config_test.py LAUNCHER"""
import os
import subprocess
import sys
import threading
import unittest

import numpy as np

import dynacc

LAUNCHER = ""
A = np.linspace(0.5, 3.0, 1000)


def body(a):
    return np.sqrt(a * 2.0 + 1.0) - a


def run(code, *flags, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DYNACC_")} | variables
    return subprocess.run([LAUNCHER, *flags, *(["-c", code] if code else [])], env=environment, capture_output=True,
                          text=True, check=False)


class Table(unittest.TestCase):
    def test_every_option_has_its_words(self):
        rows = dynacc.list_options()
        names = [row.name for row in rows]
        self.assertEqual(len(names), len(set(names)))
        for name in ("target", "tier_up", "fast_math", "fuse_rows", "dead_code", "donate_memory", "recompile_limit", "logs"):
            self.assertIn(name, names)
        for row in rows:
            self.assertTrue(row.doc and row.doc == row.doc.strip(), row)
            self.assertIn(row.kind, ("bool", "int", "str", "path"))
            self.assertIn(row.scope, ("start", "process", "compilation"))
            self.assertEqual(row.variable == "" or row.variable == f"DYNACC_{row.name.upper()}", True, row)
            self.assertEqual(getattr(dynacc.config, row.name), row.value)
            self.assertIn(row.name, dir(dynacc.config))

    def test_each_option_of_a_compilation_is_taken(self):
        for row in dynacc.list_options():
            if row.scope == "compilation":
                f = dynacc.compile(body, options={row.name: row.value})
                self.assertEqual(f(A).tobytes(), body(A).tobytes(), row)
            else:
                with self.assertRaises(ValueError):
                    dynacc.compile(body, options={row.name: row.value})


class Config(unittest.TestCase):
    def test_set_and_read(self):
        before = dynacc.config.as_dict()
        dynacc.config.tier_up = 3
        self.assertEqual(dynacc.config.tier_up, 3)
        dynacc.config.tier_up = None
        self.assertIsNone(dynacc.config.tier_up)
        dynacc.config.tier_up = before["tier_up"]
        self.assertEqual(dynacc.config.as_dict(), before)
        self.assertIn("tier_up=", repr(dynacc.config))

    def test_patch(self):
        before = dynacc.config.as_dict()
        with dynacc.config.patch(target="tile", fuse_rows=False) as config:
            self.assertEqual((config.target, config.fuse_rows), ("tile", False))
            self.assertIn("fuse-rows", config.disable_passes)
            with dynacc.config.patch({"target": "reference"}):
                self.assertEqual(dynacc.config.target, "reference")
            self.assertEqual(dynacc.config.target, "tile")
        self.assertEqual(dynacc.config.as_dict(), before)
        with self.assertRaises(KeyError), dynacc.config.patch(target="tile"):
            raise KeyError
        self.assertEqual(dynacc.config.as_dict(), before)

        @dynacc.config.patch(tier_up=7)
        def inside():
            return dynacc.config.tier_up

        self.assertEqual((inside(), inside()), (7, 7))
        self.assertEqual(dynacc.config.as_dict(), before)

    def test_all_of_a_patch_or_none(self):
        before = dynacc.config.as_dict()
        for changes, error in (({"tier_up": 5, "target": "gpu"}, ValueError), ({"tier_up": 5, "tierup": 5}, AttributeError),
                               ({"tier_up": 5, "fast_math": "yes"}, TypeError)):
            with self.assertRaises(error), dynacc.config.patch(**changes):
                self.fail("it was entered")
            self.assertEqual(dynacc.config.as_dict(), before)

    def test_it_is_what_compilations_start_from(self):
        with dynacc.config.patch(target="reference", tier_up=0):
            followed, own = dynacc.compile(body), dynacc.compile(body, backend="tile")
            np.testing.assert_allclose(followed(A), body(A), rtol=1e-12)
            own(A)
            kernels = [dynacc.explain(f, fresh=False)(A).kernels[0] for f in (followed, own)]
        self.assertIn("reference", kernels[0])
        self.assertNotIn("reference", kernels[1])

    def test_bad_input(self):
        for error, text, name, value in ((ValueError, "did you mean 'target'", "taget", "cpu"),
                                         (ValueError, "DYNACC_CPU", "cpu", "x86-64-v2"), (TypeError, "tier_up", "tier_up", "2"),
                                         (ValueError, "power of two", "tile", 300), (ValueError, "1 to 16", "unroll", 17),
                                         (ValueError, "1 to 16", "unroll", 0), (ValueError, "threads", "threads", -1),
                                         (TypeError, "tier_up", "tier_up", True), (TypeError, "fast_math", "fast_math", 1),
                                         (ValueError, "no target", "target", "gpu"), (ValueError, "tier_up", "tier_up", -1),
                                         (ValueError, "no pass", "disable_passes", "magic"),
                                         (ValueError, "topic", "logs", "grap"), (TypeError, "logs", "logs", None),
                                         (ValueError, "recompile_limit", "recompile_limit", 10**10)):
            before = dynacc.config.as_dict()
            with self.subTest(name=name, value=value), self.assertRaisesRegex(error, text):
                setattr(dynacc.config, name, value)
            self.assertEqual(dynacc.config.as_dict(), before)
        with self.assertRaisesRegex(AttributeError, "did you mean 'target'"):
            dynacc.config.taget
        with self.assertRaises(AttributeError):
            del dynacc.config.target
        self.assertFalse(hasattr(dynacc.config, "no_such_thing"))

    def test_threads_compile_while_it_changes(self):
        wrong = []

        def work():
            for k in range(40):
                f = dynacc.compile(lambda a, k=k: np.sqrt(a * k + 1.0) - a, options={"tier_up": 1})
                if any(f(A).tobytes() != (np.sqrt(A * k + 1.0) - A).tobytes() for _ in range(3)):
                    wrong.append(k)

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            with dynacc.config.patch(fuse_rows=False, fuse_sibling=False):
                pass
        self.assertEqual(wrong, [])


class OfKernels(unittest.TestCase):
    def sources(self, **options):
        def exponentials(a):
            return np.exp(a * 2.0) + np.log(a)
        f = dynacc.compile(exponentials, options={"tier_up": 0} | options)
        self.assertEqual(f(A).tobytes(), exponentials(A).tobytes())
        return dynacc.explain(f, fresh=False)(A).kernels[0]

    def test_tile_and_unroll(self):
        plain = self.sources()
        self.assertIn("Buffer<F64, 1024>", plain)
        self.assertNotIn("unroll_count", plain)
        own = self.sources(tile=256, unroll=4)
        self.assertIn("Buffer<F64, 256>", own)
        self.assertIn("unroll_count(4)", own)
        with dynacc.config.patch(tile=512):
            self.assertIn("Buffer<F64, 512>", self.sources())
            self.assertIn("Buffer<F64, 128>", self.sources(tile=128))
        self.assertEqual(self.sources(), plain)

    def test_they_go_before_what_autotuning_finds(self):
        self.assertIn("Buffer<F64, 128>", self.sources(tile=128, autotune=True))

    def test_threads(self):
        code = """
import os, dynacc, numpy as np
def chain(a):
    return np.sqrt(a * 2.0 + 1.0) - a
def threads_after(**options):
    f = dynacc.compile(chain, options={"tier_up": 0} | options)
    f(np.ones(1 << 21))
    return len(os.listdir("/proc/self/task"))
one, two, all = threads_after(threads=1), threads_after(threads=2), threads_after()
print(one < two == all)
"""
        done = run(code, DYNACC_THREADS="3")
        self.assertEqual((done.stdout, done.stderr), ("True\n", ""))


class Environment(unittest.TestCase):
    def test_variables_are_its_first_values(self):
        code = "import dynacc; print(dynacc.config.target, dynacc.config.tier_up, dynacc.config.dead_code)"
        done = run(code, DYNACC_TARGET="tile", DYNACC_TIER_UP="4", DYNACC_DISABLE_PASSES="dead_code")
        self.assertEqual((done.stdout, done.stderr), ("tile 4 False\n", ""))

    def test_info_shows_it(self):
        done = run("", "--dynacc-info", DYNACC_TIER_UP="4")
        self.assertIn("DYNACC_TIER_UP=4", done.stdout)
        self.assertIn("DYNACC_RECOMPILE_LIMIT (not set)", done.stdout)

    def test_what_kernels_cannot_have(self):
        done = run("import dynacc; print(dynacc.config.tile, dynacc.config.unroll)", DYNACC_TILE="100", DYNACC_UNROLL="2")
        self.assertEqual(done.stdout, "None None\n")
        self.assertIn("tile is a power of two from 128 to 4096, not 100; ignored", done.stderr)

    def test_unknown_variables(self):
        done = run("print(1)", DYNACC_TARGE="tile", DYNACC_OF_ANOTHER_PROGRAM="1", DYNACC_THREDS="2")
        self.assertEqual(done.stdout, "1\n")
        self.assertEqual(sorted(done.stderr.splitlines()),
                         ["dynacc: warning: DYNACC_TARGE is no variable of DynaCC; did you mean DYNACC_TARGET?",
                          "dynacc: warning: DYNACC_THREDS is no variable of DynaCC; did you mean DYNACC_THREADS?"])


if __name__ == "__main__":
    LAUNCHER = sys.argv.pop(1)
    unittest.main()
