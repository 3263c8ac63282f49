"""python3 beside dynacc-python, end to end: `./dev bench` runs it last.

    bench/compare.py build/release/dynacc-python [--rounds N] [program.py ...]

Without programs: start-up, the examples, bench/programs, and the goals of a single ten-op function.
Runs are interleaved, so that what else the machine does hits both; a line gives the median wall time
of each and their ratio, and whether both printed the same bytes. The kernel cache is a fresh folder
and warm (one run before) unless the line says cold.
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PYTHON = sys.executable
ROOT = pathlib.Path(__file__).resolve().parent.parent

TEN_OPS = """
import time
import numpy as np

def f(a, b):
    c = a + b
    d = c * a
    e = d - b
    g = e * 0.5
    h = g + a
    i = h * b
    j = i - c
    k = j * d
    l = k + e
    return l * 2.0

a, b = np.linspace(0, 1, 16), np.linspace(1, 2, 16)
start = time.perf_counter()
f(a, b)
first = time.perf_counter() - start

def many(n):
    start = time.perf_counter()
    for _ in range(n):
        f(a, b)
    return (time.perf_counter() - start) / n

many(5000)
print(first, min(many(5000) for _ in range(9)))
"""


def run(command, environment):
    start = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    return time.perf_counter() - start, done.stdout + done.stderr


def compare(name, arguments, launcher, environment, rounds):
    run([launcher, *arguments], environment)
    times = {PYTHON: [], launcher: []}
    output = {}
    for _ in range(rounds):
        for python in times:
            seconds, output[python] = run([python, *arguments], environment)
            times[python].append(seconds)
    stock, ours = (statistics.median(times[python]) * 1e3 for python in (PYTHON, launcher))
    same = "" if output[PYTHON] == output[launcher] else "  OUTPUT DIFFERS"
    print(f"{name:28}{stock:10.1f}{ours:10.1f}{ours / stock:8.2f}{same}", flush=True)


def compare_cold(name, arguments, launcher, environment, rounds):
    stock, ours = [], []
    for _ in range(rounds):
        shutil.rmtree(environment["DYNACC_CACHE_DIR"], ignore_errors=True)
        stock.append(run([PYTHON, *arguments], environment)[0] * 1e3)
        ours.append(run([launcher, *arguments], environment)[0] * 1e3)
    stock, ours = statistics.median(stock), statistics.median(ours)
    print(f"{name:28}{stock:10.1f}{ours:10.1f}{ours / stock:8.2f}", flush=True)


def ten_ops(python, environment, rounds, cold=False):
    """Medians of the first call in ms and of a steady call in us."""
    rows = []
    for _ in range(rounds):
        if cold:
            shutil.rmtree(environment["DYNACC_CACHE_DIR"], ignore_errors=True)
        rows.append([float(word) for word in run([python, "-c", TEN_OPS], environment)[1].split()])
    first, steady = (statistics.median(column) for column in zip(*rows))
    return f"{first * 1e3:10.2f} ms{steady * 1e6:10.2f} us"


def print_ten_ops(launcher, environment, rounds):
    environment = {**environment, "DYNACC_POLICY": "always"}  # the first call is captured
    at_once = {**environment, "DYNACC_TIER_UP": "0"}
    print(f"\n{'ten operations, 16 elements':36}{'first':>13}{'steady':>13}")
    print(f"{'python3':36}{ten_ops(PYTHON, environment, rounds)}")
    print(f"{'library loops first':36}{ten_ops(launcher, environment, rounds, cold=True)}")
    print(f"{'compiled at once, cold cache':36}{ten_ops(launcher, at_once, rounds, cold=True)}")
    print(f"{'compiled at once, warm cache':36}{ten_ops(launcher, at_once, rounds)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("launcher")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    launcher = os.path.abspath(options.launcher)
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "DYNACC_CACHE_DIR": folder + "/cache"}
        print(f"{'program, ms':28}{'python3':>10}{'dynacc':>10}{'ratio':>8}")
        programs = options.programs
        if not programs:
            compare("-c pass", ["-c", "pass"], launcher, environment, 3 * options.rounds)
            compare("-c 'import numpy'", ["-c", "import numpy"], launcher, environment,
                    3 * options.rounds)
            # What imports dynacc does not run under python3.
            programs = [str(path) for folder in ("bench/programs", "examples")
                        for path in sorted((ROOT / folder).glob("*.py"))
                        if "import dynacc" not in path.read_text(encoding="utf-8")]
        for program in programs:
            name = "/".join(pathlib.Path(program).parts[-2:])
            compare(name, [program], launcher, environment, options.rounds)
            if not options.programs and "bench/programs" in program:
                compare_cold("  cold cache", [program], launcher, environment, options.rounds)
        if not options.programs:
            print_ten_ops(launcher, environment, options.rounds)


if __name__ == "__main__":
    sys.exit(main())
