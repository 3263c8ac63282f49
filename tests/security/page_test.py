#!/usr/bin/env python3
"""docs/security.md: each promise names its test, and the test is there.

usage: page_test.py SOURCE
"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv[1])


def promises():
    """The rows of the table under "Promises": promise, how, tests."""
    page = (ROOT / "docs/security.md").read_text()
    section = page.split("## Promises")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("|")]
    return rows[2:]


class Page(unittest.TestCase):
    def test_each_promise_names_tests_that_are_there(self):
        self.assertGreater(len(promises()), 10)
        for promise, *_, tests in promises():
            with self.subTest(promise):
                self.assertRegex(tests, "^`tests/")
                for path, names in re.findall(r"`(tests/[\w/.]+)`(?:: ((?:`\w+`(?:, )?)+))?", tests):
                    source = (ROOT / path).read_text()
                    if "_fuzzer.cc" not in path:
                        self.assertTrue(names, f"{path}: which test?")
                    for name in re.findall(r"\w+", names):
                        self.assertRegex(source, rf"(TEST(_F)?\(\w+,\s*{name}\)|def {name}\()")

    def test_the_tests_are_run(self):
        """Each file that is named is one that a CMakeLists.txt of its folder knows."""
        for *_, tests in promises():
            for path in re.findall(r"`(tests/[\w/.]+)`", tests):
                lists = (ROOT / path).parent.joinpath("CMakeLists.txt").read_text()
                stem = pathlib.Path(path).name if path.endswith(".py") else pathlib.Path(path).stem.removesuffix("_fuzzer")
                self.assertIn(stem, lists, path)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
