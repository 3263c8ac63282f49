"""Numbers, rows and characters that a loop hands to Python are the objects that its variables are."""
import numpy as np

NAN = float("nan")
PAIR = [NAN, 1.5]


def place_of_global(rounds):
    found = []
    for i in range(rounds):
        if i % 3 == 0:
            found.append([NAN, 1].index(NAN))
    return found


def place_of_argument(value, rounds):
    found = []
    for i in range(rounds):
        if i % 3 == 0:
            found.append((i, [1, value].index(value), PAIR.count(value), value in PAIR))
    return found


def place_of_result(value, rounds):
    found = []
    for i in range(rounds):
        value = value * 1.5 - value
        found.append([value, 2.5].index(value))
    return found


def place_before_a_handler(a):
    p = q = None
    found = []
    for _ in range(2):
        if p is q:
            found.append([NAN, 1].index(NAN))
            try:
                undefined
            except Exception as error:
                found.append(str(error))
    return a * 2, found


def row_beside_itself(grid, row):
    first, differ = row[0], 0
    for _ in grid:
        rounds = 0
        for row in grid:
            if rounds > 8:
                break
            if row is row:
                break
            differ += np.float64(np.maximum([first, 1][1], 1))
    return differ


def character_beside_itself(text):
    same = 0
    for _ in range(2):
        for character in text:
            if character is character:
                same += 1
    return same


print(row_beside_itself(np.ones((6, 6), np.int8), np.ones(6, np.int8)))
print(character_beside_itself("a\u1234b" * 20))
print(place_of_global(7))
for size in (3, 3, 4):
    print(place_before_a_handler(np.arange(size)))
print(place_of_argument(NAN, 7), place_of_argument(1.5, 7))
print(place_of_result(NAN, 5), place_of_result(3.0, 5))
