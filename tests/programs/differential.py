#!/usr/bin/env python3
"""Runs a program under python3 and under the launcher and compares everything that can be seen.

usage: differential.py [--only] [--skip WORD,...] LAUNCHER PROGRAM [NAME=VALUE[,NAME=VALUE...] ...]

Each run of the launcher must give python3's stdout, stderr (warnings and tracebacks included) and exit
status, byte for byte. It is run with each policy, with an empty kernel cache and with a filled one.
The line `# test: WORD...` of a program adds the runs of SETTINGS. NAME=VALUE adds a run with that
variable set (DYNACC_TARGET=tile), or several; --only leaves out the other runs. A program with a word
that --skip names is not run: the exit status is 77. A program that runs differently from one run of
python3 to the next is refused: it would prove nothing.
"""
import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PYTHON = sys.executable
TIMEOUT_SECONDS = 300
SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent
HELPERS = HERE / "helpers"  # modules that programs import

# What a word of the line `# test:` adds to a program's runs.
SETTINGS = {
    # Every kernel is compiled before it first runs: for this machine's own CPU, and for older ones,
    # whose branches of the kernels' prelude no other test takes.
    "compiled": ["DYNACC_TIER_UP=0", "DYNACC_TIER_UP=0,DYNACC_CPU=x86-64-v3",
                 "DYNACC_TIER_UP=0,DYNACC_CPU=x86-64-v2"],
    # An `if` on an array's value is a part of the graph from the first trace on.
    "both-sides": ["DYNACC_BRANCHES_AFTER=0", "DYNACC_BRANCHES_AFTER=5"],
    # Matrix products by oneDNN, with both kinds of kernels; what is printed does not show last digits.
    "fast-math": ["DYNACC_FAST_MATH=1,DYNACC_TIER_UP=0", "DYNACC_FAST_MATH=1,DYNACC_TARGET=tile",
                  "DYNACC_FAST_MATH=1,DYNACC_THREADS=1", "DYNACC_FAST_MATH=1,DYNACC_ONEDNN_LIBRARY=none"],
}
# Words that other tests and the build read. README.md says what each means.
OTHER_WORDS = {"cuda", "numpy2", "not-sanitized", "signals-at-once"}


def words(program):
    """The words of the program's line `# test: WORD...`."""
    line = re.search(r"^# test: (.*)$", pathlib.Path(program).read_text(encoding="utf-8"), re.M)
    found = line[1].split() if line else []
    unknown = set(found) - SETTINGS.keys() - OTHER_WORDS
    if unknown:
        sys.exit(f"{program}: no test has the word {', '.join(sorted(unknown))}")
    return found


def programs(word=None):
    """The programs of all rooms, or those with the word."""
    return [path for path in sorted(HERE.glob("*/*.py"))
            if path.parent != HELPERS and (word is None or word in words(path))]


def run(executable, program, **variables):
    inherited = {k: v for k, v in os.environ.items()
                 if not k.startswith(("DYNACC_", "PYTHON")) or k == "PYTHONMALLOC"}  # ./dev sets it for sanitizers
    environment = inherited | {"PYTHONHASHSEED": "0", "PYTHONPATH": str(HELPERS)} | variables
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


def configurations(program, extra, only):
    if not only:
        yield "default policy, empty cache", {}
        yield "always, empty cache", {"DYNACC_POLICY": "always"}
        yield "always, filled cache", {"DYNACC_POLICY": "always"}
        extra = extra + [setting for word in words(program) for setting in SETTINGS.get(word, [])]
    for assignments in extra:
        variables = dict(assignment.split("=", 1) for assignment in assignments.split(","))
        yield f"always, {assignments}", {"DYNACC_POLICY": "always"} | variables


def cache_folder(root, title, variables):
    shared = variables.get("DYNACC_POLICY") == "always" and "=" not in title
    return os.path.join(root, "always" if shared else title)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--only", action="store_true")
    parser.add_argument("--skip", default="")
    parser.add_argument("launcher")
    parser.add_argument("program")
    parser.add_argument("extra", nargs="*")
    options = parser.parse_args()
    skipped = set(options.skip.split(",")) & set(words(options.program))
    if skipped:
        print(f"skipped: {options.program} has the word {', '.join(sorted(skipped))}")
        return SKIPPED
    expected = run(PYTHON, options.program)
    if differences(expected, run(PYTHON, options.program)):
        print(f"{options.program}: two runs of python3 differ")
        return 1
    failed = 0
    with tempfile.TemporaryDirectory() as root:
        for title, variables in configurations(options.program, options.extra, options.only):
            cache = cache_folder(root, title, variables)
            actual = run(options.launcher, options.program, DYNACC_CACHE_DIR=cache, **variables)
            lines = differences(expected, actual)
            print(f"{title}: {'DIFFERENT' if lines else 'same'}")
            print(*lines, sep="\n", end="\n" if lines else "")
            failed += bool(lines)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
