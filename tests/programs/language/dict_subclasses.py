"""defaultdict, Counter and a program's own subclasses of dict stand around arrays."""
import collections
import collections.abc
from collections import Counter, defaultdict

import numpy as np

from show import show

a = np.arange(4.0)


def attempt(name, function, *args, times=5):
    for k in range(times):
        try:
            show(name, function(a + k, *args))
        except Exception as error:
            print(name, type(error).__name__, error)


def contents(table):
    return type(table).__name__, [
        (key, value.tolist() if isinstance(value, np.ndarray) else
         [v.tolist() if isinstance(v, np.ndarray) else v for v in value] if isinstance(value, list) else value)
        for key, value in table.items()]


# defaultdict.
def made(x):
    groups = defaultdict(list)
    groups["p"].append(x)
    groups["q"].append(x * 2.0)
    groups["p"].append(1)
    sums = defaultdict(float, {"z": 1.0}, y=2.0)
    sums["a"] += x.sum()
    sums["z"] += 1
    arrays = defaultdict(lambda: np.zeros(4))
    arrays["k"] += x
    nested = defaultdict(lambda: defaultdict(int))
    nested["u"]["v"] += 2
    return groups, sums, arrays["k"], nested["u"]["v"], len(groups), "q" in groups, "r" in groups, groups.get("s"), [
        len(k) for k in groups], sums.default_factory is float, {**sums}, dict(groups) == groups.copy()


for k in range(5):
    for item in made(a + k):
        print(contents(item) if isinstance(item, dict) else item, getattr(item, "default_factory", None).__class__)

HISTORY = defaultdict(list)
COUNTS = Counter(p=1)
ALIAS = HISTORY


def log(x, name):
    loss = x * 2.0 + 1.0
    HISTORY[name].append(loss[0])
    ALIAS["all"].append(name)
    COUNTS[name] += 1
    return loss, len(HISTORY), COUNTS["nobody"], len(COUNTS), name in HISTORY


for name in ("p", "q", "p", "p", "r", "p", "p"):
    show("log", log(a, name))
    print(contents(HISTORY), contents(COUNTS))


def no_factory(x):
    table = defaultdict(None, p=1)
    return x * table["p"], table["q"]


def caught(x):
    try:
        return defaultdict(None)["q"]
    except KeyError as error:
        return x * 2.0, error.args


def raising(x):
    def refuse():
        raise ValueError("no default")
    table = defaultdict(refuse)
    try:
        table["k"]
    except ValueError as error:
        return x * 2.0, str(error), len(table)


attempt("no factory", no_factory)
attempt("caught", caught)
attempt("raising", raising)
attempt("no callable", lambda x: (x * 2.0, defaultdict(3)))


# Counter.
def counted(x):
    counts = Counter()
    for key in ("u", "v", "u"):
        counts[key] += 1
    letters = Counter("abracadabra")
    letters.update({"a": 2})
    letters.subtract(["b"])
    del letters["nobody"]
    del letters["d"]
    return x * counts["u"], counts, letters, counts["w"], len(counts), sum(counts.values()), letters.total()


for k in range(4):
    print([contents(item) if isinstance(item, dict) else item for item in counted(a + k)])


# Classes of the program's own.
class Config(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


class Watched(dict):
    label = "watched"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.reads = 0

    def __getitem__(self, key):
        self.reads += 1
        return super().__getitem__(key)

    def __missing__(self, key):
        return key * 2


class Upper(dict):
    def __setitem__(self, key, value):
        super().__setitem__(key.upper(), value)

    def __contains__(self, key):
        return super().__contains__(key.upper())

    def __len__(self):
        return 7

    def __iter__(self):
        return iter(["other"])


SETTINGS = Config(rate=0.5, name="n")
WATCHED = Watched(p=1.0)
UPPER = Upper()


def configured(x):
    SETTINGS.steps = SETTINGS.get("steps", 0) + 1
    mine = Config(rate=2.0)
    mine.more = x
    return x * SETTINGS.rate + mine.rate, mine, SETTINGS["name"], mine["more"] is x


def watched(x):
    here = Watched({"q": x})
    here["r"] = 1
    return x * WATCHED["p"], WATCHED["nobody"], here["q"] + 1.0, here["z"], here.reads, here, WATCHED.label


def upper(x):
    UPPER["k"] = x
    here = Upper()
    here["m"] = x * 2.0
    return "k" in UPPER, "K" in UPPER, len(here), bool(here), list(here), list(here.keys()), here.get("M"), here.get("m")


for k in range(5):
    for f in (configured, watched, upper):
        result = f(a + k)
        print(f.__name__, [contents(item) + tuple(vars(item).items()) if isinstance(item, dict) else
                           item.tolist() if isinstance(item, np.ndarray) else item for item in result])
    print(contents(SETTINGS), contents(WATCHED), WATCHED.reads, contents(UPPER))
attempt("no attribute", lambda x: (x * 2.0, Config().nothing))
attempt("no key", lambda x: (x * 2.0, Config()["nothing"]))


# Two names for one, and one that becomes another type, another's factory, another's keys.
def both(p, q, x):
    p["k"].append(x)
    q["k"].append(1)
    return len(p["k"]), p["k"] is q["k"]


one, other = defaultdict(list), defaultdict(list)
for pair in [(one, other)] * 3 + [(one, one)] * 3 + [(other, one)] * 2:
    print(both(*pair, a), contents(one), contents(other))


def fill(table, x):
    y = x * 2.0
    try:
        return table["k"], y
    except KeyError:
        return "missing", y


for table in (defaultdict(int), defaultdict(list), defaultdict(None), {}, Counter(), collections.OrderedDict(), defaultdict(int),
              collections.UserDict(k=1), Config(k=2), Watched()):
    for _ in range(3):
        print(type(table).__name__, fill(table, a)[0], len(table))
changing = defaultdict(int)
for factory in (int, int, int, list, list, None, None, lambda: 5):
    changing.default_factory = factory
    changing.clear()
    print(fill(changing, a)[0], len(changing))


# Keys in another order, and what is changed while it is iterated.
def walk(table, x):
    for key in table:
        x = x * 2.0 + table[key]
    return x


for table in (Counter(p=1, q=2), Counter(q=2, p=1), Counter(p=1), Config(p=3, q=1)):
    show("walk", walk(table, a))
    show("walk", walk(table, a))


def grows(x):
    table = defaultdict(int, p=1)
    for key in table:
        table[key + "'"] += 1
        x = x + 1.0
    return x


attempt("grows", grows)


# A class that changes between calls.
class Changing(dict):
    pass


CHANGING = Changing(p=1)


def read(x):
    return x * CHANGING["p"], "p" in CHANGING, len(CHANGING)


attempt("read", read)
Changing.__getitem__ = lambda self, key: 10
attempt("read", read)
Changing.__len__ = lambda self: 20
attempt("read", read)
del Changing.__getitem__
attempt("read", read)


# One that leaves comparisons to the other.
class Shy(dict):
    def __eq__(self, other):
        return NotImplemented

    __hash__ = None


def compared(x):
    return x * 2.0, {} == Shy(), {"p": 1} == Shy(), Shy() == {}, Shy() == 3, Config() == Config()


attempt("compared", compared)


# What abstract classes say.
def judged(x):
    return x * 2.0, isinstance([], collections.abc.Sequence), isinstance({}, collections.abc.Mapping), isinstance(
        COUNTS, collections.abc.MutableMapping), isinstance(len, collections.abc.Callable), isinstance(
        3, collections.abc.Sized), isinstance(x, collections.abc.Iterable)


class Mine(collections.abc.Sized):
    def __len__(self):
        return 1


def registered(x):
    return x * 2.0, isinstance(3, Mine), isinstance("a", Mine), isinstance(Mine(), collections.abc.Sized)


attempt("judged", judged)
attempt("registered", registered)
Mine.register(int)
attempt("registered", registered)
