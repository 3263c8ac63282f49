"""Lists stand beside arrays: as operands, keys, contents of stores and arguments."""
import numpy as np
def sub(a, c): return a[c]
def sub2(a, c): return a[c, c]
def sub3(a, c): return a[:, c]
def store(a, c):
    a = a.copy()
    a[c] = 5
    return a
def store2(a, c):
    a = a.copy()
    a[:, 0] = c
    return a
def store3(a, c):
    a = a.copy()
    a[c] = c
    return a
def cmp(a, c): return a == c
def lt(a, c): return a[:, :1] < c
def rmul(a, c): return c * a[:, :1]
def inp(a, c):
    a = a[:, :1].copy()
    a += c
    return a
def mm(a, c): return a[:, :2] @ c
def rmm(a, c): return c @ a[:2]
def pw(a, c): return a[:, :1] ** c
def call(a, c): return np.add(a[:, :1], c)
def tup(a, c): return a[:, :1] + (c, c)
def meth(a, c): return a.take(c, axis=1), a.dot(c + [1])
def inn(a, c): return a[0, 0] in c
def where(a, c): return np.where(a[:, :1] > 1, c, 0)
def stk(a, c): return np.stack([a[0, :2], c]), np.concatenate((a[0], c))
def kw(a, c): return np.add(a[:, :1], 1, where=[True]), a.sum(axis=tuple(c)), np.full(c, 2.0), np.zeros(shape=c)
class Holder:
    pass


def attr(a, c):
    holder = Holder()
    holder.c = c
    return a[:, :1] * holder.c
a = np.arange(9.).reshape(3, 3)
for f in (sub, sub2, sub3, store, store2, store3, cmp, lt, rmul, inp, mm, rmm, pw, call, tup, meth, inn, where, stk, kw, attr):
    for c in ([0, 1], [1], [0, 1, 2], []):
        for k in range(2):
            try:
                print(f.__name__, c, f(a, c))
            except Exception as error:
                print(f.__name__, c, type(error).__name__, error)
