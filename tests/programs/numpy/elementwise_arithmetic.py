"""Elementwise arithmetic gives NumPy's values for sizes from one element to more than a tile."""
# test: compiled cuda numpy2
import numpy as np
from show import repeat, show


def chain(a, b):
    c = a * b + a
    d = c / (1.0 + b * b) - a
    return d * d - 2.0 * d + 0.5


def powers(a):
    return a**2 + a**3 - a**0.5 + a**-1 + 2.0**a


def transcendental(a):
    return np.exp(-a) * np.sin(3 * a) + np.log1p(a) - np.tanh(a) * np.cos(a) + np.sqrt(a) + np.arctan(a)


def integers(i, j):
    return (i * j - i // j + i % j) ^ (i << 2) & ~j | (j >> 1)


def rounded(a):
    whole = np.round(a / 0.3) * 0.3 - a, np.around(-a), a.round(), np.round(a, decimals=0) + np.rint(a * 2)
    return *whole, np.round(a, 2), a.astype("f4").round(0), a.astype("f2").round(), (a * 3).astype(int).round(), (a * 1j).round()


for n in (1, 2, 7, 64, 1000, 5000, 70000):
    a = np.linspace(0.1, 3.0, n)
    b = np.cos(np.arange(n))
    show(f"chain {n}", repeat(chain, a, b))
    show(f"powers {n}", repeat(powers, a))
    show(f"transcendental {n}", repeat(transcendental, a))
    show(f"rounded {n}", repeat(rounded, a - 1.5))
    show(f"integers {n}", repeat(integers, np.arange(n) - n // 2, np.arange(n) % 13 + 1))
show("negated", repeat(lambda a: -a + abs(a) - +a, np.arange(-3.0, 4.0)))
show("halves", repeat(rounded, np.array([[0.5, 1.5, -0.5, -0.0], [2.5, 1e300, -np.inf, np.nan]]).T))
