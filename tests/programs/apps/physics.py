"""Physics and automata are simulated: bodies, pendulums, waves, reaction and diffusion, life, rule 30."""
# test: numpy2

import numpy as np


class Bodies:

    def __init__(s, n, rng):
        s.p = rng.random((n, 3))
        s.v = np.zeros((n, 3))
        s.m = rng.random(n)

    def acc(s):
        d = s.p[None] - s.p[:, None]
        r = np.sqrt((d**2).sum(-1) + 0.01)
        return (s.m[None, :, None] * d / r[..., None] ** 3).sum(1)

    def step(s, dt):
        a = s.acc()
        s.v = s.v + dt * a
        s.p = s.p + dt * s.v

    def energy(s):
        return 0.5 * np.sum(s.m * np.sum(s.v**2, axis=1))


def ising_e(s):
    return -np.sum(s * (np.roll(s, 1, 0) + np.roll(s, 1, 1)))


def rk4(f, y, t, h):
    k1 = f(y, t)
    k2 = f(y + h / 2 * k1, t + h / 2)
    k3 = f(y + h / 2 * k2, t + h / 2)
    k4 = f(y + h * k3, t + h)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def pend(y, t):
    return np.array([y[1], -9.81 * np.sin(y[0])])


def lorenz(s, t):
    return np.array([10 * (s[1] - s[0]), s[0] * (28 - s[2]) - s[1], s[0] * s[1] - 8 / 3 * s[2]])


def wave(u0, u1, c):
    u2 = 2 * u1 - u0
    u2[1:-1] += c * (u1[2:] - 2 * u1[1:-1] + u1[:-2])
    return (u1, u2)


def laplace(u):
    return np.gradient(np.gradient(u, axis=0), axis=0) + np.gradient(np.gradient(u, axis=1), axis=1)


def rot(v, k, th):
    return v * np.cos(th) + np.cross(k, v) * np.sin(th) + k * np.dot(k, v) * (1 - np.cos(th))


def grayscott(U, V):
    L = lambda Z: np.roll(Z, 1, 0) + np.roll(Z, -1, 0) + np.roll(Z, 1, 1) + np.roll(Z, -1, 1) - 4 * Z
    r = U * V * V
    return (U + 0.16 * L(U) - r + 0.035 * (1 - U), V + 0.08 * L(V) + r - 0.1 * V)


def life(g):
    n = sum((np.roll(np.roll(g, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)))
    return (n == 3) | g & (n == 2)


def rule30(row):
    return np.roll(row, 1) ^ (row | np.roll(row, -1))


rng = np.random.default_rng(6)
b = Bodies(10, rng)
s = np.sign(rng.random((8, 8)) - 0.5)
y = np.array([1.0, 0.0])
l = np.ones(3)
u0 = np.sin(np.linspace(0, 3, 50))
u1 = u0.copy()
U = np.ones((16, 16))
V = rng.random((16, 16))
g = rng.random((16, 16)) < 0.4
row = np.zeros(31, bool)
row[15] = True
for i in range(5):
    b.step(0.01)
    y = rk4(pend, y, 0, 0.01)
    l = rk4(lorenz, l, 0, 0.01)
    u0, u1 = wave(u0, u1, 0.1)
    U, V = grayscott(U, V)
    g = life(g)
    row = rule30(row)
    print(
        b.energy(),
        ising_e(s),
        y,
        l,
        u1[:3],
        laplace(U)[0, :3],
        rot(np.array([1.0, 0, 0]), np.array([0, 0, 1.0]), 0.3),
        U.sum(),
        g.sum(),
        row.sum(),
    )
