"""How programs print a value: everything about it that a program could observe."""
import hashlib
import warnings

import numpy as np


def show(name, value):
    if isinstance(value, np.ndarray):
        # Padding of objects and long doubles is not the value's.
        opaque = value.dtype.hasobject or value.dtype.char in "gG"
        content = repr(value.tolist()).encode() if opaque else value.tobytes()
        digest = hashlib.md5(content).hexdigest()[:12]
        order = ("C" if value.flags.c_contiguous else "") + ("F" if value.flags.f_contiguous else "")
        print(f"{name}: array {value.dtype} {value.shape} {order or '-'} own={value.flags.owndata} "
              f"write={value.flags.writeable} {digest} {value.ravel()[:3]!r}")
    elif isinstance(value, (tuple, list)):
        print(f"{name}: {type(value).__name__} of {len(value)}")
        for number, item in enumerate(value):
            show(f"  {name}[{number}]", item)
    else:
        print(f"{name}: {type(value).__name__} {value!r}")


def repeat(function, *args, times=12):
    """Calls `function` often enough to be captured under any policy; returns the last result."""
    for _ in range(times):
        result = function(*args)
    return result


def attempt(name, function, *args, times=3):
    """Shows what `function` returns or raises, and each warning, call by call."""
    for _ in range(times):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                show(name, function(*args))
            except Exception as error:
                print(name, type(error).__name__, error)
        for warning in warned:
            print(name, warning.category.__name__, warning.message, warning.lineno)


def layouts(a):
    """The matrix `a` in C and Fortran order, reversed, and with gaps."""
    yield a
    yield np.asfortranarray(a)
    yield a[::-1, ::-1]
    wide = np.zeros((2 * a.shape[0], 2 * a.shape[1]), a.dtype)
    wide[::2, ::2] = a
    yield wide[::2, ::2]
