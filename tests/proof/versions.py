#!/usr/bin/env python3
"""Compares the launcher with the interpreter that it was built for, and adds a table to docs/versions.md.

usage: versions.py [--only NAME,...] [--programs N] [--seed S] [--page]

`./dev on debian13 versions` does so for that distribution's CPython and NumPy, `./dev versions` for this one's. Each row
of CHECKS is a line of its table. With --only the other lines stay as they are. --programs: random programs of each family.
docs/versions.json holds all rows; --page makes only the page of it. The exit status is 1 if something differs.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

import prove

ROOT = prove.ROOT
sys.path.insert(0, str(ROOT / "tests" / "fuzz"))
import program  # noqa: E402  # of the fuzzers

RESULTS = ROOT / "docs" / "versions.json"
PAGE = ROOT / "docs" / "versions.md"
CHECKS = {
    "core": ("CPython's core tests",
             "{python} tests/cpython/compare.py {launcher} $(cat tests/cpython/core.txt)"),
    "programs": ("programs of `tests/programs`", "ctest --test-dir {build} -R ^programs/ -j2 --timeout 600"),
    "suite": ("the whole test suite", "ctest --test-dir {build} -j2 --timeout 600"),
    "fuzzed": ("fuzzed programs", ""),
}
OF_3_11 = ("bytecode", "mutations")  # families that write its instructions


def distribution():
    text = pathlib.Path("/etc/os-release").read_text(encoding="utf-8")
    return re.search(r'^PRETTY_NAME="?([^"\n]*)', text, re.M)[1].replace("GNU/Linux ", "")


def numpy_version():
    command = [sys.executable, "-c", "import numpy; print(numpy.__version__)"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def run(command, log):
    """Whether it passed, and the line that says how."""
    prove.LOGS.mkdir(parents=True, exist_ok=True)
    print(f"== {command}", flush=True)
    with open(log, "w", encoding="utf-8") as output:
        status = subprocess.run(["bash", "-c", command], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output,
                                stderr=subprocess.STDOUT, check=False).returncode
    last = prove.last_lines(log)
    print(f"   {'passed' if status == 0 else 'FAILED'}: {last}", flush=True)
    return status == 0, last


def fuzzed(options, launcher):
    """All families, every frame captured, and captured and compiled at once in turn."""
    total, differ, passed = 0, 0, True
    for base, name, _ in program.FAMILIES:
        if name is None or (name in OF_3_11 and sys.version_info[:2] != (3, 11)):
            continue
        command = (f"{sys.executable} tests/fuzz/fuzz.py {launcher} --first {base + options.seed % 900_000} --programs"
                   f" {options.programs} --seconds 1800 --jobs 2 DYNACC_POLICY=always DYNACC_POLICY=always+DYNACC_TIER_UP=0")
        _, last = run(command, prove.LOGS / f"versions-{name}.log")
        counts = re.search(r"(\d+) programs from seed \d+, (\d+) differ", last)
        passed = passed and counts is not None and counts[2] == "0"
        total, differ = total + int(counts[1] if counts else 0), differ + int(counts[2] if counts else 0)
    return passed, f"{total:,} programs, {differ} differ (seed {options.seed})"


def page_of(rows):
    lines = ["# Versions", "", "Written by `./dev versions` from `docs/versions.json`; change neither by hand.", "",
             "The launcher beside the interpreter that it was built for. Fuzzed programs and CPython's tests run with every frame",
             "captured. [pythons.md](pythons.md) says of what is not equal why.", ""]
    for row in rows:
        lines += [f"## {row['distribution']}: CPython {row['python']}, NumPy {row['numpy']}", "",
                  "| what | result | last line | seconds | commit | date |", "|---|---|---|---|---|---|"]
        for name, (what, _) in CHECKS.items():
            check = row["checks"].get(name)
            if check is None:
                lines.append(f"| {what} | not run | | | | |")
                continue
            outcome = "equal" if check["passed"] else "**different**"
            lines.append(f"| {what} | {outcome} | {check['last'].replace('|', '/')[:140]} | {check['seconds']} | {check['commit']} "
                         f"| {check['date']} |")
        lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    parser.add_argument("--only", default="")
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    names = [name for name in options.only.split(",") if name] or list(CHECKS)
    if unknown := set(names) - set(CHECKS):
        sys.exit(f"no check is named {', '.join(sorted(unknown))}; there are {', '.join(CHECKS)}")
    rows = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else []
    key = {"distribution": distribution(), "python": platform.python_version(), "numpy": numpy_version()}
    row = next((row for row in rows if all(row[name] == value for name, value in key.items())), None)
    if row is None and not options.page:
        rows.append(row := {**key, "checks": {}})
    failed = False
    launcher = os.path.join(options.build, "dynacc-python")
    for name in [] if options.page else names:
        start = time.monotonic()
        command = CHECKS[name][1].format(python=sys.executable, launcher=launcher, build=options.build)
        passed, last = run(command, prove.LOGS / f"versions-{name}.log") if command else fuzzed(options, launcher)
        failed = failed or not passed
        row["checks"][name] = {"passed": passed, "last": last, "seconds": round(time.monotonic() - start),
                               "commit": prove.commit(), "date": datetime.date.today().isoformat()}
        prove.replace(RESULTS, json.dumps(rows, indent=1) + "\n")
        prove.replace(PAGE, page_of(rows))
    prove.replace(PAGE, page_of(rows))
    sys.exit(failed)


if __name__ == "__main__":
    main()
