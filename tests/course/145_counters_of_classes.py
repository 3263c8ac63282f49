"""Counters that a class holds: a store to one changes nothing else that the class is."""
import numpy as np


class World:
    generations = 0
    energy = 0.5
    label = "start"
    best = None

    def __init__(self, n):
        self.cells = np.ones(n)

    def rule(self, x):
        return x * 0.5 + World.energy

    @property
    def scale(self):
        return self.energy * 2

    def advance(self):
        self.cells = self.rule(self.cells) * self.scale
        self.cells = self.cells + self.generations
        World.generations += 1
        return self.cells.sum()


class Island(World):
    energy = 0.25

    def advance(self):
        total = super().advance()
        Island.generations = super().generations * 2
        return total + type(self).generations + super().energy


worlds = [World(3), Island(3), World(4)]
for i in range(8):
    print(i, [float(w.advance()) for w in worlds], World.generations, Island.generations)
    if i == 2:
        World.energy = 0.75
        Island.energy = 1
    if i == 3:
        World.rule = lambda self, x: x - 1
    if i == 4:
        World.label = "changed"
        World.best = 1.5
    if i == 5:
        Island.rule = lambda self, x: x + 10
        World.scale = 3.0
    if i == 6:
        World.scale = property(lambda self: len(self.label))


class Meta(type):
    @property
    def total(cls):
        return cls.held * 10

    @total.setter
    def total(cls, value):
        cls.held = value


class Held(metaclass=Meta):
    held = 1
    factor = 2

    def of(self, a):
        return a * self.factor + Held.total + self.held


def change(kind, value):
    if kind == "held":
        Held.held = value
    elif kind == "total":
        Held.total = value
    elif kind == "factor":
        Held.factor = value
    else:
        del Held.factor
        Held.factor = value


held = Held()
for step, (kind, value) in enumerate([("held", 2), ("total", 3), ("factor", 4.5), ("factor", True),
                                      ("factor", np.arange(3.0)), ("factor", 2), ("again", 5),
                                      ("factor", property(lambda self: 7)), ("factor", 8),
                                      ("held", 1 << 70), ("held", 0.5)] * 2):
    change(kind, value)
    for _ in range(3):
        print(step, held.of(np.arange(3.0)), end=" ")
    print()


class Static:
    made = 0

    @staticmethod
    def halved(a):
        return a / 2

    def __new__(cls, *args):
        cls.made += 1
        return super().__new__(cls)

    def __init__(self, a):
        self.a = self.halved(a) + Static.made


class Derived(Static):
    pass


def build(a):
    return Static(a).a + Derived(a).a


for i in range(6):
    print(build(np.ones(2) * i), Static.made, Derived.made, Derived.__dict__.get("made"))
