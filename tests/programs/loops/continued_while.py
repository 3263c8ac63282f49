"""`while` loops with `continue`: bodies that two jumps back lead to, left by break, else, return and errors."""
import numpy as np


def queens(n):
    columns = np.zeros(n, dtype=np.int64)
    columns[0] = -1
    count = row = rounds = 0
    while row >= 0:
        rounds += 1
        columns[row] += 1
        if columns[row] == n:
            row -= 1
            continue
        ok = True
        for earlier in range(row):
            distance = columns[row] - columns[earlier]
            if distance == 0 or distance == row - earlier or distance == earlier - row:
                ok = False
                break
        if ok:
            if row == n - 1:
                count += 1
            else:
                row += 1
                columns[row] = -1
    return count, rounds


def collatz(limit):
    """A `continue` in two nested loops, each with an else."""
    longest = (0, 0)
    start = 0
    while start < limit:
        start += 1
        if start % 3 == 0:
            continue
        x, steps = start, 0
        while x != 1:
            steps += 1
            if x % 2:
                x = 3 * x + 1
                continue
            x //= 2
        else:
            steps += 1000
        if steps > longest[0]:
            longest = (steps, start)
    else:
        return longest, "to the end"
    return longest, "broken"


def searched(a, wanted):
    i = -1
    while i < len(a):
        i += 1
        if a[i] < 0:
            continue
        if a[i] == wanted:
            return i, type(a[i]).__name__
    return "never"


def halves(a):
    """What is raised in the middle finds variables as they are then."""
    i = total = 0
    seen = []
    while i < 40:
        try:
            i += 1
            if a[i % len(a)] < 3:
                total += 1
                continue
            total += 10 // int(a[i % len(a)] - 7)
        except ZeroDivisionError:
            seen.append((i, total))
            if len(seen) == 3:
                break
    return total, seen


def grows(n):
    """An int that becomes too large for a machine word, then a float, in rounds that continue."""
    value, i = 1, 0
    while i < n:
        i += 1
        if i % 4:
            value = value * 3
            continue
        value = value + i if i < n - 8 else value * 0.5
    return value


a = np.array([-1, 5, -2, 9, 7, 3, -4, 8])
for k in range(60):
    results = queens(4 + k % 3), collatz(40 + k % 5), searched(a, 8), halves(a), grows(20 + k)
    if k % 10 == 0 or k > 55:
        print(results)
    try:
        searched(a, 100 + k)
    except IndexError as error:
        if k % 20 == 0:
            print(error)
