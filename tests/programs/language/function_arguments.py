"""Functions take defaults, keywords, starred, keyword-only and positional-only arguments."""
import numpy as np
from show import show


def defaults(a, scale=2.0, *, shift=0.5, out=None):
    result = a * scale + shift
    if out is not None:
        out[...] = result
        return out
    return result


def starred(first, *rest, weights=(), **named):
    total = first.copy()
    for array, weight in zip(rest, weights):
        total += array * weight
    for name in sorted(named):
        total = total - named[name]
    return total


def positional(a, b, /, c):
    return a - b * c


a = np.arange(5.0)
buffer = np.zeros(5)
for k in range(6):
    show("d1", defaults(a))
    show("d2", defaults(a, 3))
    show("d3", defaults(a, shift=-1))
    show("d4", defaults(scale=a, a=2.0))
    show("d5", defaults(a, out=buffer))
    show("s1", starred(a))
    show("s2", starred(a, a, a * 2, weights=[1, 2.5]))
    show("s3", starred(*[a, a + 1], weights=(k,), **{"x": 1.0, "y": a}))
    show("p1", positional(a, 2, c=a))
    if k == 3:
        defaults.__defaults__ = (5.0,)
        defaults.__kwdefaults__["shift"] = 100.0
for call in (lambda: defaults(), lambda: defaults(a, 1, 2), lambda: positional(a, b=1, c=2),
             lambda: starred(a, unknown=a, weights=0, a=1) if False else defaults(a, wrong=1)):
    try:
        call()
    except TypeError as error:
        print(error)
