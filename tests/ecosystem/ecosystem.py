#!/usr/bin/env python3
"""Runs other packages' own tests under python3 and under the launcher and compares them test by test.

usage: ecosystem.py LAUNCHER [--venv FOLDER] [--only SUITE,...] [--quick | FILE...] [--minutes N] [-s SETTING ...]
                    [--timeout SECONDS] [--factor N] [--keep FOLDER] [--results FILE] [--report FILE] [--commit ID]
       ecosystem.py --list               prints the suites
       ecosystem.py --check-page         fails if docs/compatibility.md is not what docs/compatibility.json makes

The packages are those of a virtual environment (FOLDER, $DYNACC_TEST_PACKAGES, or build/ecosystem-venv), which is
made and filled as the chosen suites need it. A file takes its turn by how long it has waited, so that runs with `--minutes` come
round to all of them; a run that has begun is not cut short. A FILE is named as in the table of results
(scipy/signal/tests/test_windows.py); --quick runs those of quick.txt. A SETTING is NAME=VALUE, several joined by `+`;
without any, DYNACC_POLICY=always. python3 may take --timeout seconds of the processor for a file (120), the launcher
--factor times what python3 took (10), 30 s at least. --keep holds on to the output of runs that differ.

Results are kept in build/ecosystem/results.json, or FILE. --report sums up all that are kept, as JSON, and makes the
page beside it: `--report docs/compatibility.json`. The exit status is 1 for a difference without a reason in known.txt,
77 (skipped) with --if-provided where $DYNACC_TEST_PACKAGES is not set, or where pip cannot install.
"""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import time

import comparison
import environment
import results
import suites

ROOT = suites.HERE.parent.parent
SETTING = "DYNACC_POLICY=always"
REPORT = ROOT / "docs" / "compatibility.json"


def parse():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("launcher", nargs="?")
    parser.add_argument("--venv", default=os.environ.get("DYNACC_TEST_PACKAGES", ROOT / "build" / "ecosystem-venv"))
    parser.add_argument("--if-provided", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("-s", dest="settings", action="append")
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--factor", type=float, default=10)
    parser.add_argument("--keep")
    parser.add_argument("--results", default=ROOT / "build" / "ecosystem" / "results.json")
    parser.add_argument("--report", type=pathlib.Path)
    parser.add_argument("--commit")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check-page", action="store_true")
    parser.add_argument("files", nargs="*")
    return parser, parser.parse_intermixed_args()


def page_of(report):
    return report.with_suffix(".md")


def check_page():
    made = json.loads(REPORT.read_text(encoding="utf-8"))
    if results.page(made) == page_of(REPORT).read_text(encoding="utf-8"):
        return 0
    print(f"{page_of(REPORT)} is not what {REPORT} makes: run ecosystem.py with --report {REPORT}")
    return 1


def commit():
    done = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def wanted(arguments, files):
    """Those of the suites' files that are asked for."""
    names = set(suites.rows("quick.txt") if arguments.quick else arguments.files)
    unknown = set(arguments.files) - {file.name for file in files}
    if unknown:
        raise SystemExit(f"no suite has {', '.join(sorted(unknown))}")
    return [file for file in files if not names or file.name in names]


def tell(record):
    counts = f"{record['tests']} tests, {record['stock_seconds']} s"
    if "launcher_seconds" in record:
        counts += f" -> {record['launcher_seconds']} s, {record['same']} same, {len(record['differing'])} different, " \
                  f"{record['left_out']} left out, {record['unfinished']} unfinished"
    print(f"{record['file']} {record['setting']}: {counts}: {record['status']} {record['why']}".rstrip(), flush=True)
    for name, stock, ours in record.get("differing", [])[:40]:
        print(f"  {name}\n    python3: {stock}\n    launcher: {ours}  {results.reason(name)}", flush=True)


def is_unexplained(record):
    """Whether a record has a difference without a reason, or says nothing because nothing was captured."""
    if record["status"] == "different":
        return bool(record["why"]) or any(not results.reason(name) for name, _, _ in record["differing"])
    return record["status"] == "nothing captured" and "DYNACC_POLICY=always" in record["setting"]


def run_files(arguments, provided, files, kept):
    """Runs files until the time is over; returns the records that fail."""
    end = time.monotonic() + arguments.minutes * 60
    cache = kept.path.resolve().parent / "cache"
    comparer = comparison.Comparer(arguments.launcher, provided, cache, arguments.timeout, arguments.factor,
                                   arguments.keep)
    failed, done = [], 0
    marks = {"commit": arguments.commit or commit(), "limits": [arguments.timeout, arguments.factor]}
    for file in results.in_turns(files, kept):
        if time.monotonic() >= end:
            break
        for record in comparer.file(file, arguments.settings or [SETTING]):
            record |= marks | {"date": datetime.datetime.now().isoformat(timespec="seconds")}
            kept.add(record)
            tell(record)
            done += record["tests"]
            if is_unexplained(record):
                failed.append(f"{record['file']} {record['setting']}")
    print(f"{done} tests; different: {failed or 'none'}")
    return failed


def main():
    parser, arguments = parse()
    if arguments.check_page:
        return check_page()
    if arguments.list:
        for suite in suites.suites():
            print(f"{suite.name:24} {suite.package:14} about {suite.seconds} s")
        return 0
    if not arguments.launcher:
        parser.error("which launcher?")
    if arguments.if_provided and "DYNACC_TEST_PACKAGES" not in os.environ:
        print("skipped: DYNACC_TEST_PACKAGES names no virtual environment with other packages (docs/contributing.md)")
        return 77
    chosen = suites.chosen([word for word in arguments.only.split(",") if word])
    provided = environment.Environment(arguments.venv)
    try:
        provided.provide(chosen)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"skipped: the packages cannot be installed: {error}")
        return 77
    files = [file for suite in chosen for file in suites.files_of(suite, provided)]
    kept = results.Results(arguments.results)
    failed = run_files(arguments, provided, wanted(arguments, files), kept)
    if arguments.report:
        write_report(arguments.report, provided, kept)
    return 1 if failed else 0


def write_report(path, provided, kept):
    there = [suite for suite in suites.suites() if suite.root != "source" or provided.source(suite.package).exists()]
    counts = {suite.name: len(suites.files_of(suite, provided)) for suite in there}
    made = results.report(kept.records.values(), there, counts, SETTING, provided.pins)
    path.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    page_of(path).write_text(results.page(made), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
