"""NumPy rounds products of complex128 in one of two ways, as the operands and the result lie in memory."""
# test: not-sanitized numpy2
import numpy as np
from show import repeat, show

rng = np.random.default_rng(3)


def numbers(*shape):
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


def fresh(a, b):
    return a * b, np.multiply(a, b)


def into_others(a, b):
    c = np.empty_like(a)
    np.multiply(a, b, out=c)
    return c


def into_an_operand(a, b):
    a, b = a + 0, b + 0
    np.multiply(a, b, out=a)
    np.multiply(a, b, out=b)
    a *= b
    return a, b


def into_neighbours(a, b):
    both = np.concatenate((a, b))
    n = len(a)
    np.multiply(both[:n], both[n:], out=both[n:])
    np.multiply(both[:-1], both[1:], out=both[:-1])
    return both


def in_temporaries(a, b):
    return a * b * a, (a + b) * a, a * (a + b), -a * b, (a + 1j) * (b - 1j), a * b * 2j


def in_what_calls_return(a, b):
    return np.exp(a) * b, b * np.conj(a), np.sqrt(a) * np.sqrt(b), product(a, b) * b


def product(a, b):
    result = a * b
    return result


def named_first(a, b):
    t = a + b
    u = t * a
    return u, (v := a - b) * v, [a + b][0] * a


def with_numbers(a):
    return a * (1 + 2j), (1.5 - 0.3j) * a, a * np.complex128(0.3 + 0.7j), a * np.array(0.3 + 0.7j)


def of_rank_0(a, b):
    s, t = a.sum(), b.sum()
    x = np.array(a[0])
    return s * t, np.multiply(s, t), x * t, x * x, np.multiply(x, x), t * a[0]


for n in (3, 5, 1000, 16383, 16384, 40000):
    a, b = numbers(n), numbers(n)
    for function in (fresh, into_others, into_an_operand, into_neighbours, in_temporaries,
                     in_what_calls_return, named_first, of_rank_0):
        show(f"{function.__name__} {n}", repeat(function, a, b, times=4))
    show(f"with numbers {n}", repeat(with_numbers, a, times=4))
for shape in ((130, 130), (4, 5)):
    a, b = numbers(*shape), numbers(*shape)
    for function in (fresh, into_others, into_an_operand, in_temporaries, in_what_calls_return):
        show(f"{function.__name__} {shape}", repeat(function, a, b, times=4))
    # Not what calls return: the memory order of such results is not NumPy's (docs/limits.md).
    for function in (fresh, into_others, into_an_operand, in_temporaries):
        show(f"{function.__name__} {shape} F", repeat(function, np.asfortranarray(a), b, times=4))
# Short ones, of numbers whose products need no rounding.
for n in (1, 2):
    a, b = np.rint(numbers(n) * 50), np.rint(numbers(n) * 50)
    for function in (fresh, into_others, into_an_operand, in_temporaries, named_first):
        show(f"{function.__name__} {n}", repeat(function, a, b, times=4))
