"""Values are one object or several: singletons, small ints, NaNs, what a call hands back.

Each value is compared with itself after it went through variables, containers, closures, keywords and
generators, with the singletons, and with an equal value that was made in another way.
"""
import copy
import functools
import math
import operator

import numpy as np

a = np.array([1.0, 2.0, 3.0, 4.0])
mask = np.array([True, False, True, True])
out = np.empty(4)

# What makes a value of array code, or of what array code gives.
MAKERS = {
    "all().item()": lambda x: (x > 0).all().item(),
    "all()": lambda x: (x > 0).all(),
    "any().tolist()": lambda x: (x > 3).any().tolist(),
    "bool()": lambda x: bool((x > 0).any()),
    "not": lambda x: not (x > 9).any(),
    "array_equal": lambda x: np.array_equal(x, x),
    "allclose": lambda x: np.allclose(x, x + 1),
    "isscalar": lambda x: np.isscalar(x),
    "logical scalar": lambda x: np.logical_not((x > 0).all()),
    "comparison of numbers": lambda x: len(x) > 2,
    "comparison of items": lambda x: x[0] == 1.0,
    "comparison of floats": lambda x: float(x[0]) == 1.0,
    "tolist()[0]": lambda x: (x > 1).tolist()[0],
    "small int": lambda x: int(x.sum()),
    "large int": lambda x: int(x.sum()) * 1000,
    "negative int": lambda x: -int(x.sum()),
    "size": lambda x: x.size,
    "ndim": lambda x: x.ndim,
    "len": len,
    "int item": lambda x: x.astype(int)[0].item(),
    "argmax": lambda x: int(x.argmax()),
    "count": lambda x: int(np.count_nonzero(x > 1)),
    "float": lambda x: float(x.sum()),
    "float item": lambda x: x.max().item(),
    "scalar": lambda x: x.sum(),
    "complex": lambda x: complex(x[0], 1.0),
    "text": lambda x: str(x.sum()),
    "one character": lambda x: str(int(x[0])),
    "no characters": lambda x: "" * int(x[0]),
    "shape": lambda x: x.shape,
    "strides": lambda x: x.strides,
    "dtype": lambda x: x.dtype,
    "dtype type": lambda x: x.dtype.type,
    "no items": lambda x: tuple(x[:0].tolist()),
    "tuple": lambda x: (x, 1),
    "list": lambda x: [x],
    "dict": lambda x: {"x": x},
    "slice": lambda x: slice(0, len(x)),
    "none": lambda x: x.sort(),
    "array": lambda x: x + 1,
    "view": lambda x: x[1:],
    "itself": lambda x: x,
    "asarray": np.asarray,
    "ascontiguousarray": np.ascontiguousarray,
    "T": lambda x: x.T,
    "T.T": lambda x: x.T.T,
    "ellipsis": lambda x: x[...],
    "reshape": lambda x: x.reshape(x.shape),
    "ravel": lambda x: x.ravel(),
    "astype": lambda x: x.astype(x.dtype, copy=False),
    "astype copy": lambda x: x.astype(x.dtype),
    "view()": lambda x: x.view(),
    "real": lambda x: x.real,
    "out": lambda x: np.add(x, x, out=out[:x.size]),
    "method": lambda x: x.sum,
    "function": lambda x: np.add,
    "class": type,
    "base": lambda x: x[1:].base,
    "flat shape": lambda x: x.ravel().shape[0],
    "tuple of itself": lambda x: tuple((x,))[0],
    "min of ints": lambda x: min(x.size, 3),
    "abs": lambda x: abs(x.size),
    "int of int": lambda x: int(x.size),
    "item of a mask": lambda x: mask[0].item(),
}


class Box:
    def __init__(self, value):
        self.value = value


def through_keywords(**values):
    return values["value"]


def through_generator(value):
    yield value


def through_closure(value):
    def inner():
        return value
    return inner()


def through_default(value):
    return (lambda kept=value: kept)()


# As literals CPython would warn of them.
FOUR, TEN, ONE, LESS, MORE, DIGIT, NOTHING = 4, 10, 1, -10, 10000, "1", ""
SIX, SEVEN, LARGE = 6, 7, 6000


# Ways on which an object stays itself.
def passed(value):
    first, *rest = [value, value]
    box = Box(value)
    return [value, (value,)[0], [value][0], {"k": value}["k"], first, rest[0], box.value, next(through_generator(value)),
            through_keywords(value=value), through_closure(value), through_default(value),
            value if first is not None else value, (lambda v: v)(value)]


def relations(make, x):
    value, again = make(x), make(x)
    flags = [value is other for other in passed(value)]
    flags += [value is again, value is not again, operator.is_(value, again)]
    flags += [value is True, value is False, value is None, value is NotImplemented, value is ..., value is x]
    flags += [value is np.True_, value is np.False_]
    flags += [value is FOUR, value is TEN, value is ONE, value is LESS, value is MORE, value is DIGIT, value is NOTHING]
    flags += [value is not True, value is not None, operator.is_not(value, True)]
    return "".join("01"[flag] for flag in flags)


def found_by_identity(make, x):
    """Look-ups that ask for identity before they ask for equality, of what can be compared so."""
    value = make(x)
    if isinstance(value, np.ndarray):
        return "array"
    held = [None, value]
    flags = [held.count(value), held.index(value), value in held, value in (value,), [value] == [value]]
    held.remove(value)
    return flags + [len(held)]


def matched(make, x):
    value = make(x)
    if isinstance(value, np.ndarray):
        return "array"
    match value:
        case True:
            return "True"
        case False:
            return "False"
        case None:
            return "None"
        case 4 | 10:
            return "number"
        case str():
            return "text"
        case _:
            return "other"


def chosen(make, x):
    """Branches on identity with array code around them."""
    y = x * 2
    value = make(x)
    if value is True:
        y = y + 1
    elif value is None:
        y = y - 1
    elif value is not False:
        y = y * 3
    return y.sum()


for name, make in MAKERS.items():
    for x in (a, a[::2], a[:1], a.astype(np.float32), a, a):
        print(name, relations(make, x), matched(make, x), chosen(make, x))
    print(name, found_by_identity(make, a), found_by_identity(make, a))

# The same of numbers that differ from call to call.
def numbers(x, n, flag):
    small, large, test = n + 1, n * 1000, n > 3
    return ([n is SIX, n is n, small is SEVEN, small is n, large is LARGE, large is n, test is True, test is False, test is None,
             flag is True, flag is None, flag is test, (n > 3) is (n > 2), n is None, small is not None], x * small)


for n in (1, 6, 5, 300, 6, 2, 255, 256, 257, -5, -6, True, False):
    print(n, numbers(a, n, n > 3)[0])


# Keys of keywords are the caller's strings.
def keywords(**values):
    return values


class Keeper:
    def __init__(self, **values):
        self.values = values


KEYS = {"x": 1, "".join(["l", "ong"]): 2, chr(233): 3, "name": 4}


def keys_of_calls(x):
    literal = keywords(c=x + 1, d=2, e=3)
    spread = keywords(**KEYS)
    kept = Keeper(x=x, name=2).values
    return literal, spread, kept, dict(c=x, name=3)


for _ in range(4):
    literal, spread, kept, made = keys_of_calls(a)
    print([key is name for key, name in zip(literal, ("c", "d", "e"))], [p is q for p, q in zip(spread, KEYS)],
          [key is name for key, name in zip(kept, ("x", "name"))], [key is name for key, name in zip(made, ("c", "name"))])


# Copies: what is immutable is itself, what is in a copy twice is one object.
def copies(x):
    inner = [x.sum()]
    outer = [inner, inner, (1, 2), x.shape, True]
    deep = copy.deepcopy(outer)
    return (deep[0] is deep[1], deep[0] is inner, deep[2] is outer[2], deep[3] is outer[3], deep[4] is True,
            copy.copy(outer)[0] is inner, copy.copy(outer[2]) is outer[2])


for _ in range(3):
    print(copies(a))


# A NaN equals only itself, so sets, dicts, lists and caches tell which object it is: one that code makes is another
# object at each call.
kept, seen, table = [], set(), {}


@functools.lru_cache(maxsize=None)
def looked_up(number):
    kept.append("computed")
    return number


def gather(x):
    made = float("nan")
    nans = (made, made * 2, -math.nan, math.nan + 1.0, float(x[0]) * made, math.inf - math.inf, complex("nan"),
            float(made), +made, math.nan)
    for nan in nans:
        seen.add(nan)
        kept.append(nan)
    looked_up(made)
    table[made] = len(table)
    return x + 1, nans


results = [gather(np.arange(3.0)) for _ in range(6)]
print(len(seen), len(table), kept.count("computed"))
print([len({id(nans[i]) for _, nans in results}) for i in range(10)])
print([nans.index(nans[7]) for _, nans in results], [math.copysign(1, nans[2]) for _, nans in results])
print(results[0][1] == results[1][1], results[0][1][:1] == results[0][1][:1], results[0][1][-1] is results[1][1][-1])


def fill(x, missing=float("nan")):
    last = float("nan")
    return np.where(x > 1, x, last), missing, last


first, second = fill(np.arange(4.0)), fill(np.arange(4.0))
for _ in range(5):
    again = fill(np.arange(4.0))
print(first[1] is second[1] is again[1], first[2] is second[2], again[2] is second[2], again[2] in [first[2]])


def kept_keys(a, text, number, pair):
    table = {text: 1, number: 2}
    table[pair] = 3
    members, listed, counted = {text, number}, [], {}
    counted.setdefault(text, a.sum())
    for key in table:
        listed.append(key)
    members.add(pair[0])
    return table, members, listed, counted, {key: 1 for key in (text, number)}, table.popitem()[0]


def own_objects(k):
    """Equal objects that are others at each call."""
    return "".join(["ke", "y", " ", "of 1"]), int("100" + "0" * 3), ("".join(["a", "b", "c"]), 7)


for k in range(6):
    text, number, pair = own_objects(k)
    table, members, listed, counted, made, _ = kept_keys(np.arange(3.0), text, number, pair)
    print([key is text for key in table if key == text], [key is number for key in table if key == number],
          sorted((m is text) + 2 * (m is number) + 4 * (m is pair[0]) for m in members),
          listed[0] is text, listed[1] is number, next(iter(counted)) is text, next(iter(made)) is text)


def greatest(x, y):
    first, second = x.sum(), y.max()
    most, least = max(first, second), min(first, second, x[0])
    return most is first, most is second, least is first, least is second, most, {most: 1, least: 2}


for x in np.arange(5.0), np.array([-1.0, -2]), np.array([np.nan, 1.0]), np.array([0.0, -0.0]), np.arange(4):
    for _ in range(3):
        print("greatest", greatest(x, x), greatest(x, -x))
