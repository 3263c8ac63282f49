"""Functions have attributes, descriptors know their name, and generators are sent values."""
import dataclasses
import functools

import numpy as np


def counted(function):
    @functools.wraps(function)
    def wrapper(*args):
        wrapper.calls += 1
        wrapper.largest = max(wrapper.largest, len(args))
        return function(*args)
    wrapper.calls, wrapper.largest = 0, 0
    return wrapper


@counted
def double(x):
    return x * 2


@counted
def add(x, y):
    return x + y


def uses_both(a):
    return add(double(a), double(a)), double.calls, add.calls


def by_two_names(f, g, a):
    f.note = a.sum()
    g.note = g.note + 1
    return f.note


def forgets(a):
    double.extra = a * 2
    result = double.extra + 1
    del double.extra
    return result, hasattr(double, "extra")


class Scaled:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None):
        return self if instance is None else getattr(instance, self.name) + 1

    def __set__(self, instance, value):
        setattr(instance, self.name, value * 2)

    def __delete__(self, instance):
        delattr(instance, self.name)


class Holder:
    first, second = Scaled(), Scaled()

    def __init__(self, first, second):
        self.first, self.second = first, second


def described(a):
    held = Holder(a, 3)
    held.first = held.first + held.second
    del held.second
    return held.first, hasattr(held, "second"), vars(held).keys() if False else Holder.first.name


@dataclasses.dataclass
class Point:
    x: int
    y: object


def matched(a):
    found = []
    for value in (Point(1, a), (1, a), {"k": a, "z": 1}, [1, 2, a], Point(2, a), "text", None):
        match value:
            case [1, 2, last]:
                found.append(last * 2)
            case Point(x=1, y=inner):
                found.append(inner.sum())
            case Point(2, inner):
                found.append(inner + 2)
            case (1, inner):
                found.append(inner + 1)
            case {"k": inner, **rest}:
                found.append((inner + 1, rest))
            case str() | None:
                found.append(value)
    return found


def running(a):
    """A generator that is told by how much to go on."""
    def totals():
        total, step = a, 1.0
        while True:
            step = yield total
            if step is None:
                return "done"
            total = total + step
    source = totals()
    values = [next(source), source.send(2.0), source.send(3.0)]
    try:
        source.send(None)
    except StopIteration as stop:
        values.append(stop.value)
    source.close()
    values.append(next(source, "closed"))
    return values


def too_early(a):
    source = (a * n for n in range(2))
    try:
        source.send(1)
    except TypeError as error:
        return str(error), next(source)


a = np.arange(3.0)
for _ in range(3):
    print(uses_both(a), add.largest, forgets(a))
print(by_two_names(double, double, a), double.note, by_two_names(double, add, a) if hasattr(add, "note") else None)
add.note = 7
print(by_two_names(double, add, a), double.note, add.note, by_two_names(add, add, a), add.note)
for _ in range(3):
    print(described(a), matched(a), running(a), too_early(a))
