#!/usr/bin/env python3
"""Runs a program under python3 and under the launcher and compares everything that can be seen.

usage: differential.py LAUNCHER [--only] PROGRAM [NAME=VALUE[,NAME=VALUE...] ...]

Each run of the launcher must give python3's stdout, stderr (warnings and tracebacks included) and exit
status, byte for byte. It is run with each policy, with an empty kernel cache and with a filled one.
NAME=VALUE adds a run with that variable set (DYNACC_TARGET=tile), or several; --only leaves out the
other runs. A program that runs differently from one run of python3 to the next is refused: it would
prove nothing.
"""
import difflib
import os
import re
import subprocess
import sys
import tempfile

PYTHON = "/usr/bin/python3.11"
TIMEOUT_SECONDS = 300


def run(executable, program, **variables):
    inherited = {k: v for k, v in os.environ.items()
                 if not k.startswith(("DYNACC_", "PYTHON")) or k == "PYTHONMALLOC"}  # ./dev sets it for sanitizers
    environment = inherited | {"PYTHONHASHSEED": "0"} | variables
    return subprocess.run([executable, program], env=environment, capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=TIMEOUT_SECONDS)


def without_warnings(output):
    """What the launcher itself prints: a sanitizer warns of allocations that are too large."""
    return re.sub(rb"==\d+==WARNING: \w+Sanitizer failed to allocate .*\n", b"", output)


def differences(expected, actual):
    """Readable lines; empty when the runs are the same."""
    lines = []
    if expected.returncode != actual.returncode:
        lines.append(f"exit status {actual.returncode}, python3 gives {expected.returncode}")
    for stream in ("stdout", "stderr"):
        want, got = getattr(expected, stream), without_warnings(getattr(actual, stream))
        if want != got:
            rows = difflib.unified_diff(
                want.decode(errors="backslashreplace").splitlines(),
                got.decode(errors="backslashreplace").splitlines(),
                f"python3 {stream}", f"launcher {stream}", lineterm="", n=1)
            lines += list(rows)[:40]
    return lines


def configurations(extra, only):
    if not only:
        yield "default policy, empty cache", {}
        yield "always, empty cache", {"DYNACC_POLICY": "always"}
        yield "always, filled cache", {"DYNACC_POLICY": "always"}
    for assignments in extra:
        variables = dict(assignment.split("=", 1) for assignment in assignments.split(","))
        yield f"always, {assignments}", {"DYNACC_POLICY": "always"} | variables


def cache_folder(root, title, variables):
    shared = variables.get("DYNACC_POLICY") == "always" and "=" not in title
    return os.path.join(root, "always" if shared else title)


def main():
    only = "--only" in sys.argv
    launcher, program, *extra = [argument for argument in sys.argv[1:] if argument != "--only"]
    expected = run(PYTHON, program)
    if differences(expected, run(PYTHON, program)):
        print(f"{program}: two runs of python3 differ")
        return 1
    failed = 0
    with tempfile.TemporaryDirectory() as root:
        for title, variables in configurations(extra, only):
            cache = cache_folder(root, title, variables)
            actual = run(launcher, program, DYNACC_CACHE_DIR=cache, **variables)
            lines = differences(expected, actual)
            print(f"{title}: {'DIFFERENT' if lines else 'same'}")
            print(*lines, sep="\n", end="\n" if lines else "")
            failed += bool(lines)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
