"""Breaks several calls deep, in loops, with live iterators and between writes restore everything."""
import sys

import numpy as np
from show import show

a = np.arange(4.0)


def third(b, log):
    c = b * 2.0 + 1.0
    print("deep", len(log))
    log.append("third")
    return c * 2.0


def second(b, log):
    extra = b + 1.0

    def reads():
        return extra
    extra = extra * 3.0
    c = third(b, log)
    log.append("second")
    return c + reads()


def first(b, log):
    before = b - 1.0
    log.append("first")
    c = second(before, log)
    return c + before, log


for _ in range(4):
    result = first(a, [])
show("first", result)


# Written before, between and after: in order, across several breaks, and under a value on the stack.
class Recorder:
    def __init__(self):
        self.items, self.table, self.last = [], {}, None


def writes(r, b):
    r.items.append(b * 2.0)
    r.last = len(r.items)
    print("one", r.last, list(r.table))
    r.table["x"] = r.items[-1] + b
    r.items[0] = r.table["x"]
    total = r.items[0] * (r.last + len(str(print("two", len(r.items)))))
    r.table["y"] = total
    del r.table["x"]
    print("three", list(r.table))
    r.last = r.items.pop()
    return total + r.last


for _ in range(4):
    r = Recorder()
    show("writes", writes(r, a))
    show("recorder", [r.items, list(r.table), r.last])


# A break in a loop's body, with iterators alive: the right item comes next.
def loop_with_break(b, items):
    total = b * 0.0
    for k, x in enumerate(items):
        for y in (1.0, 2.0):
            total = total + x * y
            if k == 1:
                print("at", k, y)
        total = total * 0.5
    else:
        total = total + 1.0
    return total


for _ in range(3):
    show("loop", loop_with_break(a, [a, 2.0, a * 3.0]))


def iterator_kept(b, numbers):
    g = iter(numbers)
    first = next(g)
    print("first", first)
    return b * first + sum(g), list(g)


for _ in range(3):
    show("kept", iterator_kept(a, (1.0, 2.0, 3.0)))


# Nested functions whose cells are dead, and one that is made before a break and called after it.
def dead_cells(b):
    def unused():
        return b * 100.0

    def used(k, scale=2.0):
        return b * k * scale
    c = used(2.0)
    print("between", used.__name__, used.__defaults__)
    return c + used(3.0, scale=1.0)


for _ in range(3):
    show("cells", dead_cells(a))


def recursive(b):
    def down(n):
        return b if n == 0 else down(n - 1) * 2.0 + 1.0
    c = down(3)
    print("recursive")
    return c + down(1), down


for _ in range(3):
    c, down = recursive(a)
show("recursive", [c, down(2), down.__qualname__, down.__closure__[0].cell_contents is not None])


# What a callee sees of its caller's frame.
def looks_at_caller():
    frame = sys._getframe(1)
    return sorted(name for name in frame.f_locals), frame.f_lineno - frame.f_code.co_firstlineno


def looked_at(b, k):
    c = b * 2.0 + k
    d = c + 1.0
    seen = looks_at_caller()
    return seen, c + d


for _ in range(3):
    print(looked_at(a, 1.0)[0])


def side_effect_in_branch(b, k, log):
    def yes(x):
        log.append("yes")
        return x * 2.0

    def no(x):
        log.append("no")
        return x - 1.0
    return (yes if k > 1 else no)(b) + 1.0


log = []
for k in (0, 1, 2, 3, 0):
    show("branch", side_effect_in_branch(a, k, log))
print(log)


# A class whose method is called each step, with a print now and then.
class Simulation:
    def __init__(self, n):
        self.x, self.v, self.t, self.history = np.linspace(0.0, 1.0, n), np.zeros(n), 0.0, []

    def force(self):
        return -self.x * 2.0 - self.v * 0.1

    def step(self, dt, talk=False):
        self.v = self.v + self.force() * dt
        self.x = self.x + self.v * dt
        self.t += dt
        if talk:
            print("t", round(self.t, 3))
        self.history.append(float((self.v * self.v).sum()))
        return self


sim = Simulation(5)
for k in range(60):
    sim.step(0.05, talk=k % 20 == 0)
show("simulation", [sim.x, sim.v, sim.t, len(sim.history), sim.history[-1]])


# An array that is updated in place is the same array, before and after a break.
def same_array(b):
    c = b * 2.0
    alias = c
    c += 1.0
    before = c is alias
    print("same")
    c -= 3.0
    d = c + 0.0
    return before, c is alias, d is alias, b is c, c, alias


for _ in range(4):
    result = same_array(a)
show("same", list(result))
