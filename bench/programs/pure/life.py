"""Conway's game of life on a set of cells, and on rows of text."""


def neighbours(cell):
    x, y = cell
    return [(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]


def step(cells):
    counts = {}
    for cell in cells:
        for other in neighbours(cell):
            counts[other] = counts.get(other, 0) + 1
    return {cell for cell, count in counts.items() if count == 3 or count == 2 and cell in cells}


def show(cells, size):
    return "\n".join("".join("#" if (x, y) in cells else "." for x in range(size))
                     for y in range(size))


cells = {(x, y) for x in range(160) for y in range(160) if (x * x * 7 + y * 13) % 11 < 4}
for _ in range(40):
    cells = step(cells)
print(len(cells), show(cells, 120).count("#"))
