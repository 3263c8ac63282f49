"""An ordinary Dask program, which knows nothing of DynaCC: springs with friction, and their blurred energies.

usage: oscillators.py SCHEDULER_FILE [--chunks N] [--rounds N]

Prints a hash of the bytes of each result on stdout, and the seconds of each round on stderr. Every round has other
starting values, so that nothing is left over from the one before.
"""
import argparse
import hashlib
import sys
import time

import dask.array as da
import numpy as np
from distributed import Client

CHUNK = (100, 1000)


def swing(start):
    """The energies after 60 steps of time."""
    x, v = start, np.zeros_like(start)
    for _ in range(60):
        force = 0.05 * x * x * x - x - 0.1 * v
        v = v + 0.02 * force
        x = x + 0.02 * v
    return 0.5 * (x * x + v * v)


def blur(energy):
    """Each energy among its four neighbours; the border is cut off by Dask."""
    blurred = energy.copy()
    blurred[1:-1, 1:-1] = (0.6 * energy[1:-1, 1:-1] + 0.1 * (energy[:-2, 1:-1] + energy[2:, 1:-1])
                           + 0.1 * (energy[1:-1, :-2] + energy[1:-1, 2:]))
    return blurred


def results(chunks, number):
    rows = CHUNK[0] * chunks
    places = da.arange(rows * CHUNK[1], chunks=CHUNK[0] * CHUNK[1], dtype=float).reshape(rows, CHUNK[1])
    starts = da.sin(places * (0.001 + 0.0001 * number))
    energy = starts.rechunk(CHUNK).map_blocks(swing)
    blurred = energy.map_overlap(blur, depth=1, boundary="nearest")
    return {"rows": blurred.sum(axis=1), "columns": blurred.mean(axis=0), "deviation": blurred.std(), "most": blurred.max()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scheduler_file")
    parser.add_argument("--chunks", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=1)
    arguments = parser.parse_args()
    with Client(scheduler_file=arguments.scheduler_file) as client:
        for number in range(arguments.rounds):
            start = time.perf_counter()
            wanted = results(arguments.chunks, number)
            found = client.gather(client.compute(list(wanted.values())))
            print(f"{time.perf_counter() - start:.3f}", file=sys.stderr)
            for name, value in zip(wanted, found):
                print(number, name, hashlib.sha256(np.asarray(value).tobytes()).hexdigest(), flush=True)


if __name__ == "__main__":
    main()
