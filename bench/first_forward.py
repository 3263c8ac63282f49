#!/usr/bin/env python3
"""What the first forward pass of a twelve-layer transformer takes more than the second: tracing, compiles, loads.

    DYNACC_TIER_UP=0 build/release/dynacc-python bench/first_forward.py

The functions are those of bench/programs/gpt2.py, on a model so narrow that its arithmetic takes a few milliseconds; what
is compiled does not depend on the width. One process with an empty kernel cache, then some with the kernels of
the first. Milliseconds, wall and processor time of all threads.
"""
import os
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "gpt2.py")
WIDTH, VOCABULARY, TOKENS = 96, 200, 16
WARM_PROCESSES = 5


def timed(function):
    """The wall and processor milliseconds that a call takes."""
    wall, processor = time.perf_counter(), time.process_time()
    function()
    return (time.perf_counter() - wall) * 1e3, (time.process_time() - processor) * 1e3


def measure():
    """Prints the first call's milliseconds less those of a call once all is compiled."""
    import dynacc

    with open(PROGRAM, encoding="utf-8") as file:
        source = file.read()
    code = {"__name__": "gpt2"}
    exec(compile(source[:source.index("rng = np.random")], PROGRAM, "exec"), code)
    code.update(WIDTH=WIDTH, VOCABULARY=VOCABULARY, TOKENS=TOKENS)
    rng = code["np"].random.default_rng(0)
    layers = [code["make_layer"](rng) for _ in range(code["LAYERS"])]
    embedding, positions = code["weights"](rng, VOCABULARY, WIDTH), code["weights"](rng, 1024, WIDTH)
    prompt = rng.integers(0, VOCABULARY, TOKENS)
    forward = dynacc.compile(code["forward"], fullgraph=True)
    first = timed(lambda: forward(prompt, embedding, positions, layers))
    later = min(timed(lambda: forward(prompt, embedding, positions, layers)) for _ in range(5))
    print(*(f"{a - b:.1f}" for a, b in zip(first, later)))


def main():
    with tempfile.TemporaryDirectory() as cache:
        for number in range(1 + WARM_PROCESSES):
            done = subprocess.run([sys.executable, __file__, "--measure"], capture_output=True, text=True, check=True,
                                  env=os.environ | {"DYNACC_CACHE_DIR": cache})
            print("empty cache:" if number == 0 else "filled cache:", done.stdout, end="")


if __name__ == "__main__":
    measure() if sys.argv[1:] == ["--measure"] else main()
