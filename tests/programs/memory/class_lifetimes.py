"""Classes that a function makes die with it, as their instances do: nothing that watched them keeps them."""
import gc
import weakref

import numpy as np

def a():
    class C: pass
    wr = weakref.ref(C)
    del C
    gc.collect()
    return wr() is None
def b():
    class C: pass
    c = C()
    wr = weakref.ref(C)
    del C, c
    gc.collect()
    return wr() is None
def c():
    class C:
        def __init__(self): self.x = 1
    c = C()
    wr = weakref.ref(C)
    del C, c
    gc.collect()
    return wr() is None
def d():
    class C:
        def __init__(self, v): pass
    c = C(1)
    wr = weakref.ref(C)
    del C, c
    gc.collect()
    return wr() is None
def e():
    class C: pass
    c = C()
    c.x = 1
    wr = weakref.ref(C)
    del C, c
    gc.collect()
    return wr() is None



for function in (a, b, c, d, e):
    print(function.__name__, [function() for _ in range(3)], np.ones(2).sum())
