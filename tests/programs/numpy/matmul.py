"""Products of arrays that are copies in another order and were written to since: a BLAS may add up a row without gaps in another way."""
import numpy as np


def of_a_copy(square):
    rows = square.T.copy()
    rows[0] -= 0.5
    return rows[0] @ rows[0], rows[1] @ rows[0], rows.strides


def of_each_row(square):
    rows = np.asfortranarray(square).copy()
    found = []
    for row in rows:
        row -= 0.25
        found.append(row @ row)
    return found, rows @ rows[0]


def of_columns(square):
    columns = square.copy(order="F")
    columns[:, 1] *= 2.0
    return columns[:, 1] @ columns[:, 1], columns[0] @ columns[0], columns.strides


rng = np.random.default_rng(5)
for n in (3, 5, 9, 33):
    for _ in range(4):
        square = rng.random((n, n))
        for f in (of_a_copy, of_each_row, of_columns):
            print(n, f.__name__, f(square))
