#!/usr/bin/env python3
"""Which loops are translated as loops over elements, and which are not and why.

usage: element_loops_test.py LAUNCHER ROOT

What they compute is the business of tests/programs/loops and the fuzzer; here it is whether they are taken at all. The
loops that are have all opcodes of loop_opcodes.def and all functions of loop_calls.def in them.
"""
import dis
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import decoded_names

CLASS = """class T:
    unit = 2
    def __init__(self, data):
        self.data, self.x, self.inner = data, 0, self
    def at(self, i, *, scale=1):
        return self.data[i] * scale
    def advance(self, step):
        self.x = self.x + step
        return self.x
t = T(b)
"""
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
    "list": "for i in range(n):\n    xs[i] = b[i]",
    "lists": "rows = [[1, 2.5], [3, 4.5]]\ns = 0\nfor i, row in enumerate(rows):\n"
             "    while row:\n        s += row.pop()\n    for k in range(9):\n        row.append(k * 0.5)",
    "items of a list": "s = 0\nfor x in xs:\n    s += x",
    "things at once": "s = 0\nfor i, (x, y, z) in enumerate(zip(xs, b, reversed(range(n))), 2):\n    s += i * x + y - z",
    "text": "s = 0\nt = 'some text'\nfor i in range(len(t)):\n"
            "    if t[i] == 'e' or t[i] in 'tx' or t[i] not in ('s', 'm'):\n        s += ord(t[i])",
    "bytes": "s = 0\nt = bytearray(b'bytes')\nfor c in t:\n    t[c % 5] = c\n    s ^= c",
    "a comprehension": "ys = [x * 2 for x in xs if x < 50]",
    "directions": "s = 0\nfor i in range(n):\n    for dx, dy in ((0, 1), (1, 0), (0, -1)):\n        s += dx * i + dy",
    "no array": "s = 0\nfor i in range(n):\n    s += divmod(i, 7)[0] + round(i / 3) + i.bit_length() + pow(i, 2)",
    "nothing yet": "best = None\nfor x in xs:\n    if best is None or x > best:\n        best = x\n    t = best is None\n"
                   "i = 0\nwhile i < n:\n    i += 1\n    best = None if i > 5 else 1\n"
                   "while True:\n    i += 1\n    if i > 200:\n        break\n    if best is not None:\n        continue\n    if best is None:\n        continue",
    "an end that is none": "i = 0\nbest = None\nwhile best is None:\n    i += 1\n    best = i if i > 9 else None\n"
                           "while best is not None:\n    i += 1\n    best = None if i > 30 else best",
    "what is rare": "for i in range(n):\n    if b[i] == 50:\n        print(b[i])\n    b[i] += 1",
    "another type": "for i in range(n):\n    a[0, i] = np.float64(max(i, 0.5, b[i]))",
    "a global": "global weight\nweight = 0\nfor i in range(n):\n    weight += i",
    "a cell": "total = 0\ndef g():\n    nonlocal total\n    for i in range(n):\n        total += i\ng()\nfor i in range(n):\n    total += i",
    "a function": "k = 3\ndef g(x, y=2):\n    if x > 5:\n        return x * k\n    return x + y\n"
                  "for i in range(n):\n    b[i] = g(i) + g(b[i], i)",
    "tuples": "def g(x, y):\n    return y, x + y\nt = 0, 1\npairs = [(1, 2.5), (3, 4.5)]\ns = float('inf')\n"
              "for i in range(n):\n    t = g(t[0], i)\n    for p, q in pairs:\n        s = min(s, p * q)",
    "random numbers": "import random\nfor i in range(n):\n    a[0, i] = random.random() + math.isnan(a[1, i]) + math.trunc(a[2, i])",
    "rows": "for i in range(1, n):\n    a[i, i:] -= a[i - 1, i:] * a[i, 0] + np.sqrt(np.abs(a[:-i, 0])).sum()\n"
            "    a[i] = -a[i - 1] ** 2 / 2\n    a[::2, i] = np.maximum(a[::2, 0], 1.5)\n"
            "    a[i, 0] = np.dot(a[i, :i], a[:i, i]) + a[i] @ a[0] + a[i].dot(a[0]) + len(a[i, 1:])\n"
            "    a[i, 0] = a[i].max() + np.min(a[:, i])\n"
            "    b[i] = np.median(a[i, i:]) + a[i].std() - np.var(a[:, i])",
    "short rows of many": "c = np.ones((5000, 3))\nfor i in range(1, n):\n    c[i] += c[i - 1] @ c[i]",
    "rows with names": "def g(u, v):\n    w = u - v\n    w *= 2.0\n    return w\n"
                       "last = a[0]\nfor i in range(n):\n    d = a[i] - a[i - 1]\n    e = d\n    d += i\n    row = a[i, 1:]\n"
                       "    row[0] = e[1] + d.shape[0] + row.size\n    b[i] = g(d, last).argmin() + np.argmax(row[1:])\n"
                       "    last = d if i % 2 else g(a[i], d)\n    last[2:] -= last[:-2].mean()\n    last[i % 2:] += 0.5",
    "new rows": "c = np.ones((n, 3))\nfor i in range(1, n):\n    p = np.array([c[i, 0], 2.0, i])\n    x, y, z = np.cross(p, c[i])\n"
                "    q = np.zeros(3) + np.ones_like(p) + np.full(3, 0.5) + np.array([1.0, 2.0, 3.0])\n"
                "    c[i] = q.copy() * np.linalg.norm(p - q) + x * y - z",
    "attributes of an instance": CLASS + "for i in range(n):\n    t.x += t.data[i] + t.unit\n    t.data[i] = t.inner.x",
    "slots": "class T:\n    __slots__ = 'x', 'data'\nt = T()\nt.x, t.data = None, b\nfor i in range(n):\n"
             "    if t.x is None or t.data[i] > t.x:\n        t.x = i",
    "methods": CLASS + "for i in range(n):\n    b[i] = t.at(i) + t.at(i, scale=t.x)\n    t.advance(i)",
    "names of arguments": "def g(x, y=2, *, z=3):\n    return x * y + z\nfor i in range(n):\n    b[i] = g(i, z=1) - g(y=i, x=2)",
    "ints": "for i in range(n):\n    b[i] = (b[i] >> 1) ^ (i << 2) % 7",
}
TAKEN.update({
    "complex arrays": "z = np.ones(n, complex)\nfor i in range(n):\n    z[i] = z[i - 1] * 0.5 + b[i] / z[i].conjugate()\n"
                      "    b[i] = abs(z[i]) + z[i].imag",
    "a function that changes an array first": "def g(a, i):\n    a[i] = i\n    return a[i - 1]\n"
                                              "for i in range(n):\n    g(b, i)",
    "a function made anew": "def made():\n    def g(x):\n        return x + n\n    return g\ng = made()\nfor i in range(n):\n    b[i] = g(i)",
    "windows": "c, w = np.ones((4, n, n, 3)), np.ones((2, 2, 3))\nfor i in range(n - 1):\n    for j in range(n - 1):\n"
               "        a[i, j] = a[i:i + 2, j:j + 2].max() - np.min(a[i:i + 2, j:j + 2]) * 0.5\n"
               "        part = c[:, i:i + 2, j:j + 2]\n"
               "        c[:, i, j] = (part * w - 1.0 + part[:, :, :, np.newaxis].sum(axis=3)).mean(axis=(1, 2))",
    "numbers of two types": "best, last = 0, 0.0\nfor i in range(n):\n    if b[i] > best:\n        best = b[i]\n    last = max(last, a[0, i])\n"
                            "    c = best / 2 + (best and 1)\n    a[1, i] = b[best - 1] + abs(last) * c",
    "new arrays": "w = n // 25\nc = np.ones((w, 3), dtype=int)\nfor i in range(n):\n    t, u = np.zeros((w, 2), dtype=a.dtype), np.full(w + 1, i, dtype=np.int8)\n"
                  "    seen, d = np.zeros(w, dtype=np.bool_), c.copy()\n    for j in range(w):\n        t[j, 1] = u[j] + d[j, 2] + seen[j]\n"
                  "    c = np.zeros_like(c) if i % 2 else d\n    row = t[1]\n    b[i] = row[1] + c[0, 0]",
    "rows backwards": "for i in range(n):\n    a[i] = a[i, ::-1]",
    "sparse rows": "k, p = np.arange(5000) % 9, np.arange(0, 5000, 4)\nx = np.full(5000, 1e-9)\nfor i in range(n - 1):\n"
                   "    x[i] = (x[p[i]:p[i + 1]] * x[k[p[i]:p[i + 1]]]).sum() * 0.01 + x[:i] @ x[:i] * 1e-3\n"
                   "    x[k[i:i + 3]] += 0.5\n    row = k[i:i + 9]\n    row[0] = row[1]\n    for j in row:\n        x[j] -= 0.1",
})
REFUSED = {
    "blocks of rows": ("for i in range(n):\n    a[i:i + 2] = a[i:i + 2] * 0.5", "whole array"),
    "windows that stay": ("for i in range(n):\n    a[1:-1, 1:-1] = a[1:-1, :-2] + a[1:-1, 2:]", "whole array"),
    "a computed window that is kept": ("for i in range(n):\n    w = a[i:i + 2, i:i + 2] * 0.5", "several axes gave"),
    "long rows": ("c = np.ones((n, 5000))\nfor i in range(n):\n    c[i] = c[i] + 1", "whole array"),
    "rows of ints": ("c = np.ones((n, n), int)\nfor i in range(n):\n    c[i] = c[i] + 1", "whole array"),
    "part of a computed row that is kept": ("for i in range(n):\n    c = a[i] + 1\n    d = c[1:]", "part of a row"),
    "rows in a tuple that is kept": ("for i in range(n):\n    t = (a[i] + 1, i)", "large tuple"),
    "a new row of ints": ("for i in range(n):\n    c = np.array([i, n])", "unknown function"),
    "large new arrays": ("for i in range(n):\n    c = np.zeros((1000, n), dtype=int)\n    c[0, 0] = i", "unknown function"),
    "new arrays of another size each": ("for i in range(n):\n    c = np.zeros((i ** 2, 2), dtype=int)\n    b[i] = len(c)", "size that is not known"),
    "rows by a step that changes": ("for i in range(1, n):\n    b[i] = len(a[i, ::i])", "a step that is not known"),
    "lists of strings": ("ss = ['ab'] * n\nfor i in range(n):\n    ss[i] = ss[i - 1]", "list of something else"),
    "a string": ("for i in range(n):\n    s = str(i)", "unknown function"),
    "whole rows, now and then": ("c = np.ones((n, 5000))\nfor i in range(n):\n    if i == 3:\n        c[i] = c[i] + 1", "whole array"),
    "a function that changes a list first": ("def g(xs, a, i):\n    xs[i] = i\n    return a[i - 1]\n"
                                             "for i in range(n):\n    g(xs, b, i)", "may end after that"),
    "an attribute that a class looks after": ("class T:\n    def __setattr__(self, name, value):\n        vars(self)[name] = value\n"
                                             "t = T()\nt.x = 0\nfor i in range(n):\n    t.x += i", "attribute that is written"),
    "a new attribute": ("class T:\n    pass\nt = T()\nfor i in range(n):\n    t.x = i", "attribute that is written"),
    "an array in an attribute": (CLASS + "for i in range(n):\n    t.data = b", "array in an attribute"),
    "print": ("for i in range(n):\n    print(b[i])", "unknown function"),
    "complex64": ("z = np.ones(n, 'complex64')\nfor i in range(n):\n    z[i] = z[i - 1] + 1", "no number or array|whole array|than numbers"),
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


def table(root, name, rows=r"\w+"):
    text = pathlib.Path(root, "frontend/loops", name).read_text(encoding="utf-8")
    return re.findall(rf"^DYNACC_LOOP_{rows}\((\w+)", text, flags=re.M)


def function(body):
    return PROGRAM.format(body="\n".join("    " + line for line in body.splitlines()))


def opcodes_of(code):
    found = {decoded_names.name_of(at, code) for at in dis.get_instructions(code)}
    return found.union(*(opcodes_of(c) for c in code.co_consts if hasattr(c, "co_code")))


def log_of(launcher, text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "loop.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("DYNACC_")} | {
            "DYNACC_LOGS": "policy", "DYNACC_POLICY": "always"}
        run = subprocess.run([launcher, path], env=environment, capture_output=True, text=True, check=True,
                             timeout=60)
        return [line for line in run.stderr.splitlines() if re.search(r" (f|\S*<listcomp>|<module>) \(.*loop.py", line)]


SHORT = """import numpy as np
def f(v, c):
    n = c.shape[0]
    out = np.zeros((n, n, n, n))
    for p in range(n):
        for q in range(n):
            for r in range(n):
                for s in range(n):
                    t = 0.0
                    for i in range(n):
                        t += c[i, p] * v[i, q, r, s]
                    out[p, q, r, s] = t
    return out
for repeat in range(12):
    f(np.ones((9, 9, 9, 9)), np.ones((9, 9)))
"""


NEW_FUNCTIONS = """import numpy as np
def f(g, a, b):
    for k in range(60):
        m = 0.5 * (a + b)
        if g(m) > 0.0:
            b = m
        else:
            a = m
    return m
for repeat in range(3000):
    f(lambda v: v * v - 2.0, 0.0, 9.0)
"""


def default_log(launcher, text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "loop.py")
        path.write_text(text, encoding="utf-8")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("DYNACC_")} | {"DYNACC_LOGS": "policy"}
        return subprocess.run([launcher, path], env=environment, capture_output=True, text=True, check=True, timeout=60).stderr


def translations_for_new_functions(launcher):
    """How often a short loop is translated that calls another new function at each of 3000 calls."""
    return default_log(launcher, NEW_FUNCTIONS).count("a loop over elements of")


def unrolls(launcher):
    """Whether segments of a warm function unroll loops that have programs: entries compute what programs should."""
    log = default_log(launcher, SHORT)
    return "a loop over elements of" not in log or re.search(r"an entry of \d{2,} operations", log) is not None


def main(launcher, root):
    failures = []
    if unrolls(launcher):
        failures.append("segments unroll loops that have programs")
    translations = translations_for_new_functions(launcher)
    if translations > 300:
        failures.append(f"a loop that calls new functions is translated {translations} times")
    texts = {name: function(body) for name, body in TAKEN.items()} | {"module": BODY}
    calls = "".join(f"    a[0, i] = math.{name}(a[1, i]{' / 2' if name == 'atanh' else ''})\n"
                    for name in table(root, "loop_calls.def", "MATH"))
    calls += "".join(f"    a[0, i] = math.{name}(a[1, i], 2)\n" for name in table(root, "loop_calls.def", "MATH2"))
    calls += "".join(f"    a[0, i] = np.{name}(a[i]) + a[i].{name}()\n" for name in table(root, "loop_calls.def", "REDUCTION"))
    texts["functions of the table"] = function("for i in range(n):\n" + calls)
    for name, text in texts.items():
        log = log_of(launcher, text)
        if not any("a loop over elements of" in line for line in log):
            failures.append(f"{name}: {log[:3]}")
        if any("unknown function" in line for line in log if name == "module" or " f (" in line):
            failures.append(f"{name}: {log}")
    compiled = set().union(*(opcodes_of(compile(text, "loop.py", "exec")) for text in texts.values()))
    failures += [f"no loop has {row}" for row in table(root, "loop_opcodes.def")
                 if row not in compiled and row in decoded_names.possible_names()]
    for name, (body, reason) in REFUSED.items():
        log = log_of(launcher, function(body))
        if not log or not re.search("no loop over elements: .*(" + reason + ")", log[0]):
            failures.append(f"{name}: {log[:3]}")
    print("\n".join(failures) or f"{len(TAKEN)} taken, {len(REFUSED)} refused")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
