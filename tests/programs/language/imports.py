"""Functions import modules that are there, that change or that come later, and parts of packages."""
import sys
import types

import numpy as np

helper = types.ModuleType("helper_of_this_program")
helper.scale = 2.0
helper.shift = lambda a: a + 1.0
sys.modules["helper_of_this_program"] = helper


def plain(a):
    import math
    from math import e, pi as half_turn
    import numpy.linalg as la
    import numpy.linalg
    from numpy import exp, linalg
    return exp(a / half_turn) * math.sqrt(e) + la.norm(a) + numpy.linalg.norm(a) * (linalg is la)


def of_the_program(a):
    import helper_of_this_program as h
    from helper_of_this_program import scale, shift
    return shift(a) * scale + h.scale


def calls(a):
    return a * __import__("math").pi + len(__import__("numpy.linalg").__name__) + (
        __import__("numpy.linalg", fromlist=["norm"]).norm(a))


def comes_later(a):
    b = a * 2.0
    import late_module_of_this_program as late
    return b + late.value


def lacks_a_name(a):
    from helper_of_this_program import no_such_name
    return a + no_such_name


def with_fallback(a):
    try:
        from helper_of_this_program import quick as function
    except ImportError:
        from helper_of_this_program import shift as function
    return function(a) * 3.0


def optional(a):
    try:
        import module_that_is_nowhere as found
    except ModuleNotFoundError as error:
        return a * len(error.name)
    return a + found.value


def show(function, a):
    try:
        print(function.__name__, function(a))
    except Exception as error:
        print(function.__name__, type(error).__name__, error)


a = np.arange(4.0)
for round_ in range(3):
    for function in (plain, of_the_program, calls, comes_later, lacks_a_name, with_fallback, optional):
        show(function, a + round_)

helper.scale = 5.0
show(of_the_program, a)
helper.shift = lambda a: a * a
show(of_the_program, a)
other = types.ModuleType("helper_of_this_program")
other.scale, other.shift = np.float64(0.5), np.negative
sys.modules["helper_of_this_program"] = other
show(of_the_program, a)
show(with_fallback, a)
other.quick = np.square
show(with_fallback, a)
late = types.ModuleType("late_module_of_this_program")
late.value = 7.0
sys.modules["late_module_of_this_program"] = late
for _ in range(3):
    show(comes_later, a)
del sys.modules["late_module_of_this_program"]
show(comes_later, a)
sys.modules["late_module_of_this_program"] = None
show(comes_later, a)


class Odd:
    """What is no module may stand in sys.modules, too."""
    scale = 3.0

    @property
    def shift(self):
        print("shift is asked for")
        return np.sin


sys.modules["helper_of_this_program"] = Odd()
for _ in range(2):
    show(of_the_program, a)


class Lazy(types.ModuleType):
    def __getattr__(self, name):
        print("lazy", name)
        if name.startswith("__"):
            raise AttributeError(name)
        return {"scale": 4.0, "shift": np.cos}[name]


sys.modules["helper_of_this_program"] = Lazy("helper_of_this_program")
for _ in range(2):
    show(of_the_program, a)

computed = types.ModuleType("helper_of_this_program")
computed.__getattr__ = lambda name: print("computed", name) or {"scale": 6.0, "shift": np.tan}[name]
sys.modules["helper_of_this_program"] = computed
for _ in range(2):
    show(of_the_program, a)

import builtins
genuine = builtins.__import__


def watched(name, *rest):
    print("imports", name)
    return genuine(name, *rest)


sys.modules["helper_of_this_program"] = helper
builtins.__import__ = watched
show(of_the_program, a)
builtins.__import__ = genuine
show(of_the_program, a)


# What modules look after themselves.
def gets_class(module, x):
    module.__class__ = Lazy
    return x * 2.0, type(module).__name__, "__class__" in vars(module)


def gets_number_for_class(module, x):
    module.__class__ = 5
    return x * 2.0


def gets_dict(module, x):
    module.__dict__ = {}
    return x * 2.0


def gets_annotations(module, x):
    module.__annotations__ = {"x": int}
    return x * 2.0, module.__annotations__


for _ in range(6):
    for function in (gets_class, gets_number_for_class, gets_dict, gets_annotations):
        made = types.ModuleType("made")
        try:
            print(function.__name__, function(made, a))
        except Exception as error:
            print(type(error).__name__, error)
        print(type(made).__name__, sorted(vars(made)))
