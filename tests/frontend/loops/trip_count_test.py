#!/usr/bin/env python3
"""What a loop costs to compile does not depend on how often it goes round.

usage: trip_count_test.py LAUNCHER

Runs each loop with more and more rounds, and counts traced segments, compiled entries and the nodes of
their graphs: beyond the bound up to which loops are unrolled, the counts stay what they are. The arrays
are float32, so that no loop is translated as one over elements.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

LOOPS = {
    "range": "for i in range(N):\n    y = np.sin(y * x) + 0.5",
    "range, its number used": "for i in range(N):\n    y = np.sin(y * x) + i * 0.5",
    "list": "for w in [k * 0.25 for k in range(N)]:\n    y = np.sin(y * x) + w",
    "zip and enumerate": "for i, (a, b) in enumerate(zip(range(N), rows)):\n    y = y * b + x - a",
    "array": "for row in rows:\n    y = np.cos(y - row) * x",
    "while": "i = 0\nwhile i < N:\n    y = np.sin(y * x) + 0.5\n    i += 1",
    "while on an array": "y = y * 0.0\nwhile y[0] < N:\n    y = y + 1.0\n    y = y * x / x",
    "break and else": "for i in range(N):\n    y = np.sin(y) + x\n    if i == N:\n        break\n"
                      "else:\n    y = y - 1.0",
    "nested": "for i in range(N // 20 + 1):\n    for j in range(20):\n        y = np.sin(y) + x\n"
              "    y = y - 0.125",
}
PROGRAM = """import numpy as np
N = {rounds}
x = np.linspace(1.0, 2.0, 40, dtype=np.float32)
rows = np.ones((N, 40), np.float32)
{body}
"""
FUNCTION = "def f(x, y, rows, N):\n{body}\n    return y\nprint(f(x, x, rows, N).sum())"
MODULE = "y = x\n{body}\nprint(y.sum())"


def counts(launcher, folder, text):
    path = os.path.join(folder, "loop.py")
    with open(path, "w") as file:
        file.write(text)
    stats = os.path.join(folder, "stats.json")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DYNACC_")} | {
        "DYNACC_STATS": stats, "DYNACC_CACHE_DIR": os.path.join(folder, "cache"),
        "DYNACC_LOGS": "graph", "DYNACC_TARGET": "tile",
        "DYNACC_POLICY": "always"}  # the default leaves alone what is not worth it
    run = subprocess.run([launcher, path], env=environment, capture_output=True, text=True, check=True)
    stock = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
    assert run.stdout == stock.stdout, (run.stdout, stock.stdout)
    with open(stats) as file:
        counted = json.load(file)
    nodes = len(re.findall(r"^dynacc\[graph\]\s+%\d+: ", run.stderr, re.MULTILINE))
    return {"entries": counted["segments_compiled"], "nodes": nodes}, counted["entries_hit"]


def main():
    launcher, failed = sys.argv[1], 0
    with tempfile.TemporaryDirectory() as folder:
        for where, frame in ("function", FUNCTION), ("module", MODULE):
            for name, loop in LOOPS.items():
                indent = "    " if frame is FUNCTION else ""
                body = "\n".join(indent + line for line in loop.splitlines())
                seen = []
                for rounds in 300, 1000, 10000:  # a branch on a value is traced anew after 200 breaks
                    text = PROGRAM.format(rounds=rounds, body=frame.format(body=body))
                    seen.append(counts(launcher, folder, text))
                flat = seen[0][0] == seen[1][0] == seen[2][0]
                captured = seen[2][1] >= 9000 and seen[0][0]["nodes"] > 0
                failed += not (flat and captured)
                print(f"{where}, {name}:", *seen, "" if flat and captured else "WRONG")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
