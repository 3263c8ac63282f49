"""Differential fuzzing: random programs under stock Python and under DynaCC must print the same.

    fuzz.py DYNACC_PYTHON [--first SEED] [--programs N] [--seconds S] [--jobs N] [--keep FOLDER] [NAME=VALUE ...]
    fuzz.py DYNACC_PYTHON --replay FOLDER [NAME=VALUE ...]

Each NAME=VALUE is put into DynaCC's environment; "A=1 B=2+A=2" are two environments, which take
turns, a batch each; with --each every batch runs in all of them, and under stock Python once. A
program that differs is printed with its seed and its first differing lines, and reduced
(--reduce-seconds): what is left is a small program that still differs. --replay runs the programs
of a folder, in the environment that their first line names, too.
"""

import argparse
import collections
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile
import time

import library_calls
import program
import shrinking

HERE = os.path.dirname(os.path.abspath(__file__))
STOCK = sys.executable
BATCH = 100
SILENT_SECONDS = 40  # a program may take, and a batch may be silent for

# A program that differs: its name (the seed), text, environment, and what differs first.
Finding = collections.namedtuple("Finding", "name text environment difference")


def output_of(python, files, environment):
    """The printed text of each program by name, and what ended the process."""
    with subprocess.Popen(
        [python, os.path.join(HERE, "observe.py"), *files],
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
    ) as process:
        seen = -1
        while True:
            try:
                text, errors = process.communicate(timeout=SILENT_SECONDS)
                status = process.returncode
                break
            except subprocess.TimeoutExpired as error:
                if len(error.output or b"") > seen:
                    seen = len(error.output or b"")
                    continue
                process.kill()
                text, errors = process.communicate()
                status = "timeout"
                break
    if errors and status == 0:
        status = "stderr: " + errors[-2000:]
    parts = {}
    for part in text.split("=== ")[1:]:
        name, _, body = part.partition("\n")
        parts[name] = body
    return parts, status


def write(folder, name, text):
    path = os.path.join(folder, f"{name}.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def differs(dynacc, folder, text, environment):
    """Whether the program alone differs, in lines that stock Python settles."""
    path = write(folder, "reduced", text)
    stock, stock_status = output_of(STOCK, [path], {})
    if stock_status != 0:
        return False
    ours, status = output_of(dynacc, [path], environment)
    if (stock, stock_status) == (ours, status):
        return False
    return status != 0 or is_settled(
        path, "reduced", stock.get("reduced", ""), ours.get("reduced", "")
    )


# Where objects lie. Of two NaNs of unlike signs NumPy's + returns the one or the other, as an
# array's address is aligned, and its vector library's functions of an array that is read backwards
# take another loop where the result lies right below it.
PLACES = (
    {"PYTHONMALLOC": "malloc"},
    {"OBSERVE_DESCENDING": "1"},
    {"PYTHONMALLOC": "malloc", "OBSERVE_DESCENDING": "1"},
)


def is_settled(path, name, expected, ours):
    """Whether the two differ in a line that stock Python prints the same wherever its objects
    lie."""
    alone, status = output_of(STOCK, [path], {})
    if alone.get(name) != expected or status != 0:
        return False
    expected, ours = expected.splitlines(), ours.splitlines()
    others = [output_of(STOCK, [path], place)[0].get(name, "").splitlines() for place in PLACES]
    if any(len(lines) != len(expected) for lines in (ours, *others)):
        return all(len(lines) == len(expected) for lines in others)
    return any(
        line != here and all(other[number] == line for other in others)
        for number, (line, here) in enumerate(zip(expected, ours))
    )


def is_unspecialised(path, ours):
    """Whether stock Python prints `ours` when it runs its instructions as they are written: specialised, it names the line before
    for an unbound local that is read right after a store (docs/limits.md)."""
    return output_of(STOCK, [path], {"OBSERVE_TRACED": "1"}) == (ours, 0)


def first_difference(stock, ours):
    stock, ours = stock.splitlines(), ours.splitlines()
    for number, (a, b) in enumerate(zip(stock + ["<end>"], ours + ["<end>"])):
        if a != b:
            return f"  line {number}\n  stock  {a}\n  dynacc {b}"
    return f"  {len(stock)} lines and {len(ours)}"


def compare(dynacc, files, texts, expected, stock_status, environment):
    """The findings among programs whose stock output is known."""
    waiting = [name for name in files if name in expected]
    while waiting:
        ours, status = output_of(dynacc, [files[name] for name in waiting], environment)
        seen = [name for name in waiting if name in ours]
        for name in seen:
            last = status != 0 and name == seen[-1]
            differs_here = (
                ours[name] != expected[name]
                and is_settled(files[name], name, expected[name], ours[name])
                and not is_unspecialised(files[name], {name: ours[name]})
            )
            if differs_here or (last and isinstance(status, int)):
                difference = first_difference(expected[name], ours[name])
                yield Finding(
                    name,
                    texts[name],
                    environment,
                    difference + (f"\n  ended with {status}" if last else ""),
                )
        if isinstance(status, str) and status.startswith("stderr") and status != stock_status:
            yield Finding(
                "stderr", "", environment, f"  {status}\n  of programs {seen[:1]} to {seen[-1:]}"
            )
        if not seen and status != 0:
            yield Finding(
                "start", "", environment, f"  ended with {status} before the first program"
            )
        waiting = waiting[len(seen) :] if seen else []


def run_batch(dynacc, texts, environments):
    """The findings of programs, given by name, in each of the environments; and how many could be
    compared."""
    findings = []
    with tempfile.TemporaryDirectory() as folder:
        files = {name: write(folder, name, text) for name, text in texts.items()}
        expected, stock_status = output_of(STOCK, list(files.values()), {})
        if stock_status != 0:
            print(f"stock python: {stock_status}; last program {list(expected)[-1:]}", flush=True)
            if expected and not str(stock_status).startswith("stderr"):
                expected.popitem()  # it runs for ever, and may take all memory: how far it came says nothing
        for environment in environments:
            findings += compare(dynacc, files, texts, expected, stock_status, environment)
    return findings, len(expected)


def seed_batches(options):
    """Batches of programs by name, each with its environments, until the count or the time is
    up."""
    end = time.monotonic() + options.seconds
    done = turn = 0
    while done < options.programs and time.monotonic() < end:
        count = min(BATCH, options.programs - done)
        seeds = range(options.first + done, options.first + done + count)
        environments = options.environments
        if not options.each:
            environments = [environments[turn % len(environments)]]
        yield {str(seed): program.generate(seed) for seed in seeds}, environments
        turn += 1
        done += count


def found_environments(text, environments):
    """Those of the command line, and the one that a found program's first line names."""
    named = re.match("# environment: (.*)", text)
    environments = list(environments)
    if named and parse_environment(named[1]) not in environments:
        environments.append(parse_environment(named[1]))
    return environments


def replay_batches(options):
    """The programs of a folder, each by itself."""
    for path in sorted(glob.glob(os.path.join(options.replay, "*.py"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        yield {os.path.basename(path).removesuffix(".py"): text}, found_environments(
            text, options.environments
        )


def report(options, finding):
    setting = text_of(finding.environment)
    which = f"--first {finding.name} --programs 1"
    if options.replay:
        which = f"--replay {options.replay}"
    print(
        f"DIFFERS {finding.name} {setting}\n{finding.difference}\n"
        f"  again: fuzz.py {options.dynacc} {which} {setting}",
        flush=True,
    )
    if options.keep and finding.text:
        os.makedirs(options.keep, exist_ok=True)
        write(options.keep, finding.name, finding.text)
    if options.reduce_seconds and finding.text:
        reduced = reduced_text(options.dynacc, finding, options.reduce_seconds)
        print(reduced or "  (not when run alone)", flush=True)


def reduced_text(dynacc, finding, seconds):
    """A smaller program that differs; empty if the finding's does not when it is run alone."""
    with tempfile.TemporaryDirectory() as folder:

        def still_differs(text):
            return differs(dynacc, folder, text, finding.environment)

        return (
            shrinking.reduce(still_differs, finding.text, seconds)
            if still_differs(finding.text)
            else ""
        )


def parse_environment(text):
    return dict(setting.split("=", 1) for setting in text.split("+"))


def text_of(environment):
    return "+".join(f"{name}={value}" for name, value in environment.items())


def run_batches(dynacc, batches, jobs):
    """Yields for each batch its findings and count, `jobs` batches at a time."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = collections.deque()
        for texts, environments in batches:
            waiting.append(pool.submit(run_batch, dynacc, texts, environments))
            if len(waiting) >= jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dynacc")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--programs", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=1, help="batches at a time")
    parser.add_argument("--each", action="store_true", help="every batch in all environments")
    parser.add_argument(
        "--packages",
        action="store_true",
        help="with SciPy's or pandas' folder on the path; skipped (77) without them",
    )
    parser.add_argument("--replay", default="", help="a folder of programs to run instead")
    parser.add_argument("--reduce-seconds", type=float, default=0)
    parser.add_argument("--keep", default="")
    parser.add_argument(
        "environments",
        nargs="*",
        default=["DYNACC_POLICY=always"],
        help="NAME=VALUE+NAME=VALUE: one environment each",
    )
    options = parser.parse_intermixed_args()
    options.environments = [parse_environment(text) for text in options.environments]
    if options.packages:
        if library_calls.packages_environment() is None:
            print(
                f"skipped: none of {library_calls.PACKAGES} is installed; set DYNACC_TEST_PACKAGES"
            )
            return 77
        os.environ.update(library_calls.packages_environment())
    done = failed = 0
    start = time.monotonic()
    batches = replay_batches(options) if options.replay else seed_batches(options)
    for findings, count in run_batches(options.dynacc, batches, options.jobs):
        for finding in findings:
            report(options, finding)
        done += count
        failed += len(findings)
    where = options.replay or f"seed {options.first}"
    print(
        f"{done} programs from {where}, {failed} differ, {done / (time.monotonic() - start):.1f} a second"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
