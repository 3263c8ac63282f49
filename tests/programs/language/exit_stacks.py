"""contextlib.ExitStack, functools.singledispatch, types.MethodType and OrderedDict.move_to_end work together."""
import abc
import collections
import contextlib
import functools
import types

import numpy as np

told = []


class Scale:
    """A context manager that tells of its ends."""

    def __init__(self, name, by, forgives=False):
        self.name, self.by, self.forgives = name, by, forgives

    def __enter__(self):
        told.append("in " + self.name)
        return self.by

    def __exit__(self, kind, error, traceback):
        told.append(f"out {self.name} {kind and kind.__name__}")
        return self.forgives


def stacked(x, names):
    with contextlib.ExitStack() as stack:
        for name in names:
            x = x * stack.enter_context(Scale(name, 2.0))
        stack.callback(told.append, "called back")
        stack.push(Scale("pushed", 0.0))
        y = x + 1.0
    return y, len(told)


def forgiven(x, fails):
    with contextlib.ExitStack() as stack:
        stack.enter_context(Scale("outer", 1.0, forgives=True))
        stack.enter_context(Scale("inner", 1.0))
        y = x + 1.0
        if fails:
            raise ValueError("in the block")
        return y
    return x - 1.0


def kept(x):
    with contextlib.ExitStack() as stack:
        stack.enter_context(Scale("kept", 1.0))
        later = stack.pop_all()
    told.append("not yet")
    y = x * 3.0
    later.close()
    return y


def fails_at_the_end(x):
    def wrong():
        raise KeyError("at the end")

    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(Scale("before", 1.0))
            stack.callback(wrong)
            stack.enter_context(Scale("after", 1.0))
            x = x * 2.0
    except KeyError as error:
        told.append(str(error))
    return x


class Animal:
    pass


class Cat(Animal):
    pass


class Sub(np.ndarray):
    pass


class Abstract(abc.ABC):
    pass


class Concrete(Abstract):
    pass


@functools.singledispatch
def total(value, by=1.0):
    return f"no total of {type(value).__name__}"


@total.register
def _(value: np.ndarray, by=1.0):
    return value.sum() * by


@total.register(list)
@total.register(tuple)
def _(value, by=1.0):
    return sum(total(item, by) for item in value)


@total.register(int)
@total.register(float)
def _(value, by=1.0):
    return value * by


@total.register
def _(value: Animal, by=1.0):
    return 4.0 * by


def dispatched(x):
    return (total(x), total([x, 1, (2.5, Cat())], 2.0), total(Cat(), by=3.0), total("text"), total(True), total(x[0]),
            total(x.view(Sub)), total(Concrete()), total(None))


def bound(x):
    def scaled(self, factor):
        return x * self.by * factor

    method = types.MethodType(scaled, Scale("bound", 3.0))
    return method(2.0), method.__self__.name


order = collections.OrderedDict((name, 1.0) for name in "abcd")
numbered = collections.OrderedDict({1: "one", 2.0: "two", 3: "three"})


def moved(x, name):
    order.move_to_end(name)
    order[name] += x.sum()
    return x * order[name]


def moved_to_the_front(x, name):
    order.move_to_end(name, last=False)
    first = next(iter(order))
    return x + order[first], first


def moved_inside(x):
    table = collections.OrderedDict(p=x, q=x * 2.0, r=1.0)
    table.move_to_end("p")
    table.move_to_end("r", last=False)
    table["s"] = 0.0
    table.move_to_end("q", last=True)
    return list(table), table["p"] + table["q"]


def moved_numbers(x):
    numbered.move_to_end(True)  # equal to 1, which stays what it is
    numbered.move_to_end(2, last=False)
    return x * 2.0


def moved_missing(x):
    try:
        order.move_to_end("missing")
    except KeyError as error:
        return str(error), x + 1.0


class Recent(collections.OrderedDict):
    """The last few results, as in many a program."""

    def find(self, key, x):
        if key in self:
            self.move_to_end(key)
            return self[key]
        self[key] = x * key
        if len(self) > 2:
            told.append(f"forgot {self.popitem(last=False)[0]}")
        return self[key]


recent = Recent()


def looked_up(x, key):
    return recent.find(key, x) + 1.0


for turn in range(5):
    x = np.arange(3.0) + turn
    print(stacked(x, "ab"), forgiven(x, turn == 2), kept(x), fails_at_the_end(x), told)
    told.clear()
    print(dispatched(x), bound(x))
    name = "abcd"[turn % 4]
    print(moved(x, name), list(order), moved_to_the_front(x, "c"), list(order), moved_inside(x), moved_missing(x))
    print(moved_numbers(x), numbered)
    print(looked_up(x, turn % 3), looked_up(x, 2), list(recent), told)
    told.clear()

total.register(str, lambda value, by=1.0: "a text")
total.register(type(None))(lambda value, by=1.0: "nothing")
print(dispatched(x))
total.register(Abstract, lambda value, by=1.0: "abstract")
print(dispatched(x), total.dispatch(Cat) is total.dispatch(Animal), len(total.registry))
