"""Loops over single elements keep their state in attributes of instances, slots and classes."""
import sys
import threading

import numpy as np


class Grid:
    unit = 2

    def __init__(self, size, value=0.0):
        self.size = size
        self.cells = np.arange(size * size, dtype=float).reshape(size, size)
        self.sum, self.count, self.last = value, 0, None
        self.history = [1, 2.5]

    def smooth(self):
        for i in range(1, self.size):
            for j in range(1, self.size):
                self.cells[i, j] = (self.cells[i - 1, j] + self.cells[i, j - 1]) / self.unit
                self.sum += self.cells[i, j]
                self.count += 1
        return self.sum

    def at(self, i, j=0, *, scale=1):
        return self.cells[i, j] * scale

    def walk(self):
        for i in range(self.size):
            self.sum = self.sum + self.at(i) - self.at(i, scale=self.unit) + self.at(j=i, i=0)
            if self.last is None or self.sum > self.last:
                self.last = self.sum
        return self.last

    @property
    def corner(self):
        return self.cells[0, 0] + self.count


def show(grid):
    print({name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in vars(grid).items()})


# Numbers and arrays of one instance, read and written; the types of numbers change on the way, and None is one of them.
for size in (3, 4, 4):
    grid = Grid(size, 1)
    print(grid.smooth(), grid.walk(), type(grid.sum), type(grid.count))
    show(grid)

# An exception in the middle: what was written until then is there.
grid.size = 6
try:
    grid.smooth()
except IndexError as error:
    print(error, grid.count, grid.sum)

# Beyond 64 bits, and back.
def grow(grid, n):
    for i in range(n):
        grid.count = grid.count * 3 + i
        grid.sum -= 0.5
    return grid.count


grid.count = 1
for n in (5, 30, 45, 10):
    print(grow(grid, n), grid.count, grid.sum)
    grid.count = grid.count % 1000


# Two names, of two objects or of one; an object in an attribute of another.
class Body:
    __slots__ = ("x", "v", "other")

    def __init__(self, x, v):
        self.x, self.v, self.other = x, v, None


def pull(one, two, n):
    for i in range(n):
        one.v += (two.x - one.x) * 0.01
        two.v -= (two.x - one.x) * 0.01
        one.x += one.v
        two.x += two.v
    return one.x, two.x


a, b = Body(0.0, 1.0), Body(5.0, -1.0)
for pair in ((a, b), (a, b), (a, a), (b, a), (b, b)):
    print(pull(*pair, 7), a.x, a.v, b.x, b.v)


def through(body, n):
    for i in range(n):
        body.other.x += 1
        body.x += body.other.x
    return body.x


a.other = b
print(through(a, 5), b.x)
a.other = a
print(through(a, 5))
del a.v
try:
    print(pull(a, b, 3))
except AttributeError as error:
    print(error, a.x, b.x)


# Two objects with one dict, and a dict that somebody else has.
def count(one, two, n):
    for i in range(n):
        one.count += 1
        two.count += i
    return one.count, two.count


first, second = Grid(2), Grid(3)
print(count(first, second, 9), count(second, first, 9))
second.__dict__ = first.__dict__
print(count(first, second, 9), first.count)
space = vars(grid)
print(count(grid, second, 4), space["count"])


# What a class has: an attribute that instances share until one has its own; functions that change.
def units(grid, n):
    total = 0
    for i in range(n):
        total += grid.unit * i
        if i == 3:
            grid.unit = 10
    return total


fresh = Grid(2)
print(units(fresh, 6), units(fresh, 6), "unit" in vars(fresh))
Grid.unit = 5
print(units(Grid(2), 3), units(fresh, 3))


def corners(grid, n):
    total = 0.0
    for i in range(n):
        total += grid.corner + grid.at(0, 1)
    return total


print(corners(fresh, 5))
Grid.at = lambda self, i, j: -1.0
print(corners(fresh, 5))
fresh.at = lambda i, j: 100.0
print(corners(fresh, 5))


# Classes that want to know.
class Watched(Grid):
    def __setattr__(self, name, value):
        if name == "count" and value % 4 == 0:
            print("count is", value)
        object.__setattr__(self, name, value)


class Computed:
    def __init__(self):
        self.count = 0

    def __getattr__(self, name):
        return 7 if name == "missing" else object.__getattribute__(self, name)

    def __getattribute__(self, name):
        value = object.__getattribute__(self, name)
        return value + 1 if name == "count" else value


def tick(thing, n):
    for i in range(n):
        thing.count += 1
    return thing.count


print(tick(Watched(2), 9), tick(Computed(), 9), tick(fresh, 9))


# What a called method has written when it must be left to Python is not written twice.
class Account:
    def __init__(self):
        self.balance, self.entries, self.log = 0, 0, []

    def book(self, amount):
        self.entries += 1
        self.balance = self.balance * 2 + amount
        return self.balance

    def book_all(self, amounts, limit):
        for amount in amounts:
            self.entries += 1
            if self.book(amount) > limit:
                self.log.append(amount)
                self.balance = 0
        return self.balance


def year(account, n, limit):
    total = 0
    for month in range(n):
        before = account.balance
        total += account.book(month) - before
        if account.balance > limit:
            account.balance = -1
    return total, account.balance, account.entries


account = Account()
print(year(account, 20, 1000), year(account, 100, 2**70), year(account, 9, 5))
print(account.book_all(np.arange(40), 10**6), vars(account))


# Descriptors, one that becomes a data descriptor only later; one slot by two names; what is no plain method.
class Named:
    def __get__(self, instance, owner):
        return 3 if instance is not None else self


class Odd:
    __slots__ = ("place", "__dict__")
    got = Named()

    def __init__(self):
        self.place = 1
        self.__dict__["got"] = 40

    @staticmethod
    def plain(x):
        return x + 1

    @classmethod
    def by_class(cls, x):
        return x if cls is Odd else -x


Odd.again = Odd.place


def odd(thing, n):
    total = 0
    for i in range(n):
        thing.place += thing.again + i
        total += thing.got + thing.plain(i) + thing.by_class(i)
    return total, thing.place, thing.again


thing = Odd()
print(odd(thing, 5))
Named.__set__ = lambda self, instance, value: print("set")
print(odd(thing, 5))
Odd.plain = lambda self, x: x * 2
print(odd(thing, 5))


class Property:
    def __init__(self):
        self.reads, self.n = 0, 5

    @property
    def counted(self):
        self.reads += 1
        return self.n // self.reads


def ask(thing, n):
    return [thing.counted + i for i in range(n)], thing.reads


asked = Property()
print(ask(asked, 4), ask(asked, 4))
asked.reads = -3
try:
    print(ask(asked, 4))
except ZeroDivisionError as error:
    print(error, asked.reads)


# Another thread sees what is written, and its writes are seen.
def until(flag):
    rounds = 0
    while not flag.count:
        rounds += 1
        flag.sum = rounds
    return rounds > 0 and flag.sum == rounds


flag = Grid(2)
timer = threading.Timer(0.05, lambda: setattr(flag, "count", 1))
timer.start()
print(until(flag))
timer.join()


# Calls: names of arguments, defaults, keywords only, and what is an error.
def mixed(x, /, y=2, *, z=3, w=None):
    return x * y + z if w is None else w


def calls(n):
    total = 0
    for i in range(n):
        total += mixed(i) + mixed(i, y=i) + mixed(i, z=i, y=1) - mixed(i, i, w=i)
    return total


print(calls(10))
mixed.__kwdefaults__ = {"z": 30, "w": None}
print(calls(10))
mixed.__kwdefaults__["z"] = 300
print(calls(10))
mixed.__defaults__ = ()
try:
    print(calls(10))
except TypeError as error:
    print(error)
try:
    for i in range(10):
        i += mixed(x=i, y=1)
except TypeError as error:
    print(error, i)


# Nothing is kept alive, and a reference is counted as ever.
class Mortal:
    def __init__(self):
        self.n = 0

    def __del__(self):
        print("died with", self.n)


def use(mortal):
    for i in range(20):
        mortal.n += i
    return mortal.n


for _ in range(3):
    print(use(Mortal()))
mortal = Mortal()
use(mortal)
print(sys.getrefcount(mortal))
