"""Derivatives of the generated programs: what DynaCC says, beside quotients of differences that any Python computes.

Stock Python prints the values around a point, and "no derivative is wrong" for them. DynaCC prints the same values, and
this line only if the derivatives agree, or if it refuses to give them for a reason of REFUSALS. With
DYNACC_TEST_REFUSALS=1 each refusal is told, too.
"""
import os
import types
import warnings

import numpy as np

try:
    import dynacc
except ImportError:
    dynacc = None

ComplexWarning = getattr(np, "exceptions", np).ComplexWarning
FINE = "no derivative is wrong"
STEP = 2e-5
COMPLEX_STEP = 1e-30
# What is not analytic: with one of these names in a function, a complex step says nothing.
NOT_ANALYTIC = {"abs", "absolute", "fabs", "norm", "normed", "var", "std", "vdot", "real", "cholesky", "eigvalsh", "slogdet"}
# What a quotient of differences may differ by, relative to the values: rounding of f by the step, with room.
ROUNDING = 1e-8
# The value beside a gradient has f's bits but for sums of arrays whose memory order the graph does not know: of
# arguments that are not in C order.
LAST_DIGITS = {8: 1e-12, 4: 1e-5}  # by the size of a number
# What these programs do that has no gradient yet, as the errors say it (docs/gradients.md).
REFUSALS = () if os.environ.get("DYNACC_TEST_REFUSALS") else (
    "a comparison of complex NumPy scalars", "an array whose size depends on values, in a branch or the body of a loop",
    "value-based promotion on a computed scalar", "fill with an array or a scalar of another dtype",
    "a write to an array that may be a view", "indexing with an array or another object",
    "an assignment of a number of another kind", "a product of one or two complex numbers",
    "a call of a generator function", "an iterator that is kept", "copyto with another dtype", " = stored(", " = updated(", "numpy.diff(")


def checkpoint(function):
    """dynacc.checkpoint where it is there."""
    return function if dynacc is None else dynacc.checkpoint(function)


def differentiate(f, *args, twice=False):
    """Prints f's value and its derivatives in two directions, and whether what DynaCC derives agrees with them.

    args   arrays of floating-point or complex numbers; f returns one real number, and may write into its arguments
    twice  the second derivative, too: f has no branches on values, which a gradient of a gradient does not follow
    """
    random = np.random.RandomState(args[0].size + 31)
    exact = [_double(arg) for arg in args]
    directions = [[_direction(arg, random) for arg in exact] for _ in range(2)]
    try:
        print(f"value: {_bits(f(*_copies(args)))}")
        quotients = [_quotient(f, exact, direction) for direction in directions]
    except Exception as error:
        print(f"no value: {type(error).__name__} {error}")
        return
    for quotient, error in quotients:
        print(f"  derivative: {_bits(quotient)} +- {error:.2g}")
    for line in [FINE] if dynacc is None else _differences(f, args, exact, directions, quotients, twice):
        print(f"  {line}")


def _differences(f, args, exact, directions, quotients, twice):
    """Lines that say where DynaCC's derivatives are not those; one that says that they agree if they do."""
    try:
        lines = list(_compared(f, args, exact, directions, quotients, twice))
    except Exception as error:  # a program of this family has derivatives
        lines = [f"{type(error).__name__}: {error}"]
        if any(reason in lines[0] for reason in REFUSALS):
            return [FINE]
    return lines or [FINE]


def _compared(f, args, exact, directions, quotients, twice):
    every = tuple(range(len(args)))
    value, rounded = dynacc.value_and_grad(f, every)(*_copies(args))
    digits = 0 if all(arg.flags.c_contiguous for arg in args) else LAST_DIGITS[min(arg.real.itemsize for arg in args)]
    if not abs(value - f(*_copies(args))) <= digits * (1 + abs(value)):
        yield f"the value beside the gradient is {_bits(value)}"
    gradient = dynacc.grad(f, every)(*_copies(exact))
    for each, one, arg in zip(gradient, rounded, args):
        if each.shape != arg.shape or one.dtype != arg.dtype:
            yield f"a gradient of {one.dtype} {each.shape} for {arg.dtype} {arg.shape}"
    smooth = [number for number, (_, error) in enumerate(quotients) if error < 1e-4]
    if _overflows(f, exact):  # exp(x) / exp(x).sum() is infinity over infinity then, in JAX, too
        smooth = []
    for number in smooth:
        quotient, error = quotients[number]
        along = _along(gradient, directions[number])
        exact_slope = _complex_step(f, exact, directions[number])
        if exact_slope is not None and abs(exact_slope - quotient) <= 10 * error:
            quotient, error = exact_slope, 1e-11 * (1 + _size(gradient))
        if not abs(along - quotient) <= 10 * error + (1e-6 if error > 1e-9 else 1e-10) * abs(quotient):
            yield f"gradient along direction {number}: {along!r}, quotient {quotient!r}"
        forward = float(dynacc.jvp(f, tuple(_copies(exact)), tuple(directions[number]))[1])
        if not abs(forward - along) <= 1e-9 * (1 + _size(gradient)):
            yield f"forward mode along direction {number}: {forward!r}, gradient {along!r}"
    if not smooth:
        return
    if rounded[0].dtype.itemsize < 8 and _distance(rounded, gradient) > 1e-2 * (1 + _size(gradient)):
        yield f"in float32 {rounded!r}, in float64 {gradient!r}"
    _, pull = dynacc.vjp(f, *_copies(exact), budget=0)
    frugal = pull(np.float64(1))
    if _distance(frugal, gradient) > 1e-9 * (1 + _size(gradient)):
        yield f"with budget 0 {frugal!r}, else {gradient!r}"
    if twice and len(smooth) == 2:
        yield from _second(f, exact, directions[0], every)


def _overflows(f, args):
    try:
        with np.errstate(over="raise"):
            f(*_copies(args))
    except FloatingPointError:
        return True
    return False


def _second(f, exact, direction, every):
    """Compares the derivative of the gradient in a direction with its quotients of differences."""

    def slope(*x):
        return sum((np.real(g * d)).sum() for g, d in zip(dynacc.grad(f, every)(*x), direction))

    quotient, error = _quotient(slope, exact, direction)
    if not error < 1e-4:
        return
    along = _along(dynacc.grad(slope, every)(*_copies(exact)), direction)
    if not abs(along - quotient) <= 10 * error + 1e-5 * (1 + abs(quotient)):
        yield f"second derivative: {along!r}, quotient {quotient!r}"


def _quotient(f, args, direction):
    """The derivative by central differences, and how far it may be off: infinity where f is not smooth."""

    def central(step):
        up = float(f(*[arg + step * d for arg, d in zip(args, direction)]))
        down = float(f(*[arg - step * d for arg, d in zip(args, direction)]))
        return (up - down) / (2 * step)

    def one_sided(step):
        here = float(f(*_copies(args)))
        return (float(f(*[arg + step * d for arg, d in zip(args, direction)])) - here) / step

    narrow, wide, forward = central(STEP), central(4 * STEP), one_sided(STEP)
    error = abs(narrow - wide) + ROUNDING
    is_smooth = np.isfinite(error) and abs(forward - narrow) < 2e-2 * (1 + abs(narrow))
    return narrow, error if is_smooth else float("inf")


def _complex_step(f, args, direction):
    """The derivative to the last digits by a step along the imaginary axis; None where f is not analytic."""
    if args[0].dtype.kind == "c" or any(not NOT_ANALYTIC.isdisjoint(code.co_names) for code in _codes(f.__code__)):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", ComplexWarning)
            moved = dynacc.disable(f)(*[arg + 1j * COMPLEX_STEP * d for arg, d in zip(args, direction)])
    except (TypeError, ValueError, ComplexWarning):  # of functions of real numbers
        return None
    return float(np.imag(moved)) / COMPLEX_STEP


def _codes(code):
    """The code and those of the functions inside of it."""
    return [code, *[inner for const in code.co_consts if isinstance(const, types.CodeType) for inner in _codes(const)]]


def _along(gradient, direction):
    return float(sum(np.real(g * d).sum() for g, d in zip(gradient, direction)))


def _double(arg):
    return arg.astype(np.complex128 if arg.dtype.kind == "c" else np.float64)


def _direction(arg, random):
    """A direction; of complex numbers a complex one."""
    real = random.standard_normal(arg.shape)
    return real + 1j * random.standard_normal(arg.shape) if arg.dtype.kind == "c" else real


def _copies(args):
    return [arg.copy(order="K") for arg in args]


def _size(arrays):
    return max((float(np.abs(array).max()) for array in arrays if array.size), default=0.0)


def _distance(arrays, others):
    return max((float(np.abs(a - b).max()) for a, b in zip(arrays, others) if a.size), default=0.0)


def _bits(number):
    return f"{type(number).__name__} {float(number).hex()}"
