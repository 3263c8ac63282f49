"""Arrays are written and reshaped, and lists grow, while loops iterate over them."""
import numpy as np


# A loop over an array's elements finds what the array holds when it gets there.
def scale(x):
    for v in x:
        x *= v
    return x


def shift(x):
    seen = []
    for i, v in enumerate(x):
        seen.append(v)
        x[i + 1:] += v
    return x, seen


def pairs(x, y):
    total = 0.0
    for a, b in zip(x, y):
        y -= a
        total += b
    return total, y


def rows(x):
    """Rows are views."""
    for row in x:
        x += row.sum()
        row[0] = 0
    return x


def printed(x):
    for v in x:
        x -= 1
        print("v", v)
    return x


def two(x):
    items = iter(x)
    first = next(items)
    x += 10
    return first, next(items), list(items)


for repeat in range(3):
    print(scale(np.array([2.0, 0.5, 3.0])), shift(np.arange(4)), pairs(np.arange(3.0), np.ones(3)))
    print(rows(np.arange(6.0).reshape(3, 2)), printed(np.arange(3)), two(np.arange(4)))


# A loop over an array asks it for one item after the other: what the loop does to its shape counts.
def shapes(a, change):
    seen = []
    for item in a:
        seen.append((np.shape(item + 1), float(np.sum(item))))
        if len(seen) > 5:
            break
        change(a)
    return seen


def flatten(a):
    a.shape = (-1,)


def halve(a):
    a.shape = (2, -1)


def view_as_int16(a):
    a.dtype = np.int16


def keep(a):
    a[-1] = 7


def rows_of_reshaped(a):
    total = 0
    for number, row in enumerate(a):
        total = total + row * number
        print(number, row, end=" ")
    return total


for change in (flatten, halve, view_as_int16, keep):
    for _ in range(3):
        print(change.__name__, shapes(np.arange(24).reshape(4, 3, 2), change))
for _ in range(3):
    print(rows_of_reshaped(np.arange(12.0).reshape(4, 3)))
    kept = iter(np.arange(6).reshape(3, 2))
    print(next(kept), type(kept).__name__, list(kept))


# Loops over lists that the loops themselves make longer, or shorter, around array code.
def explore(grid, start, most):
    """A breadth-first walk whose queue is the list that is being iterated over."""
    queue = [start]
    for cell in queue:
        for step in (1, 7):
            if len(queue) < most and cell + step < grid.size:
                queue.append(cell + step)
        grid[cell] += 1
    return len(queue), grid


def double(values, weights, most):
    rounds = 0
    for value in values:
        if len(values) < most:
            values.append(value + 100)
        weights[0] += value
        rounds += 1
    return rounds, weights[0], values


def numbered(values, weights, most):
    seen = []
    for index, value in enumerate(values):
        if len(values) < most:
            values.append(float(weights[0]))
        weights[0] += 1
        seen.append((index, value))
    return seen


def shrink(values, weights):
    for value in values:
        weights += value
        if len(values) > 4:
            values.pop()
    return weights, values


for most in (3, 5, 9, 12, 17, 20, 40):
    print(explore(np.zeros(60), 2, most))
    print(double([0.5, -1.5, 2.25], np.arange(6.0), most))
    print(numbered([0.5, -1.5, 2.25], np.arange(6.0), most))
    print(shrink([float(k) for k in range(most)], np.arange(3.0)))
