"""Conway's Game of Life on a torus, with integer arrays and boolean rules."""
import hashlib

import numpy as np

GLIDER = np.array([[0, 1, 0], [0, 0, 1], [1, 1, 1]], dtype=np.uint8)


def neighbours(cells):
    total = np.zeros_like(cells)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            if dy or dx:
                total += np.roll(np.roll(cells, dy, axis=0), dx, axis=1)
    return total


def generation(cells):
    count = neighbours(cells)
    return ((count == 3) | ((cells == 1) & (count == 2))).astype(np.uint8)


def show(cells):
    for row in cells:
        print("".join("#" if cell else "." for cell in row))


def main(size=128, generations=100):
    cells = (np.random.default_rng(9).random((size, size)) < 0.3).astype(np.uint8)
    cells[2:5, 2:5] = GLIDER
    for number in range(generations):
        if number % 25 == 0:
            print(f"generation {number}: {cells.sum()} alive, {hashlib.md5(cells.tobytes()).hexdigest()}")
        cells = generation(cells)
    show(cells[:12, :48])
    print(cells.sum(), cells.dtype, hashlib.md5(cells.tobytes()).hexdigest())


if __name__ == "__main__":
    main()
