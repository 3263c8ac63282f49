"""The n-queens problem by backtracking, with sets and by permutations."""
from itertools import permutations


def place(n, row, columns, up, down):
    if row == n:
        return 1
    count = 0
    for column in range(n):
        if column not in columns and row + column not in up and row - column not in down:
            columns.add(column)
            up.add(row + column)
            down.add(row - column)
            count += place(n, row + 1, columns, up, down)
            columns.remove(column)
            up.remove(row + column)
            down.remove(row - column)
    return count


def by_permutations(n):
    return sum(n == len({p[i] + i for i in range(n)}) == len({p[i] - i for i in range(n)})
               for p in permutations(range(n)))


print(place(9, 0, set(), set(), set()), place(10, 0, set(), set(), set()), by_permutations(9))
