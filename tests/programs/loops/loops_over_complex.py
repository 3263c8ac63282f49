"""Loops over complex numbers of Python's: bits, signs of zeros, errors, and types that change."""

import math
import struct

import numpy as np


def bits(z):
    """The number exactly; of a NaN only that it is one."""
    if not isinstance(z, complex):
        return repr(z)
    parts = []
    for part in (z.real, z.imag):
        parts.append("nan" if math.isnan(part) else struct.pack(">d", part).hex())
    return " ".join(parts)


def mandelbrot(width, height, most):
    total = 0
    for y in range(height):
        for x in range(width):
            c = complex(-2.0 + 3.0 * x / width, -1.0 + 2.0 * y / height)
            z = 0
            for i in range(most):
                z = z * z + c
                if abs(z) > 2.0:
                    break
            total += i
    return total


def julia(n, c):
    counts = []
    for i in range(n):
        z = complex(i / n - 0.5, 0.3)
        k = 0
        while z.real * z.real + z.imag * z.imag < 4.0 and k < 100:
            z = z * z + c
            k += 1
        counts.append(k)
    return counts


def newton(n):
    total = 0j
    for i in range(1, n):
        z = complex(i / n - 0.4, 1.5 - i / n)
        for _ in range(12):
            z = z - (z**3 - 1) / (3 * z * z)
        total += z
    return bits(total)


def horner(n):
    z = 0.3 + 0.4j
    p = 0
    for i in range(n):
        p = p * z + (i % 7 - 3)
    return bits(p)


def fourier(n):
    w = complex(math.cos(2 * math.pi / n), -math.sin(2 * math.pi / n))
    power = 0.0
    for k in range(n):
        step = 1 + 0j
        for _ in range(k):
            step *= w
        turn = 1 + 0j
        total = 0j
        for i in range(n):
            total += (i % 5 - 1.5) * turn
            turn *= step
        power += (total * total.conjugate()).real
    return power


def circuit(n):
    out = 0.0
    for i in range(1, n):
        omega = 10.0 * i
        z = 100 + 1j * omega * 0.01 + 1 / (1j * omega * 1e-6)
        current = 5 / z
        out += abs(current) - current.imag
    return out


def square(z):
    return z * z


def called(n):
    z = 0.5 + 0.5j
    for i in range(n):
        z = square(z) + 0.1j
    return bits(z)


def operations(a, b, n):
    """Of each operation what the last round gives."""
    r = s = t = q = 0j
    equal = unequal = truths = 0
    for i in range(n):
        r = a + b
        s = a - b
        t = a * b
        q = -a
        u = a.conjugate()
        v = complex(a)
        w = +a
        if a == b:
            equal += 1
        if a != b:
            unequal += 1
        if a:
            truths += 1
    return [bits(x) for x in (r, s, t, q, u, v, w)], equal, unequal, truths


def divided(a, b, n):
    r = 0j
    i = -1
    try:
        for i in range(n):
            r = a / b
    except ZeroDivisionError as error:
        return str(error), i, bits(r)
    return bits(r)


def lengths(a, n):
    r = 0.0
    i = -1
    try:
        for i in range(n):
            r = abs(a)
    except OverflowError as error:
        return str(error), i, r
    return r


def powers(a, n):
    out = [0j, 0j, 0j]
    i = -1
    try:
        for i in range(n):
            x = a**2
            y = a**3
            z = a**7
    except (OverflowError, ZeroDivisionError) as error:
        return str(error), i
    return bits(x), bits(y), bits(z)


def other_powers(a, n):
    x = y = z = 0
    for i in range(n):
        if i % 50 == 7:
            x += a**0.5
            y += a**-2
            z += a ** (1 + 1j)
    return bits(x), bits(y), bits(z)


def late_zero(n):
    z = 3 + 4j
    i = -1
    try:
        for i in range(n):
            z = (z + 1j) / (n - 5 - i)
    except ZeroDivisionError as error:
        return str(error), i, bits(z)


def late_overflow(n):
    z = 1.5 + 1.5j
    r = 0.0
    i = -1
    try:
        for i in range(n):
            z = z * (2 + 0j)
            r = abs(z)
    except OverflowError as error:
        return str(error), i, bits(z), r


def to_infinity(n):
    z = 1 + 1j
    for i in range(n):
        z = z * 3j + 1
    return bits(z)


def changes(n):
    z = 1
    kinds = set()
    for i in range(n):
        if i == n // 4:
            z = 2.5
        elif i == n // 2:
            z = z + 1j
        elif i == 3 * n // 4:
            z = z.imag
        z = z * 1.001
        if i % 100 == 0:
            kinds.add(type(z).__name__)
    return bits(z), sorted(kinds)


def great_ints(n):
    z = 0j
    same = 0
    k = 1
    for i in range(n):
        k = k * 3 if k < 10**30 else 1
        z = z * 0.5 + k
        if z == k:
            same += 1
        if complex(2.0**53) == 2**53 + 1:
            same += 1000
    return bits(z), same


def ordered(n):
    z = 1j
    i = -1
    try:
        for i in range(n):
            if i == n - 3:
                z < 2
            z = z * 1j
    except TypeError as error:
        return str(error), i, bits(z)


def swapped(n):
    z = 1 + 2j
    w = 3 - 1j
    for i in range(n):
        z, w = w, z
        z = complex(z.imag, z.real)
        pair = (z, w)
        z, w = pair[1] * 1j, pair[0]
    return bits(z), bits(w)


def kept(n):
    """A number that is not written stays the object that it is."""
    c = 1 + 2j
    same = 0
    for i in range(n):
        if i % 100 == 99:
            same += [c].index(c) + (id(c) == id(c))
    return same


print(mandelbrot(40, 30, 50))
print(julia(60, -0.4 + 0.6j))
print(newton(60))
print(horner(500))
print(fourier(40))
print(circuit(400))
print(called(400))
INF = math.inf
NAN = math.nan
SPECIAL = [0.0, -0.0, 1.5, -2.25, INF, -INF, NAN, 1e308, 5e-324]
NUMBERS = [complex(x, y) for x in SPECIAL for y in SPECIAL] + [3, -7, 0, True, 2.5, -0.0, INF, NAN]
for i, a in enumerate(NUMBERS):
    for b in NUMBERS[i % 9 :: 9]:
        if isinstance(a, complex):
            print(bits(a), bits(b), operations(a, b, 40))
        print(divided(a, b, 40))
for a in NUMBERS:
    print(bits(a), lengths(a, 300), powers(a, 300) if isinstance(a, complex) else "")
print(other_powers(0.5 - 2j, 300))
print(late_zero(600), late_overflow(1500), to_infinity(1000))
print(changes(1000), great_ints(700), ordered(300), swapped(501), kept(1000))


def into_array(n):
    """Parts of complex numbers go to arrays' elements."""
    out = np.zeros(n)
    z = 0.5 + 0.25j
    for i in range(n):
        z = z * 1j + 0.125
        out[i] = z.real + abs(z)
    return out.tobytes().hex()[-64:]


print(into_array(200))


def nan_before_overflow(z, x):
    """abs() of a NaN finds what an operation before it has left in errno: nothing that python3 does not leave there."""
    for i in range(40):
        z = z * 1.0
        z += x
        z -= float("-inf") if abs(z.conjugate()) > 2.0 else x * x ** 4
    return z


for _ in range(2):
    try:
        print(nan_before_overflow(complex(1.5, 0.5), -1e200))
    except OverflowError as error:
        print(error)
