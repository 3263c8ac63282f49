"""Repeats statements of every family, failing ones too, and looks for memory that stays."""
import gc
import sys


def work(i):
    a = [i, str(i)]
    d = {"k": a, **{"z": i}}
    x, *y = a
    f = lambda q=a, *, r=d: (q, r, i)
    s = f"{i!r:>5}"

    def inner():
        nonlocal y
        y = y + [s]
        return y

    inner()
    try:
        {}["missing"]
    except KeyError:
        pass

    class C:
        pass

    c = C()
    c.v = a
    del c.v
    for k in d:
        pass
    t = (1, i, *a), {1, *a[:1]}, a[1:2:1]
    with open("/dev/null") as h:
        pass
    import os.path as p
    try:
        return f(*[1], **{"r": 2})
    finally:
        del a


FAILING = [
    lambda: undefined_name,
    lambda: i[0],
    lambda: work(**{"a": 1}, **{"a": 2}),
    lambda: [*1],
    lambda: len(*5),
    lambda: 1 + "a",
    lambda: next(iter([])),
    lambda: {**1},
    lambda: f"{1:q}",
    lambda: object().x,
]


def failures(n):
    for function in FAILING:
        try:
            function()
        except Exception as error:
            str(error)
    try:
        a, b = [1]
    except ValueError:
        pass
    try:
        a, b, *c = [1]
    except ValueError:
        pass
    try:
        with 1:
            pass
    except TypeError:
        pass


i = 0
ROUNDS = 3000
for function in (work, failures):
    for n in range(300):
        function(n)
    gc.collect()
    before = sys.getallocatedblocks()
    for n in range(ROUNDS):
        function(n)
    gc.collect()
    grown = sys.getallocatedblocks() - before
    print(function.__name__, "grows" if grown > ROUNDS // 3 else "does not grow")
