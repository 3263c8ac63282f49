#!/usr/bin/env python3
"""A NumPy 2: the programs with the word `numpy2` (tests/programs/README.md) have the same output as that Python, and as
much captured; NumPy's own functions are captured, and the tests of dynacc.Tensor and of gradients pass.

usage: numpy2_test.py LAUNCHER ROOT FOLDER [WORD...]

The NumPy is that of the virtual environments which DYNACC_TEST_NUMPY2 names, separated by colons, else the newest
2.x in an environment that is made in FOLDER with pip, and kept there. Exits with 77 (skipped) where pip cannot
install it. Programs with one of the WORDs are left out.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "programs"))
import differential

PYTHON = sys.executable
NUMPY = "numpy>=2,<2.6"  # those that numpy_api.cc knows
TESTS = [["array_api/names_test.py"], ["array_api/values_test.py"], ["array_api/protocols_test.py"],
         ["array_api/special_cases_test.py"],
         ["array_api/captured_test.py"], ["frontend/numpy/sampling_test.py"], ["frontend/numpy/inlined_test.py"],
         ["frontend/numpy/numpy2_calls_test.py"], ["embed/gradients_test.py"], ["embed/gradient_rules_test.py"],
         ["embed/gradient_faults_test.py", "Draws"], ["embed/program/program_test.py", "FastProducts.test_products_of_windows"],
         ["frontend/numpy/library_call_test.py", "LibraryCalls.test_every_row_is_captured", "LibraryCalls.test_errors_and_warnings"]]
SETTINGS = [{"DYNACC_POLICY": "hot"}, {"DYNACC_POLICY": "always"},
            {"DYNACC_POLICY": "always", "DYNACC_TIER_UP": "0"}]
LEAST_CAPTURED = 0.8  # of the segments that are compiled with the system's NumPy


def environments_with_numpy(folder):
    given = os.environ.get("DYNACC_TEST_NUMPY2")
    if given:
        return [pathlib.Path(path) for path in given.split(":")]
    made = pathlib.Path(folder) / "numpy2"
    has_numpy = [made / "bin" / "python", "-c", "import numpy; assert numpy.__version__.startswith('2.')"]
    if (made / "bin" / "python").exists() and subprocess.run(has_numpy, capture_output=True).returncode == 0:
        return [made]
    for command in ([PYTHON, "-m", "venv", made],
                    [made / "bin" / "python", "-m", "pip", "install", "-q", "--retries", "1", "--timeout", "20", NUMPY]):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=240)
        except subprocess.TimeoutExpired:
            sys.exit(skip("pip takes too long"))
        if done.returncode != 0:
            sys.exit(skip(f"no NumPy 2 here: {(done.stderr or done.stdout).strip().splitlines()[-1:]}"))
    return [made]


def skip(reason):
    print("skipped:", reason)
    return 77


def run(executable, program, **variables):
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("DYNACC_", "PYTHON", "VIRTUAL_ENV"))}
    environment = inherited | {"PYTHONHASHSEED": "0", "PYTHONPATH": str(differential.HELPERS)} | variables
    done = subprocess.run([executable, program], env=environment, capture_output=True, stdin=subprocess.DEVNULL,
                          timeout=240)
    return done.returncode, done.stdout, done.stderr


def segments(launcher, program, cache, **variables):
    """What the launcher's run shows, and how many segments were compiled in it."""
    stats = pathlib.Path(cache) / "stats.json"
    stats.unlink(missing_ok=True)
    seen = run(launcher, program, DYNACC_CACHE_DIR=cache, DYNACC_STATS=str(stats), **variables)
    return seen, json.loads(stats.read_text())["segments_compiled"] if stats.exists() else 0


def check_programs(launcher, environment, without):
    """What differs from that environment's Python, or is not captured as with the system's NumPy."""
    python = environment / "bin" / "python"
    failures, captured, usual = [], 0, 0
    with tempfile.TemporaryDirectory() as cache:
        for program in differential.programs("numpy2"):
            if without & set(differential.words(program)):
                continue
            expected = run(python, program)
            for setting in SETTINGS:
                seen, count = segments(launcher, program, cache, VIRTUAL_ENV=str(environment), **setting)
                if seen != expected:
                    failures.append(f"{program.name} {setting}")
                if setting == {"DYNACC_POLICY": "always"}:
                    captured += count
                    usual += segments(launcher, program, cache, **setting)[1]
    print(f"{environment.name}: {captured} segments compiled, {usual} with the system's NumPy")
    return failures + (["too little is captured"] if captured < LEAST_CAPTURED * usual else [])


def check_tests(launcher, tests, environment):
    failures = []
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("DYNACC_", "PYTHON", "VIRTUAL_ENV"))}
    # What a test expects is NumPy's own, not what was captured of the test.
    settings = {"VIRTUAL_ENV": str(environment), "DYNACC_POLICY": "explicit"}
    for name, *cases in TESTS:
        done = subprocess.run([launcher, tests / name, *cases], env=inherited | settings,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=400)
        if done.returncode != 0:
            print(f"--- {environment.name}: {name}\n{done.stdout}{done.stderr}")
            failures.append(name)
    return failures


def main():
    launcher, root, folder, *without = sys.argv[1:]
    tests = pathlib.Path(root) / "tests"
    failures = []
    for environment in environments_with_numpy(folder):
        failures += check_tests(launcher, tests, environment)
        failures += check_programs(launcher, environment, set(without))
    print(f"failing: {failures or 'none'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
