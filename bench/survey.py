"""Many usual kernels beside NumPy and beside a copy of the same bytes, ranked, in one process.

    DYNACC_TIER_UP=0 build/release/dynacc-python bench/survey.py [n ...] [name ...]

Numbers are sizes in elements, words choose kernels whose name contains one of them. Each line: the
kernel, n, the median processor time of a compiled call in microseconds (of all threads), that over
NumPy's for the same function, and over a copy that reads and writes as many bytes (inputs read plus
results written); the slowest beside NumPy first. All three are measured in turn.
"""

import statistics
import sys
import time

import numpy as np

import dynacc

from array_functions import plain_version

ROUNDS = 7
SIZES = [100, 10_000, 10_000_000]
KERNELS = []


def kernel(*makers):
    """Marks a kernel; makers give its arguments for a size."""
    def add(function):
        KERNELS.append((function, makers))
        return function
    return add


def rng():
    return np.random.default_rng(1)


def f8(n):
    return rng().uniform(0.1, 1.0, n)


def f4(n):
    return f8(n).astype(np.float32)


def i8(n):
    return rng().integers(1, 100, n)


def i4(n):
    return i8(n).astype(np.int32)


def u1(n):
    return rng().integers(0, 200, n, dtype=np.uint8)


def mask(n):
    return f8(n) < 0.5


def places(n):
    return rng().integers(0, n, n)


def near_places(n):
    return np.arange(n) ^ 1 if n % 2 == 0 else np.arange(n)


def square(make):
    def made(n):
        side = int(n ** 0.5)
        return make(side * side).reshape(side, side)
    return made


def cube(make):
    def made(n):
        side = round(n ** (1 / 3))
        return make(side ** 3).reshape(side, side, side)
    return made


def thin(make, width):
    return lambda n: make(n // width * width).reshape(-1, width)


def wide(make, height):
    return lambda n: make(n // height * height).reshape(height, -1)


def line(make):
    return lambda n: make(int(n ** 0.5))


@kernel(f8, f8)
def add(a, b): return a + b


@kernel(f8, f8)
def chain(a, b): return (a + b) * a - b * 0.5


@kernel(f8, f4)
def mixed_floats(a, b): return a * b + 1.0


@kernel(f8, i4)
def int_and_float(a, k): return a * k + 0.5


@kernel(u1)
def bytes_scaled(p): return p * np.float32(1 / 255) - np.float32(0.5)


@kernel(u1, u1)
def bytes_average(p, q): return ((p.astype(np.uint16) + q) // 2).astype(np.uint8)


@kernel(i8, i8)
def int_chain(k, m): return (k * 3 + m) ^ (k >> 1)


@kernel(i8, i8)
def int_modulo(k, m): return (k * 7 + 5) % 13 + k // m


@kernel(f8, f8)
def compare(a, b): return (a < b) & (a > 0.2)


@kernel(f8, f8)
def choose(a, b): return np.where(a > b, a - b, b * 0.5)


@kernel(f8)
def clip_abs(a): return np.clip(np.abs(a - 0.5), 0.1, 0.4)


@kernel(f8)
def minmax(a): return np.maximum(a, 0.3) + np.minimum(a, 0.7)


@kernel(f8)
def power_poly(a): return a ** 2 + a ** 3 * 0.5


@kernel(f8, f8)
def hypot_div(a, b): return np.sqrt(a * a + b * b) / (a + b)


@kernel(f8)
def exp_log8(a): return np.exp(-a) + np.log(a + 1.0)


@kernel(f4)
def exp_log4(a): return np.exp(-a) + np.log(a + np.float32(1.0))


@kernel(f8)
def sin_cos8(a): return np.sin(a) ** 2 + np.cos(a) * 0.5


@kernel(f4)
def sin_cos4(a): return np.sin(a) ** 2 + np.cos(a) * np.float32(0.5)


@kernel(f4)
def tanh4(a): return np.tanh(a * np.float32(0.5)) + a


@kernel(f8)
def tanh8(a): return np.tanh(a * 0.5) + a


@kernel(f8)
def floor_mod(a): return a * 10 - np.floor(a * 10) + np.rint(a)


@kernel(f8)
def float_modulo(a): return (a * 10) % 3.0 + a // 0.3


@kernel(f8, f8)
def sum_all(a, b): return (a * b).sum()


@kernel(f8)
def plain_sum(a): return a.sum()


@kernel(f4)
def plain_mean4(a): return a.mean()


@kernel(f8)
def variance_all(a): return a.var()


@kernel(i8)
def sum_ints(k): return (k * k).sum()


@kernel(u1)
def sum_bytes(p): return p.sum()


@kernel(f8, f8)
def count_true(a, b): return (a < b).sum()


@kernel(f8)
def any_all(a): return (a > 2.0).any(), (a > 0.0).all()


@kernel(f8)
def max_min(a): return a.max() - a.min()


@kernel(square(f8))
def sum_rows(a): return (a * 2.0).sum(axis=1)


@kernel(square(f8))
def sum_columns(a): return (a * 2.0).sum(axis=0)


@kernel(square(f4))
def max_columns4(a): return np.abs(a).max(axis=0)


@kernel(square(i4))
def sum_columns_i4(a): return (a + 1).sum(axis=0)


@kernel(thin(f8, 3))
def norms_of_points(p): return np.sqrt((p * p).sum(axis=1))


@kernel(wide(f8, 3))
def norms_outer(p): return np.sqrt((p * p).sum(axis=0))


@kernel(cube(f8))
def sum_middle(a): return (a * a).sum(axis=1)


@kernel(cube(f8))
def sum_two_axes(a): return (a * a).sum(axis=(0, 2))


@kernel(square(f8))
def mean_std_columns(a): return (a - a.mean(axis=0)) / a.std(axis=0)


@kernel(square(f8))
def mean_std_rows(a): return (a - a.mean(axis=1, keepdims=True)) / a.std(axis=1, keepdims=True)


@kernel(thin(f4, 1024 // 8))
def softmax4(a):
    e = np.exp(a - a.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@kernel(square(f8))
def argmax_rows(a): return (a * 2.0).argmax(axis=1)


@kernel(f8)
def argmax_all(a): return (a * a).argmax()


@kernel(f8)
def cumsum(a): return (a * 2.0).cumsum()


@kernel(square(f8))
def cumsum_columns(a): return (a * 2.0).cumsum(axis=0)


@kernel(square(f8), square(f8))
def add_transposed(a, b): return a + b.T


@kernel(square(f4), square(f4))
def add_transposed4(a, b): return a * b.T - a


@kernel(square(f8))
def symmetric_part(a): return (a + a.T) * 0.5


@kernel(square(f8))
def copy_transposed(a): return np.ascontiguousarray(a.T)


@kernel(cube(f8))
def permuted(a): return a.transpose(2, 0, 1) * 2.0 + 1.0


@kernel(thin(f8, 4), thin(f8, 4))
def columns_apart(p, q): return p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]


@kernel(f8)
def every_second(a): return a[::2] * 2.0 + a[1::2]


@kernel(f8)
def backwards(a): return a[::-1] + a


@kernel(f8, places)
def gather(a, at): return a[at] * 2.0


@kernel(f4, near_places)
def gather_near(a, at): return a[at] + a


@kernel(thin(f8, 16), lambda n: rng().integers(0, max(1, n // 16), n // 16))
def gather_rows(a, at): return a[at] * 2.0


@kernel(f8, places)
def take_function(a, at): return np.take(a, at) - a


@kernel(f8, places, f8)
def scatter(a, at, b):
    out = a * 1.0
    out[at] = b
    return out


@kernel(f8, mask)
def masked_sum(a, m): return a[m].sum()


@kernel(f8)
def masked_update(a):
    out = a * 2.0
    out[out > 1.0] = 1.0
    return out


@kernel(f8)
def compress(a): return a[a > 0.5] * 2.0


@kernel(f8)
def stencil1(a): return (a[:-2] + a[1:-1] + a[2:]) / 3.0


@kernel(square(f8))
def stencil2(a): return (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]
                         - 4.0 * a[1:-1, 1:-1])


@kernel(square(f8))
def rolled2(a): return (np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1)
                        + np.roll(a, -1, 1) - 4.0 * a)


@kernel(cube(f8))
def stencil3(a):
    return (a[:-2, 1:-1, 1:-1] + a[2:, 1:-1, 1:-1] + a[1:-1, :-2, 1:-1] + a[1:-1, 2:, 1:-1]
            + a[1:-1, 1:-1, :-2] + a[1:-1, 1:-1, 2:] - 6.0 * a[1:-1, 1:-1, 1:-1])


@kernel(line(f8), line(f8))
def outer(a, b): return np.outer(a, b) + 1.0


@kernel(square(f8), line(f8), line(f8))
def broadcast(a, r, c): return (a - r) * c[:, None]


@kernel(line(f8), line(f8))
def distances(a, b): return np.abs(a[:, None] - b[None, :])


@kernel(line(f8), line(f8))
def nearest(a, b): return ((a[:, None] - b[None, :]) ** 2).min(axis=1)


@kernel(f8)
def differences(a): return np.diff(a) * 2.0


@kernel(f8, f8)
def joined(a, b): return np.concatenate([a, b]) * 2.0


@kernel(f8, f8)
def dot(a, b): return np.dot(a, b)


@kernel(square(f8), line(f8), line(f8))
def matvec(a, v, b): return np.tanh(a @ v + b)


@kernel(square(f8), line(f8), line(f8))
def vecmat(a, v, b): return v @ a + b


@kernel(f8, f8)
def complexes(a, b):
    z = a + 1j * b
    return (z * z + 1.0).real


@kernel(f8)
def casts(a): return (a * 255).astype(np.uint8)


@kernel(f8)
def linspace_axis(a): return a * np.arange(a.size) + np.linspace(0, 1, a.size)


@kernel(f8)
def in_place(a):
    out = a.copy()
    out += 1.0
    out *= a
    return out


def seconds(function, arguments, repeat):
    """The mean processor time of a call, which a busy machine hardly changes."""
    start = time.process_time()
    for _ in range(repeat):
        function(*arguments)
    return (time.process_time() - start) / repeat


def moved_bytes(arguments, result):
    results = result if isinstance(result, tuple) else (result,)
    return sum(np.asarray(a).nbytes for a in (*arguments, *results))


def measure(function, makers, n):
    arguments = [make(n) for make in makers]
    compiled, plain = dynacc.compile(function), plain_version(function)
    for _ in range(4):
        result = compiled(*arguments)
    moved = max(2, moved_bytes(arguments, result))
    source, destination = np.ones(moved // 2, np.uint8), np.empty(moved // 2, np.uint8)
    repeat = max(1, min(2000, 400_000 // n))
    runs = [(compiled, arguments), (plain, arguments), (np.copyto, (destination, source))]
    for run in runs:
        seconds(*run, 2)
    rows = [[seconds(*run, repeat) for run in runs] for _ in range(ROUNDS if n < 1e6 else 5)]
    return [statistics.median(column) for column in zip(*rows)]


def main():
    sizes = [int(argument) for argument in sys.argv[1:] if argument.isdigit()] or SIZES
    words = [argument for argument in sys.argv[1:] if not argument.isdigit()] or [""]
    for n in sizes:
        found = [(name_of[0].__name__, measure(*name_of, n)) for name_of in KERNELS
                 if any(word in name_of[0].__name__ for word in words)]
        print(f"{'kernel':18}{'n':>10}{'us':>12}{'/ numpy':>10}{'/ copy':>10}")
        for name, (ours, numpy, copy) in sorted(found, key=lambda row: -row[1][0] / row[1][1]):
            print(f"{name:18}{n:10}{ours * 1e6:12.2f}{ours / numpy:10.2f}{ours / copy:10.2f}",
                  flush=True)


main()
