"""The largest error of each transcendental function of tensors, in units in the last place (ULP): the table of docs/accuracy.md.

    build/release/dynacc-python bench/accuracy.py                                 # every float32 there is
    build/release/dynacc-python bench/accuracy.py --every 1009 --draws 1000000    # a sample
    DYNACC_FAST_MATH=1 build/release/dynacc-python bench/accuracy.py ...          # what kernels compute under fast_math

float32 is compared with NumPy's float64, float64 with NumPy's long double (64 bits of mantissa), of which the one is exact to
2^-29 and the other to 2^-10 of a unit. Eager functions are measured, and under fast_math captured ones.
"""
import argparse
import os
import warnings

import numpy as np

import dynacc as xp

# The standard's name, and NumPy's.
UNARY = {"acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atanh": "arctanh", "cos": "cos",
         "cosh": "cosh", "exp": "exp", "expm1": "expm1", "log": "log", "log10": "log10", "log1p": "log1p", "log2": "log2", "sin": "sin",
         "sinh": "sinh", "sqrt": "sqrt", "tan": "tan", "tanh": "tanh"}
BINARY = {"atan2": "arctan2", "hypot": "hypot", "pow": "power"}  # logaddexp near 0 is a difference of numbers near 1
CHUNK = 1 << 22
WIDER = {np.dtype("float32"): np.dtype("float64"), np.dtype("float64"): np.dtype("longdouble")}


def every_float32(step=1):
    """Arrays of float32 whose bits are 0, step, 2 step ... of all 2^32."""
    for first in range(0, 1 << 32, CHUNK * step):
        bits = np.arange(first, min(first + CHUNK * step, 1 << 32), step, dtype=np.uint64)
        yield (bits.astype(np.uint32).view(np.float32),)


def drawn(count, dtype, arity, seed=7):
    """Arrays of numbers of all magnitudes, half of them near 1."""
    random = np.random.default_rng(seed)
    limits = np.finfo(dtype)
    for _ in range(0, count, CHUNK):
        size = min(count, CHUNK)
        arguments = []
        for _ in range(arity):
            exponents = np.where(random.random(size) < 0.5, random.uniform(-4, 4, size), random.uniform(limits.minexp, limits.maxexp, size))
            arguments.append((np.exp2(exponents) * random.choice([-1.0, 1.0], size)).astype(dtype))
        yield tuple(arguments)


def errors(got, exact):
    """|got - exact| in ULP of the dtype at the exact result; infinite where one is NaN and the other is not."""
    rounded = exact.astype(got.dtype)
    largest = np.finfo(got.dtype).max
    unit = np.spacing(np.minimum(np.abs(rounded), np.nextafter(largest, got.dtype.type(0)))).astype(exact.dtype)
    beyond_all = 2 * exact.dtype.type(largest)
    off = np.abs(got.astype(exact.dtype) - np.clip(exact, -beyond_all, beyond_all)) / unit
    agree = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
    beyond = ~np.isfinite(got) | np.isnan(rounded)
    return np.where(agree & ~np.isfinite(rounded), 0, np.where(beyond, np.inf, off)).astype(float)


def largest_error(name, chunks, function=None):
    """The largest error, and its arguments."""
    function = function or getattr(xp, name)
    oracle = getattr(np, UNARY.get(name) or BINARY[name])
    worst, where = 0.0, None
    for arguments in chunks:
        got = np.asarray(function(*map(xp.asarray, arguments)))
        exact = oracle(*(argument.astype(WIDER[argument.dtype]) for argument in arguments))
        found = errors(got, exact)
        place = int(np.argmax(found))
        if found[place] > worst:
            worst, where = float(found[place]), tuple(argument[place] for argument in arguments)
    return worst, where


def captured(name):
    function = getattr(xp, name)
    return xp.compile(lambda *arguments: function(*arguments), fullgraph=True)


def measure(name, every, draws):
    """The errors in float32, of all numbers or (two arguments) of some, and in float64."""
    fast = os.environ.get("DYNACC_FAST_MATH") == "1"
    arity = 1 if name in UNARY else 2
    single = every_float32(every) if arity == 1 else drawn(draws, np.float32, arity)
    for chunks in (single, drawn(draws, np.float64, arity)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield largest_error(name, chunks, captured(name) if fast else None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th float32")
    parser.add_argument("--draws", type=int, default=1 << 24, metavar="COUNT", help="of float64, and of pairs")
    parser.add_argument("--functions", default=",".join((*UNARY, *BINARY)))
    given = parser.parse_args()
    print("| function | float32 | float64 |\n|---|---|---|")
    for name in given.functions.split(","):
        (single, at), (double, _) = measure(name, given.every, given.draws)
        print(f"| `{name}` | {single:.2f} | {double:.2f} |", flush=True)
        if not np.isfinite(single + double):
            print(f"    not finite, at {at}")


if __name__ == "__main__":
    main()
