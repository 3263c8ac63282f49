"""Variables that nothing has been stored to when loops begin: unbound, or of something else; read too early, or kept."""
# test: compiled
import numpy as np


class Noisy:
    def __repr__(self):
        return "noisy"


def nested(a, sizes):
    """All loops around one another set variables of their own, and some have no rounds."""
    rows, columns, inner = sizes
    for i in range(rows):
        for j in range(columns):
            s = 0.0
            for k in range(inner):
                s += a[i, j] * a[j, k]
                last = k
            a[i, j] = s * 0.5
    here = locals()
    return [(name, type(here[name]).__name__, here[name]) for name in ("i", "j", "k", "s", "last") if name in here]


def too_early(a, n):
    """`found` is unbound until some element is large; the line that reads it before raises."""
    total = 0.0
    try:
        for i in range(n):
            for j in range(len(a)):
                if a[j] > 0.5 + i * 0.01:
                    found = a[j]
                    break
            total += found
        return total, found
    except UnboundLocalError as error:
        return "unbound", error.__traceback__.tb_lineno - too_early.__code__.co_firstlineno, total


def of_something_else(a, first):
    """A variable that has an object first keeps it where no round stores to it."""
    best = first
    for i in range(len(a)):
        for j in range(i):
            if a[j] > a[i]:
                best = a[j] - a[i]
    return type(best).__name__, best


def read_as_it_was(a, first):
    seen = []
    value = first
    for i in range(len(a)):
        if a[i] > 0.8:
            value = a[i] * 2
        if a[i] > 0.6:
            seen.append(str(value))
    return len(seen), seen[:3], seen[-1:]


def two_types(a, n):
    """Not stored, Python's number or NumPy's."""
    count = 0
    for i in range(n):
        for j in range(i % 3):
            top = 0
            for k in range(j):
                if a[k] > 0.4:
                    top = k if top == 0 else top + a[k]
            count += int(top > 0)
    try:
        return count, type(top).__name__, top
    except UnboundLocalError as error:
        return count, str(error)


def weight(x, n):
    if n > 2:
        for i in range(n):
            part = x * i
            for j in range(i):
                more = part + j
        return part + more
    return x


def in_calls(a):
    total = 0.0
    for i in range(len(a)):
        total += weight(a[i], i % 7)
    return total


def stopped(a, at):
    """An exit in the middle of all loops."""
    for i in range(len(a)):
        for j in range(len(a)):
            x = a[i] + a[j]
            if i * len(a) + j == at:
                y = 1 / (at - at)
    return x, y


def while_loops(a, limit):
    i = 0
    while i < len(a):
        j = 0
        while j < i and a[j] < limit:
            step = a[j]
            j += 1
        i += 1
    try:
        return i, j, step
    except UnboundLocalError:
        return i, j, "no step"


def cells(a):
    def show():
        return total, last
    total = 0.0
    last = "none"
    for i in range(len(a)):
        for j in range(i):
            total += a[j]
            last = j
    return show()


rng = np.random.default_rng(3)
square = rng.random((12, 12))
line = rng.random(40)
for turn in range(6):
    for sizes in ((12, 12, 12), (12, 12, 0), (12, 0, 5), (0, 3, 3), (1, 1, 1), (2, 1, 3)):
        print(nested(square.copy(), sizes))
    for n in (0, 1, 20, 70):
        print(too_early(line, n), too_early(line * 0.4, n))
    for first in (None, "text", 3, 2.5, np.float32(1.5), 1j, [1, 2], Noisy()):
        print(of_something_else(line, first), of_something_else(np.sort(line), first), read_as_it_was(line, first))
    for n in (0, 1, 2, 3, 30):
        print(two_types(line, n))
    print(in_calls(line))
    for at in (0, 1, 39, 40, 41, 1599):
        try:
            print(stopped(line, at))
        except ZeroDivisionError as error:
            frame = error.__traceback__.tb_next.tb_frame
            names = {name: value for name, value in frame.f_locals.items() if name != "a"}
            print(names, error.__traceback__.tb_next.tb_lineno - frame.f_code.co_firstlineno)
    print(while_loops(line, 0.3), while_loops(line, 2.0), while_loops(line, -1.0))
    print(cells(line), cells(line[:1]))

for i in range(30):
    for j in range(3):
        for k in range(j):
            product = line[j] * line[k] * i
        if j == 2:
            kept = product + 1
print(i, j, k, product, kept, [name for name in globals() if name in ("i", "j", "k", "product", "kept")])
