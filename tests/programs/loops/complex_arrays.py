"""Loops over elements of complex arrays: NumPy's complex numbers, alone and beside Python's and real ones."""
import cmath
import math

import numpy as np


def fourier(x):
    out = np.zeros(len(x), dtype=complex)
    for k in range(len(x)):
        total = 0j
        for t in range(len(x)):
            total += x[t] * complex(math.cos(2 * math.pi * k * t / len(x)), -math.sin(2 * math.pi * k * t / len(x)))
        out[k] = total
    return out


def butterflies(x):
    n, step = len(x), 1
    while step < n:
        angle = complex(math.cos(math.pi / step), -math.sin(math.pi / step))
        for start in range(0, n, 2 * step):
            w = 1 + 0j
            for k in range(step):
                a, b = x[start + k], w * x[start + k + step]
                x[start + k], x[start + k + step] = a + b, a - b
                w = w * angle
        step *= 2
    return x


def escapes(c, most):
    out = np.zeros(c.shape, dtype=np.int64)
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            z = 0j
            for k in range(most):
                z = z * z + c[i, j]
                if z.real * z.real + z.imag * z.imag > 4.0:
                    break
            out[i, j] = k
    return out


def newton(z, most):
    for i in range(len(z)):
        for _ in range(most):
            step = (z[i] ** 2 * z[i] - 1) / (3 * z[i] ** 2)
            z[i] -= step
            if abs(step) < 1e-9:
                break
    return z


def gates(state, qubit):
    half, root = 1 << qubit, 1 / math.sqrt(2)
    for i in range(len(state)):
        if not i & half:
            a, b = state[i], state[i | half]
            state[i] = (a + b) * root
            state[i | half] = (a - b) * root * 1j
    return state


def mixed(z, x, k):
    out = np.empty(len(z) * 8, dtype=complex)
    for i in range(len(z)):
        c = complex(x[i], k[i])
        out[8 * i] = z[i] * 2 - 3j / (z[i] + 2)
        out[8 * i + 1] = x[i] * z[i] + k[i]
        out[8 * i + 2] = x[i] + 1j - c * z[i].conjugate() / (c + 5)
        out[8 * i + 3] = k[i]
        out[8 * i + 4] = x[i]
        out[8 * i + 5] = -z[i] + np.conj(c) + np.abs(z[i]) + abs(c)
        out[8 * i + 6] = +z[i].real + z[i].imag * 1j
        out[8 * i + 7] = 2 - z[i] / 3 + k[i] / (z[i] - 7j) - z[i].conj()
    return out


def kinds(z, x):
    seen = []
    for i in range(len(z)):
        for a in (z[i], 1j, complex(z[i]), x[i], 2, 0.5):
            for b in (z[i], 2j, x[i], 3):
                c = a * b
                seen.append((type(c).__name__, type(a + b).__name__, type(a == b).__name__, a == b))
        w = z[i] * x[i]
        seen.append((w, type(w.real).__name__, type(abs(w)).__name__, type(w.conjugate()).__name__, w is w, bool(w)))
    return seen


def totals(z, where):
    total, count = 0j, 0
    for w in z:
        if w == where or not w:
            count += 1
        elif w.imag > 0:
            total = total + w
        else:
            total -= 1 / w
    return total, count, type(total).__name__


def rows(a, b):
    out = np.zeros((a.shape[0], b.shape[1]), dtype=complex)
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0
            for k in range(a.shape[1]):
                s = s + a[i, k] * b[k, j]
            out[i, j] = s
    return out


def faults(z, what):
    last = None
    try:
        for i in range(len(z) + 1):
            z[i] = z[i] * z[i] if what == "product" else 1 / z[i] if what == "quotient" else z[i] ** 2 if what == "power" else z[i + 1]
            last = z[i]
    except (IndexError, FloatingPointError) as error:
        return str(error), last
    return last


def stores_real(x, z):
    for i in range(len(x)):
        x[i] = z[i]
    return x


def main():
    rng = np.random.default_rng(5)
    z = rng.standard_normal(64) + 1j * rng.standard_normal(64)
    x, k = rng.standard_normal(64), rng.integers(-9, 9, 64)
    side = np.linspace(-2, 1, 24)
    for turn in range(3):
        for values in (fourier(z), butterflies(z.copy()), escapes(side[:, None] + 1j * side[None, :], 40), newton(z.copy(), 30),
                       gates(z / 8, turn), mixed(z, x, k), mixed(z[::-2], x[::2], k[::2].astype(np.int32)),
                       rows(z.reshape(8, 8), z.reshape(8, 8).T)):
            print(values.tobytes().hex()[:200], values.sum())
        print(kinds(z[:3], x), totals(z, z[7]), totals(np.array([0, -0.0, 1j, complex(0, -2), 3]), 3))
        special = np.array([1 + 1j, 0, -0.0 - 0j, complex(np.inf, 1), complex(np.nan, -1), 1e200 + 1e200j, 1e-200 - 1e-200j, -0.0])
        for what in ("product", "quotient", "power", "next"):
            print(what, faults(special.copy(), what))
            with np.errstate(all="raise"):
                print(what, faults(special[[0, 6, 5]].copy(), what), faults(z.copy(), what))
        try:
            print(stores_real(x.copy(), z)[:3])
        except TypeError as error:
            print(error)
    print(cmath.exp(fourier(z[:4])[1]))


main()
