"""Weak references and their callbacks notice when a name is lost in the middle of captured code.

Objects with weak references, of which a name is lost in the middle of captured code: who asks finds out when CPython would
say so, and callbacks come at their place. Classes and functions, which others refer to weakly without asking, lose names, too.
"""
import weakref

import numpy as np

A = np.arange(4.0)
log = []


class Part:
    def __init__(self, factor):
        self.array = A * factor


class Owner:
    def __init__(self, factor):
        self.part = Part(factor)


def dropped(owner, weak):
    b = A * 2
    owner.part = None
    c = b + 1
    return weak() is None, c


def replaced(owner, weak):
    b = A * 2
    part = owner.part
    owner.part = Part(5)
    c = b + part.array
    alive = weak() is part
    del part
    return alive, weak() is None, c


def argument(owner, weak):
    part = owner.part
    del owner.part
    doubled = part.array * 2
    part = None
    more = doubled + 1
    return weak() is None, more


def asked_by_another(owner, weak):
    def gone():
        return weak() is None

    before = gone(), A * 3
    owner.part = None
    return before, gone(), A * 2


def proxied(owner, weak):
    proxy = weakref.proxy(owner.part)
    doubled = proxy.array * 2
    owner.part = None
    try:
        return proxy.array
    except ReferenceError as error:
        return str(error), doubled


def listed(owner, weak):
    parts, table = [owner.part], {"part": owner.part}
    members = weakref.WeakSet(parts)
    owner.part = parts[0] = None
    b = A + 1
    count = len(members)
    table["part"] = b
    return count, len(members), weak() is None


for function in dropped, replaced, argument, asked_by_another, proxied, listed:
    for told in (), (lambda weak: log.append("end"),):
        for repeat in range(3):
            log.clear()
            owner = Owner(2)
            result = function(owner, weakref.ref(owner.part, *told))
        print(function.__name__, len(told), result, log)


def double(x):
    return x * 2


def named(x, chosen):
    for cls, function, dtype in chosen:
        x = cls(1.0).array + function(x).astype(dtype)
        print(cls.__name__, x.dtype)
    cls, function = Owner, np.sqrt
    return function(x), cls.__name__


weak = [weakref.ref(one) for one in (double, Part, Owner)]
for repeat in range(3):
    print(named(A, [(Part, double, np.float32), (lambda factor: Owner(factor).part, np.exp, np.float64)][:1] * 2))


def local_class(x):
    class Local:
        array = x * 2

    weak = weakref.ref(Local)
    function, kept = Local, Local.array
    function = Local = None
    return kept + 1, weak() is None


for repeat in range(3):
    print(local_class(A))
