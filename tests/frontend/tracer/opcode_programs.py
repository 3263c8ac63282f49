"""Small functions that together execute every opcode a function can: see opcode_test.py.

TRACED functions are captured whole; those of BROKEN hold something that is not traced yet.
"""
import sys

import numpy as np

TRACED = []
BROKEN = []
SCALE = 3.0


def traced(function):
    TRACED.append(function)
    return function


def broken(function):
    BROKEN.append(function)
    return function


@traced
def operators(a):
    return -a + +a * 2.0 - a / SCALE


@traced
def inverted(a):
    return ~(a > 1.0) | (a < 0.5)


@traced
def numbers(a):
    n = 3 if not a.ndim == 5 else 4
    return a * n + -n


@traced
def chained_comparison(a):
    return a * 2.0 + 1.0 if 1 < a.ndim < 3 else a * 3.0 + 1.0


@traced
def identity_and_membership(a, mode="fast", scale=None):
    if scale is None and mode in ("fast", "slow") and mode is not None:
        return a * 2.0 + 1.0
    return a


@traced
def truth_values(a, other=None):
    a * 2.0
    same = a is other
    return a * (not same) + 1.0


@traced
def none_tests(a, first=None, second=2.0):
    if first is not None:
        a = a + first
    if second is None:
        a = a - 1.0
    return a * 2.0 + second


@traced
def or_and_and(a, scale=0.0, shift=2.0):
    return a * (scale or 3.0) + (shift and 5.0)


@traced
def subscripts(a):
    return a[1:, ::2] * 2.0 + a[0, 1]


@traced
def containers(a):
    items = [a, a * 2.0]
    pair = (items[0], items[1])
    table = {"x": pair[0], "y": pair[1]}
    table["z"] = table["x"] + table["y"]
    first, second = pair
    return table["z"] * first + second


@traced
def one_item_dict(a):
    return {"x": a * 2.0 + 1.0}


@traced
def dict_comprehension(a):
    table = {name: a * scale for name, scale in (("x", 2.0), ("y", 3.0))}
    return table["x"] + table["y"]


@traced
def list_comprehension(a):
    parts = [a * k for k in range(3)]
    return parts[0] + parts[1] + parts[2]


@traced
def star_list(a):
    parts = [*(a, a * 2.0), a * 3.0]
    return parts[0] + parts[1] + parts[2]


@traced
def jump_in_a_loop(a):
    for k in range(4):
        if k == 1:
            continue
        a = a * 1.5 + k
    return a


@traced
def for_else(a):
    for k in (1.0, 2.0):
        if k == 3.0:
            break
        a = a + k * a
    else:
        a = a * 2.0
    return a


def add_scaled(a, b, *rest, scale=1.0, **more):
    return a + b * scale + len(rest)


@traced
def keyword_call(a):
    return add_scaled(a, a * 2.0, scale=3.0)


@traced
def star_call(a):
    arguments = (a, a * 2.0)
    return add_scaled(*arguments, **{"scale": 2.0})


@traced
def merged_keywords(a):
    return add_scaled(a, a * 2.0, **{"scale": 2.0}, **{})


@traced
def list_to_tuple(a):
    extra = [1.0]
    return add_scaled(a, a * 2.0, *extra, *(2.0,))


@traced
def local_function(a):
    scale = 2.0

    def inner(x):
        return x * scale + 1.0
    return inner(a) + inner(a)


@traced
def closure_that_changes(a):
    total = a

    def add(x):
        return total + x
    total = total * 2.0
    return add(a) * 3.0


def make_closure():
    factor = 4.0

    @traced
    def reads_a_closure(a):
        return a * factor + 1.0
    return reads_a_closure


make_closure()


@traced
def deletes_a_local(a):
    b = a * 2.0
    c = b + 1.0
    del b
    return c


@traced
def swaps(a):
    b, c = a * 2.0, a + 1.0
    b, c = c, b
    x = y = b - c
    return x * y


@traced
def string_constants(a):
    name = f"scale {'x'}{1}"
    return a * 2.0 + len(name)


@traced
def methods_and_attributes(a):
    return a.T.sum(axis=0) * a.ndim + np.float64(2.0)


class Model:
    weights = 2.0

    def forward(self, a):
        return a * self.weights + 1.0


@traced
def method_of_an_object(a, model=Model()):
    return model.forward(a) * 2.0


@traced
def does_nothing_at_a_place(a):
    while True:
        pass
        break
    return a * 2.0 + 1.0


# A loop's condition is tested at its end by a backward jump, one opcode for each form of it.
@traced
def while_true(a):
    k = 0
    while k < 3:
        a = a * 1.5 + 1.0
        k += 1
    return a


@traced
def while_not(a):
    k = 0
    while not k == 3:
        a = a * 1.5 + 1.0
        k += 1
    return a


@traced
def while_none(a):
    done = None
    while done is None:
        a = a * 1.5 + 1.0
        done = True
    return a


@traced
def while_not_none(a):
    left = True
    while left is not None:
        a = a * 1.5 + 1.0
        left = None
    return a


@traced
def sets(a):
    s = {len(a), 2.0}
    t = {*[1.0, a.ndim]}
    return a * len(s) + len(t)


@traced
def set_comprehension(a):
    return a * len({k * a.ndim for k in range(3)}) + 1.0


@traced
def dict_update(a):
    table = {**{"x": a}, "y": a}
    return table["x"] * 2.0 + table["y"]


@traced
def unpacks_the_rest(a):
    first, *rest = a, a, a
    return first * 2.0 + len(rest)


@traced
def deletes_an_item(a):
    items = [a, a * 2.0]
    del items[0]
    return items[0] + 1.0


class Box:
    pass


@traced
def attributes(a):
    box = Box()
    box.a = a * 2.0
    b = box.a + 1.0
    del box.a
    return b


COUNT = 0


@traced
def global_names(a):
    global COUNT, PASSING
    COUNT = a.ndim
    PASSING = 1
    b = a * 2.0 + COUNT
    del PASSING
    return b


@traced
def imports(a):
    import math
    from math import pi
    return a * math.e + pi


@broken
def with_statement(a):
    with np.errstate(all="ignore"):
        return a * 2.0 + 1.0


@traced
def exceptions(a):
    b = a * 2.0
    try:
        raise ValueError("x")
    except ValueError:
        b = b + 1.0
    return b * 2.0


@broken
def with_that_swallows(a):
    import contextlib
    with contextlib.suppress(KeyError):
        raise KeyError
    return a * 2.0 + 1.0


@traced
def asserts(a):
    b = a * 2.0
    try:
        assert b is None
    except AssertionError:
        pass
    return b + 1.0


@broken
def exception_groups(a):
    try:
        raise ExceptionGroup("g", [ValueError("x")])
    except* ValueError:
        a = a * 2.0
    return a + 1.0


@traced
def finally_clause(a):
    try:
        try:
            raise KeyError
        finally:
            a = a * 2.0
    except KeyError:
        pass
    return a + 1.0


@traced
def sequence_pattern(a):
    match a.shape:
        case (rows, columns):
            return a * rows + columns
    return a


@traced
def mapping_pattern(a):
    match {"x": a}:
        case {"x": value}:
            return value * 2.0 + 1.0


@traced
def class_pattern(a):
    match a.ndim:
        case int():
            return a * 2.0 + 1.0


@broken
def makes_a_class(a):
    scale = 2.0

    class Local:
        factor: float = 3.0
        other = scale
        passing = 1
        del passing
    return a * Local.factor + Local.other


@traced
def deletes_a_cell(a):
    b = a * 2.0
    (lambda: b)
    c = b + 1.0
    del b
    return c


class Manager:
    def __enter__(self):
        return 2.0

    def __exit__(self, kind, error, traceback):
        return kind is KeyError


@traced
def with_a_manager(a):
    with Manager() as scale:
        a = a * scale
        raise KeyError("x")
    return a + 1.0


@traced
def delegates(a):
    def inner():
        yield a
        yield a * 2.0

    def outer():
        yield from inner()
    return sum(outer(), a) + 1.0


@traced
def slices_between_variables(a, first=0, last=2):
    doubled = a * 2.0
    doubled[first:last] = 1.0
    return doubled[first:last] + a[:, first:last:1].sum()


@traced
def slices_of_lists(a):
    items = [a * 2.0, a * 3.0, a * 4.0]
    items[1:] = items[:-1]
    del items[:1]
    return items[::-1][0] + (a, 1.0)[1:][0]


@traced
def converted_text(a):
    return a * len(f"{a.ndim!r:>4}") + 1.0


class Scaled:
    def of(self, a):
        return a * 2.0


class Shifted(Scaled):
    def of(self, a):
        return super().of(a) + 1.0


@traced
def method_of_a_base(a, shifted=Shifted()):
    return shifted.of(a)


@traced
def error_in_a_generator(a):
    def numbers():
        yield 2.0
        raise KeyError
    try:
        for n in numbers():
            a = a * n
    except KeyError:
        a = a + 1.0
    return a * 3.0


if sys.version_info >= (3, 14):
    exec(compile("""
@broken
def template(a):
    return (a + 1.0) * len(t"of {a.ndim!r:2}".strings)
""", __file__, "exec"))


@broken
def asynchronous(a):
    class Manager:
        async def __aenter__(self):
            return 2.0

        async def __aexit__(self, *error):
            return False

    async def numbers():
        yield 1.0
        yield 2.0

    async def body():
        b = a
        async with Manager() as scale:
            b = b * scale
        async for k in numbers():
            b = b + k
        return b

    try:
        body().send(None)
    except StopIteration as done:
        return done.value + 1.0
