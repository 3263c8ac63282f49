"""Array code stands amid comprehensions, match, decorators, unpacking, strings, sorting and more."""
import copy
import functools
import itertools
import math
import operator
from collections import namedtuple
from dataclasses import dataclass, field

import numpy as np

from show import repeat, show

# The rest of the language around arrays: comprehensions, match, walrus, unpacking, texts, sorting.
a = np.arange(4.0)


def comprehensions(b):
    squares = {k: b * k * k for k in range(3)}
    kept = {k % 2 for k in range(5)}
    table = [[x * y for x in (1.0, 2.0)] for y in (3.0, b)]
    flat = [z for row in table for z in row if not isinstance(z, float) or z > 3.0]
    return squares, sorted(kept), sum(flat), {**squares, "more": b}


show("comprehensions", [type(x).__name__ for x in repeat(comprehensions, a)])
show("squares", list(repeat(comprehensions, a)[0].values()))


@dataclass
class Shape:
    kind: str
    data: np.ndarray


def matched(value):
    match value:
        case Shape("square", data):
            return data * 2.0
        case Shape(kind=kind, data=data) if kind.startswith("c"):
            return data * 3.0 + len(kind)
        case {"x": x, "scale": float(k) | int(k)}:
            return x * k + 1.0
        case [first, *rest]:
            return first + len(rest)
        case str() | None:
            return a * 0.0
        case (int() as n) | float(n):
            return a + n
        case _:
            return a - 1.0


for value in [Shape("square", a), Shape("circle", a), Shape("other", a), {"x": a, "scale": 2},
              {"x": a, "scale": "no"}, {"x": a}, [a, 1, 2], (a,), [], "text", None, 3, 2.5, b""] * 2:
    show("match", matched(value))


def walrus(b, items):
    if (n := len(items)) > 2 and (last := items[-1]) is not None:
        return b * n + last
    return b * (k := n + 1.0) + k


for items in ([1.0], [1.0, 2.0, 3.0], [1, 2, None]) * 3:
    show("walrus", walrus(a, items))


def unpacking(b, *args, scale=1.0, **more):
    first, *middle, last = args
    (x, y), z = (b, b * 2.0), b * 3.0
    x, y = y, x
    keys = sorted(more)
    return x * scale - y + z * first + last + len(middle), keys, [*middle, *keys], {"k": 1, **more}


for _ in range(4):
    result = unpacking(a, 1.0, 2.0, 3.0, *(4.0, 5.0), **{"scale": 2.0, "v": 1, "u": 2})
show("unpacking", list(result))


def texts(b, name):
    label = f"{name!r:>8}|{b.ndim:03d}|{1.5:.3f}|{len(name) + 0.25!s}"
    parts = label.split("|")
    joined = "-".join(part.strip() for part in parts).upper()
    return b * len(joined) + 1.0, joined, name.startswith("a"), "%s:%d" % (name, 3), name * 2, name[::-1]


for name in ("ab", "xyz", "ab", "xyz"):
    show("texts", list(texts(a, name)))


def sorting(b, words):
    by_size = sorted(words, key=len)
    backwards = sorted(words, reverse=True)
    pairs = sorted(zip((3, 1, 2), words), key=operator.itemgetter(0))
    return by_size, backwards, pairs, b * len(by_size[0]) + 1.0


show("sorting", list(repeat(sorting, a, ["ccc", "a", "bb"])))


@functools.lru_cache(maxsize=None)
def cached(n):
    return n * n + 0.5


def tools(b):
    product = functools.reduce(operator.mul, (b, 2.0, b + 1.0))
    total = functools.reduce(lambda x, y: x + y, [b, b, b], b * 0.0)
    pairs = [x * y for x, y in itertools.combinations((b, 2.0, 3.0), 2)]
    return product + total + sum(pairs) + cached(3) + math.hypot(3.0, 4.0) + math.comb(5, 2)


show("tools", repeat(tools, a))


def copies(b, table):
    shallow, deep = copy.copy(table), copy.deepcopy(table)
    deep["items"].append(b * 2.0)
    shallow["items"].append(1)
    shallow["new"] = 2
    return len(deep["items"]), list(shallow), b + 1.0


table = {"items": [a]}
for _ in range(3):
    print(copies(a, table)[:2], len(table["items"]), list(table))


def conditional_chain(b, x, y=None, z=()):
    first = x or y or 3.0
    second = y if y is not None else first
    third = bool(z) and not x
    return b * first + second + third, x < 2 < 3, 1 if x == y else 2


for x, y in ((0, None), (1.5, None), (0, 2.0), (3, 3)):
    show("chain", list(conditional_chain(a, x, y)))


def closures(b):
    functions = [lambda x, k=k: x * k for k in range(3)]
    late = [lambda x: x * k for k in range(3)]
    compose = lambda f, g: lambda x: f(g(x))
    return [f(b) for f in functions] + [f(b) for f in late] + [compose(functions[2], late[0])(b)]


show("closures", repeat(closures, a))


def defaults(b, seen=[], *, table={"n": 0}):
    seen.append(len(seen))
    table["n"] += 1
    return b * len(seen) + table["n"], seen


for _ in range(5):
    result, seen = defaults(a)
show("defaults", [result, seen])


def numbers(b, n, x):
    total = n // 3 + n % 4 - -n + (n << 1) + (n & 6) + (n ^ 3) + +n + ~n + n ** 2
    return b * (total + x / 2.0 - x ** 2 + round(x, 1) + int(x) + abs(-x)), n / 2 == x, 1 < n <= 7


for n, x in ((3, 1.25), (4, 2.5), (5, 2.5), (7, -0.75), (3, 1.25)):
    show("numbers", list(numbers(a, n, x)))


def deletes(b, items, table):
    c = b * 2.0
    del items[0], table["x"]
    d = c + len(items)
    del c
    return d, "c" in dir(), len(table)


show("deletes", list(repeat(lambda b: deletes(b, [1, 2], {"x": 1}), a)))


def while_loops(b):
    k, total = 0, b
    while True:
        k += 1
        if k == 2:
            continue
        total = total * 1.5 + k
        if k >= 4:
            break
    while k:
        k -= 1
    else:
        total = total + 100.0
    return total


show("while", repeat(while_loops, a))


def imports(b):
    import math as m
    from math import tau, pi as p
    return b * m.floor(tau) + p


show("imports", repeat(imports, a))


def makes_class(b):
    class Local:
        factor = 2.0

        def grow(self, x):
            return x * self.factor + b
    return Local().grow(b), Local.__qualname__


show("class", list(repeat(makes_class, a)))


# Array code amid the rest of the language: decorators, closures, matching, exceptions, iteration.
Pair = namedtuple("Pair", "left right")


@dataclass
class Filter:
    taps: np.ndarray
    gain: float = 1.0
    seen: list = field(default_factory=list)

    def __call__(self, x):
        self.seen.append(x.shape)
        y = x * self.taps[0]
        for i, tap in enumerate(self.taps[1:], 1):
            y = y + np.roll(x, i) * tap
        return y * self.gain


class Base:
    scale = 2.0

    def apply(self, x):
        return x * self.scale + 1.0


class Derived(Base):
    def apply(self, x):
        return super().apply(x) - self.scale


def logged(function):
    calls = 0

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        nonlocal calls
        calls += 1
        result = function(*args, **kwargs)
        return result, calls

    return wrapper


@logged
def normalise(x, *, axis=-1, eps=1e-9):
    """Zero mean, unit variance."""
    return (x - x.mean(axis=axis, keepdims=True)) / np.sqrt(x.var(axis=axis, keepdims=True) + eps)


@functools.lru_cache(maxsize=None)
def window(n):
    return 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(n) / (n - 1))


def optional(x, callback=None, bias=None):
    if callback is not None:
        x = callback(x)
    if bias is None:
        return x * 2
    return x * 2 + bias


def classify(value):
    match value:
        case {"kind": "scale", "by": by}:
            return lambda x: x * by
        case [first, *rest]:
            return lambda x: x + first + len(rest)
        case _:
            return lambda x: -x


def guarded(x, limit):
    try:
        if (peak := float(np.abs(x).max())) > limit:
            raise ValueError(f"peak {peak:.3f} over {limit}")
        return x / (limit - peak)
    except ValueError as error:
        return str(error)
    else:
        return None
    finally:
        show("finally", x.sum())


def generate(x, n):
    for i in range(n):
        x = x * 0.5 + i
        yield x


def search(rows, wanted):
    for i, row in enumerate(rows):
        if row.sum() > wanted:
            break
    else:
        return -1
    return i


def poly(x, *coefficients, **options):
    y = functools.reduce(lambda acc, c: acc * x + c, coefficients, 0.0)
    return operator.neg(y) if options.get("negate") else y


def fixpoint(x, tolerance=1e-6):
    n = 0
    while True:
        nxt = np.cos(x)
        n += 1
        if np.max(np.abs(nxt - x)) < tolerance or n > 200:
            return nxt, n
        x = nxt


data = np.random.default_rng(3).normal(size=(6, 40))
smooth = Filter(np.array([0.5, 0.3, 0.2]))
for round_number in range(6):
    x = data[round_number % 6]
    show("filter", smooth(x))
    show("super", Derived().apply(x))
    show("normalise", normalise(data, axis=round_number % 2))
    show("window", x * window(40))
    show("optional", optional(x))
    show("optional callback", optional(x, np.tanh if round_number % 2 else (lambda v: v - 1)))
    show("optional bias", optional(x, bias=round_number or None))
    for value in ({"kind": "scale", "by": 3.0}, [1, 2, 3], None):
        show("match", classify(value)(x))
    show("guarded", guarded(x, 2.2))
    show("generator", [v for v in generate(x, 3)])
    show("search", search(data, 3.0 + round_number))
    show("poly", poly(x, 1.0, -2, 0.5, negate=round_number % 2 == 0))
    show("fixpoint", fixpoint(x))
    pair = Pair(*np.split(x, 2))
    show("pair", pair.left @ pair.right + pair._replace(left=-pair.left).left)
    Base.scale += 0.25
show("seen", smooth.seen)
print(normalise.__name__, normalise.__doc__, normalise.__wrapped__.__kwdefaults__)
