#!/usr/bin/env python3
"""check_rooms.py must find each kind of offence, and none in a clean tree."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_rooms


class CheckRoomsTest(unittest.TestCase):
    def offences(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return list(check_rooms.offences(pathlib.Path(folder)))

    CLEAN = {
        "runtime/a/CMakeLists.txt": "dynacc_library(runtime_a DEPS absl::span)\n",
        "runtime/a/a.h": "",
        "runtime/b/CMakeLists.txt": "dynacc_library(runtime_b\n  DEPS runtime_a)\n",
        "runtime/b/part/b.cc": '#include "runtime/a/a.h"\n',
    }

    def test_clean_tree(self):
        self.assertEqual(self.offences(self.CLEAN), [])

    def test_circle(self):
        found = self.offences(self.CLEAN | {
            "runtime/a/CMakeLists.txt": "dynacc_library(runtime_a DEPS runtime_b)\n",
            "runtime/a/a.h": '#include "runtime/b/b.h"\n', "runtime/b/b.h": ""})
        self.assertEqual(len(found), 1)
        self.assertIn("runtime/a/a.h includes runtime/b/b.h; runtime/b/part/b.cc includes runtime/a/a.h", found[0])

    def test_missing_edge(self):
        found = self.offences(self.CLEAN | {"runtime/b/CMakeLists.txt": "dynacc_library(runtime_b)\n"})
        self.assertIn("DEPS lacks runtime_a", found[0])

    def test_edge_without_an_include(self):
        found = self.offences(self.CLEAN | {"runtime/b/part/b.cc": ""})
        self.assertIn("nothing in the folder includes runtime/a", found[0])

    def test_name_of_another_folder(self):
        found = self.offences(self.CLEAN | {"runtime/a/CMakeLists.txt": "dynacc_library(runtime_c)\n"})
        self.assertIn("is named runtime_a, not runtime_c", found[0])


if __name__ == "__main__":
    unittest.main()
