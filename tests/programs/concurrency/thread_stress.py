"""Threads hammer captured functions and change what these depend on; daemons run at exit."""
import sys
import threading
import time

import numpy as np

sys.setswitchinterval(1e-5)
FACTOR = 2.0


def one(a, k):
    b = a * k + 1
    c = np.sqrt(b * b)
    for _ in range(3):
        c = c + b
    return float(c.sum())


def two(a):
    if a.ndim == 1:
        return (a * FACTOR + 1).sum() / FACTOR
    return (a - 1).mean()


def three(a, collected):
    b = a + 1
    collected.append(b.shape)
    return (b * b).max()


def expected(function, *args):
    return [function(*args) for _ in range(1)][0]


def hammer(number, errors):
    for turn in range(150):
        size = (turn * 7 + number) % 5 + 1
        a = np.full(size, float(number))
        try:
            assert one(a, turn) == 4 * size * abs(number * turn + 1.0), (number, turn)
            assert abs(two(a) - size * (number + 0.5)) < size * (number + 1.0), (number, turn)
            assert two(np.ones((size, 2))) == 0, (number, turn)
            shapes = []
            assert three(a.astype("f4"), shapes) == (number + 1) ** 2 and shapes == [(size,)]
        except BaseException as error:
            errors.append(repr(error))
            raise


errors = []
threads = [threading.Thread(target=hammer, args=(k, errors)) for k in range(4)]
for thread in threads:
    thread.start()
for turn in range(50):
    FACTOR = 2.0 if turn % 2 else 4.0
    time.sleep(0.001)
for thread in threads:
    thread.join()
print(errors)


# An exception in one thread is that thread's.
def fails(a, k):
    b = a + k
    if k % 2:
        raise ValueError(k)
    return b.sum()


outcomes = {}


def guarded(k):
    results = []
    for _ in range(50):
        try:
            results.append(float(fails(np.ones(3), k)))
        except ValueError as error:
            results.append(str(error))
    outcomes[k] = set(results)


threads = [threading.Thread(target=guarded, args=(k,)) for k in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sorted(outcomes.items()))


def forever(a):
    while True:
        a = a * 0.5 + 1
        a = a - 0.5


for _ in range(3):
    threading.Thread(target=forever, args=(np.ones(50),), daemon=True).start()
time.sleep(0.1)
print("end")
