"""What the loader has to bring for the extension module, which each program with arrays pays for.

usage: core_libraries_test.py MODULE OWN_ABSEIL
"""
import re
import subprocess
import sys
import unittest

FROM_THE_SYSTEM = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}


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


if __name__ == "__main__":
    MODULE = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
