#!/usr/bin/env python3
"""W^X: while captured code compiles, loads and runs, no page is writable and executable, nor ever was; and every file
whose code is mapped belongs to this user or root and is not for others to write.

usage: mapped_code_test.py LAUNCHER
"""
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

LAUNCHER = ""
# Kernels, a compiled loop over elements, and a thread that looks at the maps all the time.
PROGRAM = r"""
import numpy as np, threading, time
looks, bad, stop = [0], set(), []
def lines():
    with open("/proc/self/maps") as file: return file.read().splitlines()
def look():
    while not stop:
        looks[0] += 1
        bad.update(line for line in lines() if "w" in line.split()[1] and "x" in line.split()[1])
        time.sleep(0.001)
thread = threading.Thread(target=look); thread.start()
def f(a, b): return np.sqrt(a * b + 1) - a
def g(a, k): return np.exp(a * 0.25) + np.tanh(a - k)
def prefix(a):
    total = 0.0
    for i in range(len(a)):
        total = total * 0.5 + a[i]
        a[i] = total
    return total
end = time.monotonic() + 60
while looks[0] < 20 and time.monotonic() < end:
    f(np.arange(900.0), np.arange(900.0)); g(np.arange(50.0, dtype="f4"), 2)
    prefix(np.arange(20000.0))
stop.append(1); thread.join()
import dynacc
print("looks", looks[0] >= 20)
print("writable and executable:", sorted(bad))
print("kernels", dynacc.stats()["kernels_compiled"] + dynacc.stats()["kernel_cache_hits"])
print("anonymous code", sum(1 for l in lines() if l.split()[1] == "r-xp" and len(l.split()) == 5))
for l in lines():
    if "x" in l.split()[1] and len(l.split()) > 5: print("file", l.split(None, 5)[5])
"""
INHERITED = {k: v for k, v in os.environ.items() if not k.startswith(("DYNACC_", "PYTHON"))}


class MappedCode(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cache = self.folder / "cache"

    def output(self, *before, target="cpu", **variables):
        environment = INHERITED | {"DYNACC_POLICY": "always", "DYNACC_TIER_UP": "0", "DYNACC_TARGET": target,
                                   "DYNACC_CACHE_DIR": str(self.cache)} | variables
        done = subprocess.run([*before, LAUNCHER, "-c", PROGRAM], env=environment, capture_output=True, text=True,
                              timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def assert_no_page_is_both(self, out):
        self.assertIn("looks True\n", out)
        self.assertIn("writable and executable: []\n", out)
        self.assertGreater(int(re.search(r"kernels (\d+)", out)[1]), 0, "nothing was captured")
        self.assertGreater(int(re.search(r"anonymous code (\d+)", out)[1]), 0, "no compiled kernel was loaded")

    def test_no_page_is_writable_and_executable(self):
        self.assert_no_page_is_both(self.output())  # compiled
        self.assert_no_page_is_both(self.output())  # from the cache
        self.assert_no_page_is_both(self.output(DYNACC_TIER_UP="2"))  # in the background

    def test_files_with_code_are_trusted_and_none_is_the_caches(self):
        files = {line[5:] for line in self.output().splitlines() if line.startswith("file /")}
        self.assertTrue(any("_dynacc" in name for name in files), files)
        for name in files:
            self.assertFalse(name.startswith(str(self.cache)), name)
            info = os.stat(name)
            self.assertIn(info.st_uid, (0, os.geteuid()), name)
            self.assertEqual(info.st_mode & (stat.S_IWGRP | stat.S_IWOTH), 0, name)

    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_no_call_asked_for_such_a_page(self):
        log = self.folder / "calls"
        self.output("strace", "-f", "-qq", "-o", str(log), "-e", "trace=mmap,mprotect,pkey_mprotect,shmat,memfd_create")
        calls = log.read_text().splitlines()
        self.assertTrue(any("PROT_READ|PROT_EXEC" in call for call in calls))
        self.assertEqual([call for call in calls if "PROT_WRITE" in call and "PROT_EXEC" in call], [])
        self.assertEqual([call for call in calls if "memfd_create" in call], [])


if __name__ == "__main__":
    LAUNCHER = sys.argv.pop(1)
    unittest.main()
