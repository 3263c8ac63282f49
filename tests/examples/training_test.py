#!/usr/bin/env python3
"""Runs an example that imports dynacc: under a stock python3 where nothing is captured but what it differentiates, and
under the launcher with several settings. Each run must end well and print the same bytes.

usage: training_test.py LAUNCHER EXTENSION PROGRAM [PYTHON]

EXTENSION is the folder of the extension module, for the stock interpreter PYTHON (default: the one that runs this). What a
program needs and is not there it says in a line that begins with "skipped" or "not"; then the test says so, too.
"""
import os
import subprocess
import sys
import tempfile

INHERITED = {k: v for k, v in os.environ.items() if not k.startswith(("DYNACC_", "PYTHON")) or k == "PYTHONMALLOC"}
# Threads of OpenBLAS wait for each other by spinning, which takes minutes where other tests have the cores.
INHERITED["OPENBLAS_NUM_THREADS"] = "1"
SETTINGS = [{}, {"DYNACC_TARGET": "tile"}, {"DYNACC_TIER_UP": "0", "DYNACC_CAPTURE_AFTER": "0"}]


def run(executable, program, cache, **variables):
    done = subprocess.run([executable, program], env=INHERITED | {"DYNACC_CACHE_DIR": cache} | variables,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=280)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{executable} {variables}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    launcher, extension, program, *others = sys.argv[1:]
    python = others[0] if others else sys.executable
    with tempfile.TemporaryDirectory() as cache:
        expected = run(python, program, cache, PYTHONPATH=extension)
        if expected.startswith("skipped"):
            print(expected, end="")
            return 77
        # A launcher has Debian's NumPy, whose products another NumPy's need not equal.
        for variables in [] if others else SETTINGS:
            found = run(launcher, program, cache, **variables)
            if found != expected:
                sys.exit(f"under the launcher with {variables} it prints\n{found}and under python3\n{expected}")
    print(expected, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
