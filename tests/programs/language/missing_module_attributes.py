"""Attributes that a module has not: asked for by hasattr and getattr, missed, set later, computed by __getattr__."""
import math
import types
import warnings

import changes
import numpy as np

own = types.ModuleType("own")
computing = types.ModuleType("computing")
computing.__getattr__ = lambda name: {"scale": 3.0}[name] if name == "scale" else missing(name)
a = np.arange(4.0)


def missing(name):
    raise AttributeError(f"there is no {name} here")


def of_numpy():
    area = np.no_such_function if hasattr(np, "no_such_function") else np.cumsum
    return area(a * 2), hasattr(np, "cumsum"), hasattr(np.linalg, "no_such"), getattr(np, "no_such_function", None) is None


def of_modules():
    scale = getattr(own, "scale", 2.0)
    return a * scale + 1, hasattr(own, "__dict__"), hasattr(own, "__class__"), hasattr(math, "tau"), hasattr(math, "tav")


def missed():
    return a * own.offset


def caught():
    try:
        return a * np.no_such_function
    except AttributeError as error:
        return a + 1, str(error)


def of_computing():
    return a * getattr(computing, "scale", 1.0), hasattr(computing, "other")


def deprecated():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kinds = [hasattr(np, name) for name in ("no_such", "str0", "bool")]
    return a + len(caught), kinds


changes.watch("NumPy", of_numpy, changes.change(np, no_such_function=np.cumprod), changes.remove(np, "no_such_function"))
changes.watch("modules", of_modules, changes.change(own, scale=5.0), changes.remove(own, "scale"),
              changes.change(own, __getattr__=lambda name: 7.0), changes.remove(own, "__getattr__"))
changes.watch("missed", missed, changes.change(own, offset=2.0), changes.remove(own, "offset"))
changes.watch("caught", caught)
changes.watch("computing", of_computing, changes.change(computing, other=1))
changes.watch("deprecated", deprecated)
