"""Functions that together have every instruction that CPython 3.11 to 3.14 compile functions to."""
import os


def arithmetic(a, b):
    c = a + b * -a // ~b
    c += +a
    return c @ b if not a == b else c


def comparisons(a, b, c):
    if a < b <= c and a is not None:
        return a in c or b not in c
    return a is None


def calls(a, *rest, key=1, **words):
    a(rest, key=key, other=2)
    a.method(1, b=rest)
    a(*rest)
    a(*rest, **words)
    return a(1, *rest, x=1, **words, **words)


class Derived:
    def method(self, x):
        return super().method(x) + super(Derived, self).value


def attributes(a, b):
    a.x = b.y
    del a.z
    a[0], a[1:2], a[b:] = b[0], b[:3], b[1:2:3]
    del a[1]
    return a.method().other


def comprehensions(a, n):
    x = 1
    rows = [x * n for x in a if x]
    cells = [lambda: y for y in a]
    return rows, cells, {x for x in a}, {x: 1 for x in a}, (x for x in a if n)


def loops(a, n):
    total = 0
    while n:
        n -= 1
        for i, x in enumerate(a):
            if x is None:
                continue
            if i > n:
                break
            total += x
        else:
            total = total and n or i
    return total


def closures(a, b=1, *, c: int = 2):
    def inner(x, y=b, *, z=c) -> int:
        nonlocal a
        a = x
        return a + y + z
    del b
    return inner


def handlers(a):
    try:
        with a as b, open(b) as c:
            return c
    except (ValueError, OSError) as error:
        raise RuntimeError("x") from error
    except KeyError:
        raise
    finally:
        print(a)


def groups(a):
    try:
        a()
    except* ValueError as group:
        print(group)
    assert a, "text"


def generator(a):
    x = yield 1
    y = yield from a
    try:
        yield x
    finally:
        yield y


async def coroutine(a):
    async with a as b:
        async for x in b:
            await x
    return [x async for x in a]


async def asynchronous_generator(a):
    async for x in a:
        yield x


def patterns(a):
    match a:
        case [1, 2, *rest]:
            return rest
        case {"k": v, **others}:
            return v, others
        case Derived(x=1):
            return 1
    return None


def displays(a, b):
    first, *middle, last = a
    one, two = b
    one, two = two, one
    return [*a, *b], {*a, 1}, {"k": one, "l": two}, {**a, "x": 1}, (*a,), f"{a!r:>{b}} {one!s} {two:3} {a}"


def imports():
    import os.path as path
    from os import sep
    return path, sep, os


def globals_and_names():
    global COUNTER
    COUNTER = 1
    del COUNTER

    class Inner:
        a: int = 1
        b = a

        def method(self):
            return __class__
    return Inner


def constants_alone():
    pass


def deleted(a, b):
    if b:
        del a
    return a


def many(a):
    v0 = v1 = v2 = v3 = v4 = v5 = v6 = v7 = v8 = v9 = a
    w0 = w1 = w2 = w3 = w4 = w5 = w6 = w7 = w8 = w9 = a
    for i in a:
        if i:
            v0 = w9 = i + 1000 + 1001 + 1002 + 1003
            a(v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, w0, w1, w2, w3, w4, w5, w6, w7, w8, w9)
            a(v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, w0, w1, w2, w3, w4, w5, w6, w7, w8, w9)
            a(v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, w0, w1, w2, w3, w4, w5, w6, w7, w8, w9)
            a(v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, w0, w1, w2, w3, w4, w5, w6, w7, w8, w9)
            a(v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, w0, w1, w2, w3, w4, w5, w6, w7, w8, w9)
            a(v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, w0, w1, w2, w3, w4, w5, w6, w7, w8, w9)
            a(v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, w0, w1, w2, w3, w4, w5, w6, w7, w8, w9)
            a(v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, w0, w1, w2, w3, w4, w5, w6, w7, w8, w9)
            a(v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, w0, w1, w2, w3, w4, w5, w6, w7, w8, w9)
            a(v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, w0, w1, w2, w3, w4, w5, w6, w7, w8, w9)
            a(v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, w0, w1, w2, w3, w4, w5, w6, w7, w8, w9)
            a(v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, w0, w1, w2, w3, w4, w5, w6, w7, w8, w9)
