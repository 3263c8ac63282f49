"""Loops over single elements and very short rows of arrays: nothing here gains by kernels, and nothing may lose."""
import numpy as np

rng = np.random.default_rng(7)


def checksum(data):
    """Adler's checksum of an array of bytes, one NumPy scalar at a time."""
    low, high = 1, 0
    for byte in data:
        low = (low + int(byte & 0xFF)) % 65521
        high = (high + low) % 65521
    return high << 16 | low


def relax(grid):
    """A Gauss-Seidel sweep: each element needs the one before it."""
    rows, columns = grid.shape
    for i in range(1, rows - 1):
        for j in range(1, columns - 1):
            grid[i, j] = 0.25 * (grid[i - 1, j] + grid[i + 1, j] + grid[i, j - 1] + grid[i, j + 1])
    return grid


def factor(matrix):
    """The lower factor of a positive definite matrix, by products of parts of rows."""
    lower = np.zeros_like(matrix)
    for i in range(len(matrix)):
        for j in range(i):
            lower[i, j] = (matrix[i, j] - np.dot(lower[i, :j], lower[j, :j])) / lower[j, j]
        lower[i, i] = np.sqrt(matrix[i, i] - np.dot(lower[i, :i], lower[i, :i]))
    return lower


def sparse_product(starts, columns, values, x):
    """The product of a matrix in compressed rows, a few elements each, and a vector."""
    result = np.empty(len(starts) - 1)
    for row in range(len(result)):
        part = slice(starts[row], starts[row + 1])
        result[row] = values[part] @ x[columns[part]]
    return result


def walk(points, steps):
    """Points in the plane, one after the other."""
    position = np.zeros(2)
    for k in range(steps):
        position = position + points[k % len(points)] * 0.5
        if position @ position > 4.0:
            position = position / 2
    return position


square = rng.random((60, 60))
positive = square @ square.T + 60 * np.eye(60)
starts = np.cumsum(np.r_[0, rng.integers(1, 9, 1000)])
columns = rng.integers(0, 1000, starts[-1])
for _ in range(12):
    print(checksum(rng.integers(0, 256, 4000).astype(np.uint8)))
    print(relax(rng.random((40, 40))).sum())
    print(factor(positive).trace())
    print(sparse_product(starts, columns, rng.random(len(columns)), rng.random(1000)).sum())
    print(walk(rng.standard_normal((50, 2)), 2000))
