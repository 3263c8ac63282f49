"""Classes use super, properties, descriptors, slots, dataclasses, named tuples, enums and operators."""
import collections
import dataclasses
import enum
import functools

import numpy as np
from show import repeat, show

a = np.arange(4.0)


class Base:
    scale = 2.0

    def __init__(self, x):
        self.x = x

    def step(self, b):
        return self.x * self.scale + b

    @classmethod
    def make(cls, b):
        return cls(b * 3.0)

    @staticmethod
    def shift(b):
        return b - 1.0


class Child(Base):
    scale = 3.0

    def __init__(self, x):
        super().__init__(x + 1.0)
        self.y = x

    def step(self, b):
        return super().step(b) + self.y

    @property
    def sum(self):
        return self.x + self.y

    @sum.setter
    def sum(self, value):
        self.y = value - self.x

    @sum.deleter
    def sum(self):
        del self.y


def uses_super(child, b):
    child.sum = child.step(b) + Child.make(b).sum
    return child.sum + child.shift(b)


child = Child(a)
for _ in range(5):
    show("super", uses_super(child, a))
Base.scale = 5.0
Child.scale = 7.0
show("changed class", uses_super(child, a))


def deletes_property(child):
    del child.sum
    return hasattr(child, "y"), hasattr(child, "sum")


for _ in range(3):
    print(deletes_property(Child(a)))


# A descriptor written in Python, with and without __set__.
class Scaled:
    def __init__(self, factor):
        self.factor = factor

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner):
        return self if instance is None else getattr(instance, self.name) * self.factor

    def __set__(self, instance, value):
        setattr(instance, self.name, value + 1.0)


class Doubled:
    def __get__(self, instance, owner):
        return instance.speed * 2.0


class Car:
    speed = Scaled(3.0)
    twice = Doubled()


def drive(car, b):
    car.speed = b
    before = car.twice
    car.twice = b
    return before + car.twice + car.speed


for _ in range(5):
    show("descriptors", drive(Car(), a))


class Slotted:
    __slots__ = ("x", "y", "__weakref__")

    def __init__(self, x):
        self.x = x


def slots(s, b):
    s.y = s.x * 2.0 + b
    s.x = s.y
    made = Slotted(b)
    made.y = s.y
    del s.y
    return s, made, hasattr(s, "y")


for _ in range(5):
    s, made, has = slots(Slotted(a), a)
    show("slots", [s.x, made.x, made.y, has])
try:
    repeat(lambda b: setattr(Slotted(b * 2.0), "z", 1), a)
except AttributeError as error:
    print(error)


@dataclasses.dataclass
class State:
    position: np.ndarray
    velocity: np.ndarray
    time: float = 0.0
    log: list = dataclasses.field(default_factory=list)

    def advance(self, dt):
        self.log.append(self.time)
        return State(self.position + self.velocity * dt, self.velocity * 0.9, self.time + dt, self.log)


@dataclasses.dataclass(frozen=True)
class Parameters:
    mass: float
    drag: float = 0.5


def simulate(state, parameters, steps):
    for _ in range(steps):
        state = state.advance(0.1 * parameters.mass)
        state.velocity = state.velocity * (1.0 - parameters.drag)
    return state


for _ in range(4):
    end = simulate(State(a, a + 1.0), Parameters(2.0), 3)
show("dataclass", [end.position, end.velocity, end.time, end.log])
for _ in range(4):
    made = (lambda b: (Parameters(float(len(b))), b * 2.0 + 1.0))(a)
print(made[0], made[0] == Parameters(4.0))
try:
    (lambda p: setattr(p, "mass", 1.0))(Parameters(1.0))
except dataclasses.FrozenInstanceError as error:
    print(type(error).__name__, error)

Particle = collections.namedtuple("Particle", "x v", defaults=[1.0])


def push(p, dt):
    x, v = p
    moved = p._replace(x=x + v * dt) if dt > 5.0 else Particle(p.x + p.v * dt, v=p[1] * 0.5)
    return moved, len(p), isinstance(p, tuple), Particle(x).v


for _ in range(5):
    moved, *rest = push(Particle(a, a * 2.0), 0.5)
print(type(moved).__name__, moved._fields, rest)
show("named tuple", [moved.x, moved.v])


class Mode(enum.Enum):
    FAST = 1
    SLOW = "slow"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


def by_mode(b, mode, level=Level.LOW):
    if mode is Mode.FAST:
        b = b * 2.0 + 1.0
    elif mode == Mode.SLOW:
        b = b * 3.0 - 1.0
    return b + (1.0 if level == Level.HIGH else 0.0), mode.value, mode.name


for mode in (Mode.FAST, Mode.SLOW, Mode.FAST, Mode.SLOW) * 3:
    show("enum", by_mode(a, mode))
show("enum", by_mode(a, Mode.FAST, Level.HIGH))


# Operators of Python classes, calls of objects, containers of one's own.
class Vector:
    def __init__(self, data):
        self.data = data

    def __add__(self, other):
        return Vector(self.data + other.data) if isinstance(other, Vector) else NotImplemented

    def __radd__(self, other):
        return Vector(self.data + other)

    def __mul__(self, k):
        return Vector(self.data * k)

    def __imul__(self, k):
        self.data = self.data * k
        return self

    def __neg__(self):
        return Vector(-self.data)

    def __getitem__(self, key):
        return self.data[key]

    def __setitem__(self, key, value):
        self.data = self.data + value

    def __len__(self):
        return len(self.data)

    def __bool__(self):
        return len(self.data) > 2

    def __call__(self, b):
        return self.data * b + 1.0

    def __contains__(self, item):
        return item == 3

    def __eq__(self, other):
        return len(self) == len(other)

    def __iter__(self):
        yield self.data
        yield self.data * 2.0


def operators(v, b):
    w = 1.5 + (v + Vector(b)) * 2.0
    original = w
    w *= 3.0
    w[0] = b
    first, second = w
    return w is original, w(b), -w, w[1:], len(w), bool(w), 3 in w, w == v, first + second


for _ in range(5):
    results = operators(Vector(a), a)
show("operators", [r.data if isinstance(r, Vector) else r for r in results])


# __new__ that gives another class's instance skips __init__, whatever __instancecheck__ says.
class Liar(type):
    def __instancecheck__(cls, instance):
        return True


class Other:
    pass


class Odd(metaclass=Liar):
    def __new__(cls, b):
        made = Other()
        made.b = b * 2.0 + 1.0
        return made

    def __init__(self, b):
        raise AssertionError("__init__ must not run")


show("new", repeat(lambda b: Odd(b).b, a))


# __getattr__: an AttributeError makes hasattr False; a subclass falls back through super().
class Lazy:
    def __init__(self):
        self.known = 2.0

    def __getattr__(self, name):
        if name.startswith("x"):
            return len(name)
        raise AttributeError(name)


class Lazier(Lazy):
    def __getattr__(self, name):
        if name == "special":
            return self.known * 10.0
        return super().__getattr__(name)


def fall_back(o, b):
    return b * o.known + o.xyz + (o.special if hasattr(o, "special") else 0.0), hasattr(o, "nothing")


for o in (Lazy(), Lazier()) * 4:
    show("getattr", fall_back(o, a))


# Attributes of functions, and functools.wraps.
def tagged(b):
    return b * tagged.factor + 1.0


tagged.factor = 2.0
show("tag", repeat(tagged, a))
tagged.factor = 3.0
show("tag", repeat(tagged, a))


def decorate(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs) * 2.0
    return wrapper


def makes_wrapped(b):
    c = b + 1.0
    return decorate(tagged), c * 2.0


wrapped, _ = repeat(makes_wrapped, a)
show(wrapped.__name__, wrapped(a))
halved = functools.partial(decorate(lambda b, k=1.0: b * k), k=0.25)
show("partial", repeat(lambda b: halved(b) + 1.0, a))


# super() in a metaclass, while the class is made and later, and super() that has to fail.
class Meta(type):
    def mro(cls):
        return super().mro()

    def scaled(cls, b):
        return b * 2.0

    @classmethod
    def name_of(mcs):
        return "Meta"


class SubMeta(Meta):
    def scaled(cls, b):
        return super().scaled(b) + cls.offset

    @classmethod
    def name_of(mcs):
        return "Sub" + super().name_of()


def makes_class(b):
    class Made(metaclass=SubMeta):
        offset = 1.0

    return Made.scaled(b), Made.name_of(), Made.__mro__[1:]


for _ in range(3):
    show("super in a metaclass", makes_class(a))


class ChangingBase:
    @classmethod
    def pick(cls, b):
        return b + 1.0


class Changing(ChangingBase):
    @classmethod
    def pick(cls, b):
        return super().pick(b) * 2.0

    def odd(self, which):
        if which == 0:
            return super().__thisclass__
        if which == 1:
            return super().__class__
        if which == 2:
            return super(Child, self)
        if which == 3:
            return super(3, self)
        return super().missing

    def without(*arguments):
        return super()


for factor in (1.0, 1.0, 1.0, 5.0):
    ChangingBase.pick = classmethod(lambda cls, b, factor=factor: b + factor)
    show("super of a class", Changing.pick(a))
for which in range(5):
    for _ in range(3):
        try:
            print(Changing().odd(which))
        except Exception as error:
            print(type(error).__name__, error)
for _ in range(3):
    try:
        print(Changing().without())
    except RuntimeError as error:
        print("RuntimeError", error)


# Patterns of classes whose __match_args__ are not what they should be, or come late.
class Tagged(int):
    __match_args__ = ("real", "tag")
    tag = "t"


class Late(int):
    pass


def with_args(names):
    class Odd:
        __match_args__ = names
        x = y = 7.0

    return Odd()


def matches(cls, subject, b):
    match subject:
        case cls(first, y=second):
            return first, b + second
        case cls(first):
            return first, b
    return None


def matches_one(cls, subject, b):
    match subject:
        case cls(first):
            return first, b + 1.0
    return None


def matches_keys(subject, names, b):
    match subject:
        case {names.one: x, names.two: y}:
            return x + b, y
    return None


class Keys:
    def __init__(self, one, two):
        self.one, self.two = one, two


for subject in (Tagged(3), Late(4), with_args(("x",)), with_args((None,)), with_args(["x"]),
                with_args(("y",)), with_args(()), True, 2):
    for function in (matches_one, matches):
        for _ in range(3):
            try:
                show("pattern of a class", function(type(subject), subject, a))
            except (TypeError, AttributeError) as error:
                print(type(error).__name__, error)
Late.__match_args__ = ("imag",)
show("late __match_args__", matches_one(Late, Late(4), a))
for keys in (Keys("p", "q"), Keys("p", "p"), Keys("r", "r"), Keys("p", "r"), Keys(1, True)):
    for _ in range(3):
        try:
            show("pattern of keys", matches_keys({"p": 1.0, "q": 2.0, 1: 3.0}, keys, a))
        except ValueError as error:
            print("ValueError", error)


class Scaled(functools.partial):
    """A class over one that is written in C, on the heap: C makes what is in its instances."""


def makes_partials(b):
    return functools.partial(np.multiply, b), Scaled(np.add, b)


for made in repeat(makes_partials, a):
    show(type(made).__name__, made(2.0))
