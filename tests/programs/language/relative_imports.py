"""Imports inside functions name modules relative to their own package."""
import sys
import types

import numpy as np


def module(name, source, is_package=False):
    made = types.ModuleType(name)
    made.__package__ = name if is_package else name.rpartition(".")[0]
    if is_package:
        made.__path__ = []
    sys.modules[name] = made
    exec(source, made.__dict__)
    parent, _, own = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], own, made)
    return made


module("shapes", "UNIT = 2.0", is_package=True)
module("shapes.areas", "def square(a): return a * a\ndef twice(a): return a + a")
module("shapes.deep", "", is_package=True)
inner = module("shapes.deep.inner", """
def near(a):
    from . import side
    return side.half(a)

def up(a):
    from ..areas import square, twice as double
    from .. import UNIT, areas
    return square(a) + double(a) * UNIT + areas.square(a)

def missing(a):
    try:
        from ..nothing import x
    except ImportError as error:
        return type(error).__name__, a + 1

def too_far(a):
    try:
        from .... import x
    except ImportError as error:
        return str(error), a + 1
""")
module("shapes.deep.side", "def half(a): return a / 2")

a = np.arange(3.0)
for _ in range(3):
    print(inner.near(a), inner.up(a), inner.missing(a), inner.too_far(a))
sys.modules["shapes.areas"].square = lambda a: a * 10
print(inner.up(a))
inner.__package__ = "shapes"
try:
    print(inner.near(a))
except ImportError as error:
    print(error)
