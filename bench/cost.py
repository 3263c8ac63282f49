"""What dynacc-python costs programs that gain nothing from it, beside a null run.

    bench/cost.py LAUNCHER [--rounds N] [--numpy] [--wall] [program.py ...]

Each round runs every program under python3, dynacc-python and python3 again, in an order that changes.
A line gives the least processor time (user and system, all threads; with --wall the least wall time) of
each, dynacc-python's and the second python3's over the first's, and whether the output was the same. The
second ratio is what noise alone does. Without programs: bench/programs/pure. With --numpy each program
starts with `import numpy as np`, from when on the evaluator looks at frames.
"""

import argparse
import math
import os
import pathlib
import statistics
import sys
import tempfile
import time

PYTHON = sys.executable
PURE = pathlib.Path(__file__).resolve().parent / "programs" / "pure"


def run(command, environment, folder, by_wall):
    """(Seconds, what it printed) of one run."""
    with open(os.path.join(folder, "output"), "w+b") as output:
        start = time.perf_counter()
        actions = [(os.POSIX_SPAWN_DUP2, output.fileno(), 1), (os.POSIX_SPAWN_DUP2, output.fileno(), 2)]
        child = os.posix_spawn(command[0], command, environment, file_actions=actions)
        _, status, used = os.wait4(child, 0)
        wall = time.perf_counter() - start
        output.seek(0)
        return wall if by_wall else used.ru_utime + used.ru_stime, (status, output.read())


def prepared(program, folder, with_numpy):
    if not with_numpy:
        return program
    changed = os.path.join(folder, os.path.basename(program))
    text = pathlib.Path(program).read_text(encoding="utf-8")
    pathlib.Path(changed).write_text("import numpy as np\n" + text, encoding="utf-8")
    return changed


class Row:
    def __init__(self, program, path):
        self.name = pathlib.Path(program).stem
        self.path = path
        self.times = {"python3": [], "dynacc": [], "null": []}
        self.outputs = {}

    def measure(self, pythons, environment, folder, by_wall, turn):
        names = list(pythons)
        for name in names[turn % 3:] + names[:turn % 3]:
            seconds, output = run([pythons[name], self.path], environment, folder, by_wall)
            self.times[name].append(seconds)
            self.outputs[name] = output

    def ratio(self, name):
        return min(self.times[name]) / min(self.times["python3"])

    def print(self):
        columns = "".join(f"{min(times) * 1e3:9.1f}" for times in self.times.values())
        same = "" if self.outputs["python3"] == self.outputs["dynacc"] else "  OUTPUT DIFFERS"
        print(f"{self.name:22}{columns}{self.ratio('dynacc'):9.3f}{self.ratio('null'):8.3f}{same}",
              flush=True)


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("launcher")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--numpy", action="store_true")
    parser.add_argument("--wall", action="store_true")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_intermixed_args()
    pythons = {"python3": PYTHON, "dynacc": os.path.abspath(options.launcher), "null": PYTHON}
    programs = options.programs or [str(path) for path in sorted(PURE.glob("*.py"))]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "DYNACC_CACHE_DIR": folder + "/cache"}
        rows = [Row(program, prepared(program, folder, options.numpy)) for program in programs]
        for row in rows:
            run([pythons["dynacc"], row.path], environment, folder, options.wall)  # fills the cache
        for turn in range(options.rounds):
            for row in rows:
                row.measure(pythons, environment, folder, options.wall, turn)
    print(f"{'program, ms':22}{'python3':>9}{'dynacc':>9}{'null':>9}{'ratio':>9}{'null':>8}")
    for row in rows:
        row.print()
    print(f"{'geometric mean':49}{geometric_mean([row.ratio('dynacc') for row in rows]):9.3f}"
          f"{geometric_mean([row.ratio('null') for row in rows]):8.3f}")


if __name__ == "__main__":
    sys.exit(main())
