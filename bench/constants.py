"""Products with constant weights beside the same with weights that may change, in one process and in turn.

    build/release/dynacc-python bench/constants.py [--layers N]

Each line: the dtype and sizes of x @ w, the processor time of a call in microseconds with w a tensor, and that time over
the time with w a constant; medians of interleaved rounds, eager and captured. With --layers each call is of the next of N equal
weights: with so many that no cache holds them, as in a model that makes one token after the other.
"""
import argparse
import itertools
import statistics
import time

import numpy as np

import dynacc

ROUNDS = 31
ROWS = (1, 4, 16, 64, 128, 512)
SIZES = ((768, 3072), (3072, 768), (2048, 2048))
SAMPLE_SECONDS = 0.004


captured = dynacc.compile(lambda x, w: x @ w)


@dynacc.disable
def eager(x, w):
    return x @ w


@dynacc.disable
def seconds(function, x, weights, repeat):
    """The mean processor time of a call, of which there are about `repeat`."""
    calls = max(1, round(repeat / len(weights))) * len(weights)
    start = time.process_time()
    for w in itertools.islice(itertools.cycle(weights), calls):
        function(x, w)
    return (time.process_time() - start) / calls


def compare(function, x, plain, constant):
    """Microseconds with plain weights, and how many times quicker it is with constant ones."""
    for p, c in zip(plain, constant, strict=True):
        assert bool(dynacc.all(function(x, p) == function(x, c)))
    repeat = SAMPLE_SECONDS / seconds(function, x, plain, len(plain))
    rounds = [[seconds(function, x, weights, repeat) for weights in (plain, constant)] for _ in range(ROUNDS)]
    before, after = (statistics.median(times) for times in zip(*rounds, strict=True))
    return f"{before * 1e6:10.0f} {before / after:8.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=1)
    layers = parser.parse_args().layers
    random = np.random.default_rng(1)

    def draw(shape, dtype):
        return dynacc.asarray(random.standard_normal(shape), dtype=dtype)

    print(f"{'dtype':8} {'rows':>4} {'weights':>12}   eager us  quicker captured us quicker")
    for dtype in (dynacc.float32, dynacc.bfloat16):
        for shape in SIZES:
            plain = [draw(shape, dtype) for _ in range(layers)]
            constant = [dynacc.constant(w) for w in plain]
            for rows in ROWS:
                x = draw((rows, shape[0]), dtype)
                times = [compare(function, x, plain, constant) for function in (eager, captured)]
                print(f"{dtype!s:8} {rows:4} {f'{shape[0]} x {shape[1]}':>12} {' '.join(times)}", flush=True)


main()
