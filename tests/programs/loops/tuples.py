"""Tuples of numbers are packed, carried from round to round and unpacked in loops over elements."""
import numpy as np

from show import attempt, repeat, show


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, (a + b) % 1000007
    return a, b


def kept(n):
    state = (0, 1.5)
    for i in range(n):
        state = state[0] + i, state[1] * 0.5 + i
        if i % 3 == 0:
            state = state[1], state[0]
    return state


def chosen(n):
    total = 0
    for i in range(n):
        x, y = (i, 2) if i % 2 else (3, i)
        best = max((x, 0.5), (y, 1.5))[0] if i < 0 else (x, y)[i % 1]
        total += x - y * best
    return total


def bounds(n):
    """A range that is chosen."""
    count = 0
    for i in range(n):
        for j in (range(i) if i % 2 else range(i, 0, -2)):
            count += j
    return count


def nested(n):
    total = 0
    pair = ((1, 2), 3)
    for i in range(n):
        (a, b), c = pair
        total += a * b + c
        pair = ((b, i), a)
    return total, pair


def points(pairs):
    x_sum = y_sum = 0
    for x, y in pairs:
        x_sum += x
        y_sum += y * y
    for i in range(len(pairs)):
        x_sum += pairs[i][1]
        p = pairs[i]
        y_sum -= p[0]
    return x_sum, y_sum


def numbered(pairs):
    total = 0
    for i, (x, y) in enumerate(pairs):
        total += i * x - y
    for (a, b), c in zip(pairs, range(3, 100)):
        total += a * c + b
    return total


def bigger(n):
    big = tuple(range(12))
    a = 0
    for i in range(n):
        t = (i, i, i, i, i, i, i, i, i, i)
        a += t[3] + big[i % 12]
    return a


def swapped(values):
    """A list's items exchanged: three at once."""
    for i in range(len(values) - 2):
        if values[i] > values[i + 1]:
            values[i], values[i + 1], values[i + 2] = values[i + 1], values[i + 2], values[i]
    return values


up, down = (1, 2, 0.5), (-1, 7)


def steps_of(n):
    total = 0
    for i in range(n):
        for d in (up if i % 2 else down):
            total = total * 0.5 + d
    return total


show("fibonacci", repeat(fibonacci, 300))
show("kept", repeat(kept, 200))
show("chosen", repeat(chosen, 200))
show("bounds", repeat(bounds, 60))
show("nested", repeat(nested, 100))
show("points", repeat(points, [(i * 0.5, i - 3.0) for i in range(100)]))
show("points of ints", repeat(points, [(i, i - 3) for i in range(100)]))
attempt("points of unlike types", points, [(1, 2.5), (2, 3), (True, 4.5), (np.float64(2), 1)] * 9)
attempt("points of unlike sizes", points, [(1, 2.5), (2, 3.5), (1, 2, 3)])
attempt("lists for tuples", points, [[1, 2.5], (2, 3.5)] * 4)
attempt("texts in tuples", points, [(1, 2.5), ("a", 3.5)])
show("numbered", repeat(numbered, [(i, i * 0.25) for i in range(90)]))
show("bigger", repeat(bigger, 100))
show("swapped", repeat(swapped, [7, 3, 5, 1, 9, 2.5, 8] * 9))
show("steps", repeat(steps_of, 100))
up, down = down, up
show("steps exchanged", repeat(steps_of, 100))

state = (0, 1)
for i in range(500):
    state = state[1], (state[0] + state[1]) % 1009
show("a module's", state)
