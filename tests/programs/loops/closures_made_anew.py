"""Loops that call functions which are defined in the function around them, anew in each call."""
import numpy as np


def runge_kutta(y, n, h):
    out = np.empty((n, 3))

    def f(y):
        return np.array([10.0 * (y[1] - y[0]), y[0] * (28.0 - y[2]) - y[1], y[0] * y[1] - 8.0 / 3.0 * y[2]])

    for i in range(n):
        k1 = f(y)
        k2 = f(y + 0.5 * h * k1)
        k3 = f(y + 0.5 * h * k2)
        k4 = f(y + h * k3)
        y = y + h / 6.0 * (k1 + 2 * k2 + 2 * k3 + k4)
        out[i] = y
    return out


def decay(rate, n, steps):
    offset = np.linspace(0, 1, 5)

    def slope(t, y):
        return -rate * y + offset[steps % 5] * t

    y, t = 1.0, 0.0
    for _ in range(n):
        y += 0.01 * slope(t, y)
        t += 0.01
    return y


def nested(scale, n):
    def inner(x):
        return x * scale

    def outer(x):
        return inner(x) + 1

    total = 0.0
    for i in range(n):
        total += outer(i) - inner(2.0)
    return total


def chosen(which, n):
    def up(x):
        return x + 1

    def down(x):
        return x - 1

    step, other = (up, down) if which else (down, up)
    if which is None:
        other = step
    x = 0
    for i in range(n):
        x = step(x) * 2 % 1000 + other(i) + (step is other)
    return x


def defaults(n, k):
    def f(x, k=k, *, m=2):
        return x * k + m

    total = 0
    for i in range(n):
        total += f(i) + f(i, m=3)
    return total


def changes(n, k):
    def f(x):
        return x + k

    total = 0
    for i in range(n):
        total += f(i)
    k += 1
    for i in range(n):
        total += f(i)
    return total


def fails(n, k):
    def f(x):
        return 10 // (x - k)

    total = 0
    try:
        for i in range(n):
            total += f(i)
    except ZeroDivisionError as error:
        return total, str(error), error.__traceback__.tb_next.tb_frame.f_code.co_name
    return total


def kept(n):
    functions = []
    for k in range(3):
        def f(x):
            return x * 2 + k
        total = 0
        for i in range(n):
            total += f(i)
        functions.append((f, total))
    return [(f(1), total) for f, total in functions], functions[0][0] is functions[1][0]


def leaves(n, stop):
    def f(x):
        return x * x

    last = None
    for i in range(n):
        if i == stop:
            last = f
        y = f(i)
    return y, last is f, last is None or last(5)


for turn in range(30):
    print(runge_kutta(np.array([1.0, 1.0 + turn, 1.0]), 20, 0.01)[-1].tolist(), decay(0.5 + turn, 60, turn), nested(turn / 3, 50))
    print(chosen(turn % 2, 60), chosen(None, 60), defaults(50, turn), defaults(50, turn * 0.5), changes(40, turn), changes(40, 0.5))
    print(fails(50, turn + 20), fails(9, 100), kept(40), leaves(50, turn), leaves(50, 49))
other = dict(globals())
exec("def scaled(x):\n    return x * SCALE\ndef run(n):\n    def f(x):\n        return scaled(x) + SCALE\n    t = 0\n"
     "    for i in range(n):\n        t += f(i)\n    return t\n", other)
code = other["run"].__code__
for scale in (2, 3, 2.5, 2):
    names = {"SCALE": scale, "__builtins__": __builtins__}
    exec("def scaled(x):\n    return x - SCALE\n", names)
    run = type(other["run"])(code, names)
    other["SCALE"] = scale + 1
    for _ in range(8):
        print(run(60), other["run"](60))


# Builtins of a module's own, which are gone before the next run.
for count in range(6):
    names = {"SCALE": 2, "__builtins__": {"range": range, "abs": abs if count % 2 else (lambda x: x + 1)}}
    exec("def scaled(x):\n    return abs(x) - SCALE\n", names)
    run = type(other["run"])(code, names)
    print([run(60) for _ in range(8)])
    del names, run
