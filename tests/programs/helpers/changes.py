"""For programs about what changes between calls: calls, a change, calls again."""
import numpy as np


def outcome(function):
    """The parts of the result, or the error's type and text."""
    try:
        result = function()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    parts = result if isinstance(result, tuple) else (result,)
    return [part.tolist() if isinstance(part, np.ndarray) else part for part in parts]


def watch(name, function, *changes):
    """Calls `function` often enough to be captured, before and after each change."""
    for change in (lambda: None, *changes):
        change()
        for _ in range(30):
            last = outcome(function)
        print(name, last)


def change(target, **values):
    return lambda: [setattr(target, name, value) for name, value in values.items()]


def remove(target, name):
    return lambda: delattr(target, name)
