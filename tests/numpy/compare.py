#!/usr/bin/env python3
"""Runs NumPy's own tests under python3 and under the launcher and compares them test by test.

usage: compare.py LAUNCHER [-e NAME=VALUE ...] [--timeout SECONDS] [FILE...]

Files are relative to the numpy package (all.txt lists them); without any: SUBSET. Every test
must have the same outcome under both, so tests that fail under python3 as well say nothing and do no
harm. Each file runs in a process of its own. Exits with 77 where NumPy's tests or what they need are
not installed (Debian: python3-numpy, python3-pytest, python3-hypothesis).
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

PYTHON = "/usr/bin/python3.11"
TIMEOUT_SECONDS = 900  # of one run of one file, on a busy machine; test_multiarray takes longer, and 20 GB of memory
SUBSET = ["core/tests/test_ufunc.py"]

# Tests that count references to objects of NumPy's own, which compiled entries refer to as well (docs/limits.md).
COUNTS_REFERENCES = {
    "core/tests/test_api.py": ["::test_array_array"],  # to numpy.float64
    "core/tests/test_indexing.py": ["TestIndexing::test_small_regressions"],  # to dtype('int64')
    "core/tests/test_mem_policy.py": ["::test_new_policy"],  # which runs all of numpy.core's tests
}

# Where NumPy is, if all that its tests need is there.
PROBE = "import hypothesis, numpy.core.tests, os, pytest; print(os.path.dirname(numpy.__file__))"

# What tests that ask for much memory may find (numpy.testing), if it is said.
MEMORY = {name: os.environ[name] for name in ["NPY_AVAILABLE_MEM"] if name in os.environ}


def numpy_folder():
    done = subprocess.run([PYTHON, "-c", PROBE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.decode().strip() if done.returncode == 0 else None


def run(python, path, variables, timeout):
    """(The outcome of each test of a file, under "" how the run ended; the output; the counters.)"""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.xml")
        stats = os.path.join(folder, "stats.json")
        environment = {"PATH": "/usr/bin:/bin", "HOME": folder, "LANG": "C.UTF-8",
                       "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1",
                       "DYNACC_STATS": stats, **MEMORY, **variables}
        command = [python, "-m", "pytest", "-v", "--tb=short", "-p", "no:cacheprovider",
                   "--hypothesis-seed=0", "--rootdir", folder, "--junitxml", report, path]
        try:
            done = subprocess.run(command, env=environment, cwd=folder, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=timeout)
            output, ended = done.stdout, f"ended with {done.returncode}"
        except subprocess.TimeoutExpired as late:
            output, ended = late.stdout or b"", "timed out"
        outcomes = read_report(report) if os.path.exists(report) else collections.Counter()
        outcomes["", ended] += 1
        counters = {}
        if os.path.exists(stats):
            with open(stats, encoding="utf-8") as file:
                counters = json.load(file)
        return outcomes, output.decode(errors="backslashreplace"), counters


def read_report(path):
    """How often each test, by name and outcome; skipped and expected to fail are told apart."""
    outcomes = collections.Counter()
    for case in ElementTree.parse(path).iter("testcase"):
        kinds = [child.tag + " " + child.get("type", "") for child in case
                 if child.tag in ("error", "failure", "skipped")]
        name = f"{case.get('classname', '').split('.')[-1]}::{case.get('name')}"
        outcomes[name, " ".join(kinds).strip() or "passed"] += 1
    return outcomes


def without(outcomes, names):
    """The outcomes of the other tests; if there are names, not how the run ended, either."""
    left_out = {*names, ""} if names else ()
    return collections.Counter({key: n for key, n in outcomes.items() if key[0] not in left_out})


def differences(expected, actual):
    lines = [f"  python3: {name} {outcome}" for name, outcome in sorted(expected - actual)]
    return lines + [f"  launcher: {name} {outcome}" for name, outcome in sorted(actual - expected)]


def main():
    folder = numpy_folder()
    if folder is None:
        print("skipped: NumPy's tests, pytest or hypothesis are not installed")
        return 77
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("launcher")
    parser.add_argument("-e", dest="variables", action="append", default=[])
    parser.add_argument("--timeout", type=float, default=TIMEOUT_SECONDS)
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_intermixed_args()
    launcher = os.path.abspath(arguments.launcher)
    variables = dict(v.split("=", 1) for v in arguments.variables) or {"DYNACC_POLICY": "always"}
    failed = []
    for name in arguments.files or SUBSET:
        path = os.path.join(folder, name)
        expected, _, _ = run(PYTHON, path, {}, arguments.timeout)
        actual, output, counters = run(launcher, path, variables, arguments.timeout)
        excused = COUNTS_REFERENCES.get(name, [])
        lines = differences(without(expected, excused), without(actual, excused))
        entries = counters.get("entries_hit", 0)
        # The comparison would prove nothing. Code that runs once is left alone by other policies.
        if entries == 0 and variables.get("DYNACC_POLICY") == "always":
            lines.append("  launcher: no compiled segment was run")
        same = f"same without {len(excused)} that count references" if excused else "same"
        print(f"{name}: {sum(actual.values()) - 1} tests, {entries} runs of compiled segments,",
              "DIFFERENT" if lines else same, flush=True)
        if lines:
            failed.append(name)
            _, title, failures = output.partition("= FAILURES =")
            print(*lines, (title + failures)[:20000] or output[-4000:], sep="\n", flush=True)
    print("different:", *failed or ["none"])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
