"""Objects die when the last name of what owns them goes, whatever that is, and the program sees it then."""

import collections
import dataclasses
import functools

import numpy as np

log = []


class Noisy:
    """Tells of its end."""

    def __init__(self, content):
        self.content = content

    def __del__(self):
        log.append(f"end of {self.content[0]}")


class Owner:
    """Owns by an attribute."""

    def __init__(self, part):
        self.part = part


class Slotted:
    """Owns by a slot."""

    __slots__ = ("part",)

    def __init__(self, part):
        self.part = part


@dataclasses.dataclass
class Record:
    """Owns by a field."""

    part: object


class Rows(list):
    """Owns by items of a subclass."""


Pair = collections.namedtuple("Pair", "part other")


def started(part):
    """A generator that owns by a local variable."""
    yield 1
    yield part


def running(part):
    """Such a generator, under way."""
    generator = started(part)
    next(generator)
    return generator


OWNERS = {
    "object": Owner,
    "slot": Slotted,
    "record": Record,
    "object in an object": lambda part: Owner(Owner(part)),
    "list in an object": lambda part: Owner([part]),
    "object in a list": lambda part: [Owner(part)],
    "list, twice": lambda part: [part, part],
    "tuples, twice": lambda part: ((part,), part),
    "long list": lambda part: [1] * 20 + [part],
    "list of its own": lambda part: Rows([part]),
    "dicts": lambda part: {"a": {"b": {"c": [part]}}},
    "items of a dict": lambda part: {"k": 1, "d": {"part": part}}.items(),
    "default dict": lambda part: collections.defaultdict(list, a=[part]),
    "ordered dict": lambda part: collections.OrderedDict(a=part),
    "chain of dicts": lambda part: collections.ChainMap({"a": part}),
    "deque": lambda part: collections.deque([part]),
    "set": lambda part: {part},
    "named tuple": lambda part: Pair(part, 1),
    "bound method": lambda part: Owner(part).__init__,
    "closure": lambda part: lambda: part,
    "property": lambda part: property(lambda: part),
    "partial": lambda part: functools.partial(print, part),
    "slice": lambda part: slice(part, 1),
    "iterator": lambda part: iter([part]),
    "zip": lambda part: zip([part]),
    "exception": ValueError,
    "generator": running,
    "the object itself": lambda part: part,
}


def local_name(make, content):
    """A local variable gets another value."""
    owner = make(Noisy(content))
    log.append("made")
    owner = content * 2
    log.append("gone")
    return owner.sum()


def attribute(holder, make, content):
    """An attribute does."""
    holder.owner = make(Noisy(content))
    log.append("made")
    holder.owner = content + 1
    log.append("gone")
    return content.sum()


def items(make, content):
    """Items of a list do, or are removed."""
    owners = [make(Noisy(content)), make(Noisy(content + 1))]
    log.append("made")
    owners[0] = content + 1
    log.append("gone")
    owners.clear()
    log.append("cleared")
    return content.sum()


current = None


def global_name(make, content):
    """A global variable does."""
    global current
    current = make(Noisy(content))
    log.append("made")
    current = content - 1
    log.append("gone")
    return current.sum()


def nameless(make, content):
    """What has no name dies when the expression is done with it."""
    result = content + 1
    return result + (make(Noisy(content)), log.append("made"), result)[2] + (log.append("gone") or 0)


def main():
    """Each owner, losing each kind of name."""
    holder = Owner(None)
    content = np.arange(5.0)
    for kind, make in OWNERS.items():
        for drop in (local_name, functools.partial(attribute, holder), items, global_name, nameless):
            results = [drop(make, content + 10 * k) for k in range(3)]
            print(kind, np.sum(results), log)
            log.clear()


main()
