"""The same functions by NumPy, DynaCC, numexpr, Numba, JAX and torch.compile, in one process and in turn.

    /usr/bin/python3 -m venv --system-site-packages build/peers
    build/peers/bin/pip install "numba<0.61" "numexpr<2.11" "jax[cpu]<0.4.31" "numpy==1.24.2" "scipy<1.12"
    /usr/bin/python3 -m venv --system-site-packages build/torch
    build/torch/bin/pip install "torch==2.5.1" "numpy==1.24.2"
    build/release/dynacc-python bench/peers.py build/peers build/torch [n ...]
    build/release/dynacc-python bench/peers.py --loops build/peers [name ...]

The folders are virtual environments; a peer that none of them has is left out. Numbers are the
elements of the arrays. Each line: the function, dtype and elements; NumPy's time of a call in
microseconds; then every other one's time over DynaCC's (above 1: DynaCC is quicker), medians of
interleaved rounds. The second table has each one's first call in milliseconds: what it takes to
trace and compile, a kernel that a cache on disk has included; torch.compile needs a C++ compiler.
DynaCC gives NumPy's bits unless DYNACC_FAST_MATH is set; the peers compute with their own functions
and orders of sums, Numba with fastmath, all with as many threads as they like.

--loops: the loops of loop_programs.py (those of these names) by NumPy, by DynaCC under the launcher's policy, and by
Numba without fastmath on one thread, each after a second of warm-up; processor time, as the machine may be busy. The
last column is the first seven calls together, what the process compiles meanwhile included.
"""

import glob
import statistics
import sys
import time

import numpy as np

import dynacc

import loop_programs
from array_functions import (chain3, chain10, choose, exponentials, layer_norm, plain_version,
                             roots, seconds, softmax, stencil, total)

ROUNDS = 7
WARM_UP = 1.0  # seconds


def gelu(a, b):
    return 0.5 * a * (1.0 + np.tanh(0.7978845608 * (a + 0.044715 * a * a * a))) + b


# Of each function: numexpr's expression, if it has one, and the shape for n elements.
FLAT = "flat"
ROWS = "rows"
PROGRAMS = [
    (chain3, "(a + b) * a - b", FLAT),
    (chain10, "((((a + b) * a - b) * 0.5 + a) * b - (a + b)) * 2.0"
              " * ((a + b) * a - b) + (((a + b) * a - b) * 0.5 + a) * 2.0", FLAT),
    (choose, "where(a > b, a - b, b * 0.5)", FLAT),
    (roots, "sqrt(a * a + b * b) / (a + 1.5)", FLAT),
    (exponentials, "exp(-a * b) * a + 1.0", FLAT),
    (gelu, "0.5 * a * (1.0 + tanh(0.7978845608 * (a + 0.044715 * a * a * a))) + b", FLAT),
    (stencil, None, FLAT),
    (total, "sum(a * b - a)", FLAT),
    (softmax, None, ROWS),
    (layer_norm, None, ROWS),
]
SIZES = [4096, 65536, 8 << 20]


def numexpr_version(function, expression):
    import numexpr
    if expression is None:
        return None
    return lambda a, b: numexpr.evaluate(expression, {"a": a, "b": b})


def numba_version(function, expression):
    import numba
    if function in (softmax, layer_norm):  # keepdims= is not supported: rows one by one
        return numba_rows(numba, function)
    return numba.njit(parallel=True, fastmath=True)(function)


def numba_rows(numba, function):
    @numba.njit(fastmath=True)
    def softmax_row(row, out):
        e = np.exp(row - row.max())
        out[:] = e / e.sum()

    @numba.njit(fastmath=True)
    def layer_norm_row(row, out):
        c = row - row.mean()
        out[:] = c / np.sqrt((c * c).mean() + 1e-5)

    one_row = softmax_row if function is softmax else layer_norm_row

    @numba.njit(parallel=True, fastmath=True)
    def rows(a, b):
        out = np.empty_like(a)
        for i in numba.prange(a.shape[0]):
            one_row(a[i], out[i])
        return out

    return rows


def jax_version(function, expression):
    import jax
    jax.config.update("jax_enable_x64", True)
    names = dict(function.__globals__, np=jax.numpy)
    compiled = jax.jit(type(function)(function.__code__, names))
    return lambda a, b: compiled(a, b).block_until_ready()


def torch_version(function, expression):
    """The NumPy function itself, which torch.compile traces into operations on tensors."""
    import torch
    return torch.compile(plain_version(function), dynamic=False)


PEERS = {"numexpr": numexpr_version, "numba": numba_version, "jax": jax_version,
         "torch": torch_version}


def usable_peers():
    """The peers that can be imported."""
    found = {}
    for name, make in PEERS.items():
        try:
            __import__(name)
        except ImportError:
            print(f"{name} is not there")
        else:
            found[name] = make
    return found


def versions_of(function, expression, peers):
    versions = {"numpy": plain_version(function), "dynacc": dynacc.compile(function)}
    for name, make in peers.items():
        version = make(function, expression)
        if version is not None:
            versions[name] = dynacc.disable(version) if name != "numba" else version
    return versions


def first_calls(versions, a, b):
    """Seconds of each version's first call, whose results are compared."""
    taken = {}
    for name, version in versions.items():
        start = time.perf_counter()
        result = version(a, b)
        taken[name] = time.perf_counter() - start
        # numexpr adds millions of float32 one after the other.
        np.testing.assert_allclose(np.asarray(result), versions["numpy"](a, b), 1e-2,
                                   1e-4 * a.size ** 0.5, err_msg=name)
    return taken


def measure(versions, a, b):
    """Median seconds of a call of each version."""
    for version in versions.values():
        for _ in range(4):
            version(a, b)
    repeat = max(1, 2_000_000 // a.size)
    rounds = [{name: seconds(version, (a, b), repeat) for name, version in versions.items()}
              for _ in range(ROUNDS)]
    return {name: statistics.median(r[name] for r in rounds) for name in versions}


def arguments(shape, dtype, n):
    rng = np.random.default_rng(1)
    arrays = [rng.uniform(0.1, 1.0, n).astype(dtype) for _ in range(2)]
    return [a.reshape(-1, 1024) for a in arrays] if shape == ROWS else arrays


def loop_versions(function):
    import numba
    compiled = numba.njit(loop_programs.REWRITTEN.get(function, function))
    return {"numpy": plain_version(function), "dynacc": function, "numba": compiled}


def processor_seconds(function, arguments, clock=time.thread_time):
    start = clock()
    function(*arguments)
    return clock() - start


def least_after(warm_up, function, make):
    """The least processor time of a call, once it has run for so long at a stretch."""
    end = time.thread_time() + warm_up
    while time.thread_time() < end:
        function(*make())
    return min(processor_seconds(function, make()) for _ in range(5))


def measure_loop(function, make):
    """Median processor seconds of a call of each version; and of the first seven calls together."""
    versions = loop_versions(function)
    first = {}
    for name, version in versions.items():
        first[name] = sum(processor_seconds(version, make(), time.process_time) for _ in range(7))
        least_after(WARM_UP, version, make)
    expected = versions["numpy"](*make())
    assert np.asarray(versions["dynacc"](*make())).tobytes() == np.asarray(expected).tobytes(), function
    np.testing.assert_allclose(versions["numba"](*make()), expected, 1e-6, 1e-9)
    rounds = [{name: least_after(WARM_UP / 10, version, make) for name, version in versions.items()}
              for _ in range(ROUNDS)]
    return {name: statistics.median(r[name] for r in rounds) for name in versions}, first


def compare_loops(names):
    print(f"{'class':22}{'program':21}{'numpy us':>10}{'dynacc us':>10}{'numpy/':>8}{'numba/':>8}{'first 7':>9}")
    ratios = []
    for kind, programs in loop_programs.programs().items():
        for function, make in programs:
            if names and function.__name__ not in names:
                continue
            times, first = measure_loop(function, make)
            ratios.append(times["numba"] / times["dynacc"])
            print(f"{kind:22}{function.__name__:21}{times['numpy'] * 1e6:10.0f}{times['dynacc'] * 1e6:10.0f}"
                  f"{times['numpy'] / times['dynacc']:8.2f}{ratios[-1]:8.2f}{first['numba'] / first['dynacc']:9.1f}",
                  flush=True)
    mean = statistics.geometric_mean(ratios)
    print(f"Numba's time over DynaCC's: {mean:.2f} in geometric mean, {min(ratios):.2f} at worst")


def print_line(function, dtype, n, figures):
    print(f"{function.__name__:14}{dtype:9}{n:9}" + "".join(figures), flush=True)


def main():
    folders = [argument for argument in sys.argv[1:] if not argument.isdigit()]
    sizes = [int(argument) for argument in sys.argv[1:] if argument.isdigit()] or SIZES
    for folder in folders:
        sys.path[:0] = glob.glob(folder + "/lib/python3*/site-packages")
    if "--loops" in sys.argv:
        compare_loops([name for name in folders if name.isidentifier()])
        return
    peers = usable_peers()
    names = ["numpy", *peers]
    print(f"{'function':14}{'dtype':9}{'n':>9}{'numpy us':>11}"
          + "".join(f"{name:>9}" for name in names))
    compiles = []
    for n in sizes:
        for dtype in ("float64", "float32"):
            for function, expression, shape in PROGRAMS:
                versions = versions_of(function, expression, peers)
                values = arguments(shape, dtype, n)
                compiles.append((function, dtype, n, first_calls(versions, *values)))
                times = measure(versions, *values)
                print_line(function, dtype, n, [f"{times['numpy'] * 1e6:11.2f}"] + [
                    f"{times[name] / times['dynacc']:9.2f}" if name in times else f"{'-':>9}"
                    for name in names])
    print(f"\n{'first call, ms':32}" + "".join(f"{name:>9}" for name in ["dynacc", *peers]))
    for function, dtype, n, taken in compiles:
        print_line(function, dtype, n, [
            f"{taken[name] * 1e3:9.1f}" if name in taken else f"{'-':>9}"
            for name in ["dynacc", *peers]])


if __name__ == "__main__":
    main()
