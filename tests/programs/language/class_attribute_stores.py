"""Stores to attributes of classes change nothing else: counters, registries, and classes that intercept stores."""
import numpy as np


# Stores to attributes of classes: counters, registries of the last value, through cls, type(self) and the class's
# name; what reads see of them, and classes for which a store means something else.
class Base:
    count = 0
    last = None
    total = 0.0
    log = []

    def __init__(self, value):
        Base.count += 1
        type(self).total = self.total + 1.0
        Base.last = value
        self.value = value

    @classmethod
    def tick(cls, by=1):
        cls.count += by
        return cls.count

    @property
    def numbered(self):
        return self.value * self.count


class Derived(Base):
    total = 100.0
    extra = "none"

    def __init__(self, value, extra):
        super().__init__(value)
        Derived.extra = extra


def make(a):
    b = Base(a * 2.0)
    d = Derived(a + 1.0, "made")
    b.tick()
    return b.numbered + d.numbered + Base.count + Derived.count + d.total, Base.last is d.value, d.extra


def own_shadows(a):
    b = Base(a)
    b.count = 1000
    Base.count += 1
    return a * b.count + type(b).count


def inherited_becomes_own(a):
    Derived.tick()
    return a * Derived.count + Base.count


def arrays_and_containers(a):
    Base.last = a * 3.0
    Base.log = [Base.last, Base.count]
    Base.log.append(2.0)
    Base.total = float(Base.last.sum())
    return len(Base.log) * a + Base.total


def list_is_shared(a, items):
    Base.log = items
    Base.log.append(a)
    return len(items) + a


def text(a):
    Derived.extra = Derived.extra + "x" if len(Derived.extra) < 8 else ""
    return a * len(Derived.extra)


def breaks_in_between(a):
    Base.count = Base.count + 5
    print("count", Base.count)
    Base.count *= 2
    return a + Base.count


def raises(a):
    Base.count += 1
    if a.shape[0] == 3:
        raise ValueError(f"no {Base.count}")
    Base.count += 10
    return a + Base.count


class Watching(type):
    def __setattr__(cls, name, value):
        print("stored", name)
        super().__setattr__(name, value)


class Watched(metaclass=Watching):
    n = 0


class Counting(type):
    @property
    def n(cls):
        return 42

    @n.setter
    def n(cls, value):
        print("n of the metaclass", value)


class Counted(metaclass=Counting):
    pass


class Described:
    @property
    def p(self):
        return 1.0

    def method(self):
        return 2.0


class Dying:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("dies", self.name)


class Holder:
    held = None


def metaclasses(a):
    Watched.n += 1
    Counted.n = a.shape[0]
    return a * Watched.n + Counted.n


def replaces_methods(a):
    d = Described()
    before = d.p + d.method()
    Described.method = lambda self: 5.0
    Described.fresh = 3.0
    after = d.method() + d.fresh
    Described.method = original
    del Described.fresh
    return a * before + after


original = Described.method


def holds(a, name):
    Holder.held = Dying(name)
    b = a * 2.0
    Holder.held = None
    return b + 1.0


class Slotted:
    __slots__ = ("x",)
    shared = 1

    def __init__(self, x):
        self.x = x
        Slotted.shared += 1


def slots(a):
    return Slotted(a * 2.0).x + Slotted.shared


def dunder(a):
    Base.__doc__ = "text" if Base.__doc__ is None else None
    return a + len(str(Base.__doc__))


def show(function, *args):
    try:
        print(function.__name__, function(*args), Base.count, Base.total, Derived.total, Derived.extra, "count" in vars(Derived))
    except Exception as error:
        print(function.__name__, type(error).__name__, error, Base.count)


for i in range(6):
    a = np.arange(4.0) + i
    for function in (make, own_shadows, arrays_and_containers, text, breaks_in_between, raises, slots, dunder,
                     replaces_methods, metaclasses):
        show(function, a)
    show(raises, np.arange(3.0))
    show(list_is_shared, a, [i])
    show(holds, a, i)
    if i == 2:
        show(inherited_becomes_own, a)
    if i == 3:
        Base.numbered = property(lambda self: self.value - self.count)   # the class is another one now
    if i == 4:
        Base.count = np.float64(0.5)
print(Base.log, Base.last)


# Counters that a class holds: a store to one changes nothing else that the class is.
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


class DerivedCounter(Static):
    pass


def build(a):
    return Static(a).a + DerivedCounter(a).a


for i in range(6):
    print(build(np.ones(2) * i), Static.made, DerivedCounter.made, DerivedCounter.__dict__.get("made"))
