"""Sweeps over grids write slices of existing arrays from slices of themselves and others."""
import numpy as np
from show import show


def jacobi(u, f, h, iterations):
    new = u.copy()
    change = 0.0
    for _ in range(iterations):
        new[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
                                  - h * h * f[1:-1, 1:-1])
        change = np.abs(new - u).max()
        u, new = new, u
        if change < 1e-9:
            break
    return u, change


def heat(u, dt, steps):
    for _ in range(steps):
        laplacian = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
        u[1:-1, 1:-1] += dt * laplacian
        u[0, :] = u[1, :]
        u[-1, :] = u[-2, :]
        u[:, 0] = 1.0
        u[:, -1] = u[:, -2] * 0.5
    return u.sum()


class Wave:
    def __init__(self, n):
        self.p = np.zeros(n)
        self.v = np.zeros(n + 1)
        self.c = 0.5
        self.p[n // 3] = 1.0

    def step(self):
        self.v[1:-1] -= self.c * (self.p[1:] - self.p[:-1])
        self.p -= self.c * (self.v[1:] - self.v[:-1])

    def energy(self):
        return 0.5 * (self.p ** 2).sum() + 0.5 * np.sum(self.v ** 2)


def life(board):
    n = (board[:-2, :-2] + board[:-2, 1:-1] + board[:-2, 2:] + board[1:-1, :-2] + board[1:-1, 2:]
         + board[2:, :-2] + board[2:, 1:-1] + board[2:, 2:])
    inner = board[1:-1, 1:-1]
    born = (n == 3) & (inner == 0)
    stay = ((n == 2) | (n == 3)) & (inner == 1)
    board[...] = 0
    board[1:-1, 1:-1][born | stay] = 1
    return board


def upwind(q, c):
    q[1:] -= c * (q[1:] - q[:-1])
    q[0] = q[-1]


def blur(image, kernel):
    out = np.zeros_like(image)
    r = kernel.shape[0] // 2
    padded = np.pad(image, r, mode="edge")
    for i in range(kernel.shape[0]):
        for j in range(kernel.shape[1]):
            out += kernel[i, j] * padded[i:i + image.shape[0], j:j + image.shape[1]]
    return out


n = 33
x = np.linspace(0, 1, n)
u, change = jacobi(np.zeros((n, n)), np.sin(np.pi * x)[:, None] * np.sin(np.pi * x), x[1], 60)
show("jacobi", u)
print(change)

plate = np.zeros((20, 31))
plate[9:12, 14:17] = 100.0
print([heat(plate, 0.1, 3) for _ in range(12)])
show("plate", plate)
columns = np.asfortranarray(np.arange(120.0).reshape(10, 12))
print([heat(columns, 0.05, 2) for _ in range(12)])
show("columns", columns)

wave = Wave(200)
energies = []
for step in range(60):
    wave.step()
    if step % 6 == 0:
        energies.append(wave.energy())
print(energies)
show("p", wave.p)
show("v", wave.v)

board = (np.arange(400).reshape(20, 20) % 7 % 3 == 1).astype(np.int8)
for _ in range(15):
    same = life(board)
    assert same is board
show("life", board)

q = np.exp(-np.linspace(-3, 3, 50) ** 2)
for _ in range(25):
    upwind(q, 0.3)
show("q", q)

image = np.arange(63.0).reshape(7, 9)
for _ in range(3):
    image = blur(image, np.outer([1, 2, 1], [1, 2, 1]) / 16)
show("image", image)
