"""Branches on arrays' values, taken both ways: results, identity, warnings, errors and their lines, and what sides change."""
# test: both-sides compiled
import functools
import gc
import sys
import traceback
import weakref

import numpy as np

from show import attempt, show

UP, DOWN = np.array([1.0, 2.0, 4.0]), np.array([-1.0, 2.0, -4.0])


def both(name, f, *more, times=30):
    """Calls that take one side, the other, and then both in turns."""
    for a in (UP, DOWN):
        for _ in range(times):
            result = f(a, *more)
        show(name, result)
    for _ in range(times):
        show(name, [f(UP, *more), f(DOWN, *more)]) if _ > times - 3 else (f(UP, *more), f(DOWN, *more))


def assigns(x):
    y = x * 2.0
    if y.sum() > 0:
        y = np.sqrt(np.abs(y)) + x
    else:
        y = y - 1.0
    return y * x


def one_sided(x):
    y = x + 0.5
    if y[0] > 0:
        y = y * y
    return y - x


def early(x):
    y = x - 0.25
    if y.sum() > 0:
        return y * 3.0
    z = y * y
    if z.max() > 3:
        return z + y
    return z - y


def as_it_was(x):
    """One side leaves the argument itself."""
    y = x if x[0] > 0 else x + 1.0
    return y is x, y


def swapped(x):
    y, z = x + 1.0, x - 1.0
    if x[0] > 0:
        y, z = z, y
    return y, z


def shared(x):
    y = x * 2.0
    z = y if x[0] > 0 else x * 3.0
    return z is y, z, y


def a_scalar_as_it_was(x):
    s = x.sum()
    t = s if x[0] > 0 else s * 2.0
    return t is s, t


def a_view(x):
    y = x * 2.0
    z = y[1:] if x[0] > 0 else x[:2] + 1.0
    z += 1.0
    return y, z


def transposed(x):
    y = np.outer(x, x)
    y = y.T if x[0] > 0 else y * 2.0
    return y.flags.c_contiguous, y, y.sum(axis=0)


def kinds(x):
    y = x * 2.0 if x[0] > 0 else x.sum()
    return y


def dtypes(x):
    y = x.astype(np.float32) if x[0] > 0 else x * 1.0
    return y + 1


def numbers(x):
    k = 1 if x.sum() > 0 else 2
    scale = 0.5 if x[1] > 100 else 2.0
    return x * scale, k, k == 1


def elifs(x):
    if x.sum() > 5:
        z = x + 1.0
    elif x.sum() > 0:
        z = x + 2.0
    elif x.max() < 0:
        z = x + 3.0
    else:
        z = x + 4.0
    return z


def two_conditions(x):
    z = x * 0.5
    if x[0] > 0 and x[1] > 0 or not x.max() > 1:
        z = z + 1.0
    return z


def in_a_loop(x):
    total = np.zeros(3)
    for k in range(40):
        y = x * k
        if y[0] < 10:
            total = total + y
        else:
            total = total - 1.0
    return total


def left_early(x):
    for k in range(40):
        x = x * 0.75
        if np.abs(x).max() < 0.5:
            break
    return x, k


def unrolled(x):
    for k in (0, 1, 2):
        if x[k] > 0:
            x = x + 1.0
            if x.max() > 5:
                break
        else:
            x = x * 2.0
    return x


def counted(x):
    taken = 0
    for k, v in enumerate((x, x + 1.0, -x)):
        if v.sum() > 0:
            taken += k
            x = x * 0.5
    return x, taken


def shared_iterator(x):
    items = iter([x, x * 2.0, x * 3.0, x * 4.0])
    total = x * 0.0
    for v in items:
        if v[0] > 0:
            total = total + next(items, x)
        total = total + v
    return total


for f in (assigns, one_sided, early, as_it_was, swapped, shared, a_scalar_as_it_was, a_view, transposed, kinds, dtypes, numbers, elifs,
          two_conditions, in_a_loop, left_early, unrolled, counted, shared_iterator):
    both(f.__name__, f)


# What a side changes outside, or counts.
seen, state = [], {"count": 0}


def changes(x):
    if x[0] > 0:
        seen.append(len(seen))
        state["count"] += 1
        x = x * 2.0
    return x + 1.0


@functools.lru_cache
def cached(n):
    return n * 2


def asks_a_cache(x):
    y = x * 2.0
    if x[0] > 0:
        y = y + cached(3)
    return y


def writes(x):
    x = x.copy()
    if x[0] > 0:
        x += 10.0
    else:
        x[1] = 7.0
    return x


def writes_argument(x):
    if x[2] > 0:
        x *= 1.0
    return x * 2.0


for f in (changes, asks_a_cache, writes, writes_argument):
    both(f.__name__, f)
print(len(seen), state, cached.cache_info())


# Warnings and errors are those of the side that is taken, at its line.
def warns(x):
    if x[0] > 0:
        y = np.log(x - 1.0)
    else:
        y = np.sqrt(np.abs(x)) + 1.0
    return y * 2.0


def raises(x):
    y = x * 2.0
    if x[0] > 0:
        y = y + np.ones(4 if x[1] > 0 else 3)
    return y


def divides(x):
    with np.errstate(all="raise"):
        if x[0] > 0:
            return x / (x - 1.0)
        return x / 2.0


def asserts(x):
    y = x * 3.0
    assert x[0] > 0, "not positive"
    return y + 1.0


def handled(x):
    try:
        if x[0] > 0:
            y = x * 2.0
        else:
            raise ValueError("negative")
    except ValueError as error:
        return str(error), x - 1.0
    finally:
        x = None
    return "none", y


def unbound(x):
    if x[0] > 0:
        y = x * 2.0
    return y + 1.0


for f in (warns, raises, divides, asserts, handled, unbound):
    for a in (UP, DOWN) * 20:
        try:
            with np.errstate(divide="ignore"):
                f(a)
        except Exception:
            pass
    for a in (UP, DOWN):
        attempt(f.__name__, f, a)
        try:
            f(a)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            print([(frame.name, frame.lineno) for frame in frames])
            print(sorted(name for name in error.__traceback__.tb_next.tb_frame.f_locals))


# What died, and when.
class Noted(np.ndarray):
    pass


def lets_go(x, holder):
    y = holder[0]
    if x[0] > 0:
        y = x * 2.0
    z = y + 1.0
    return z, sys.getrefcount(holder[0])


for a in (UP, DOWN) * 20:
    held = [np.ones(3)]
    died = weakref.ref(held[0])
    result = lets_go(a, held)
    held.clear()
    gc.collect()
print(result, died() is None)


def inner(v):
    return v / 2.0 if np.abs(v).max() > 3 else v + 0.25


def in_calls(x):
    y = inner(x) * 1.5
    z = inner(y - x)
    return y + z


both("in_calls", in_calls)
both("locals", lambda x: (sorted(locals()), x * 2.0 if x[0] > 0 else x - 1.0))
for dtype in (np.float32, np.int64, np.complex128, np.float16):
    for k in range(30):
        last = [elifs(a.astype(dtype).real) for a in (UP, DOWN)]
    show(np.dtype(dtype).name, last)
