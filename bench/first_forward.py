#!/usr/bin/env python3
"""What first calls take more than later ones: tracing, compiles, loads.

    DYNACC_TIER_UP=0 build/release/dynacc-python bench/first_forward.py [processes]

Of a small function, and of the forward pass of a twelve-layer transformer. Its functions are those of
bench/programs/gpt2.py, on a model so narrow that its arithmetic takes a few milliseconds; what is compiled does not
depend on the width. One process with an empty cache, then some (12) with what the first has left there, of which the
medians are printed. Milliseconds, wall and processor time of all threads.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "gpt2.py")
WIDTH, VOCABULARY, TOKENS = 96, 200, 16
WARM_PROCESSES = 12


def timed(function):
    """The wall and processor milliseconds that a call takes."""
    wall, processor = time.perf_counter(), time.process_time()
    function()
    return (time.perf_counter() - wall) * 1e3, (time.process_time() - processor) * 1e3


def first_of(call):
    """The first call's milliseconds less those of a call once all is compiled."""
    first = timed(call)
    later = min(timed(call) for _ in range(5))
    return [a - b for a, b in zip(first, later)]


def small_call(dynacc, np):
    def small(a, b):
        return np.sqrt(a * b + 1.0) - a
    a = np.linspace(0.0, 1.0, 1000)
    dynacc.compile(lambda a: a + 1.0)(a)   # what the first compile of a process takes is not counted
    compiled = dynacc.compile(small)
    return lambda: compiled(a, a)


def transformer_call(dynacc, np):
    with open(PROGRAM, encoding="utf-8") as file:
        source = file.read()
    code = {"__name__": "gpt2"}
    exec(compile(source[:source.index("rng = np.random")], PROGRAM, "exec"), code)
    code.update(WIDTH=WIDTH, VOCABULARY=VOCABULARY, TOKENS=TOKENS)
    rng = np.random.default_rng(0)
    layers = [code["make_layer"](rng) for _ in range(code["LAYERS"])]
    embedding, positions = code["weights"](rng, VOCABULARY, WIDTH), code["weights"](rng, 1024, WIDTH)
    prompt = rng.integers(0, VOCABULARY, TOKENS)
    forward = dynacc.compile(code["forward"], fullgraph=True)
    return lambda: forward(prompt, embedding, positions, layers)


CALLS = {"small": small_call, "transformer": transformer_call}


def measure():
    import dynacc
    import numpy as np

    for make in CALLS.values():
        print(*first_of(make(dynacc, np)))


def run(cache):
    """For each of CALLS, its two numbers in a process of its own."""
    done = subprocess.run([sys.executable, __file__, "--measure"], capture_output=True, text=True, check=True,
                          env=os.environ | {"DYNACC_CACHE_DIR": cache})
    return [[float(number) for number in line.split()] for line in done.stdout.splitlines()]


def main(processes):
    with tempfile.TemporaryDirectory() as cache:
        cold = run(cache)
        warm = [run(cache) for _ in range(processes)]
    for i, name in enumerate(CALLS):
        wall, processor = (statistics.median(one[i][k] for one in warm) for k in (0, 1))
        print(f"{name}: {wall:.2f} ms, {processor:.2f} of a processor; with an empty cache "
              f"{cold[i][0]:.1f} and {cold[i][1]:.1f}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--measure"]:
        measure()
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else WARM_PROCESSES)
