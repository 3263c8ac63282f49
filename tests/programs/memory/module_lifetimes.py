"""Modules that a program makes, uses and drops die with all that they define."""
import gc
import sys
import types
import weakref

import numpy as np

PROGRAMS = {
    "plain": """
def f(a): return np.sqrt(a*a+1)-a
""",
    "helper": """
def g(a): return a*2+1
def f(a): return np.sqrt(g(a))-a
""",
    "recursion": """
def f(a, n=2): return a if n == 0 else f(a*2+1, n-1)
""",
    "mutual": """
def g(a, n): return a if n==0 else f(a+1, n-1)
def f(a, n=3): return a if n == 0 else g(a*2+1, n-1)
""",
    "class": """
class M:
  def __init__(self, w): self.w=w
  def __call__(self, a): return a*self.w+1
m = M(2.0)
def f(a): return m(a)-a
""",
    "class_made": """
class M:
  def __init__(self, w): self.w=w
  def go(self, a): return a*self.w+1
def f(a): return M(2.0).go(a)-a
""",
    "class_returned": """
class M:
  def __init__(self, w): self.w=w
  def go(self, a): return a*self.w+1
def f(a): m = M(a*2.0); m.go(a); return m
""",
    "list": """
ws = [1.0, 2.0]
def f(a):
  for w in ws: a = a*w+1
  return a
""",
    "closure": """
def mk(w):
  def g(a): return a*w+1
  return g
h = mk(2.0)
def f(a): return h(a)-1
""",
    "lambda": """
h = lambda a: a*2
def f(a): return h(a)-1
""",
    "inner": """
def f(a):
  def g(b): return b*2+1
  return g(a)+g(a+1)
""",
    "inner_kept": """
def f(a):
  def g(): return f
  b = a*2+1
  return g, b
""",
    "break": """
def f(a):
  b = a*2+1
  print(end='')
  return g(b)+1
def g(a): return a*2
""",
    "partial": """
import functools
def g(a,b): return a*b+1
h = functools.partial(g, 2.0)
def f(a): return h(a)-a
""",
    "deco": """
import functools
def deco(fn):
  @functools.wraps(fn)
  def w(*a, **k): return fn(*a, **k)
  return w
@deco
def f(a): return a*2+1
""",
    "module_attr": """
import sys
me = sys.modules[__name__]
scale = 2.0
def f(a): return a*me.scale+1
""",
    "globalstore": """
count = 0
def f(a):
  global count
  count += 1
  return a*2+1
""",
    "descriptors": """
class M:
    def __init__(self, w):
        self.w = w
    @property
    def twice(self):
        return scaled(self.w)
    @staticmethod
    def shifted(a):
        return a + 1.0
    @classmethod
    def made(cls, w):
        return cls(w)
def scaled(w): return w * 2.0
m = M(2.0)
def f(a): return M.made(3.0).twice * m.twice * M.shifted(a) + m.shifted(a)
""",
    "super": """
class B:
    def go(self, a): return a * 2.0
class C(B):
    def go(self, a): return super().go(a) + 1.0
c = C()
def f(a): return c.go(a) - 1.0
""",
    "enum": """
import enum
class K(enum.Enum):
  A=1
  B=2
k = K.A
def f(a): return a*2+1 if k is K.A else a
""",
    "method_of_instance": """
class M:
  def __init__(self): self.w=2.0
  def go(self, a): return self.h(a)+1
  def h(self,a): return a*self.w
m=M()
f = m.go
""",
    "dataclass": """
import dataclasses
@dataclasses.dataclass
class P:
  w: float = 2.0
p=P()
def f(a): return a*p.w+1
""",
    "generator": """
def g(a):
  for i in range(3): yield a*i
def f(a): return sum(g(a))
""",
    "loop": """
def g(a): return a*2
def f(a):
  for i in range(5):
    a = g(a)+1
    print(end='')
  return a
""",
    "elements": """
def f(a):
  s = 0.0
  for i in range(len(a)): s = s + a[i]*2
  return s
""",
    "except": """
class E(Exception): pass
def g(a): raise E()
def f(a):
  try: g(a*2)
  except E: return a*2+1
""",
}


def dropped(name, text, call):
    """Of three modules of that text: how many of their functions, classes and selves are still there."""
    refs = []
    for number in range(3):
        module = types.ModuleType(f"{name}_{number}")
        module.np = np
        sys.modules[module.__name__] = module
        exec(compile(text, name, "exec"), module.__dict__)
        call(module)
        del sys.modules[module.__name__]
        refs.append(weakref.ref(module))
        refs += [weakref.ref(value) for value in module.__dict__.values()
                 if isinstance(value, (types.FunctionType, type)) and value.__module__ == module.__name__]
        del module
    gc.collect()
    return sum(ref() is not None for ref in refs), len(refs)


a = np.arange(3.0)


def by_loop(module):
    for _ in range(6):
        module.f(a)


def from_c(module):
    list(map(module.f, [a] * 6))


def by_long_loop(module):
    """Long enough to be a loop over elements, which has the called functions in it."""
    for i in range(3000):
        module.f(a)


for name, text in PROGRAMS.items():
    print(name, dropped(name, text, from_c), dropped(name, text, by_loop))

for name, text in {
    "numbers": "def f(a): return a[0] * 2.0 + 1.0",
    "globals": "scale = 3.0\ndef g(x): return x * scale\ndef f(a): return g(a[1]) + g(a[2])",
    "keywords": "def g(x, *, by=2.0): return x * by\ndef f(a): return g(a[1], by=3.0) - g(a[2])",
    "cells": "def make(k):\n  def f(a): return a[1] * k\n  return f\nf = make(2.5)",
    "methods": "class M:\n  def __init__(self): self.w = 2.0\n  def f(self, a): return a[1] * self.w\nm = M()\ndef f(a): return m.f(a)",
}.items():
    print(name, dropped(name, text, by_long_loop))
