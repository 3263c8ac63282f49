#!/usr/bin/env python3
"""Runs CPython's own tests under python3 and under the launcher and compares them test by test.

usage: compare.py LAUNCHER [-e NAME=VALUE ...] [--leaks] [MODULE...]

Without modules: SUBSET, some minutes. Every test must have the same outcome under both, so tests that
fail under python3 as well (for want of a network, a display, a user) say nothing and do no harm. Each
module runs in a process of its own, in which NumPy is imported first: before that the launcher does not
look at frames. With --leaks each module runs six times in its process, as by `-R 3:3`, and may leak
nothing that it does not leak under python3. Exits with 77 where the tests are not installed (Debian:
libpython3.X-testsuite).
"""
import argparse
import collections
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

PYTHON = sys.executable
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
    "test_opcache": ("TestRacesDoNotCrash", "test_assign_init_code"),
    "test_dis": ("test_loop_quicken", "test_show_caches", "test_super_instructions", "None /"),
    # It registers a co_extra destructor made by ctypes and never withdraws it. CPython calls every
    # registered destructor for each code object that has anyone's extra, here after ctypes is gone.
    "test_code": ("ended",),
}

# What `python3 -m test` does, with NumPy there. argv[0] is what tests of the command line expect.
START = "import numpy, runpy, sys; runpy.run_module('test', run_name='__main__', alter_sys=True)"

# For `-R`, which else wants an interpreter that counts all references: here it counts the blocks of
# memory in their place, as what leaks a reference to an object leaks its block.
START_LEAKS = "import sys, test.support; sys.gettotalrefcount = sys.getallocatedblocks; " + START
LEAK = re.compile(r"^(\S+) leaked (\[.*?\]) (.+), sum=", re.M)


def regrtest(python, start, options, variables, folder):
    """`python3 -m test` with these options, in a folder that is also its home."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": folder, "LANG": "C.UTF-8",
                   "PYTHONHASHSEED": "0", **variables}
    command = [python, "-c", start, *options]
    return subprocess.run(command, env=environment, cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def leaks(python, module, variables):
    """What a module leaks in each of its last runs, by the kind of it; and whether it ran."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["-R", "3:3", "--timeout", str(6 * TIMEOUT_SECONDS), module]
        done = regrtest(python, START_LEAKS, options, variables, folder)
    output = done.stdout.decode(errors="backslashreplace")
    found = {kind: deltas for _, deltas, kind in LEAK.findall(output)}
    return found, "123456" in output and done.returncode >= 0, output


def compare_leaks(launcher, module, variables):
    """Lines that say what the launcher leaks and python3 does not."""
    expected, has_run, _ = leaks(PYTHON, module, {})
    actual, has_run_here, output = leaks(launcher, module, variables)
    lines = [f"  launcher leaks {deltas} {kind}" for kind, deltas in actual.items() if kind not in expected]
    if has_run and not has_run_here and "ended" not in KNOWN.get(module, ()):
        lines.append(f"  launcher did not run it:\n{output[-2000:]}")
    told = "not run" if not has_run else f"leaks {', '.join(expected) or 'nothing'} under python3"
    print(f"{module}: {told},", "DIFFERENT" if lines else "the launcher no more", flush=True)
    return lines


def run(python, module, variables):
    """The outcome of each test of a module; under "" how the run as a whole ended."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.xml")
        options = ["-v", "--timeout", str(TIMEOUT_SECONDS), "--junit-xml", report, module]
        done = regrtest(python, START, options, variables, folder)
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


def compare_outcomes(launcher, module, variables):
    """Lines that say which tests end otherwise, and what they print."""
    expected, _ = run(PYTHON, module, {})
    actual, output = run(launcher, module, variables)
    lines = [line for line in differences(expected, actual)
             if not any(word in line for word in KNOWN.get(module, ()))]
    print(f"{module}: {sum(actual.values()) - 1} tests,", "DIFFERENT" if lines else "same", flush=True)
    return [*lines, excerpt(output, lines)] if lines else []


def main():
    if importlib.util.find_spec("test.test_grammar") is None:
        print("skipped: CPython's tests are not installed (Debian: libpython3.X-testsuite)")
        return 77
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("launcher")
    parser.add_argument("-e", dest="variables", action="append", default=[])
    parser.add_argument("--leaks", action="store_true")
    parser.add_argument("modules", nargs="*")
    arguments = parser.parse_intermixed_args()
    launcher = os.path.abspath(arguments.launcher)
    variables = dict(v.split("=", 1) for v in arguments.variables) or {"DYNACC_POLICY": "always"}
    failed = []
    for module in arguments.modules or SUBSET:
        lines = (compare_leaks if arguments.leaks else compare_outcomes)(launcher, module, variables)
        if lines:
            failed.append(module)
            print(*lines, sep="\n", flush=True)
    print("different:", *failed or ["none"])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
