"""Recursion as deep as CPython allows, and the RecursionError of every way to recurse without end."""
import sys, threading
def depth(n): return 0 if n == 0 else 1 + depth(n - 1)
sys.setrecursionlimit(400000)
print(depth(300000))
sys.setrecursionlimit(1000)
def count():
    n = 0
    def f():
        nonlocal n
        n += 1
        f()
    try: f()
    except RecursionError as e: print(str(e))
    return n
print(count())
class A:
    def __getattr__(self, k): return getattr(self, k + 'x')
try: A().y
except RecursionError as e: print(e)
def viamap(n): return list(map(viamap, [n+1]))
try: viamap(0)
except RecursionError as e: print(e)
