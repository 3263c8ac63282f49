"""Descriptors look after stores only, slots have two names, and __getattr__ follows a failing getter."""
import functools

import numpy as np


class Checked:
    """Looks after stores; what is stored is read as any attribute."""

    def __set_name__(self, owner, name):
        self.name = name

    def __set__(self, instance, value):
        if np.any(np.asarray(value) < 0):
            raise ValueError(f"{self.name} is negative")
        instance.__dict__[self.name] = value


class Body:
    mass = Checked()
    speed = Checked()

    def __init__(self, mass, speed):
        self.mass, self.speed = mass, speed


def energy(body):
    return body.mass * body.speed * body.speed / 2


def parts(body, x):
    return body.mass, x * 2, body.mass is None, body.mass == 2, getattr(body, "speed", "none")


class Meta(type):
    limit = Checked()

    @property
    def label(cls):
        raise AttributeError("no label")

    def __getattr__(cls, name):
        return f"{cls.__name__} has no {name}"


class Labelled(metaclass=Meta):
    pass


def of_class(x):
    return x + 1, Labelled.label, Labelled.other, getattr(Labelled, "label", 1)


class Getter:
    def __get__(self, instance, owner=None):
        raise AttributeError("nothing to get")


class Falling:
    asked = 0
    gotten = Getter()

    def __init__(self, value):
        self.value = value

    @property
    def doubled(self):
        if self.value > 2:
            raise AttributeError("too large")
        return self.value * 2

    @property
    def broken(self):
        raise KeyError("broken")

    @functools.cached_property
    def cached(self):
        return self.nothing_at_all + self.missing.value

    def __getattr__(self, name):
        self.asked += 1
        if name == "missing":
            raise AttributeError(f"no {name}")
        return f"{name} is not there"


def fallen(o, x):
    found = [o.doubled, o.gotten, getattr(o, "doubled", 5), getattr(o, "gotten", 6), hasattr(o, "doubled"), hasattr(o, "missing"), getattr(o, "missing", 7)]
    try:
        found.append(o.broken)
    except KeyError as error:
        found.append(repr(error))
    try:
        found.append(o.cached)
    except TypeError:
        found.append("no text has a value")
    except AttributeError as error:
        found.append(str(error))
    match o:
        case Falling(doubled=doubled, missing=missing):
            found.append((doubled, missing))
        case Falling(doubled=doubled):
            found.append(doubled)
    return x * 2, found, o.asked


class Slotted:
    __slots__ = ("first", "second")


class Renamed(Slotted):
    one = Slotted.first


class Other:
    first = Slotted.first


def by_two_names(x):
    o = Renamed()
    o.first = x
    o.one = x + 1
    seen = [o.first, o.one]
    o.first = x + 2
    seen += [o.one, o.first]
    del o.one
    return seen, hasattr(o, "first"), hasattr(o, "one")


def of_another(x):
    try:
        return x + 1, Other().first
    except TypeError as error:
        return x + 1, str(error)


x = np.arange(3.0)
for mass in (2, 2, 3.5, None, np.float32(2)):
    if mass is not None:
        print(energy(Body(mass, x)))
    body = Body(1, 2)
    body.__dict__["mass"] = mass
    print(parts(body, x))
body = Body(1, x)
del body.__dict__["mass"]
print(type(parts(body, x)[0]).__name__)
for _ in range(3):
    try:
        body.speed = -x
    except ValueError as error:
        print(error)
    print(of_class(x))
    print(by_two_names(x))
    print(of_another(x))
for value in (1, 2, 3, 1, 4):
    print(fallen(Falling(value), x))


# --- Names that are no identifiers, or not ASCII. -------------------------------------------------------------

def scaled(x, σ=1.0, **others):
    return x * σ, {ascii(name): value for name, value in others.items()}


def called(x):
    return scaled(x, σ=2.0), scaled(x, **{"σ": 3.0, "τ": 1}), scaled(x, **{"σ\0": 4, "\ud800": 5}), functools.partial(scaled, **{"\0": 1})(x, σ=5.0)


class Bag:
    pass


def named(x):
    bag = Bag()
    for name in ("σ", "a b", "\0", "a\0b", "\ud800"):
        setattr(bag, name, x * len(vars(bag)))
    return [getattr(bag, name, None) for name in ("σ", "a b", "\0", "a", "a\0b", "\ud800", "\udc00")], hasattr(bag, "a")


for _ in range(3):
    print(called(x))
    print(named(x))


class Measured:
    computed = 0

    def __init__(self, values):
        self.values = values

    @functools.cached_property
    def total(self):
        Measured.computed += 1
        return self.values.sum()


Measured.alias = Measured.__dict__["total"]


def by_two_names(x):
    first, second = Measured(x), Measured(x + 1)
    return first.total + first.alias, second.alias + second.total, sorted(vars(first)), Measured.computed


for _ in range(4):
    print(by_two_names(np.arange(3.0)))
