"""A program sees when arrays die, in which order finalizers run, and reference counts."""
import functools
import gc
import sys
import weakref

import numpy as np


def called(function):
    """Called from C, so that the caller's value stack holds the arguments, hook or no hook."""
    return functools.partial(function)


class Noisy:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name)


def count(a):
    b = a * 2 + 1
    n = sys.getrefcount(a)
    return n, float(b.sum())


def counts_of_results(a):
    b = a * 2
    c = b + 1
    d = c
    return sys.getrefcount(b), sys.getrefcount(c), sys.getrefcount(d)


def counts_in_containers(a):
    b = a * 2
    kept = [b, b, (b, b)]
    n = sys.getrefcount(b)
    kept.pop()
    return n, sys.getrefcount(b), sys.getrefcount(a)


a = np.arange(5.0)
for _ in range(5):
    print(called(count)(a), called(counts_of_results)(a), called(counts_in_containers)(a), sys.getrefcount(a))


# An argument that is replaced dies at once if the caller holds nothing.
def replaced(a):
    gone = weakref.ref(a, lambda _: print("array died"))
    print("alive", gone() is not None)
    a = a * 2
    print("alive", gone() is not None)
    b = a + 1
    return b.sum()


for _ in range(4):
    print(called(replaced)(np.arange(5.0)))


# A local that is not read again lives to the end of its function.
def dead_local(a, refs):
    b = a * 2
    refs.append(weakref.ref(b, lambda _: print("b died")))
    c = b + 1
    d = c.sum()
    print("b alive", refs[-1]() is not None)
    d = d + 1
    print("b alive", refs[-1]() is not None)
    return d


for _ in range(4):
    refs = []
    print(dead_local(np.arange(5.0), refs), refs[0]() is None)


def dead_argument(a, ref):
    b = a + 1
    print("before", ref() is not None)
    c = b * 2
    print("after", ref() is not None)
    return c


for _ in range(4):
    made = [np.arange(3.0)]
    ref = weakref.ref(made[0])
    print(called(dead_argument)(made.pop(), ref), ref() is None)


def deleted(a):
    ref = weakref.ref(a)
    b = a + 1
    del a
    alive = ref() is not None
    return alive, b.sum()


for _ in range(4):
    print(called(deleted)(np.arange(3.0)))


# Finalisers of locals run in the order of the locals; of replaced values, at once.
def finalisers(a):
    first = Noisy("first")
    second = Noisy("second")
    b = a * 2
    first = Noisy("first again")
    c = b + 1
    second = None
    d = c * c
    third = Noisy("third")
    return d.sum()


for _ in range(3):
    print(finalisers(np.ones(3)))


class Holder:
    def __init__(self, array):
        self.array = array
        self.ref = weakref.ref(array)

    def update(self):
        old = self.ref
        self.array = self.array * 2 + 1
        self.ref = weakref.ref(self.array)
        return old() is None


holder = Holder(np.ones(3))
print([holder.update() for _ in range(5)], holder.array)


def loop(a):
    alive = []
    previous = None
    for k in range(6):
        b = a * k
        c = b + 1
        alive.append(previous is None or previous() is None)
        previous = weakref.ref(c)
    return alive


for _ in range(3):
    print(loop(np.ones(2)))


def view_keeps_base(a):
    b = a * 2
    v = b[1:]
    ref = weakref.ref(b)
    del b
    return ref() is not None, v.base is ref(), sys.getrefcount(v), sys.getrefcount(v.base)


for _ in range(4):
    print(view_keeps_base(np.arange(4.0)))


def cycle(a):
    node = [a * 2]
    node.append(node)
    b = node[0] + 1
    return weakref.ref(node[0]), b


for _ in range(3):
    ref, b = cycle(np.ones(2))
    gc.collect()
    print(ref() is None, b)


# Entries hold no inputs, outputs or frames.
def entry(a, b):
    c = a * b + 1
    d = np.sqrt(c)
    return d - a


refs = []
for k in range(8):
    x, y = np.ones(4), np.ones(4)
    r = entry(x, y)
    refs += [weakref.ref(x), weakref.ref(y), weakref.ref(r)]
    del x, y, r
print([ref() is None for ref in refs].count(False))


def constants(a):
    b = a * 2
    return None, True, 1, b.sum()


before = sys.getrefcount(None)
for _ in range(1000):
    constants(a)
print(abs(sys.getrefcount(None) - before) < 50)
before = sys.getrefcount(count), sys.getrefcount(a), sys.getrefcount(np), sys.getrefcount(np.sin)
for _ in range(500):
    called(count)(a)
    entry(a, a)
after = sys.getrefcount(count), sys.getrefcount(a), sys.getrefcount(np), sys.getrefcount(np.sin)
# Guards hold what they compare with: a few more references, but not one a call.
print([abs(one - other) < 10 for one, other in zip(before, after)])
