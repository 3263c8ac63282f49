#!/usr/bin/env python3
"""Code is traced when it has run for a while, and tracing takes a small share of a program's time.

usage: warm_up_test.py LAUNCHER SOLVERS

SOLVERS is a program of many functions, each called a few times on small arrays (bench/programs/solvers.py).
"""
import json
import os
import subprocess
import sys
import tempfile

HOT = """import numpy as np

def step(x, v):
    v = v - 0.01 * (x * (1.0 - x) * 0.5 + v * 0.25 - x * v * 0.125)
    return x + 0.01 * v, v

x, v = np.linspace(0.0, 1.0, 2000), np.zeros(2000)
for _ in range(1500):
    x, v = step(x, v)
print(x.sum())
"""

MADE_ANEW = """import numpy as np

text = '''def f(a):
    t = a * {i} + 1
    for k in range(20):
        t = t + a[k % 5] * {j}
    return t.sum()'''
a, total = np.sin(np.arange(50.0)), 0.0
for i in range(12000):
    names = {}
    exec(text.format(i=i, j=i % 7), names)
    total += names["f"](a)
print(total)
"""


def counts(launcher, program, folder, **options):
    stats = os.path.join(folder, "stats.json")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DYNACC_")} | {
        "DYNACC_STATS": stats, "DYNACC_CACHE_DIR": os.path.join(folder, "cache"),
        "DYNACC_TARGET": "tile"} | options
    run = subprocess.run([launcher, program], env=environment, capture_output=True, text=True, check=True)
    stock = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    assert (run.stdout, run.stderr) == (stock.stdout, stock.stderr), options
    with open(stats) as file:
        return json.load(file)


def main():
    launcher, solvers = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        compiled = {after: counts(launcher, solvers, folder, **options)["segments_compiled"]
                    for after, options in (("at once", {"DYNACC_CAPTURE_AFTER": "0"}), ("default", {}),
                                           ("never", {"DYNACC_CAPTURE_AFTER": "100000000"}))}
        print("entries compiled of many small functions:", compiled)
        assert compiled["at once"] > 30, compiled
        assert compiled["default"] < compiled["at once"] / 2, compiled
        assert compiled["never"] == 0, compiled

        hot = os.path.join(folder, "hot.py")
        with open(hot, "w") as file:
            file.write(HOT)
        run = counts(launcher, hot, folder)
        print("a hot loop:", run["entries_hit"], "runs of", run["segments_compiled"], "entries")
        assert run["entries_hit"] > 1000, run

        made_anew = os.path.join(folder, "made_anew.py")
        with open(made_anew, "w") as file:
            file.write(MADE_ANEW)
        run = counts(launcher, made_anew, folder)
        print("of 12,000 functions that are each called once", run["frames_captured"], "were looked at")
        assert 0 < run["frames_captured"] < 2000, run


if __name__ == "__main__":
    main()
