#!/usr/bin/env python3
"""Runs CPython's own tests under python3 and under the launcher and compares them test by test.

usage: compare.py LAUNCHER [-e NAME=VALUE ...] [MODULE...]

Without modules: SUBSET, some minutes. Every test must have the same outcome under both, so tests that
fail under python3 as well (for want of a network, a display, a user) say nothing and do no harm. Each
module runs in a process of its own, in which NumPy is imported first: before that the launcher does not
look at frames. Exits with 77 where the tests are not installed (Debian: libpython3.11-testsuite).
"""
import argparse
import collections
import importlib.util
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

PYTHON = "/usr/bin/python3.11"
TIMEOUT_SECONDS = 400
SUBSET = """
    test_baseexception test_call test_class test_contextlib test_coroutines test_dataclasses
    test_decorators test_descr test_dynamic test_except_star test_exceptions test_extcall test_frame
    test_gc test_generators test_grammar test_inspect test_listcomps test_named_expressions test_patma
    test_raise test_scope test_super test_sys_setprofile test_sys_settrace test_traceback
    test_unpack_ex test_weakref test_with test_yield_from
""".split()

# What must differ, and why: words of the names of tests (docs/limits.md).
KNOWN = {
    # Captured code is not specialised by CPython's loop, and calls are not while an evaluator is set.
    "test_dis": ("test_loop_quicken", "test_show_caches", "test_super_instructions", "None /"),
    # It registers a co_extra destructor made by ctypes and never withdraws it. CPython calls every
    # registered destructor for each code object that has anyone's extra, here after ctypes is gone.
    "test_code": ("ended",),
}

# What `python3 -m test` does, with NumPy there. argv[0] is what tests of the command line expect.
START = "import numpy, runpy, sys; runpy.run_module('test', run_name='__main__', alter_sys=True)"


def run(python, module, variables):
    """The outcome of each test of a module; under "" how the run as a whole ended."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.xml")
        environment = {"PATH": "/usr/bin:/bin", "HOME": folder, "LANG": "C.UTF-8",
                       "PYTHONHASHSEED": "0", **variables}
        command = [python, "-c", START, "-v", "--timeout", str(TIMEOUT_SECONDS),
                   "--junit-xml", report, module]
        done = subprocess.run(command, env=environment, cwd=folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        outcomes = read_report(report) if os.path.exists(report) else collections.Counter()
        # regrtest says 2 for failed tests, which are compared one by one.
        outcomes["", "ended by a signal" if done.returncode < 0 else "ended"] += 1
        return outcomes, done.stdout.decode(errors="backslashreplace")


def read_report(path):
    """How often each test, by name and outcome: one that runs twice counts twice."""
    outcomes = collections.Counter()
    for case in ElementTree.parse(path).iter("testcase"):
        kinds = [child.tag for child in case if child.tag in ("error", "failure", "skipped")]
        # Sub-tests are children of their test: their number is part of what happened.
        status = case.get("status", "") + "/" + case.get("result", "")
        outcomes[str(case.get("name")), " ".join(kinds) or status] += 1
    return outcomes


def differences(expected, actual):
    lines = [f"  python3: {name} {outcome}" for name, outcome in sorted(expected - actual)]
    return lines + [f"  launcher: {name} {outcome}" for name, outcome in sorted(actual - expected)]


def excerpt(output, lines):
    """The parts of the launcher's output that tell of the failures among `lines`."""
    names = {line.split()[1].split(".")[-1] for line in lines if line.split()[1:]}
    blocks = output.split("=" * 70)
    told = [block[:4000] for block in blocks[1:] if any(name in block[:200] for name in names)]
    return "".join(told) or output[-4000:]


def main():
    if importlib.util.find_spec("test.test_grammar") is None:
        print("skipped: CPython's tests are not installed (Debian: libpython3.11-testsuite)")
        return 77
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("launcher")
    parser.add_argument("-e", dest="variables", action="append", default=[])
    parser.add_argument("modules", nargs="*")
    arguments = parser.parse_intermixed_args()
    launcher = os.path.abspath(arguments.launcher)
    variables = dict(v.split("=", 1) for v in arguments.variables) or {"DYNACC_POLICY": "always"}
    failed = []
    for module in arguments.modules or SUBSET:
        expected, _ = run(PYTHON, module, {})
        actual, output = run(launcher, module, variables)
        lines = [line for line in differences(expected, actual)
                 if not any(word in line for word in KNOWN.get(module, ()))]
        print(f"{module}: {sum(actual.values()) - 1} tests,", "DIFFERENT" if lines else "same",
              flush=True)
        if lines:
            failed.append(module)
            print(*lines, excerpt(output, lines), sep="\n", flush=True)
    print("different:", *failed or ["none"])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
