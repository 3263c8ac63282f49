#!/usr/bin/env python3
"""Runs other packages' own test files under python3 and under the launcher and compares them test by test.

usage: packages.py LAUNCHER [--venv FOLDER] [--timeout SECONDS] [--keep FOLDER] [-s SETTING ...] [FILE...]

The packages are those of a virtual environment, FOLDER or $DYNACC_TEST_PACKAGES, made once with

    python3 -m venv --system-site-packages FOLDER
    FOLDER/bin/pip install -r tests/third_party/requirements.txt

A FILE is relative to its site-packages (scipy/signal/tests/test_windows.py); without any: those that files.txt
marks quick. A SETTING is NAME=VALUE, several joined by `+`; without any: each of SETTINGS. Every test must
have the same outcome as under python3, so tests that fail there as well say nothing and do no harm; a test
that python3 itself ends in two ways is left out. --keep holds on to the output of runs that differ. Exits
with 77 (skipped) where no environment is named.
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

PYTHON = "/usr/bin/python3.11"
HERE = pathlib.Path(__file__).parent
TIMEOUT_SECONDS = 300  # of python3's run of a file; the launcher may take LAUNCHER_FACTOR times as long
LAUNCHER_FACTOR = 5
# Everything is captured, at the first call: by library loops at first, by compiled kernels at once; and as the
# launcher does it, but without the millisecond that code must have run for.
SETTINGS = ["DYNACC_POLICY=always", "DYNACC_POLICY=always+DYNACC_TIER_UP=0", "DYNACC_CAPTURE_AFTER=0"]

# Tests that differ, and why: words of their names, by file.
KNOWN = {}

Run = collections.namedtuple("Run", "outcomes output seconds")


def environment(venv, folder, variables):
    site = next(pathlib.Path(venv).glob("lib/python3.11/site-packages"))
    # One thread of OpenBLAS: sums in another order are no difference of ours.
    return {"PATH": "/usr/bin:/bin", "HOME": folder, "LANG": "C.UTF-8", "PYTHONPATH": str(site),
            "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg", "DYNACC_CACHE_DIR": os.path.join(folder, "cache"), **variables}


def run(python, venv, name, variables, timeout):
    """The outcome of each test of a file, under "" how the run ended."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.xml"
        settings = environment(venv, folder, variables)
        command = [python, "-X", "faulthandler", "-m", "pytest", "-v", "--tb=short", "-p", "no:cacheprovider",
                   "--hypothesis-seed=0", "--junitxml", report, os.path.join(settings["PYTHONPATH"], name)]
        start = time.monotonic()
        try:
            done = subprocess.run(command, env=settings, cwd=folder, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout)
            output, ended = done.stdout, f"ended with {done.returncode}"
        except subprocess.TimeoutExpired as late:
            output, ended = late.stdout or b"", "timed out"
        outcomes = read_report(report) if report.exists() else collections.Counter()
        outcomes["", ended] += 1
        return Run(outcomes, output.decode(errors="backslashreplace"), time.monotonic() - start)


def read_report(path):
    """How often each test, by name and outcome; skipped and expected to fail are told apart."""
    outcomes = collections.Counter()
    for case in ElementTree.parse(path).iter("testcase"):
        kinds = [child.tag + " " + child.get("type", "") for child in case
                 if child.tag in ("error", "failure", "skipped")]
        name = f"{case.get('classname', '').split('.')[-1]}::{case.get('name')}"
        outcomes[re.sub("0x[0-9a-f]{6,}", "0x", name), " ".join(kinds).strip() or "passed"] += 1
    return outcomes


def differences(expected, actual, known=(), unstable=frozenset()):
    def lines(who, outcomes):
        return [f"  {who}: {name} {outcome}" for name, outcome in sorted(outcomes)
                if name not in unstable and not any(word in name for word in known)]
    return lines("python3", expected - actual) + lines("launcher", actual - expected)


def names_in(outcomes):
    return {name for name, _ in outcomes}


class Comparison:
    def __init__(self, arguments):
        self.launcher = os.path.abspath(arguments.launcher)
        self.venv, self.timeout, self.keep = arguments.venv, arguments.timeout, arguments.keep
        self.tests, self.different, self.unusable = 0, [], []

    def file(self, name, settings):
        expected = run(PYTHON, self.venv, name, {}, self.timeout)
        if ("", "timed out") in expected.outcomes or len(expected.outcomes) == 1:
            print(f"{name}: no result under python3", flush=True)
            self.unusable.append(name)
            return
        for setting in settings:
            self.setting(name, setting, expected)

    def setting(self, name, setting, expected):
        variables = dict(part.split("=", 1) for part in setting.split("+"))
        actual = run(self.launcher, self.venv, name, variables, self.timeout * LAUNCHER_FACTOR)
        known = KNOWN.get(name, ())
        lines = differences(expected.outcomes, actual.outcomes, known)
        if lines:  # is it python3 that differs?
            again = run(PYTHON, self.venv, name, {}, self.timeout).outcomes
            unstable = names_in(again - expected.outcomes) | names_in(expected.outcomes - again)
            lines = differences(expected.outcomes, actual.outcomes, known, unstable)
        tests = sum(actual.outcomes.values()) - 1
        self.tests += tests
        print(f"{name} {setting}: {tests} tests, {expected.seconds:.1f} -> {actual.seconds:.1f} s,",
              "DIFFERENT" if lines else "same", flush=True)
        if lines:
            self.report(name, setting, lines, actual.output)

    def report(self, name, setting, lines, output):
        self.different.append(f"{name} {setting}")
        _, title, failures = output.partition("= FAILURES =")
        print(*lines[:40], (title + failures)[:6000] or output[-4000:], sep="\n", flush=True)
        if self.keep:
            kept = pathlib.Path(self.keep) / f"{name}.{setting}.log".replace("/", "_")
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text("\n".join(lines) + "\n" + output, encoding="utf-8")


def quick_files():
    rows = [line.split() for line in (HERE / "files.txt").read_text(encoding="utf-8").splitlines()]
    return [row[0] for row in rows if row[1:] == ["quick"]]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("launcher")
    parser.add_argument("--venv", default=os.environ.get("DYNACC_TEST_PACKAGES"))
    parser.add_argument("--timeout", type=float, default=TIMEOUT_SECONDS)
    parser.add_argument("--keep")
    parser.add_argument("-s", dest="settings", action="append")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_intermixed_args()
    if not arguments.venv:
        print("skipped: DYNACC_TEST_PACKAGES names no virtual environment with other packages (docs/contributing.md)")
        return 77
    comparison = Comparison(arguments)
    for name in arguments.files or quick_files():
        comparison.file(name, arguments.settings or SETTINGS)
    print(f"{comparison.tests} tests; without a result under python3: {comparison.unusable or 'none'};",
          f"different: {comparison.different or 'none'}")
    return 1 if comparison.different else 0


if __name__ == "__main__":
    sys.exit(main())
