"""Dataclasses, enums, slots, partials, cached properties and containers are used, changed and used again."""
import dataclasses
import enum
import functools
import types

import numpy as np

from changes import change, remove, watch

a = np.arange(4.0)


def collects(x, items=[], *, table={}):
    items.append(x + 1)
    table[len(items)] = x
    return len(items), items[-1]


watch("mutable default", lambda: collects(a), collects.__defaults__[0].clear,
      change(collects, __defaults__=([],)))
print(len(collects.__kwdefaults__["table"]))

scaled = functools.partial(lambda x, k=1, *, m=2: x * k + m, a, k=3)
watch("partial", lambda: (scaled(m=1), scaled()), lambda: scaled.keywords.update(k=5),
      scaled.keywords.clear,
      lambda: scaled.__setstate__((lambda *r, **k: (r, k), (1,), {}, None)))


class Thing:
    pass


thing = Thing()
thing.x, thing.y = 1.0, 2.0
watch("its dict", lambda: a * thing.x + thing.y, change(thing, __dict__={"x": 5.0, "y": 1.0}),
      lambda: thing.__dict__.update(x=7.0), lambda: thing.__dict__.pop("x"))


class One:
    def f(self):
        return 1


class Two:
    def f(self):
        return 2


either = One()
watch("class", lambda: (a + either.f(), isinstance(either, Two), type(either).__name__),
      change(either, __class__=Two), change(either, __class__=One))


class Slotted:
    __slots__ = ("u", "v")


slotted = Slotted()
slotted.u, slotted.v = 1, 2


def slots():
    slotted.u = slotted.u
    return a + slotted.u, hasattr(slotted, "v")


watch("slots", slots, remove(slotted, "v"), change(slotted, v=9),
      lambda: setattr(Slotted, "u", Slotted.__dict__["v"]))


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 2
    HIGH = 3


class Mode(enum.Flag):
    READ = 1
    WRITE = 2


color, level, mode = Color.RED, Level.LOW, Mode.READ | Mode.WRITE


def enums():
    return (a + color.value, color is Color.RED, color.name, Color["BLUE"].value, color == Color.BLUE,
            color in (Color.RED,), [member.name for member in Color], a * level, level + 1, level > 2,
            Mode.READ in mode, bool(mode & Mode.WRITE), (mode & Mode.READ) == Mode.READ)


def other_members():
    global color, level, mode
    color, level, mode = Color.BLUE, Level.HIGH, Mode.READ


watch("enums", enums, other_members)


@dataclasses.dataclass(frozen=True, order=True)
class Frozen:
    x: float
    y: float = 2.0
    z: list = dataclasses.field(default_factory=list, compare=False)


@dataclasses.dataclass(slots=True, kw_only=True)
class Keyed:
    u: float = 1.0
    w: np.ndarray = None


frozen = Frozen(1.0)


def data():
    other = Frozen(3.0, z=[1])
    replaced = dataclasses.replace(frozen, x=4.0)
    return (a + frozen.x * other.y, frozen == Frozen(1.0), frozen < other, replaced.x, repr(other),
            hash(frozen) == hash(Frozen(1.0)))


def assigns():
    try:
        frozen.x = 3.0
    except dataclasses.FrozenInstanceError as error:
        return a + 1, str(error)


def keyed():
    made = Keyed(w=a * 2)
    made.u += 1.5
    return made.w + made.u, dataclasses.asdict(Keyed(u=2.0))


watch("dataclass", data, lambda: object.__setattr__(frozen, "x", 10.0))
watch("frozen", assigns)
watch("slots and keywords", keyed)


class Parent:
    k = 1.0

    def f(self):
        return self.k


class Child(Parent):
    pass


child = Child()
watch("inherited", lambda: a * child.f() + Child.k, change(Parent, k=2.0), change(Child, k=3.0),
      change(child, k=4.0), remove(Child, "k"), remove(child, "k"))


class Cached:
    computed = 0

    @functools.cached_property
    def doubled(self):
        Cached.computed += 1
        return a * 2

    @classmethod
    def make(cls, v):
        made = cls()
        made.v = v
        return made

    @staticmethod
    def shifted(x):
        return x + 1


cached = Cached()
watch("cached", lambda: (cached.doubled + Cached.shifted(a) + Cached.make(3.0).v, Cached.computed),
      lambda: cached.__dict__.pop("doubled"), change(Cached, shifted=staticmethod(lambda x: x * 0)),
      change(Cached, make=classmethod(lambda cls, v: cls)))

wanted = "x"
pair = Thing()
pair.x, pair.y = 1, 2


def by_name():
    return a + getattr(pair, wanted), getattr(pair, "none", 5), hasattr(pair, wanted + "q")


def want_y():
    global wanted
    wanted = "y"


watch("by name", by_name, want_y, change(pair, none=6), change(pair, yq=1))

module = types.ModuleType("module")
exec("def f(x): return x + 1\nclass K:\n  c = 1\n", module.__dict__)
watch("module", lambda: (module.f(a), module.K.c),
      lambda: exec("def f(x): return x + 2\n", module.__dict__), change(module.K, c=5),
      lambda: exec("class K:\n  c = 7", module.__dict__))

functions, texts, table = [np.sin, np.cos], ["a", "b"], {"a": 1.0, "b": 2.0}


def containers():
    total = functions[0](a) + functions[-1](a)
    for key, value in table.items():
        total = total * value + len(key)
    return total, texts[0] + texts[1], len(functions), list(table), table.get("z", 0), "c" in table, len(table)


watch("containers", containers, functions.reverse, lambda: texts.insert(0, "q"),
      lambda: functions.append(np.tan), lambda: table.update(a=table.pop("a")),
      lambda: table.update(c=3.0), lambda: table.update(z=1), table.clear)

nested = Thing()
nested.child = Thing()
nested.child.w = 1.0
nested.parts = (nested.child, [a, a])


def aliases():
    nested.child.w += 1.0
    return (a * nested.parts[0].w, nested.parts[1][0] is nested.parts[1][1],
            nested.parts[0] is nested.child)


def new_child():
    nested.child = Thing()
    nested.child.w = 100.0


watch("aliases", aliases, new_child, lambda: setattr(nested, "parts", (nested.child, [a, a.copy()])))
