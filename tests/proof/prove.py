#!/usr/bin/env python3
"""Runs everything that shows that nothing breaks, and writes one page of it: docs/proof.md.

usage: prove.py [--slice] [--only NAME,...] [--minutes N] [--page]

Each row of JOBS is a command with a share of the time. --slice gives each a few minutes' worth. Without it a run takes
up to three hours, or --minutes N: the jobs that have waited longest come first, and what would not end in time is left
for the next run, so that repeated runs come round to all. What each job printed is kept in
build/proof/NAME.log. docs/proof.json holds the last result of each job, and the totals of all fuzzing; the page is made
from it, and --page makes only the page. The exit status is 1 if a job failed.
"""
import argparse
import dataclasses
import datetime
import json
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LOGS = ROOT / "build" / "proof"
RESULTS = ROOT / "docs" / "proof.json"
PAGE = ROOT / "docs" / "proof.md"
LAUNCHER = "build/release/dynacc-python"
PYTHON = sys.executable
FULL_MINUTES = 180
OUTCOMES = {0: "passed", 77: "skipped"}  # by exit status; 77: something is not installed


@dataclasses.dataclass
class Job:
    """A command; {m} is its number of minutes, {log} a path for files of its own.

    {compatibility}: where the report of the ecosystem goes: to its page, but from a slice, which has a few files only, to
    a file of its own."""
    name: str
    what: str
    minutes: float  # of a full run; 0: as long as it takes
    slice_minutes: float
    command: str
    in_slice: bool = True


def sanitizer_jobs(preset, sanitizer):
    """The suite, CPython's core tests and the fuzzers in the build tree of a preset."""
    return [
        Job(preset, f"the suite under {sanitizer}", 0, 0, f"PRESET={preset} ./dev test", in_slice=False),
        Job(f"{preset}-cpython", f"CPython's core tests under {sanitizer}", 0, 0,
            f"{PYTHON} tests/cpython/compare.py build/{preset}/dynacc-python -e DYNACC_POLICY=always"
            " -e PYTHONMALLOC=malloc $(cat tests/cpython/core.txt)", in_slice=False),
        Job(f"{preset}-fuzz", f"all fuzzers under {sanitizer}", 12, 0,
            f"PYTHONMALLOC=malloc {PYTHON} tests/fuzz/campaign.py build/{preset} --minutes {{m}} --report {{log}}.json",
            in_slice=False),
    ]


JOBS = [
    Job("suite", "the whole test suite, release", 0, 0, "./dev test", in_slice=False),
    Job("breaks", "each program and example with a break before every 1st, 2nd, 3rd and 7th instruction", 0, 0,
        "ctest --test-dir build/release -C breaks -R ^breaks -j2 --timeout 600", in_slice=False),
    *sanitizer_jobs("asan", "AddressSanitizer and UndefinedBehaviorSanitizer"),
    *sanitizer_jobs("tsan", "ThreadSanitizer"),
    Job("valgrind", "the executor's and the loader's tests under Valgrind's memcheck", 0, 0,
        "tests/proof/valgrind.sh build/release", in_slice=False),
    Job("cpython", "CPython's core tests, outcome by outcome", 0, 0,
        f"{PYTHON} tests/cpython/compare.py {LAUNCHER} $(cat tests/cpython/core.txt)", in_slice=False),
    # Without test_asyncio: python3 alone takes a quarter of an hour for six runs of it.
    Job("leaks", "CPython's core tests six times each, which may leak nothing", 0, 0,
        f"{PYTHON} tests/cpython/compare.py {LAUNCHER} --leaks $(grep -v asyncio tests/cpython/core.txt)",
        in_slice=False),
    Job("numpy", "NumPy's own tests, outcome by outcome", 0, 0,
        f"NPY_AVAILABLE_MEM=2GB {PYTHON} tests/numpy/compare.py {LAUNCHER} $(cat tests/numpy/all.txt)", in_slice=False),
    Job("allocation", "each allocation of the core's made to fail", 10, 1,
        f"{PYTHON} tests/allocation/allocation_test.py {LAUNCHER} build/release/libfailing_malloc.so"
        " --seconds $(({s})) --generated 50"),
    Job("allocation-compiler", "each allocation of the compiler's made to fail", 5, 1,
        f"{PYTHON} tests/allocation/allocation_test.py {LAUNCHER} build/release/libfailing_malloc.so"
        " --seconds $(({s})) --compiler"),
    Job("fuzz", "random programs, graphs, code objects, guards and files", 60, 4,
        f"{PYTHON} tests/fuzz/campaign.py build/release --minutes {{m}} --report {{log}}.json"),
    Job("soak", "host, notebook, descent and spawned processes, all at once", 20, 1,
        f"{PYTHON} tests/soak/soak.py --launcher {LAUNCHER} --host build/release/tests/soak_host"
        " --at-once 4 --minutes {m} --report {log}.json"),
    Job("ecosystem", "other packages' own tests", 30, 3,
        f"{PYTHON} tests/ecosystem/ecosystem.py {LAUNCHER} --minutes {{m}} --report {{compatibility}}"),
]


def commit():
    """The commit of the tree, with a `+` if files differ from it, apart from what this program writes."""
    name = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
    compared = ["git", "diff", "--quiet", "HEAD", "--", ".", ":!docs/proof.*", ":!docs/compatibility.*"]
    clean = subprocess.run(compared, cwd=ROOT, check=False).returncode == 0
    return name.stdout.strip() + ("" if clean else "+")


def last_lines(path):
    """What says how it went: ctest's sum, or the last line that is not empty."""
    lines = [line.strip() for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    sums = [line for line in lines if "% tests passed" in line]
    return (sums or lines or [""])[-1]


def run(job, minutes):
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{job.name}.log"
    values = {"{m}": f"{minutes:g}", "{s}": f"{minutes * 60:.0f}", "{log}": str((LOGS / job.name).relative_to(ROOT))}
    values["{compatibility}"] = "docs/compatibility.json" if minutes == job.minutes else f"{values['{log}']}.json"
    command = job.command
    for key, value in values.items():
        command = command.replace(key, value)
    print(f"== {job.name}: {command}", flush=True)
    start, tree = time.monotonic(), commit()
    with open(log, "w", encoding="utf-8") as output:
        status = subprocess.run(["bash", "-c", command], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output,
                                stderr=subprocess.STDOUT, check=False).returncode
    result = {"status": status, "seconds": round(time.monotonic() - start), "commit": tree, "command": command,
              "date": datetime.date.today().isoformat(),
              "finished": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
              "last": last_lines(log)}
    print(f"   {OUTCOMES.get(status, 'FAILED')} in {result['seconds']} s: {result['last']}", flush=True)
    return result


def add_fuzzing(results, job):
    """The running totals of all campaigns: by fuzzer, and each run with its seed."""
    path = LOGS / f"{job.name}.json"
    report = json.loads(path.read_text(encoding="utf-8"))
    totals = results.setdefault("fuzzing", {})
    for name, entry in report["totals"].items():
        total = totals.setdefault(name, {"unit": entry["unit"], "executions": 0, "findings": 0})
        total["executions"] += entry["executions"]
        total["findings"] += entry["findings"]
    results.setdefault("runs", []).extend(
        {"job": job.name, **{key: run[key] for key in ("seed", "started", "commit", "seconds", "findings")}}
        for run in report["runs"])
    path.unlink()


def page_of(results):
    lines = ["# Proof", "", "Written by `./dev prove` from `docs/proof.json`; change neither by hand.", "",
             "| job | what | result | seconds | commit | date | last line |", "|---|---|---|---|---|---|---|"]
    for job in JOBS:
        result = results["jobs"].get(job.name)
        if result is None:
            lines.append(f"| {job.name} | {job.what} | not run | | | | |")
            continue
        outcome = OUTCOMES.get(result["status"], f"**failed** ({result['status']})")
        last = result["last"].replace("|", "\\|")[:160]
        lines.append(f"| {job.name} | {job.what} | {outcome} | {result['seconds']} | {result['commit']} "
                     f"| {result['date']} | {last} |")
    lines += ["", "## Fuzzing", "", "All campaigns together, on whatever commit each ran:", "",
              "| fuzzer | executions | findings |", "|---|---|---|"]
    for name, total in sorted(results.get("fuzzing", {}).items()):
        lines.append(f"| {name} | {total['executions']:,} {total['unit']} | {total['findings']} |")
    lines += ["", "| campaign's seed | job | started | commit | seconds | findings |", "|---|---|---|---|---|---|"]
    for run_ in results.get("runs", [])[-20:]:
        lines.append(f"| {run_['seed']} | {run_['job']} | {run_['started']} | {run_['commit']} | {run_['seconds']} | {run_['findings']} |")
    return "\n".join(lines) + "\n"


def replace(path, text):
    """Writes a file as a whole: a run that is ended leaves the old one or the new one."""
    new = path.with_name(path.name + ".new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


def chosen(options, wanted, results):
    """The jobs to run, those that have waited longest first."""
    if wanted:
        return [job for job in JOBS if job.name in wanted]
    if options.slice:
        return [job for job in JOBS if job.in_slice]
    return sorted(JOBS, key=lambda job: results["jobs"].get(job.name, {}).get("finished", ""))


def expected_seconds(job, results):
    """What the job took the last time in full; of one that has never run, its share of the time."""
    last = results["jobs"].get(job.name, {})
    return max(last.get("seconds", 0), job.minutes * 60)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--slice", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--minutes", type=float, default=FULL_MINUTES)
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {"jobs": {}}
    wanted = [name for name in options.only.split(",") if name]
    unknown = set(wanted) - {job.name for job in JOBS}
    if unknown:
        sys.exit(f"no job is named {', '.join(sorted(unknown))}; there are {', '.join(job.name for job in JOBS)}")
    failed = False
    start = time.monotonic()
    for job in [] if options.page else chosen(options, wanted, results):
        minutes = job.slice_minutes if options.slice else job.minutes
        left = options.minutes * 60 - (time.monotonic() - start)
        if not wanted and not options.slice and expected_seconds(job, results) > left:
            print(f"== {job.name}: left for the next run", flush=True)
            continue
        result = run(job, minutes)
        failed = failed or result["status"] not in OUTCOMES
        results["jobs"][job.name] = result
        if "campaign.py" in job.command and (LOGS / f"{job.name}.json").exists():
            add_fuzzing(results, job)
        replace(RESULTS, json.dumps(results, indent=1) + "\n")
        replace(PAGE, page_of(results))
    if options.page:
        replace(PAGE, page_of(results))
    sys.exit(failed)


if __name__ == "__main__":
    main()
