"""What mode="max-autotune" gains: 40 kernels, compiled as usual and as tuned, measured in turn.

    build/release/dynacc-python bench/autotune.py [NAME...]
    build/release/dynacc-python bench/autotune.py --several [NAME...]    graphs of several unlike kernels instead

Each line: the kernel; the time of a call as usual, and as tuned; the quotient of the two (more than 1: tuned is faster),
the median of rounds in each of which both run; its quartiles; what was chosen. At the end the geometric mean of all
quotients, of those where something was chosen, and the worst one. A quotient below 1 whose quartiles lie on both sides
of 1 is noise.
"""
import math
import re
import statistics
import sys
import time

import numpy as np

import dynacc

ROUNDS = 21
TURN = 0.004  # seconds of one of the two in one round


def chain(a, b):
    return (a * b + a - b) * 0.5 + a * a


def long_chain(a, b):
    c = a * b + 1.0
    d = c * c - a
    e = d * 0.25 + b * c
    return (e - d) * (e + d) / (c + 2.0)


def roots(a, b):
    return np.sqrt(a * a + b * b + 1.0) - np.abs(a - b)


def exponentials(a, b):
    return np.exp(-a) * b + np.exp(-b) * a


def choose(a, b):
    return np.where(a > b, a * 2.0 - b, b * 2.0 - a)


def two_results(a, b):
    c = a * b
    return c + 1.0, c - a


def total(a, b):
    return (a * b + a).sum()


def mean_square(a, b):
    d = a - b
    return (d * d).mean()


def greatest(a, b):
    return np.maximum(a, b).max() - np.minimum(a, b).min()


def strided(a, b):
    return a[::2] * b[1::2] + a[1::2]


def heat(a, b):
    return a[2:] + a[:-2] - 2.0 * a[1:-1] + b[1:-1]


def softmax(m):
    e = np.exp(m - m.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def layer_norm(m):
    d = m - m.mean(axis=1, keepdims=True)
    return d / np.sqrt((d * d).mean(axis=1, keepdims=True) + 1e-5)


def column_sums(m):
    return (m * m + 1.0).sum(axis=0)


def normalised_columns(m):
    return (m - m.mean(axis=0)) / (m.std(axis=0) + 1e-9)


def laplace(m):
    return m[1:-1, 1:-1] * 4.0 - m[:-2, 1:-1] - m[2:, 1:-1] - m[1:-1, :-2] - m[1:-1, 2:]


def symmetric(m):
    return (m + m.T) * 0.5


def distances(m):
    x, y = m[:, 0], m[:, 1]
    dx, dy = x[:, None] - x, y[:, None] - y
    return np.sqrt(dx * dx + dy * dy + 1e-3)


def attention(m):
    s = m @ m.T * 0.125
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True)) @ m


def dense(m):
    return np.maximum(m @ m.T + 1.0, 0.0)


# Graphs of kernels that nothing fuses, of which each is best made in another way.

def rows_and_elements(m, a, b):
    return softmax(m), strided(a, b), exponentials(a[:20_000], b[:20_000])


def points_and_sums(m, a, b):
    return distances(m[:200]), mean_square(a, b), column_sums(m), chain(a[:30_000], b[:30_000])


def pipeline(m, a, b):
    n = layer_norm(m)
    e = np.exp(-a) * b
    return laplace(n), strided(e, b), total(a, b), symmetric(m)


SEVERAL = (rows_and_elements, points_and_sums, pipeline)

VECTORS = (chain, long_chain, roots, exponentials, choose, two_results, total, mean_square, greatest, strided, heat)
MATRICES = (softmax, layer_norm, column_sums, normalised_columns, laplace, symmetric, distances, attention, dense)


def kernels():
    """(name, function, arguments), 40 of them: in cache and beyond it, float64 and some float32."""
    rng = np.random.default_rng(1)
    for function in VECTORS:
        for size in (20_000, 1_000_000):
            yield f"{function.__name__} {size}", function, [rng.uniform(0.5, 2.0, size) for _ in "ab"]
    for function in MATRICES:
        for rows in (128, 512):
            yield f"{function.__name__} {rows}x{rows}", function, [rng.uniform(0.5, 2.0, (rows, rows))]


def graphs_of_several():
    """The same of graphs of several kernels."""
    rng = np.random.default_rng(1)
    for function in SEVERAL:
        for rows, size in ((128, 100_000), (512, 1_000_000)):
            yield (f"{function.__name__} {rows}x{rows}", function,
                   [rng.uniform(0.5, 2.0, (rows, rows)), *(rng.uniform(0.5, 2.0, size) for _ in "ab")])


def turn(function, arguments, calls):
    start = time.perf_counter()
    for _ in range(calls):
        function(*arguments)
    return (time.perf_counter() - start) / calls


def bits(result):
    results = result if isinstance(result, tuple) else (result,)
    return [np.asarray(each).tobytes() for each in results]


def measure(function, arguments):
    """(time as usual, time tuned, quartiles of the quotients, what was chosen)"""
    usual = dynacc.compile(function, options={"tier_up": 0})
    tuned = dynacc.compile(function, mode="max-autotune")
    for compiled in (usual, tuned):
        for _ in range(5):
            result = compiled(*arguments)
    assert bits(result) == bits(usual(*arguments)), "the bits differ"
    calls = max(1, int(TURN / turn(usual, arguments, 2)))
    times = []
    for number in range(ROUNDS):
        order = (usual, tuned) if number % 2 == 0 else (tuned, usual)
        pair = [turn(compiled, arguments, calls) for compiled in order]
        times.append(pair if number % 2 == 0 else pair[::-1])
    segments = dynacc.explain(tuned, fresh=False)(*arguments).segments
    note = re.findall(r"^autotune: (.*)$", "\n".join(entry["kernels"] for segment in segments for entry in segment["entries"]),
                      re.MULTILINE)
    return ([statistics.median(column) for column in zip(*times)],
            statistics.quantiles([one / other for one, other in times], n=4), "; ".join(sorted(set(note))))


def main():
    several = "--several" in sys.argv[1:]
    names = [name for name in sys.argv[1:] if not name.startswith("--")]
    print(f"{'kernel':30}{'usual us':>10}{'tuned us':>10}{'gain':>7}  {'quartiles':13} choice")
    gains, chosen = [], []
    for name, function, arguments in (graphs_of_several() if several else kernels()):
        if names and not any(one in name for one in names):
            continue
        (before, after), (low, middle, high), note = measure(function, arguments)
        gains.append(middle)
        if not note.startswith("default"):
            chosen.append(middle)
        print(f"{name:30}{before * 1e6:10.1f}{after * 1e6:10.1f}{middle:7.2f}  {low:5.2f} - {high:5.2f} {note}", flush=True)
    mean = [math.exp(statistics.fmean(map(math.log, column))) if column else 1.0 for column in (gains, chosen)]
    print(f"{len(gains)} {'graphs' if several else 'kernels'}: geometric mean {mean[0]:.3f}, "
          f"of the {len(chosen)} tuned ones {mean[1]:.3f}, worst {min(gains):.2f}")


if __name__ == "__main__":
    main()
