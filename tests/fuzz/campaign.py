"""Fuzzing without end: every fuzzer in turns, each its share of the time, with fresh seeds.

    campaign.py BUILD [--minutes N] [--seed S] [--only NAME ...] [--report FILE] [--jobs N] [--found FOLDER]

BUILD is a build tree. The fuzzers are the families of programs (program.py's FAMILIES), in several
environments in turn; the tree's GoogleTest programs that read DYNACC_FUZZ_SEED; and its programs
named *_fuzzer, which are called as `X_fuzzer --seed S --seconds N`, print `executions: N` last, and
fail when they find something. --list names them.

The report is JSON, written after every turn: totals by fuzzer, added to those that the file has
already, the runs with their seeds, and the findings. A program that differs is reduced and kept in
the folder `found`, where `ctest -R fuzz/found` runs it again. The exit status is 1 if anything was
found.
"""

import argparse
import collections
import datetime
import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

import fuzz
import library_calls
import program

HERE = os.path.dirname(os.path.abspath(__file__))
ENVIRONMENTS = [
    fuzz.parse_environment(text)
    for text in (
        "DYNACC_POLICY=always",
        "DYNACC_POLICY=hot",
        "DYNACC_POLICY=always+DYNACC_TARGET=tile",
        "DYNACC_POLICY=hot+DYNACC_CAPTURE_AFTER=0",
        "DYNACC_POLICY=always+DYNACC_TARGET=tile+DYNACC_FORCE_BREAKS=3",
        "DYNACC_POLICY=always",
        "DYNACC_POLICY=always+DYNACC_TIER_UP=0+DYNACC_THREADS=2",
    )
]
# GoogleTest fuzzers: what one execution is, and how many of them a process runs.
Native = collections.namedtuple("Native", "name filter unit count")
NATIVES = (
    Native("graph_fuzz_test", "*", "graphs", 40_000),
    Native("store_fuzz_test", "*", "graphs", 20_000),
    Native("compiler_fuzz_test", "*", "graphs", 20_000),
    Native("kernel_fuzz_test", "*", "modules of 12 kernels", 24),
    Native("guard_tree_fuzz_test", "*", "guard trees", 1000),
    Native("convolution_test", "*RandomWindows*", "windows", 4000),
)
EXECUTIONS = re.compile(r"^executions: (\d+)", re.M)
SKIPPED = "[  SKIPPED ]"  # by GoogleTest, for want of an optional library
PLANTED = "planted_fuzzer"  # has bugs, by which its driver is tested
ROUND_SECONDS = 900  # in which every fuzzer has a turn
NATIVE_WEIGHT = 0.5  # of a family's time
PATIENCE_SECONDS = 300


class Campaign:
    """One run: its seeds, its report, and what it found."""

    def __init__(self, options):
        self.options = options
        self.dynacc = os.path.join(options.build, "dynacc-python")
        self.random = random.Random(options.seed)
        self.reduced = collections.Counter()
        self.report = {"totals": {}, "runs": [], "findings": []}
        if options.report and os.path.exists(options.report):
            with open(options.report, encoding="utf-8") as file:
                self.report = json.load(file)
        self.run = {
            "seed": options.seed,
            "started": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "commit": commit(),
            "seconds": 0,
            "executions": {},
            "findings": 0,
        }
        self.report["runs"].append(self.run)
        self.start = time.monotonic()

    def count(self, name, unit, executions, seconds):
        """Adds to a fuzzer's totals, and writes the report."""
        total = self.report["totals"].setdefault(
            name, {"unit": unit, "executions": 0, "seconds": 0, "findings": 0}
        )
        total["unit"] = unit  # a finding, which comes first, does not know it
        total["executions"] += executions
        total["seconds"] = round(total["seconds"] + seconds, 1)
        self.run["executions"][name] = self.run["executions"].get(name, 0) + executions
        self.run["seconds"] = round(time.monotonic() - self.start, 1)
        self.write()

    def found(self, name, seed, difference, again, file=""):
        """Notes a finding."""
        self.report["totals"].setdefault(
            name, {"unit": "", "executions": 0, "seconds": 0, "findings": 0}
        )["findings"] += 1
        self.run["findings"] += 1
        self.report["findings"].append(
            {"fuzzer": name, "seed": seed, "difference": difference, "again": again, "file": file}
        )
        print(f"FOUND {name} seed {seed}\n{difference}\n  again: {again}", flush=True)
        self.write()

    def write(self):
        if not self.options.report:
            return
        unfinished = self.options.report + ".new"
        with open(unfinished, "w", encoding="utf-8") as file:
            json.dump(self.report, file, indent=1)
        os.replace(unfinished, self.options.report)


class Family:
    """Random programs of one family."""

    weight = 1
    unit = "programs"

    def __init__(self, name, first, end):
        self.name, self.first, self.end = name, first, end
        self.turn = 0

    def batches(self, campaign, end):
        while time.monotonic() < end:
            first = self.first + fuzz.BATCH * campaign.random.randrange(
                (self.end - self.first) // fuzz.BATCH
            )
            seeds = range(max(first, 1), first + fuzz.BATCH)
            environment = ENVIRONMENTS[self.turn % len(ENVIRONMENTS)]
            self.turn += 1
            yield {str(seed): program.generate(seed) for seed in seeds}, [environment]

    def step(self, campaign, seconds):
        start = time.monotonic()
        done = 0
        try:
            for findings, count in fuzz.run_batches(
                campaign.dynacc, self.batches(campaign, start + seconds), campaign.options.jobs
            ):
                done += count
                for finding in findings:
                    self.keep(campaign, finding)
        finally:
            campaign.count(self.name, self.unit, done, time.monotonic() - start)

    def keep(self, campaign, finding):
        """Reduces a finding, as long as there are few of this family, and makes a test of it."""
        setting = fuzz.text_of(finding.environment)
        options = campaign.options
        path = ""
        if finding.text and campaign.reduced[self.name] < options.reductions:
            campaign.reduced[self.name] += 1
            text = fuzz.reduced_text(campaign.dynacc, finding, options.reduce_seconds)
            if text:
                os.makedirs(options.found, exist_ok=True)
                path = fuzz.write(
                    options.found,
                    f"{self.name}_{finding.name}",
                    f"# environment: {setting}\n{text}",
                )
        again = (
            f"tests/fuzz/fuzz.py {campaign.dynacc} --first {finding.name} --programs 1 {setting}"
        )
        campaign.found(
            self.name,
            finding.name,
            finding.difference,
            again,
            os.path.relpath(path) if path else "",
        )


class LibraryCalls(Family):
    """The family whose programs need other packages on their path."""

    def step(self, campaign, seconds):
        before = os.environ.get("PYTHONPATH")
        os.environ.update(library_calls.packages_environment())
        try:
            super().step(campaign, seconds)
        finally:
            os.environ.pop("PYTHONPATH", None)
            if before is not None:
                os.environ["PYTHONPATH"] = before


class GoogleTest:
    """A GoogleTest program of the tree that draws from DYNACC_FUZZ_SEED."""

    weight = NATIVE_WEIGHT

    def __init__(self, native, path):
        self.native, self.path = native, path
        self.name, self.unit = native.name, native.unit

    def step(self, campaign, seconds):
        start = time.monotonic()
        while time.monotonic() < start + seconds:
            seed = campaign.random.randrange(1, 2_000_000_000)
            variables = {
                "DYNACC_FUZZ_SEED": str(seed),
                "DYNACC_FUZZ_COUNT": str(self.native.count),
            }
            command = [self.path, f"--gtest_filter={self.native.filter}"]
            before = time.monotonic()
            status, output = finish(command, variables, PATIENCE_SECONDS)
            executions = EXECUTIONS.findall(output)
            if status != 0 or not (executions or SKIPPED in output):
                again = " ".join(
                    [*(f"{name}={value}" for name, value in variables.items()), *command]
                )
                campaign.found(self.name, seed, f"  ended with {status}\n{output[-3000:]}", again)
            count = int(executions[-1]) if executions else 0
            campaign.count(self.name, self.unit, count, time.monotonic() - before)


class Executable:
    """A program named *_fuzzer."""

    weight = NATIVE_WEIGHT
    unit = "executions"

    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path)

    def step(self, campaign, seconds):
        seed = campaign.random.randrange(1, 2_000_000_000)
        command = [self.path, "--seed", str(seed), "--seconds", str(max(1, round(seconds)))]
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:  # the seed makes the input again
            status, output = finish(command, {}, seconds + PATIENCE_SECONDS, folder)
        executions = EXECUTIONS.findall(output)
        if status != 0 or not executions:
            campaign.found(
                self.name, seed, f"  ended with {status}\n{output[-3000:]}", " ".join(command)
            )
        campaign.count(
            self.name, self.unit, int(executions[-1]) if executions else 0, time.monotonic() - start
        )


def finish(command, variables, seconds, folder=None):
    """How a command that runs in a folder ends, and its output."""
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
            check=False,
        )
        return done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as error:
        return "timeout", (error.output or b"").decode(errors="replace")


def commit():
    done = subprocess.run(
        ["git", "-C", HERE, "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def fuzzers(build):
    """All that this build tree and this machine have; says what is left out."""
    found = []
    for (first, name, _), (end, _, _) in zip(program.FAMILIES, program.FAMILIES[1:]):
        if name != "library_calls":
            found.append(Family(name, first, end))
        elif library_calls.packages_environment() is None:
            print(
                f"left out: {name} (neither of {library_calls.PACKAGES}; set DYNACC_TEST_PACKAGES)"
            )
        else:
            found.append(LibraryCalls(name, first, end))
    for native in NATIVES:
        path = os.path.join(build, "tests", native.name)
        if os.access(path, os.X_OK):
            found.append(GoogleTest(native, path))
        else:
            print(f"left out: {native.name} (not built)")
    for path in sorted(glob.glob(os.path.join(build, "**", "*_fuzzer"), recursive=True)):
        if os.path.isfile(path) and os.access(path, os.X_OK) and os.path.basename(path) != PLANTED:
            found.append(Executable(os.path.abspath(path)))
    return found


def turns(parts, seconds):
    """Yields each fuzzer with the seconds of its turn, in rounds, until the time is up."""
    start = time.monotonic()
    whole = sum(part.weight for part in parts)
    rounds = max(1, round(seconds / ROUND_SECONDS))
    for number in range(rounds):
        for at, part in enumerate(parts):
            # What earlier turns took too long is taken from those that are left, in equal parts.
            left = start + seconds - time.monotonic()
            weight = sum(one.weight for one in parts[at:]) + whole * (rounds - 1 - number)
            if left > 0:
                yield part, left * part.weight / weight


def parse_options(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build", help="a build tree")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=None, help="of the seeds; default: the time")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="one fuzzer; may be repeated"
    )
    parser.add_argument("--list", action="store_true", help="name the fuzzers and end")
    parser.add_argument("--report", default="", help="a JSON file, whose totals are added to")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count(), help="batches of programs at a time"
    )
    parser.add_argument(
        "--found", default=os.path.join(HERE, "found"), help="where reduced findings are kept"
    )
    parser.add_argument("--reduce-seconds", type=float, default=60, help="for each finding")
    parser.add_argument(
        "--reductions", type=int, default=5, help="findings of a family that are reduced"
    )
    options = parser.parse_args(arguments)
    if options.seed is None:
        options.seed = int(time.time())
    return options


def main():
    options = parse_options(sys.argv[1:])
    parts = fuzzers(options.build)
    names = [part.name for part in parts]
    for name in options.only:
        if name not in names:
            sys.exit(f"no fuzzer is named {name}; there are: {' '.join(names)}")
    parts = [part for part in parts if not options.only or part.name in options.only]
    if options.list:
        print("\n".join(part.name for part in parts))
        return 0
    print(f"seed {options.seed}, {options.minutes:g} minutes, {len(parts)} fuzzers", flush=True)
    campaign = Campaign(options)
    for part, seconds in turns(parts, options.minutes * 60):
        before = campaign.run["executions"].get(part.name, 0)
        start = time.monotonic()
        part.step(campaign, seconds)
        took = time.monotonic() - start
        count = campaign.run["executions"].get(part.name, 0) - before
        print(
            f"{part.name:22} {count:8} {part.unit:11} in {took:6.1f} s, {count / max(took, 0.1):8.1f} a second",
            flush=True,
        )
    print(f"{campaign.run['findings']} findings; --seed {options.seed} draws the same seeds")
    return 1 if campaign.run["findings"] else 0


if __name__ == "__main__":
    sys.exit(main())
