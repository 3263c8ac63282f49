"""What a function depends on changes between its calls: classes, descriptors, defaults, globals.

Each function is called often enough to be captured, then something is changed, and it is called again.
"""
import builtins
import collections
import collections.abc
import types

import numpy as np

from changes import change, remove, watch

a = np.arange(4.0)


# The names of classes.
class Named:
    pass


def names():
    return a * 2 + 1, Named.__name__, Named.__qualname__, Named.__module__, Named.__doc__, [
        cls.__name__ for cls in Named.__mro__], type(Named()).__name__


watch("names", names, change(Named, __name__="Other"), change(Named, __qualname__="In.Other"),
      change(Named, __module__="elsewhere"), change(Named, __doc__="text"))


# Metaclasses that get methods, and classes that get another metaclass or other bases.
class Meta(type):
    pass


class OtherMeta(type):
    def __instancecheck__(cls, instance):
        return True

    def __subclasscheck__(cls, other):
        return True


class Judged(metaclass=Meta):
    x = 1


class Swapped(metaclass=Meta):
    pass


class Plain:
    pass


def judged():
    return a * 2 + 1, isinstance(Plain(), Judged), issubclass(Plain, Judged)


def swapped():
    return a * 2 + 1, isinstance(Plain(), Swapped), issubclass(Plain, Swapped), type(Swapped).__name__


watch("swapped", swapped, change(Swapped, __class__=OtherMeta))
watch("judged", judged, change(Meta, __instancecheck__=lambda cls, instance: True),
      change(Meta, __subclasscheck__=lambda cls, other: True))


class Root:
    pass


class UnderRoot(Root):
    pass


class Elsewhere:
    pass


class Between(Elsewhere):
    pass


class Leaf(Between):
    pass


def bases():
    return a + 1, issubclass(Leaf, Root)


watch("bases", bases, change(Between, __bases__=(UnderRoot,)))


class CallMeta(type):
    pass


class Made(metaclass=CallMeta):
    z = 3


def made():
    return a + 1, type(Made()).__name__, Made.z, hasattr(Made, "missing")


watch("made", made, change(CallMeta, z=property(lambda cls: 99)),
      change(CallMeta, __getattr__=lambda cls, name: name),
      change(CallMeta, __call__=lambda cls, *args: 5))


# The class of a class attribute becomes that of a descriptor.
class Part:
    pass


class Whole:
    part = Part()


whole = Whole()


def described():
    part = whole.part
    return a + 1, part if isinstance(part, int) else "an object"


watch("described", described, change(Part, __get__=lambda self, instance, owner: 7),
      change(Part, __get__=lambda self, instance, owner: 8),
      lambda: whole.__dict__.update(part=9),
      change(Part, __set__=lambda self, instance, value: None))


class Setter:
    def __set__(self, instance, value):
        instance.__dict__["hidden"] = value


class WithSetter:
    w = Setter()


with_setter = WithSetter()


def stored():
    with_setter.w = a + 1
    return with_setter.__dict__.get("hidden"), list(with_setter.__dict__)


watch("stored", stored,
      change(Setter, __set__=lambda self, instance, value: instance.__dict__.update(hidden=5)),
      remove(Setter, "__set__"))


# Modules: another class, other attributes.
classed = types.ModuleType("classed")
classed.x = 1
plain_module = types.ModuleType("plain_module")
plain_module.x = 1


class OddModule(types.ModuleType):
    @property
    def x(self):
        return 50


watch("class of a module", lambda: a + classed.x, change(classed, __class__=OddModule))
watch("module", lambda: a + plain_module.x, change(plain_module, x=4), remove(plain_module, "x"),
      change(plain_module, __getattr__=lambda name: 77))


# What is read and not used must still be there.
class Holder:
    pass


holder = Holder()
holder.t = 1
known_name = 5
table = {"k": 1}
long_list = [1, 2]
short_list = [1, 2]


def unused_attribute():
    holder.t
    return a + 1


def unused_global():
    known_name
    return a + 1


def unused_entry():
    table["k"]
    return a + 1


def unused_last():
    short_list[-1]
    return a + 1


def unused_item():
    long_list[1]
    return a + 1


def forget():
    global known_name
    del known_name


watch("unused attribute", unused_attribute, remove(holder, "t"))
watch("unused global", unused_global, forget)
watch("unused entry", unused_entry, table.clear)
watch("unused last item", unused_last, short_list.clear)
watch("unused item", unused_item, long_list.pop)


# Functions: defaults, code, closure, globals and builtins.
def defaults(x, y=2, *, z=3):
    return x + z, y


def unused_default(x, y=2):
    return x + 1


watch("defaults", lambda: defaults(a), change(defaults, __defaults__=(9,)),
      change(defaults, __kwdefaults__={"z": 11}), change(defaults, __defaults__=None),
      change(defaults, __defaults__=(1, 2)), change(defaults, __kwdefaults__=None))
watch("unused default", lambda: unused_default(a), change(unused_default, __defaults__=None))
watch("code", lambda: unused_default(a, 1),
      change(unused_default, __code__=(lambda x, y=0: x * 100).__code__))


def cell():
    n = 1

    def inner():
        return a + n

    def put(value):
        nonlocal n
        n = value

    def empty():
        nonlocal n
        del n
    return inner, put, empty


inner, put, empty = cell()
watch("closure", inner, lambda: put(2), lambda: put(a), lambda: put("x"), empty, lambda: put(3))


def add_length(x):
    return x + len([1, 2, 3])


same_code = types.FunctionType(add_length.__code__, {"__builtins__": {"len": lambda x: 100}})
callee = add_length


def call_callee():
    return callee(a)


def swap_callee():
    global callee
    callee = same_code


watch("builtins of a callee", call_callee, swap_callee)


def uses_builtins():
    return a + len([1, 2]) + abs(-3) + max(1, 2)


def shadow():
    global len
    len = lambda x: 50


def unshadow():
    global len
    del len


genuine_abs = abs
watch("builtins", uses_builtins, shadow, change(builtins, abs=lambda x: 1000), unshadow,
      change(builtins, abs=genuine_abs))

# Named tuples get methods.
Pair = collections.namedtuple("Pair", "p q")
pair = Pair(1, 2)


def named_tuple():
    return a + 1, pair[0], len(pair), pair.p, list(pair), pair == (1, 2)


watch("named tuple", named_tuple, change(Pair, __getitem__=lambda self, i: "item"),
      change(Pair, __len__=lambda self: 77), change(Pair, p=property(lambda self: "p")),
      change(Pair, __iter__=lambda self: iter("abc")), change(Pair, __eq__=lambda self, other: "eq"))


# Classes become collections; what they match changes.
class Row:
    def __len__(self):
        return 2

    def __getitem__(self, i):
        return [1, 2][i]


class Table:
    pass


class Matched:
    __match_args__ = ("u", "v")

    def __init__(self):
        self.u, self.v, self.w = 1, 2, 3


row, mapping, matched = Row(), Table(), Matched()


def kind_of(subject):
    b = a + 1
    match subject:
        case [x, y]:
            return b, "sequence", x, y
        case {}:
            return b, "mapping"
        case Matched(x, y):
            return b, "matched", x, y
        case _:
            return b, "other"


watch("sequence", lambda: kind_of(row), lambda: collections.abc.Sequence.register(Row))
watch("mapping", lambda: kind_of(mapping), lambda: collections.abc.Mapping.register(Table))
watch("matched", lambda: kind_of(matched), change(Matched, __match_args__=("w", "u")),
      change(Matched, u=property(lambda self: "u")), remove(Matched, "__match_args__"))


# Attributes: the instance hides them, then the class answers for all.
class Open:
    k = 1

    def m(self):
        return "m"


opened = Open()


def attributes():
    return a + 1, opened.k, opened.m(), getattr(opened, "z", "none"), hasattr(opened, "y")


watch("attributes", attributes, change(opened, k=2), change(opened, m=lambda: "its own"),
      change(Open, __getattr__=lambda self, name: "for " + name),
      change(Open, k=property(lambda self: "property")),
      change(Open, __getattribute__=lambda self, name: str if name == "m" else name))


class Stored:
    pass


target = Stored()


def stores():
    target.v = 5
    return a + 1, vars(target).get("v"), target.v


watch("stores", stores,
      change(Stored, v=property(lambda self: "got", lambda self, v: vars(self).update(v="set"))),
      change(Stored, __setattr__=lambda self, name, v: vars(self).update({name: "any"})))


# Operators that come later, and another base class for super().
class Bare:
    pass


bare = Bare()


def operators():
    return a + 1, bool(bare), bare == 1, bare != 1


watch("operators", operators, change(Bare, __bool__=lambda self: False),
      change(Bare, __len__=lambda self: 0), change(Bare, __eq__=lambda self, other: "eq"),
      change(Bare, __ne__=lambda self, other: "ne"))


class First:
    def who(self):
        return "First"


class Second:
    def who(self):
        return "Second"


class Last(First):
    def who(self):
        return "Last of " + super().who()


last = Last()
watch("super", lambda: (a + 1, last.who()), change(Last, __bases__=(Second,)),
      change(Second, who=lambda self: "new"))
