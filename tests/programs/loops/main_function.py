"""A main() that is called once has plain loops, then loops that compute, with breaks of all kinds."""
import sys
import warnings

import numpy as np


def parse(text):
    words = {}
    for word in text.split():
        words[word] = words.get(word, 0) + 1
    return words


def main(rounds):
    limit = np.float64(1.0)
    seen = set()
    text = []
    for i in range(3000):
        value = (i * 7919) % 101
        seen.add(value)
        text.append(str(value))
        if i < 0:
            print(limit)
    counts = parse(" ".join(text))
    print(len(seen), sorted(counts.items())[:3])

    x = np.linspace(0.0, 1.0, 400)
    v = np.ones(400)
    for i in range(rounds):
        for j in range(30):
            v = np.sqrt(v * v + x) * 0.5 + 0.125
            w = v - v.mean()
        try:
            v = v + w
            if i % 4 == 3:
                raise KeyError(i)
        except KeyError as error:
            print("caught", error, sys.exc_info()[0].__name__, v.sum())
    print(v.sum(), w.sum(), j)

    n = 0
    while n < 40:
        n += 1
        v = v * 0.9 + x / n
        u = v[::2] + v[1::2]
    print(n, v.sum(), u.sum())

    total = 0
    for i in range(3000):
        total += i * i % 7
        if i == 2999:
            print(total, limit)

    cells = []
    offset = np.zeros(400)

    def shifted(a):
        return a + offset

    for i in range(40):
        offset = x * i
        v = shifted(v) * 0.5 + 1.0
        cells.append(float(v.sum()))
        if i == 35:
            break
    else:
        print("not reached")
    print(cells[::9], sys._getframe().f_code.co_name, main.__code__.co_code == sys._getframe().f_code.co_code)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for i in range(30):
            y = 1.0 / (x - x[i]) if i % 5 == 0 else x * 2.0
            z = np.sqrt(y - 100.0) + i
    print([(str(w.message), w.lineno) for w in caught], np.isnan(z).sum())
    if rounds > 10:
        for i in range(3000):
            v[i]
    return v.sum()


print(main(9))
print(main(3))
try:
    main(11)
except IndexError as error:
    tb = error.__traceback__.tb_next
    print(error, tb.tb_lineno - main.__code__.co_firstlineno, tb.tb_frame.f_code is main.__code__,
          tb.tb_frame.f_locals["i"])


def traced(n):
    limit = np.float64(1.0)
    for i in range(3000):
        if i < 0:
            print(limit)
    x = np.linspace(0.0, 1.0, 400)
    for i in range(20):
        x = x * 0.5 + i
        y = x - 1.0
        if i == 10:
            sys.settrace(lambda frame, event, arg: print(frame.f_code.co_name, event))
            y = parse("a b a")
            sys.settrace(None)
    return y.sum()


print(traced(3))


def recursive(depth):
    limit = np.float64(1.0)
    for i in range(2000):
        if i < 0:
            print(limit)
    x = np.linspace(0.0, 1.0, 400)
    for i in range(20):
        x = x * 0.5 + i
        y = x - 1.0
        if i == 15 and depth:
            y = y + recursive(depth - 1)
    return y.sum()


print(recursive(4))
