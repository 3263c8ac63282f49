"""Loops over single elements use attributes of all kinds of classes, and objects change places."""
import dataclasses
import enum
import types
import typing
import weakref

import numpy as np


class Plain:
    def __init__(self, **attributes):
        vars(self).update(attributes)


def step(thing, n, other=None):
    try:
        for i in range(n):
            thing.x = thing.x + i
            if i % 3 == 1:
                thing.y = thing.x
            if other is not None and other.x > 5:
                other.y = i
    except Exception as error:
        print(type(error), error)
    return thing.x, thing.y


# What an attribute holds before, and what takes its place.
VALUES = (True, np.bool_(1), np.int8(100), np.float32(0.1), np.float16(1.5), np.uint64(3), 1j, "a", None, 2**62, 2**63 - 3,
          -2**63, np.int64(2**63 - 5), np.uint8(250), float("nan"), np.array(3.0), np.array([1.0, 2]))
for x in VALUES:
    for y in (0, None, "q", "long", [1], np.float64(2)):
        thing = Plain(x=x, y=y, z=3)
        for _ in range(2):
            print(step(thing, 5), vars(thing), type(thing.x), type(thing.y))

# One object or two, which change places meanwhile.
a, b = Plain(x=1, y=2), Plain(x=10, y=20)
for pair in ((a, a), (a, b), (b, a), (b, b), (a, None)):
    print(step(pair[0], 6, pair[1]), vars(a), vars(b))


def in_turn(p, q, n):
    for i in range(n):
        p.x += 1
        q.x += 10
        p, q = q, p
    return p.x, q.x


print(in_turn(Plain(x=0), Plain(x=0), 7), in_turn(Plain(x=0.5), Plain(x=0), 7))


class Node:
    def __init__(self, value, after=None):
        self.value, self.after = value, after


def total(node):
    result = 0
    while node is not None:
        result += node.value
        node = node.after
    return result


head = None
for number in range(6):
    head = Node(number, head)
print(total(head), total(head), total(head.after))


# Classes of all kinds.
@dataclasses.dataclass
class Data:
    x: float = 0.0
    y: int = 1
    items: list = dataclasses.field(default_factory=list)

    def run(self, n, /, *, by=2):
        for k in range(n):
            self.x += by * k
            self.items.append(self.x)
            if self.x > 50:
                return self
        return k


@dataclasses.dataclass(slots=True)
class Slots(Data):
    w: int = 3


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: int = 1

    def total(self, n):
        result = 0
        for i in range(n):
            result += self.x * i
        return result


class Named(typing.NamedTuple):
    x: int = 1
    total = Frozen.total


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Listed(list):
    def go(self):
        self.n = 0
        for i in range(len(self)):
            self.n += self[i]
            self[i] = self.n
        return self, self.n


class Tagged(np.ndarray):
    def go(self):
        self.n = 0
        for i in range(len(self)):
            self.n += 1
            self[i] = self.n
        return self.n, self.tolist(), type(self[0])


class Truth:
    def __init__(self):
        self.n = self.asked = 0

    def __bool__(self):
        self.asked += 1
        return self.n < 5

    def __eq__(self, other):
        self.asked += 100
        return False


def levels(n):
    result = 0
    for i in range(n):
        result += Level.LOW.value + Level.HIGH * i
    return result


def truths(truth):
    while truth:
        truth.n += 1
        if truth == 3:
            break
    return truth.n, truth.asked


for kind in (Data, Slots):
    for _ in range(3):
        print(kind().run(9), kind().run(9, by=0.5), kind().run(4, by=np.float64(1)))
print(Frozen().total(9), Frozen(2.5).total(9), Named().total(9), levels(9), truths(Truth()), truths(Truth()))
for _ in range(3):
    print(Listed([1, 2, 3]).go(), np.zeros(4).view(Tagged).go())
space = types.SimpleNamespace(x=1, y=2)
print(step(space, 7), space)


# An object that is dropped on the way; attributes that come, go, or are another dict's.
class Weak:
    def __init__(self):
        self.v = 1.0


died = []


def drop(n):
    thing, result = Weak(), 0
    weakref.finalize(thing, died.append, "died")
    for i in range(n):
        if i == 3:
            thing = Weak()
            died.append(i)
        thing.v += i
        result += thing.v
    return result


def deleted(thing, n):
    for i in range(n):
        thing.x += i
        if i == 4:
            del thing.x
    return thing.x


def other_dict(thing, n):
    for i in range(n):
        thing.x += i
        if i % 4 == 3:
            seen = dict(vars(thing))
            thing.__dict__["y"] = i
        if i == 6:
            thing.__dict__ = {"x": 100, "y": thing.y}
    return vars(thing), seen


print(drop(8), drop(8), died)
for _ in range(3):
    try:
        print(deleted(Plain(x=1), 4), deleted(Plain(x=1), 9))
    except AttributeError as error:
        print(error)
print(other_dict(Plain(x=0, y=0), 9), other_dict(Plain(x=0, y=0), 9))


# A method that raises after it has written; a class's number that becomes an instance's.
class Bumped:
    k = 0

    def bump(self, x, fail=7):
        self.k = self.k + 1
        if x == fail:
            raise ValueError((x, self.k))
        return self.k


def bumps(thing, n, fail):
    result = 0
    try:
        for i in range(n):
            result += thing.bump(i) if fail is None else thing.bump(i, fail=fail)
    except ValueError as error:
        print(error)
    return result, thing.k, vars(thing)


for thing in (Bumped(), Bumped()):
    print(bumps(thing, 5, None), bumps(thing, 10, None), bumps(thing, 10, 3))


# Variables of the module, and of the function around.
thing = Plain(x=0, y=0)
for i in range(50):
    thing.x += i
    thing.y = thing.x * 0.5
    if thing.x > 500:
        thing = Plain(x=0, y=1)
print(thing.x, thing.y)


def around():
    thing = Plain(x=0, y=1)

    def inside(n):
        nonlocal thing
        for i in range(n):
            thing.x += i
            if thing.x > 20:
                thing = Plain(x=-5, y=thing.y + 1)
        return thing.x, thing.y

    return inside(5), inside(10), inside(10), thing.x


print(around(), around())
