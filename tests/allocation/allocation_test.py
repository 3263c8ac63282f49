"""Makes each allocation of the core's fail in turn: the process lives and prints what python3 prints.

    allocation_test.py DYNACC_PYTHON FAILING_MALLOC [--seconds S] [--seed N] [--first N] [--program FILE]
                       [--generated COUNT] [--compiler]

A failed allocation leaves a stretch to CPython, or is a MemoryError; a process that dies, hangs or prints
something else is a finding, printed with the command that shows it again. Without --first a sample is drawn as
long as the time lasts; with it all allocations from there on fail one after another. With no time at all only the
library is tested: it must see the core's allocations, and change nothing if none fails.

--generated adds as many programs of the fuzzer (tests/fuzz), of several families.

With --compiler they are those of the plug-in, of LLVM above all, and every kernel is compiled at once. What DynaCC
says of it in lines that begin with "dynacc: " is not compared.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

PYTHON = sys.executable
HERE = os.path.dirname(os.path.abspath(__file__))
FUZZ = os.path.join(os.path.dirname(HERE), "fuzz")
FAMILIES = (0, 1_000_000, 5_000_000, 10_000_000, 20_000_000, 30_000_000, 70_000_000)  # first seeds
SETTINGS = {"DYNACC_POLICY": "always", "PYTHONHASHSEED": "0", "FAIL_CALLER": "_dynacc."}
# Each compile is one of its own: no cache, and no more threads than one.
COMPILER = {"DYNACC_TIER_UP": "0", "DYNACC_CACHE_DIR": "/dev/null", "DYNACC_THREADS": "1",
            "FAIL_CALLER": "libdynacc_cpu_compiler"}


def run(command, variables):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, **variables})
    except subprocess.TimeoutExpired:
        return "hangs", ""
    said = [line for line in done.stderr.splitlines(keepends=True) if not line.startswith("dynacc: ")]
    return done.returncode, done.stdout + "".join(said)


def is_memory_error(status, text):
    """Without memory for its own objects the core says so as Python does."""
    return status == 1 and text.rstrip().endswith("MemoryError")


class Subject:
    """A program, what python3 prints of it, and how many allocations it makes under the launcher."""

    def __init__(self, launcher, arguments, settings, folder):
        self.arguments = arguments
        self.expected = run([PYTHON, *arguments], {"PYTHONHASHSEED": "0"})
        counts = os.path.join(folder, "count")
        if run([launcher, *arguments], {**settings, "FAIL_COUNT": counts}) != self.expected:
            sys.exit(f"{arguments} differs although no allocation fails")
        with open(counts, encoding="utf-8") as file:
            self.total = int(file.read())
        if self.total < 1000:
            sys.exit(f"only {self.total} allocations were seen: the library does not see the core's")


def generated(count, draw, folder):
    """Arguments that run random programs of the fuzzer's families."""
    sys.path.insert(0, FUZZ)
    import program  # pylint: disable=import-outside-toplevel
    for number in range(count):
        seed = FAMILIES[number % len(FAMILIES)] + draw.randrange(100_000)
        path = os.path.join(folder, f"{seed}.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(program.generate(seed))
        yield [os.path.join(FUZZ, "observe.py"), path]


def try_all(launcher, subjects, settings, options, draw):
    """Lets allocations fail as long as the time lasts: how many were tried, differ, and are MemoryErrors."""
    if options.first is None:
        places = iter(lambda: (subject := draw.choice(subjects), draw.randint(1, subject.total)), None)
    else:
        places = ((subjects[0], place) for place in range(options.first, subjects[0].total + 1))
    end = time.monotonic() + options.seconds
    tried = failures = memory_errors = 0
    for subject, place in places:
        if time.monotonic() > end:
            break
        variables = {"FAIL_AT": str(place), "FAIL_REPEAT": str(draw.choice((0, 0, 1, 20)))}
        status, text = run([launcher, *subject.arguments], {**settings, **variables})
        tried += 1
        if is_memory_error(status, text):
            memory_errors += 1
        elif (status, text) != subject.expected:
            failures += 1
            shown = " ".join(f"{name}={value}" for name, value in {**settings, **variables}.items())
            print(f"differs, status {status}: {shown} {launcher} {' '.join(subject.arguments)}\n{text[-600:]}")
    return tried, failures, memory_errors


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("launcher")
    parser.add_argument("library")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--first", type=int)
    parser.add_argument("--program", default=os.path.join(HERE, "program.py"))
    parser.add_argument("--generated", type=int, default=0)
    parser.add_argument("--compiler", action="store_true")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        settings = {**SETTINGS, "LD_PRELOAD": options.library, "DYNACC_CACHE_DIR": os.path.join(folder, "cache")}
        settings |= COMPILER if options.compiler else {}
        programs = [[options.program], *generated(options.generated, draw, folder)]
        subjects = [Subject(options.launcher, arguments, settings, folder) for arguments in programs]
        tried, failures, memory_errors = try_all(options.launcher, subjects, settings, options, draw)
    total = sum(subject.total for subject in subjects)
    print(f"{tried} of {total} allocations of {len(subjects)} programs made to fail (seed {options.seed}): "
          f"{failures} differ, {memory_errors} are MemoryErrors")
    sys.exit(failures > 0 or (tried == 0 and options.seconds > 0))


if __name__ == "__main__":
    main()
