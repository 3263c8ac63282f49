"""Heat in a plate: explicit five-point stencil with fixed edges and a moving source."""
import hashlib
import sys

import numpy as np


def step(u, u_next, alpha):
    u_next[1:-1, 1:-1] = u[1:-1, 1:-1] + alpha * (
        u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])


def set_edges(u):
    u[0, :] = 1.0
    u[-1, :] = 0.0
    u[:, 0] = np.linspace(1.0, 0.0, u.shape[0])
    u[:, -1] = u[:, 0] ** 2


def residual(u, previous):
    return np.sqrt(((u - previous) ** 2).mean())


def main(size=200, steps=300):
    u = np.zeros((size, size))
    u_next = np.zeros_like(u)
    set_edges(u)
    set_edges(u_next)
    for t in range(steps):
        step(u, u_next, 0.23)
        u_next[20 + t // 4, 60:70] += 0.01
        if t % 60 == 59:
            print(f"t={t + 1}: residual {residual(u_next, u):.3e} mean {u_next.mean():.15f} "
                  f"hottest {u_next[1:-1, 1:-1].max():.12f}")
        u, u_next = u_next, u
    print("column", u[::40, size // 2])
    print(hashlib.sha256(u.tobytes()).hexdigest())


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
