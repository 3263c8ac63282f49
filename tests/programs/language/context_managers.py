"""with statements stand around and inside array code: managers of Python, contextlib and NumPy, with graph breaks."""
import contextlib

import numpy as np

from show import repeat, show

# with statements in array code: managers of Python classes, contextlib's, errstate, breaks inside.
a = np.arange(4.0)
LOG = []


class Level:
    depth = 0

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        LOG.append(("enter", self.name))
        self.before = STATE["depth"]
        STATE["depth"] = self.before + 1
        return self

    def __exit__(self, kind, error, traceback):
        STATE["depth"] = self.before
        LOG.append(("exit", self.name, kind.__name__ if kind else None))
        return False


STATE = {"depth": 0}


# Three deep with a print in the innermost: every level is restored.
def nested(b, talk):
    with Level("outer"):
        b = b * 2.0 + STATE["depth"]
        with Level("middle") as middle:
            b = b + STATE["depth"]
            with Level("inner"):
                if talk:
                    print("inside", STATE["depth"], middle.name)
                b = b * STATE["depth"]
            b = b - STATE["depth"]
        b = b - STATE["depth"]
    return b + STATE["depth"]


for talk in (False, True, False, True, False):
    show("nested", nested(a, talk))
print(LOG[:6], len(LOG), STATE)


@contextlib.contextmanager
def scaled(b, log):
    log.append("before")
    try:
        yield b * 2.0
    finally:
        log.append("after")


def uses_contextmanager(b):
    log = []
    with scaled(b, log) as c:
        log.append("body")
        d = c + b
    return d * 2.0, log


for _ in range(4):
    result = uses_contextmanager(a)
show("contextmanager", result)


# nonlocal written in the manager's body and read in its finally, in the right order.
def parents_variable(b):
    seen = []
    k = 1.0

    @contextlib.contextmanager
    def manager():
        nonlocal k
        k = 2.0
        try:
            yield
        finally:
            seen.append(k)
            k = 10.0
    with manager():
        b = b * k
        k = 3.0
    return b * k, seen


for _ in range(4):
    result = parents_variable(a)
show("nonlocal", result)


# Made before a print, entered after it; on the stack as well.
def entered_later(b):
    manager = scaled(b, LOG)
    print("between")
    with manager as c:
        return c + 1.0


for _ in range(3):
    show("later", entered_later(a))


# __exit__ swaps an IndexError for a ValueError, and the right handler runs.
class Swap:
    def __enter__(self):
        return None

    def __exit__(self, kind, error, traceback):
        if kind is IndexError:
            raise ValueError("swapped")


class Swallow:
    def __enter__(self):
        return 3.0

    def __exit__(self, kind, error, traceback):
        return kind is KeyError


def swaps(b, items):
    try:
        with Swap():
            b = b * 2.0 + items[5]
    except IndexError:
        b = b - 100.0
    except ValueError as error:
        b = b + len(str(error))
    return b


def swallows(b, key):
    with Swallow() as k:
        b = b * k
        raise KeyError(key)
    return b + 1.0


for _ in range(5):
    show("swap", swaps(a, [1]))
    show("swallow", swallows(a, "x"))


def suppressed(b):
    with contextlib.suppress(ZeroDivisionError):
        b = b + 1.0
        1 / 0
        b = b * 100.0
    return b * 2.0


show("suppress", repeat(suppressed, a))


# A return, a break and a continue out of a with statement.
def leaves(b, how):
    log = []
    for k in range(3):
        with scaled(b, log) as c:
            if how == "return":
                return c, log
            if how == "break":
                break
            if how == "continue" and k == 1:
                continue
            b = b + c
    return b, log


for how in ("return", "break", "continue", "none") * 3:
    show(how, leaves(a, how))


# NumPy's own managers.
def quiet(b):
    c = b * 2.0
    with np.errstate(divide="ignore", invalid="ignore"):
        c = 1.0 / (b - b) + c
    return c + 1.0


show("errstate", repeat(quiet, a))


class Timer(contextlib.AbstractContextManager):
    def __exit__(self, *error):
        self.done = True


def timed(b):
    with Timer() as timer:
        c = b * 2.0 + 1.0
    return c, timer.done


show("abstract", repeat(timed, a))


def stacked(b):
    with contextlib.ExitStack() as stack:
        c = stack.enter_context(scaled(b, LOG))
        return c + 1.0


show("stack", repeat(stacked, a))


# with, try/finally, match and the walrus around array code.
@contextlib.contextmanager
def announced(name):
    print("enter", name)
    try:
        yield name.upper()
    finally:
        print("leave", name)


def guarded(a):
    with announced("block") as label:
        b = a * 2
        if b.sum() > 20:
            return label, b
        c = b + 1
    return label, c


def classify(a):
    match a.shape:
        case (1,):
            return a * 10
        case (n,) if n > 3:
            return a - n
        case (rows, columns):
            return a.sum() * rows + columns
    return a


def walrus(a):
    results = []
    while (norm := np.abs(a).max()) > 0.1:
        a = a / 2
        results.append(norm)
    return results


def format_spec(array):
    """printoptions is a context manager that changes how arrays print."""
    with np.printoptions(precision=3, suppress=True):
        return str(array / 3)


for k in range(12):
    show("guarded", guarded(np.arange(k % 6.0)))
    for shape in [(1,), (2,), (5,), (2, 3)]:
        show("classify", classify(np.ones(shape)))
    show("walrus", walrus(np.array([1.0, -2.0])))
    print(format_spec(np.arange(4.0)), f"{np.float64(2) / 3:.3f}")
