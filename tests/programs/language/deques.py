"""collections.deque holds histories, queues and windows of arrays: what is left in it, and what it raises."""
import traceback
import weakref
from collections import deque

import numpy as np

from show import repeat, show

a = np.arange(6.0)


def attempt(name, function, *args, times=6):
    for _ in range(times):
        try:
            show(name, function(*args))
        except Exception as error:
            print(name, type(error).__name__, error, [f.name for f in traceback.extract_tb(error.__traceback__)])


def contents(d):
    return d.maxlen, [(item.tolist() if isinstance(item, np.ndarray) else item) for item in d]


# Made inside, and given back.
def made(x):
    d = deque()
    d.append(x)
    d.append(x * 2.0)
    d.appendleft(x + 1.0)
    return d.pop() + d.popleft() * len(d), d


def window(x, size):
    d = deque(maxlen=size)
    for k in range(5):
        d.append(x * k)
    return sum(d) + 1.0, d


def methods(x):
    d = deque([1, 2, 3, 2], 6)
    d.extend([x * 2.0, 5])
    d.extendleft((7, 8))
    d.rotate(2)
    d.rotate(-1)
    counts = d.maxlen, len(d), d[0], d[-1], bool(d)
    e = d.copy()
    d.reverse()
    f = deque((3, 1, 2, 1))
    found = f.count(1), f.index(2), 2 in f, 9 in f, f == deque([3, 1, 2, 1]), f == [3, 1, 2, 1], f < deque([4])
    f.remove(1)
    f.insert(1, 9)
    f[0] = x + 1.0
    del f[-1]
    g = deque([1])
    g.clear()
    return x * 3.0, counts, e, d, found, f, g, len(g), list(reversed([k for k in e if isinstance(k, int)]))


for _ in range(6):
    for result in (made(a), window(a, 2), window(a, 0), window(a, None), methods(a)):
        for part in result:
            show("made", contents(part) if isinstance(part, deque) else part)


# Existing ones: the same deque by two names, changed by a callee, seen after the return.
class Trainer:
    def __init__(self):
        self.recent = deque(maxlen=3)
        self.alias = self.recent
        self.queue = deque([1.0, 2.0])
        self.log = deque()

    def step(self, x):
        loss = x * 2.0 + 1.0
        self.recent.append(loss)
        note(self.alias, float(loss.sum()))
        self.log.append(loss[0])
        return loss - 1.0, self.recent is self.alias


def note(d, value):
    d.append(value)


def turn(trainer, x):
    first = trainer.queue.popleft()
    trainer.queue.append(first + 1.0)
    return x * first + trainer.queue[-1] * len(trainer.queue)


def mean_of_recent(trainer, x):
    total = x * 0.0
    for item in trainer.recent:
        total = total + item
    return total / len(trainer.recent)


def replace(trainer, x):
    trainer.recent[0] = x * 5.0
    trainer.recent.rotate(1)
    trainer.recent.appendleft(x.sum())
    return x + 1.0


trainer = Trainer()
for k in range(9):
    show("step", trainer.step(a + k))
    print(contents(trainer.recent), contents(trainer.log)[1][-2:])
    show("turn", turn(trainer, a))
    print(contents(trainer.queue))
    show("mean", mean_of_recent(trainer, a))
for k in range(5):
    show("replace", replace(trainer, a - k))
    print(contents(trainer.recent))


def two_names(p, q, x):
    p.append(x * 2.0)
    q.append(1)
    return len(p), len(q), p[-1] is q[-1]


one, other = deque([0], 4), deque([0], 4)
for pair in [(one, other)] * 3 + [(one, one)] * 3 + [(other, one)] * 3:
    print(two_names(*pair, a), contents(one), contents(other))

# A deque of another length, of another bound, of another type; a subclass.
class Loud(deque):
    def append(self, item):
        print("append", type(item).__name__)
        super().append(item)


def add(d, x):
    d.append(x * 2.0)
    return d[0], len(d)


for d in (deque([1], 3), deque([1], 4), deque([1]), deque(), deque(maxlen=1), deque(maxlen=0), Loud([1]), [1]):
    attempt("add", add, d, a, times=5)
    print(len(d))


# What they raise: caught inside, and not.
def pops(d, x):
    y = x * 2.0
    d.append(y)
    d.popleft()
    return d.pop()


def caught(x):
    y = x * 2.0
    d = deque()
    said = []
    for act in (lambda: d.pop(), lambda: d.popleft(), lambda: d[0], lambda: d.remove(3)):
        try:
            act()
        except (IndexError, ValueError) as error:
            said.append(f"{type(error).__name__}: {error}")
    try:
        deque([1], 1).insert(0, 2)
    except IndexError as error:
        said.append(str(error))
    return y, said


def mutates(x):
    d = deque([1, 2, 3])
    for item in d:
        x = x + item
        if item == 2:
            d.append(4)
    return x


def assigns_while_iterating(x):
    d = deque([1, 2, 3])
    for item in d:
        x = x + item
        d[-1] = 7
    return x, list(d)


# Segments end within the loop, so that the iterator and the deque are real ones.
def assigns_behind_a_break(x):
    d = deque([1, 2, 3])
    for item in d:
        print("item", item)
        d[-1] = 7
        x = x + item
    return x, list(d)


def appends_behind_a_break(x):
    d = deque([1, 2, 3], 3)
    for item in d:
        print("item", item)
        d.append(item)
        x = x + item
    return x, list(d)


def appends_and_pops_behind_a_break(items, bound, x):
    d = deque(items, bound)
    iterator = iter(d)
    print("bound", bound)
    x = x + 1.0
    d.append(3)
    if bound == 0:
        return x, next(iterator, "none")
    d.pop()
    x = x * 2.0
    print("items", list(d))
    return x, next(iterator, "none")


attempt("pops", pops, deque(), a)
for items, bound in (((), None), ((1,), None), ((1, 2), None), ((), 0), ((), 2), ((5, 6), 3)):
    attempt("appends and pops behind a break", appends_and_pops_behind_a_break, items, bound, a)
attempt("caught", caught, a)
attempt("mutates", mutates, a)
attempt("assigns", assigns_while_iterating, a)
attempt("assigns behind a break", assigns_behind_a_break, a)
attempt("appends behind a break", appends_behind_a_break, a)
attempt("not there", lambda x: (x * 2.0, deque([1, 2]).index(5)), a)
attempt("out of range", lambda x: x * deque([1, 2])[2], a)
attempt("slice", lambda x: x * deque([1, 2])[0:1], a)
attempt("bound", lambda x: deque([x], -1), a)


# What an append pushes out may have something to say at its end.
class Dying:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("gone:", self.name, len(full))


full = deque(maxlen=2)


def push(x):
    y = x * 2.0 + 1.0
    full.append(y)
    full.append(3.0)
    return y.sum()


for k in range(4):
    show("push", push(a + k))
full.append(Dying("first"))
full.append(Dying("second"))
for k in range(3):
    show("push", push(a + k))


class Told:
    pass


told = Told()
watch = weakref.ref(told, lambda _: print("told", len(full)))
full.append(told)
del told
for k in range(3):
    show("push", push(a + k))


# Breadth first, over a grid.
def spread(grid, start):
    seen = {start}
    queue = deque([(start, 0)])
    steps = np.full(grid.shape, -1)
    while queue:
        (i, j), d = queue.popleft()
        steps[i, j] = d
        for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            to = i + di, j + dj
            if 0 <= to[0] < grid.shape[0] and 0 <= to[1] < grid.shape[1] and to not in seen and grid[to] > 0:
                seen.add(to)
                queue.append((to, d + 1))
    return steps


grid = np.ones((4, 5))
grid[1, 1:4] = 0
print(repeat(spread, grid, (0, 0)))


# A moving average at the top level.
history = deque(maxlen=4)
total = np.zeros(3)
for k in range(30):
    history.append(np.arange(3.0) * k)
    total = total + sum(history) / len(history)
print(total, contents(history))
