"""A program like a notebook: cell after cell defines functions, closures and classes anew and runs them on arrays.

usage: notebook.py RESULT SECONDS CELLS STRIDE

Runs CELLS cells, or for SECONDS if CELLS is 0. RESULT receives a JSON object: the number of cells, the definitions
in them, a digest of what all cells computed after each STRIDE cells, and the latencies of cells. The cells are a function of
their number alone, so that two runs under different interpreters must give the same digests.
"""
import hashlib
import json
import sys
import time

import numpy as np

import sampling

# Each is a cell; {k} is its number, {c} a number that few cells share, {n} a size, {d} a dtype. A cell leaves `out`.
TEMPLATES = (
    """
def step(a, b):
    return np.sqrt(a * a + np.abs(b) * {c}) - a * {k}
def run(a, b):
    for _ in range(3):
        a = step(a, b) * 0.25
    return a
out = run(make({n}, "{d}"), make({n}, "{d}") + 1)
""",
    """
def scaled(factor):
    total = np.zeros({n}, "{d}")
    def apply(a):
        nonlocal total
        total = total + a * factor
        return total - {c}
    return apply
apply = scaled({k} % 97 + 0.5)
for _ in range(3):
    out = apply(make({n}, "{d}"))
""",
    """
class Model:
    bias = {c}
    def __init__(self, w):
        self.w, self.calls = w, 0
    def __call__(self, x):
        self.calls += 1
        return np.maximum(x * self.w + self.bias, 0) / (1 + {k} % 13)
model = Model(make({n}, "{d}"))
out = model(model(model(make({n}, "{d}")))) + model.calls
""",
    """
def step(a, b):
    return np.where(a > b, a - {c}, b + {k} % 7).sum(axis=-1)
out = step(make({n}, "{d}").reshape(-1, 4), make({n}, "{d}").reshape(-1, 4)[::-1])
""",
    """
history = []
for round_number in range(4):
    x = make({n}, "{d}") * (round_number + {c})
    history.append((x - x.mean()) / ({k} % 11 + 1))
out = np.stack(history[-2:])
""",
    """
def update(state, key):
    state[key] = state.get(key, 0) + np.abs(make({n}, "{d}") - {c})
    return state[key]
state = {{}}
out = update(state, "w") + update(state, "w") * ({k} % 5)
""",
    """
total = 0.0
data = make({n}, "{d}").tolist()
for i in range(len(data) - 1):
    total += data[i] * {c} - data[i + 1] * ({k} % 3)
out = np.array(total)
""",
    """
def outer(a):
    return inner(a) + (lambda x: x * {c})(a)
def inner(a):
    return np.cumsum(a) / ({k} % 17 + 2)
out = outer(make({n}, "{d}"))
""",
    """
def chain(a, b):
    {chain}
    return a, b
out = np.stack(chain(make({n}, "f8"), make({n}, "f8") + 0.5))
""",
)
# Which of each pair a cell's {chain} has, a bit of its number says: 4,096 functions whose kernels differ.
PAIRS = (("a = a + b", "a = a - b"), ("b = b * 0.5", "b = b + a"), ("a = np.sqrt(np.abs(a))", "a = np.floor(a)"),
         ("b = np.where(a > b, a, b)", "b = np.minimum(a, b)"), ("a = a * 0.25", "a = -a"),
         ("a = np.maximum(a, 1.0)", "a = a / 3.0"), ("b = b - a", "b = np.abs(b)"), ("a = a + 1.0", "a = b"),
         ("b = np.rint(b)", "b = b * b"), ("a = np.minimum(a, b)", "a = a - 2.0"),
         ("b = b / 7.0", "b = np.ceil(b)"), ("a = a * b", "a = a + b"))
SIZES = (4, 64, 200, 1000, 4096)
DTYPES = ("f8", "f4", "i4", "f8")


def make(size, dtype):
    """An array of that size and dtype, always the same."""
    return (np.arange(size) % 23 - 7).astype(dtype)


def cell(number):
    """The text of the cell of that number."""
    text = TEMPLATES[number % len(TEMPLATES)]
    which = number // len(TEMPLATES)
    chain = "\n    ".join(pair[which >> bit & 1] for bit, pair in enumerate(PAIRS))
    return text.format(chain=chain, k=number, c=f"{number % 31}.{number % 8 * 125:03}", n=SIZES[which % len(SIZES)],
                       d=DTYPES[which // len(SIZES) % len(DTYPES)])


def definitions(text):
    """How many functions and classes a cell defines."""
    return text.count("def ") + text.count("class ") + text.count("lambda ")


def main():
    path, seconds, most, stride = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    namespace = {"np": np, "make": make, "__name__": "__main__"}
    digest, digests = hashlib.sha256(), []
    latencies = sampling.Quarters(max(seconds, 1e-3))
    end = time.monotonic() + seconds
    number = defined = 0
    while number < most if most else time.monotonic() < end:
        text = cell(number)
        started = time.perf_counter_ns()
        exec(compile(text, f"<cell {number}>", "exec"), namespace)
        latencies.add(time.perf_counter_ns() - started)
        out = namespace["out"]
        digest.update(f"{out.dtype.str}{out.shape}".encode() + out.tobytes())
        number += 1
        defined += definitions(text)
        if number % stride == 0:
            digests.append(digest.hexdigest()[:16])
    try:
        import dynacc
        counters = dict(dynacc.stats())
    except ImportError:
        counters = {}
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"cells": number, "definitions": defined, "digests": digests, "latency": latencies.counts(),
                   "counters": counters}, file)


if __name__ == "__main__":
    main()
