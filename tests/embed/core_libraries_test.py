"""What the loader has to bring for the extension module, which each program with arrays pays for.

usage: core_libraries_test.py MODULE OWN_ABSEIL
"""
import os
import re
import subprocess
import sys
import unittest

FROM_THE_SYSTEM = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "libgcc_s.so.1"}

# Daemon threads that run captured code when the interpreter ends: CPython unwinds them through our frames.
DAEMONS = """
import threading, time
import numpy as np, dynacc
@dynacc.compile
def f(a):
    b = np.sin(a) * 2 + 1
    time.sleep(0.001)
    return b.sum()
def work():
    a = np.arange(1000.0)
    while True: f(a)
for _ in range(4): threading.Thread(target=work, daemon=True).start()
while dynacc.stats()["entries_hit"] < 40: time.sleep(0.01)
print("end")
"""


def dynamic_section(module):
    return subprocess.run(["readelf", "-Wd", "--dyn-syms", module], capture_output=True, text=True, check=True).stdout


class CoreLibrariesTest(unittest.TestCase):
    @unittest.skipUnless(sys.argv[2] == "ON", "Abseil stays beside the module")
    def test_few_libraries_are_needed(self):
        needed = set(re.findall(r"NEEDED\).*\[(.*)\]", dynamic_section(MODULE)))
        self.assertLessEqual({re.sub(r"\.so\..*", "", name) for name in needed - FROM_THE_SYSTEM},
                             {"libabsl_raw_hash_set", "libabsl_cordz_functions"})

    @unittest.skipUnless(sys.argv[2] == "ON", "Abseil stays beside the module")
    def test_two_names_are_exported(self):
        names = re.findall(r"GLOBAL DEFAULT +\d+ (\w+)$", dynamic_section(MODULE), re.M)
        self.assertEqual(sorted(names), ["DynaccCore", "PyInit__dynacc"])

    def test_daemon_threads_end_with_a_stock_interpreter(self):
        environment = {**os.environ, "PYTHONPATH": os.path.dirname(MODULE)}
        for _ in range(3):
            done = subprocess.run([sys.executable, "-c", DAEMONS], env=environment, capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "end\n", ""))


if __name__ == "__main__":
    MODULE = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
