#!/usr/bin/env python3
"""Which loops are translated as loops over elements, and which are not and why.

usage: element_loops_test.py LAUNCHER ROOT

What they compute is course/260's and the fuzzer's business; here it is whether they are taken at all. The
loops that are have all opcodes of loop_opcodes.def and all functions of loop_calls.def in them.
"""
import dis
import os
import pathlib
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
    "an attribute of a module, called": "m = math\nfor i in range(n):\n    a[0, i] = m.floor(a[1, i])",
    "functions": "for i in range(n):\n    a[0, i] = min(math.sqrt(i), abs(np.exp(a[1, i])))",
    "ways": "i = 0\nwhile not a[0, i] > 5:\n    if i > 90:\n        break\n    i += 1\n"
            "for j in range(n):\n    m, k = a.shape\n    if j == m - 1:\n        break\n"
            "    a[0, j] = (a[1, j] and a[2, j]) + (a[3, j] or 1.0) + (+a[0, j]) - (-k) + (not j) + ~j\n"
            "    a[1, j], a[2, j] = a[2, j], a[1, j]",
    "no end": "i = 0\nwhile True:\n    i += 1\n    if b[i] > 50 or i < 0:\n        break",
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


BODY = """import numpy as np
b = np.arange(1000)
total = 0
for i in range(1000):
    total += abs(b[i])
    b[i] = total if i % 2 else -total
"""


def table(root, name):
    text = pathlib.Path(root, "frontend/frame/elements", name).read_text(encoding="utf-8")
    return re.findall(r"^DYNACC_\w+\((\w+)", text, flags=re.M)


def function(body):
    return PROGRAM.format(body="\n".join("    " + line for line in body.splitlines()))


def opcodes_of(code):
    found = {at.opname for at in dis.get_instructions(code)}
    return found.union(*(opcodes_of(c) for c in code.co_consts if hasattr(c, "co_code")))


def log_of(launcher, text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "loop.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("DYNACC_")} | {
            "DYNACC_LOGS": "policy", "DYNACC_POLICY": "always"}
        run = subprocess.run([launcher, path], env=environment, capture_output=True, text=True, check=True)
        return [line for line in run.stderr.splitlines() if re.search(r" (f|<module>) \(.*loop.py", line)]


def main(launcher, root):
    failures = []
    texts = {name: function(body) for name, body in TAKEN.items()} | {"module": BODY}
    calls = "".join(f"    a[0, i] = math.{name}(a[1, i])\n" for name in table(root, "loop_calls.def"))
    texts["functions of the table"] = function("for i in range(n):\n" + calls)
    for name, text in texts.items():
        log = log_of(launcher, text)
        if not any("a loop over elements of" in line for line in log):
            failures.append(f"{name}: {log[:3]}")
        if any("unknown function" in line for line in log):
            failures.append(f"{name}: {log}")
    compiled = set().union(*(opcodes_of(compile(text, "loop.py", "exec")) for text in texts.values()))
    failures += [f"no loop has {row}" for row in table(root, "loop_opcodes.def") if row not in compiled]
    for name, (body, reason) in REFUSED.items():
        log = log_of(launcher, function(body))
        if not log or not re.search("no loop over elements: .*(" + reason + ")", log[0]):
            failures.append(f"{name}: {log[:3]}")
    print("\n".join(failures) or f"{len(TAKEN)} taken, {len(REFUSED)} refused")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
