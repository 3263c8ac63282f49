#!/usr/bin/env python3
"""Which loops are translated as loops over elements, and which are not and why.

usage: element_loops_test.py LAUNCHER

What they compute is course/260's and the fuzzer's business; here it is whether they are taken at all.
"""
import os
import re
import subprocess
import sys
import tempfile

TAKEN = {
    "nest": "for i in range(n):\n    for j in range(n):\n        a[i, j] += a[i - 1, j] * 0.5",
    "type of a sum": "s = 0\nfor i in range(n):\n    s += a[0, i]",
    "while": "i = 0\nwhile i < n and a[0, i] < 5:\n    i += 1",
    "items": "s = 0\nfor row in a:\n    for x in row:\n        s += x",
    "branches": "for i in range(n):\n    if a[0, i] > 1 or i == 2:\n        a[1, i] = -1\n    else:\n        a[1, i] = i",
    "functions": "for i in range(n):\n    a[0, i] = min(math.sqrt(i), abs(np.exp(a[1, i])))",
    "ints": "for i in range(n):\n    b[i] = (b[i] >> 1) ^ (i << 2) % 7",
}
REFUSED = {
    "whole rows": ("for i in range(n):\n    a[i] = a[i] + 1", "whole array"),
    "a list": ("for i in range(n):\n    xs[i] = b[i]", "no number or array|something else"),
    "print": ("for i in range(n):\n    print(b[i])", "unknown function"),
    "complex": ("for i in range(n):\n    b[i] = (b[i] * 1j).real", "no number|do not have|attribute"),
}
PROGRAM = """import math
import numpy as np
def f(a, b, n):
    xs = [0] * n
{body}
for repeat in range(3):
    f(np.ones((100, 100)), np.arange(100), 100)
"""


def log_of(launcher, body):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "loop.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(PROGRAM.format(body="\n".join("    " + line for line in body.splitlines())))
        environment = {k: v for k, v in os.environ.items() if not k.startswith("DYNACC_")} | {
            "DYNACC_LOGS": "policy", "DYNACC_POLICY": "always"}
        run = subprocess.run([launcher, path], env=environment, capture_output=True, text=True, check=True)
        return [line for line in run.stderr.splitlines() if " f (" in line]


def main(launcher):
    failures = []
    for name, body in TAKEN.items():
        log = log_of(launcher, body)
        if not log or "a loop over elements of" not in log[0]:
            failures.append(f"{name}: {log[:3]}")
    for name, (body, reason) in REFUSED.items():
        log = log_of(launcher, body)
        if not log or not re.search("no loop over elements: .*(" + reason + ")", log[0]):
            failures.append(f"{name}: {log[:3]}")
    print("\n".join(failures) or f"{len(TAKEN)} taken, {len(REFUSED)} refused")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
