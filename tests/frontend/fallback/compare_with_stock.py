"""Runs a program under the stock python and under step_python in each mode; the output must agree.

usage: compare_with_stock.py STEP_PYTHON PROGRAM
"""
import difflib
import os
import subprocess
import sys

MODES = [
    {},
    {"DYNACC_STEP_BODIES": "1"},
    {"DYNACC_STEP_BUDGET": "1"},
    {"DYNACC_STEP_NONE": "1"},
] + [{"DYNACC_STEP_LIMIT": str(limit)} for limit in (1, 2, 3, 5, 7, 13)]


def run(python, program, mode):
    environment = {"PATH": os.environ["PATH"], "PYTHONHASHSEED": "0", **mode}
    done = subprocess.run([python, program], env=environment, timeout=300,
                          capture_output=True, text=True)
    return f"{done.stdout}\n--- stderr\n{done.stderr}\n--- status {done.returncode}\n"


def main():
    step_python, program = sys.argv[1:]
    expected = run(sys.executable, program, {})
    failed = False
    for mode in MODES:
        actual = run(step_python, program, mode)
        if actual != expected:
            failed = True
            print("differs with", mode)
            print("\n".join(difflib.unified_diff(expected.splitlines(), actual.splitlines(),
                                                 "stock", "step_python", lineterm="")))
    sys.exit(failed)


main()
