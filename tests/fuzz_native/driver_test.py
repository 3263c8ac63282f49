#!/usr/bin/env python3
"""seeded_main.cc: runs that are clean and runs that find something, what they print, and that a seed gives the same input.

usage: driver_test.py PLANTED_FUZZER [unittest arguments]
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

FUZZER = ""


class Driver(unittest.TestCase):
    def run_fuzzer(self, *arguments, planted="none"):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([FUZZER, "--save", folder, *arguments], capture_output=True, text=True, timeout=100,
                                  env=os.environ | {"PLANTED": planted})
            saved = [path.read_bytes() for path in pathlib.Path(folder).iterdir()]
        return done.returncode, done.stdout, done.stderr, saved

    def test_a_clean_run_counts_its_executions(self):
        status, out, _, saved = self.run_fuzzer("--seed", "7", "--runs", "500")
        self.assertEqual((status, out.splitlines()[-1], saved), (0, "executions: 500", []))
        status, out, _, _ = self.run_fuzzer("--seconds", "0.2")
        self.assertEqual(status, 0)
        self.assertRegex(out, r"seed: \d+\nexecutions: [1-9]\d*\n$")

    def test_each_kind_of_bug_is_found_and_reproduced(self):
        for planted, how in (("requires", "Aborted"), ("crashes", "Segmentation fault"), ("exits", "exited with 0")):
            with self.subTest(planted):
                status, out, err, saved = self.run_fuzzer("--seed", "1", "--runs", "100000", planted=planted)
                self.assertEqual(status, 1, out)
                self.assertIn(how, out)
                self.assertEqual("found it" in err, planted == "requires")
                (content,) = saved
                self.assertTrue(content.startswith(b"t") and b"\xff" in content, content)
                command = re.search(r"--seed \d+ --runs 1", out).group().split()
                again = self.run_fuzzer(*command, planted=planted)
                self.assertEqual((again[0], again[3]), (1, saved))
                self.assertRegex(again[1], "executions: 0\n$")
                self.assertEqual(self.run_fuzzer(*command)[0], 0)

    def test_a_saved_input_can_be_run(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"the \xff")
            file.flush()
            self.assertEqual(self.run_fuzzer("--input", file.name, planted="crashes")[0], 1)
            self.assertEqual(self.run_fuzzer("--input", file.name)[0], 0)

    def test_wrong_arguments_are_told_of(self):
        for arguments in (["--sed", "1"], ["--seed"]):
            status, _, err, _ = self.run_fuzzer(*arguments)
            self.assertEqual(status, 2)
            self.assertIn("usage: ", err)
        self.assertIn("cannot read /dev/null/x", self.run_fuzzer("--input", "/dev/null/x")[2])


if __name__ == "__main__":
    FUZZER = sys.argv.pop(1)
    unittest.main()
