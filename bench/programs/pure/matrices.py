"""Dense linear algebra in lists: products, transposes, elimination with exact fractions."""
from fractions import Fraction


def product(a, b):
    columns = list(zip(*b))
    return [[sum(x * y for x, y in zip(row, column)) for column in columns] for row in a]


def determinant(matrix):
    rows, result = [row[:] for row in matrix], Fraction(1)
    for i in range(len(rows)):
        pivot = next(r for r in range(i, len(rows)) if rows[r][i])
        if pivot != i:
            rows[i], rows[pivot] = rows[pivot], rows[i]
            result = -result
        result *= rows[i][i]
        for r in range(i + 1, len(rows)):
            factor = rows[r][i] / rows[i][i]
            rows[r] = [x - factor * y for x, y in zip(rows[r], rows[i])]
    return result


n = 165
a = [[(i * j + i) % 10 for j in range(n)] for i in range(n)]
b = product(a, a)
c = product(b, [list(column) for column in zip(*a)])
fractions = [[Fraction(1, i + j + 1) for j in range(22)] for i in range(22)]
print(sum(map(sum, c)), determinant(fractions).denominator % 1000003)
