"""Loops over elements end by return, break or raise, and the values are the loop's, not its iterator."""
import numpy as np

# A return from inside a loop: what runs between the loop's end and the return finds its own values, not the iterator.
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


# Loops over elements that end with an answer of their own: True, False, None, a number, nothing.
def is_prime(n):
    for i in range(2, int(n**0.5) + 1):
        if n % i == 0:
            return False
    return True


def is_sorted(a):
    for i in range(len(a) - 1):
        if a[i] > a[i + 1]:
            return False
    return True


def all_within(a, low, high):
    for i in range(a.size):
        if not (low <= a[i] <= high):
            return False
    return True


def is_free(board, row, column, value):
    for k in range(9):
        if board[row, k] == value or board[k, column] == value:
            return None
    return value


def has_pair(a, total):
    for i in range(len(a)):
        for k in range(i):
            if a[i] + a[k] == total:
                return "yes"
    return "no"


def first_gap(a):
    for i, x in enumerate(a):
        if x > i:
            return 0.5
    else:
        return -1


def stops(a, bound):
    n = 0
    for x in a:
        if x > bound:
            break
        n += 1
    return n


def counts(a, bound):
    n = 0
    while n < len(a):
        for x in a[n:]:
            if x > bound:
                return n
        n += 1
    return None


def in_a_call(a):
    s = 0
    for i in range(len(a)):
        s += i if is_sorted(a[: i + 1]) else -i
    return s


board = np.arange(81).reshape(9, 9)
print([n for n in range(2, 400) if is_prime(n) is True], {type(is_prime(n)) for n in range(400)})
answers = set()
for k in range(400):
    a = (np.arange(30) * 7 + k) % 31 if k % 3 else np.arange(30 + k % 4)
    a = a.astype([int, float, np.int32, np.float32][k % 4])
    row = (is_sorted(a), all_within(a, 0, 29), all_within(a, -1, 100), is_free(board, k % 9, 4, k % 90), has_pair(a, k),
           first_gap(a), stops(a, k % 40), counts(a, 20 + k % 15), has_pair(a.tolist(), k), first_gap(a.tolist()))
    answers |= {type(x) for x in row}
    if k % 20 == 0:
        print(k, row, in_a_call(a))
print(sorted(t.__name__ for t in answers))
print(np.quantile(np.arange(5.0), [0.5, 0.25]))
for _ in range(5):
    for q in ([5.0], [0.5, 7], (2, 3), [-1, 0.5]):
        try:
            print(np.quantile(np.arange(5.0), q))
        except ValueError as error:
            print(error)


# A return, break or raise in a loop over single elements leaves with the value, not with the loop's iterator.
def first_above(items, bound):
    for v in items:
        if v > bound:
            return v
    return "none"


def place_above(items, bound):
    for i, v in enumerate(items):
        if v > bound:
            return i, v
    return "none"


def pair_above(items, others, bound):
    for v, w in zip(items, others):
        for k in range(3):
            if v + k > bound:
                return w
    return "none"


def nested(rows, bound):
    for row in rows:
        for v in row:
            if v > bound:
                return v
            if v < 0:
                break
        else:
            continue
        return "negative"
    return "none"


def value_of(pairs, key):
    for k, v in pairs:
        if k == key:
            return v
    raise KeyError(key)


def product(items, bound):
    for v in items:
        if v > bound:
            return v * 2 + 1
    return -1


for _ in range(3):
    for bound in (0, 1, 4, 70, 900):
        for items in ([1, 2, 5, 80], np.arange(1.0, 90.0), list(range(200)), range(300)):
            print(bound, first_above(items, bound), place_above(items, bound), product(items, bound),
                  pair_above(items, [3.5] * 400, bound))
        print(nested([[1, 2], [3, -1, 5], [9]], bound), nested(np.arange(12).reshape(3, 4), bound))
    print(value_of([(1, 1), (3, 2), (5, 7)], 5), value_of([("x", 1), ("y", 2)], "y"))
    try:
        value_of([(1, 2)] * 50, 3)
    except KeyError as error:
        print("KeyError", error)


# A loop goes back to CPython in the middle of a round, comes near arrays again in the next, and the function then
# returns from within what is compiled of it: by a return in the loop, by a break and all that follows, and with a
# value.
class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y


def first_above_resumed(values, limit):
    for place in range(6):
        if place == 5:
            return values * 2.0 + place
        match values.sum():
            case np.float64() as total if total > limit:
                return "above", total
            case Point(x, y):
                return x, y
    return None


def with_a_tail(values, limit):
    place = 0
    for place in range(6):
        if place == 5:
            break
        if limit < (place or np.multiply.reduce(values)) <= values.sum():
            match values:
                case np.float64():
                    return "never"
    try:
        values[:2] = 1
    except ValueError as error:
        return str(error)


def pairs(values):
    for place in range(7):
        if place == 6:
            return [values + 1.0, values[::-1] * 0.5], place
        match place:
            case int() if place < 0:
                values = values - 1.0
        values = values + 0.5


for turn in range(6):
    for sign in (1.0, -1.0):
        array = sign * np.array([1.0, 2.0, -1.0, 1.0, 3.0, 2.0])
        print(turn, first_above_resumed(array, 100.0), first_above_resumed(array, -100.0), with_a_tail(array, 0), array, pairs(array))
        array.flags.writeable = False
        print(with_a_tail(array, 0))
