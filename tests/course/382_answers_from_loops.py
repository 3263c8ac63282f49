"""Loops over elements that end with an answer of their own: True, False, None, a number, nothing."""
import numpy as np


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
