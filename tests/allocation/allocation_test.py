"""Makes each allocation of the core's fail in turn: the process lives and prints what python3 prints.

    allocation_test.py DYNACC_PYTHON FAILING_MALLOC [--seconds S] [--seed N] [--first N] [--program FILE] [--compiler]

A failed allocation leaves a stretch to CPython, or is a MemoryError; a process that dies, hangs or prints
something else is a finding, printed with the command that shows it again. Without --first a sample is drawn as
long as the time lasts; with it all allocations from there on fail one after another. With no time at all only the
library is tested: it must see the core's allocations, and change nothing if none fails.

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

PYTHON = "/usr/bin/python3.11"
HERE = os.path.dirname(os.path.abspath(__file__))
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


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("launcher")
    parser.add_argument("library")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--first", type=int)
    parser.add_argument("--program", default=os.path.join(HERE, "program.py"))
    parser.add_argument("--compiler", action="store_true")
    options = parser.parse_args()
    expected = run([PYTHON, options.program], {"PYTHONHASHSEED": "0"})
    with tempfile.TemporaryDirectory() as folder:
        settings = {**SETTINGS, "LD_PRELOAD": options.library, "DYNACC_CACHE_DIR": os.path.join(folder, "cache")}
        settings |= COMPILER if options.compiler else {}
        counts = os.path.join(folder, "count")
        if run([options.launcher, options.program], {**settings, "FAIL_COUNT": counts}) != expected:
            sys.exit("the program differs although no allocation fails")
        with open(counts, encoding="utf-8") as file:
            total = int(file.read())
        if total < 1000:
            sys.exit(f"only {total} allocations were seen: the library does not see the core's")
        draw = random.Random(options.seed)
        places = (range(options.first, total + 1) if options.first else
                  iter(lambda: draw.randint(1, total), None))
        end = time.monotonic() + options.seconds
        tried = failures = memory_errors = 0
        for place in places:
            if time.monotonic() > end:
                break
            variables = {"FAIL_AT": str(place), "FAIL_REPEAT": str(draw.choice((0, 0, 1, 20)))}
            status, text = run([options.launcher, options.program], {**settings, **variables})
            tried += 1
            if is_memory_error(status, text):
                memory_errors += 1
            elif (status, text) != expected:
                failures += 1
                shown = " ".join(f"{name}={value}" for name, value in {**settings, **variables}.items())
                print(f"differs, status {status}: {shown} {options.launcher} {options.program}\n{text[-600:]}")
        print(f"{tried} of {total} allocations made to fail (seed {options.seed}): {failures} differ, "
              f"{memory_errors} are MemoryErrors")
        sys.exit(failures > 0 or (tried == 0 and options.seconds > 0))


if __name__ == "__main__":
    main()
