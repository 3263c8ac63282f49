"""Loops that read tuples which a function was given: sizes, parameters, arrays, the same tuple by another name."""
# test: compiled
import numpy as np


def by_sizes(a, sizes):
    total = 0.0
    for i in range(sizes[0]):
        for j in range(sizes[-1]):
            total += a[i, j] * sizes[1]
    return total


def logistic(x, p):
    out = np.empty(len(x))
    for i in range(len(x)):
        rate, ceiling, start = p
        y = start
        for _ in range(8):
            y += rate * y * (1.0 - y / ceiling) * x[i]
        out[i] = y
    return out.sum(), p is out


def layers(x, weights):
    """Arrays in a tuple, read and written."""
    for t in range(4):
        for i in range(len(x)):
            s = 0.0
            for j in range(len(x)):
                s += weights[0][i, j] * x[j]
            weights[1][i] = s + weights[2]
        for i in range(len(x)):
            x[i] = weights[1][i] * 0.5
    return x.copy()


def over_items(x, factors):
    total = 0.0
    for i in range(len(x)):
        for factor in factors:
            total += x[i] * factor
        total += len(factors)
    return total


def found_in(keys, wanted):
    count = 0
    for i in range(len(keys)):
        if keys[i] in wanted:
            count += keys[i]
    return count


def named_again(x, first, second):
    """Which tuple a variable holds is told by identity."""
    pair = first
    for i in range(len(x)):
        pair = second if x[i] > 0.5 else first
        low, high = pair
        x[i] = low + high * x[i]
    return pair is first, pair is second, pair == first


def handed_on(x, pair):
    seen = []
    for i in range(len(x)):
        if x[i] > 0.9:
            seen.append(pair)
        x[i] += pair[0]
    return [one is pair for one in seen], x.sum()


def stored(x, pair):
    for i in range(len(x)):
        pair = (pair[1], pair[0] + x[i])
    return pair


def too_far(x, pair, at):
    total = 0.0
    try:
        for i in range(len(x)):
            total += x[i]
            if i == at:
                total += pair[2]
    except IndexError as error:
        return total, i, str(error)
    return total, i


def wrong_kinds(x, things):
    count = 0
    for i in range(len(x)):
        if things[0] == "text":
            count += 1
        if things[1] is None:
            count += 2
    return count


rng = np.random.default_rng(5)
square, line = rng.random((9, 9)), rng.random(50)
for turn in range(8):
    for sizes in ((9, 2, 9), (3, 2.5, 4), (0, 1, 9), (np.int64(4), 1, True), (2, np.float32(0.5), 2), (1, 2, 3, 4)):
        print(by_sizes(square, sizes))
    for p in ((0.1, 2.0, 0.3), (np.float64(0.1), 2, 0.3), (1, 2, 3)):
        print(logistic(line, p))
    print(layers(line[:9].copy(), (square, np.zeros(9), 0.25)).sum(), layers(line[:9].copy(), (square.T, np.zeros(9), 1)).sum())
    for factors in ((1.0, 2.0), (1, 2, 3), (), (0.5,), tuple(range(8)), tuple(range(12)), (1.0, None)):
        try:
            print(over_items(line, factors))
        except TypeError as error:
            print(error)
    for wanted in ((1, 2), (3,), (), (7, 8, 1, 0), (1.0, 2)):
        print(found_in((line * 9).astype(np.int64), wanted))
    print(named_again(line.copy(), (0.0, 1.0), (0.25, 0.5)), named_again(line.copy(), (0.5, 0.1), (0.5, 0.1)))
    print(handed_on(line.copy(), (0.125, 1)), stored(line, (1.0, 2.0)), stored(line, (1, 2)))
    print(too_far(line, (1, 2), 7), too_far(line, (1, 2, 3), 7), too_far(line, (1, 2), 99))
    print(wrong_kinds(line, ("text", None)), wrong_kinds(line, ("x", 1)), wrong_kinds(line, (np.ones(2).sum(), None)))
