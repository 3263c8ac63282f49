"""CPython asks iterables for their length, and an iterator's end has a value that `yield from` gives.

What CPython asks an iterable besides its items (a list asks for its length), and what an iterator has to say at its end:
the value of its StopIteration, `send`, `throw` and `close` through a `yield from`.
"""
import numpy as np

A = np.arange(4.0)
log = []


class Told:
    """An iterator that writes down what it is asked."""

    def __init__(self, count=2, hint=None):
        self.count, self.hint, self.at = count, hint, 0

    def __iter__(self):
        log.append("iter")
        return self

    def __next__(self):
        self.at += 1
        if self.at > self.count:
            raise StopIteration(A * 3)
        return A * self.at

    def __length_hint__(self):
        log.append("hint")
        if isinstance(self.hint, type):
            raise self.hint("of the hint")
        return self.count if self.hint is None else self.hint

    def send(self, value):
        log.append(("send", value))
        return value

    def throw(self, *exception):
        log.append("throw")
        return "thrown"

    def close(self):
        log.append("close")


class Sized(Told):
    def __len__(self):
        log.append("len")
        return self.count


class Counted(type):
    def __iter__(cls):
        log.append("class iter")
        return iter((A, A + 1))

    def __len__(cls):
        log.append("class len")
        return 2


class Members(metaclass=Counted):
    pass


def lists(make):
    return list(make()), [*make()], (*make(), 1), tuple(make()), A + 1


def extended(make):
    items = [A * 2]
    items.extend(make())
    items += make()
    items[:1] = make()
    return items


def sorts(make):
    return sorted(make(), key=lambda x: -x.sum()), (lambda *args: args)(*make()), A * 2


def not_asked(make):
    x, y = make()
    return x, y, dict(enumerate(make())), max(x.sum() for x in make()), list(zip(make(), make())), list(map(np.sum, make()))


def starred(make):
    x, *y = make()
    return x, y, A * 2


def attempt(function, *args):
    for _ in range(3):
        log.clear()
        try:
            result = function(*args)
        except Exception as error:
            result = repr(error)
        print(function.__name__, result, log)


for function in lists, extended, sorts, not_asked, starred:
    for make in (Told, Sized, lambda: Told(2, TypeError), lambda: Told(2, KeyError), lambda: Told(2, -1), lambda: Told(2, "x"),
                 lambda: Told(2, NotImplemented), lambda: Members, lambda: iter(Told())):
        attempt(function, make)


def delegates(make):
    last = yield from make()
    yield "last", last


def whole():
    return list(delegates(Told)), list(delegates(lambda: [A, 1]))


def sent():
    generator = delegates(Told)
    first = next(generator)
    return first, generator.send(7), generator.send(None), A * 2


def thrown():
    generator = delegates(Told)
    return next(generator), generator.throw(ValueError("v")), list(generator)


def closed():
    generator = delegates(Told)
    first = next(generator)
    generator.close()
    return first, list(generator), A * 2


def dropped():
    for first in delegates(Told):
        break
    return first * 2


def inner():
    for k in range(4):
        yield A * k


def shared():
    """A generator dies with the one that delegates to it, and is closed with it."""
    one, two, three = inner(), inner(), inner()
    first, second, third = delegates(lambda: one), delegates(lambda: two), delegates(lambda: three)
    results = [next(first), next(second), next(third)]
    first.close()
    results.append(next(three))
    results.append(next(third))
    del second
    return results, list(one), list(two), list(three)


def next_of_objects():
    told = Told(0)
    try:
        next(told)
    except StopIteration as stop:
        return stop.value, stop.args, next(told, "default")


class Stop(StopIteration):
    def __init__(self, value):
        super().__init__(value)
        self.more = A * 2


class Ends:
    def __iter__(self):
        return self

    def __next__(self):
        raise Stop(4)


def subclasses():
    try:
        next(Ends())
    except StopIteration as stop:
        return stop.value, stop.more, list(delegates(Ends)), list(Ends())


for function in whole, sent, thrown, closed, dropped, shared, next_of_objects, subclasses:
    attempt(function)


def steps():
    """One exception object made by captured code, and looked into by CPython's."""
    generator = delegates(Told)
    first = next(generator)
    print("between")
    return first, next(generator), next(generator)


attempt(steps)


class Slots:
    __slots__ = ("a", "b")


def empties():
    slots = Slots()
    slots.a = A * 2
    del slots.a
    said = []
    for act in (lambda: delattr(slots, "a"), lambda: slots.a, lambda: slots.c, lambda: delattr(slots, "c")):
        try:
            act()
        except AttributeError as error:
            said.append(str(error))
    try:
        del slots.b
    except AttributeError as error:
        said.append(str(error))
    return said, A + 1


attempt(empties)
