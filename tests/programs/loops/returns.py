"""A return from inside a loop: what runs between the loop's end and the return finds its own values, not the iterator."""
import numpy as np

seen = []


class Manager:
    def __enter__(self):
        return self

    def __exit__(self, *raised):
        seen.append(raised)


def constant(n, limit):
    total = 0
    for i in range(n):
        if i == limit:
            return "found"
        total += i
    return total


def from_nest(rows, limit):
    for row in rows:
        for v in row:
            if v == limit:
                return True
    return False


def through_with(n, limit):
    with Manager():
        for i in range(n):
            if i == limit:
                return 2.5
    return n


def through_finally(n, limit):
    total = 0
    try:
        for i in range(n):
            if i == limit:
                return "found"
    finally:
        for k in range(4):
            total += k
        seen.append(total)
    return n


def through_handler(values, limit):
    try:
        raise ValueError
    except ValueError:
        for v in values:
            if v == limit:
                return ()
    return values


def of_shared_iterator(n, limit):
    """What is left of the iterator shows where the loop was."""
    rest = iter(range(n))
    try:
        for i in rest:
            if i == limit:
                return -1
    finally:
        for k in [5, 6]:
            seen.append(k)
        seen.append(list(rest))
    return n


def first(x, y=2, limit=3):
    for k in range(limit):
        if x > y:
            return 1
    return None


def in_helper(values):
    total = 0.5
    for v in values:
        total += first(v) or 7
    return total


for _ in range(3):
    for limit in (0, 1, 3, 9):
        print(constant(6, limit), from_nest([[1, 2], [3, 4]], limit), from_nest(np.arange(6).reshape(2, 3), limit))
        print(through_with(6, limit), through_finally(6, limit), through_handler([1, 2, 3], limit))
        print(of_shared_iterator(6, limit), in_helper([1, 2, limit, 8.5]), seen)
        seen.clear()
