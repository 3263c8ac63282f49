#!/usr/bin/env python3
"""What README.md and docs/ say to type works, and the links and variables in them exist.

usage: readme_test.py ROOT BUILD [unittest arguments]

`./dev build` and `./dev test` are not run from here (they lead here); that ./dev knows them is checked. Paths are
looked at by tests/layering/check_mentions.py, code blocks run by pages_test.py.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from pages import code_blocks, pages

ROOT = pathlib.Path()
BUILD = pathlib.Path()
PYTHON = sys.executable
INHERITED = {k: v for k, v in os.environ.items() if not k.startswith(("DYNACC_", "PYTHON"))}
VARIABLE = re.compile(r"\bDYNACC_[A-Z0-9_]*[A-Z0-9]\b(?!\()")


def names_that_are_read():
    """Options, CMake's variables, what ./dev and tests read of the environment, and the names of public headers."""
    whole = [ROOT / "runtime/base/options.def", ROOT / "dev", ROOT / "CMakeLists.txt", ROOT / "embed/include/dynacc/dynacc.h",
             ROOT / "codegen/extensions/dynacc/extension.h", *(ROOT / "cmake").glob("*.cmake")]
    names = {name for path in whole for name in VARIABLE.findall(path.read_text(encoding="utf-8"))}
    for path in (ROOT / "tests").rglob("*"):
        if path.suffix in {".cc", ".py"}:
            reading = [line for line in path.read_text(encoding="utf-8").splitlines() if re.search(r"getenv|environ|kVariables", line)]
            names.update(VARIABLE.findall("\n".join(reading)))
    return names


class Readme(unittest.TestCase):
    def bash(self, script, **variables):
        with tempfile.TemporaryDirectory() as cache:
            return subprocess.run(["bash", "-euc", script], env=INHERITED | {"DYNACC_CACHE_DIR": cache} | variables,
                                  capture_output=True, text=True, cwd=self.folder(), timeout=200)

    def folder(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        return temporary.name

    def test_every_command_of_dev_is_known(self):
        shown = subprocess.run([ROOT / "dev"], capture_output=True, text=True, check=True).stdout
        known = set(re.findall(r"^  (\w+)", shown, re.M))
        for page in pages(ROOT):
            for command in re.findall(r"\./dev +([a-z]+)", page.read_text(encoding="utf-8")):
                self.assertIn(command, known, page.name)
        wrong = subprocess.run([ROOT / "dev", "no-such-command"], capture_output=True, text=True)
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))

    def test_another_debian_is_one_of_the_table(self):
        rows = [line.split() for line in (ROOT / "tools/distributions.txt").read_text().splitlines() if line[0] != "#"]
        for arguments, words in ((["debian1", "test"], "'debian1' is none of: " + " ".join(name for name, _ in rows)),
                                 ([rows[0][0]], f"which command? For example: ./dev on {rows[0][0]} test")):
            done = subprocess.run([ROOT / "dev", "on", *arguments], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(words, done.stderr)

    def test_the_one_minute_example(self):
        _, script = next(block for block in code_blocks(ROOT / "README.md") if "hello.py" in block[1])
        script = script.replace("./dev build dynacc-python\n", "")
        script = script.replace("build/release/dynacc-python", str(BUILD / "dynacc-python"))
        done = self.bash(script)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(float(done.stdout), float(self.bash(
            script.replace(str(BUILD / "dynacc-python"), PYTHON)).stdout))
        for text in ("dynacc[graph] ", "sqrt %", "dynacc[kernels] ", 'extern "C" void'):
            self.assertIn(text, done.stderr)

    def test_demo(self):
        done = self.bash(f"{PYTHON} {ROOT}/tools/demo.py {BUILD}/dynacc-python --quick "
                         f"{ROOT}/examples/black_scholes.py 20000 6")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for text in ("same output, byte for byte, as python3: yes", "segments_compiled", "-- captured segments",
                     "black_scholes (examples/black_scholes.py:", "-- graph breaks", 'extern "C" void', "times as fast"):
            self.assertIn(text, done.stdout)

    def test_links(self):
        for page in pages(ROOT):
            text = page.read_text(encoding="utf-8")
            for target in re.findall(r"\]\(([^)#:]+)\)", text):
                self.assertTrue((page.parent / target).exists(), f"{page.name}: {target}")

    def test_variables(self):
        known = names_that_are_read()
        for page in pages(ROOT):
            for variable in VARIABLE.findall(page.read_text(encoding="utf-8")):
                self.assertIn(variable, known, page.name)


if __name__ == "__main__":
    ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
