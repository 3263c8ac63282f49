"""Things change while hot loops run: methods, globals, builtins, types, views, and objects that die."""
import contextlib
import weakref

import numpy as np

a = np.linspace(0.0, 1.0, 50)


def head(x):
    return x.tolist()[:3] if isinstance(x, np.ndarray) else x


class Model:
    k = 1.0

    def f(self, x):
        return x * self.k + 1

    @property
    def p(self):
        return self.k * 2


model = Model()
x = a
for i in range(400):
    x = model.f(x) * 0.5 + model.p * 0.01
    if i == 100:
        Model.f = lambda self, x: x * self.k + 2
    if i == 150:
        model.k = 3.0
    if i == 200:
        Model.p = property(lambda self: 7.0)
    if i == 250:
        model.f = lambda x: x * 0.5
    if i == 300:
        del model.f
    if i == 350:
        Model.__getattribute__ = lambda self, name: (
            0.25 if name == "p" else object.__getattribute__(self, name))
print("module", head(x))

scale = 1.0


def scaled(x):
    return x * scale


def names_change():
    global scale, abs
    x = a
    for i in range(300):
        x = scaled(x) * 0.9 + abs(-0.1)
        if i == 100:
            scale = 1.05
        if i == 150:
            abs = lambda v: 0.2
        if i == 200:
            del abs
        if i == 250:
            scale = np.float32(1.01)
    return x


print("names", head(names_change()), type(scale).__name__)


def types_change():
    x = a
    seen = []
    for i in range(240):
        x = x * 2.0 - x + 0.001
        if i == 40:
            x = x.astype("f4")
        if i == 80:
            x = x.reshape(5, 10)
        if i == 120:
            x = x.T
        if i == 140:
            x = np.asfortranarray(x)
        if i == 160:
            x = x.astype("i8")
        if i == 170:
            x = x.astype("c16")
        if i == 200:
            x = np.ma.array(x.real)
        if i == 210:
            x = np.matrix(np.asarray(x))
        if i == 220:
            x = 3.5
        if i == 230:
            x = np.float64(1.0)
        if i % 20 == 0:
            seen.append((type(x).__name__, getattr(x, "dtype", None), getattr(x, "shape", None)))
    return x, seen


print("types", types_change())


def views_change():
    u, v = a.copy(), np.zeros_like(a)
    w = u[::-1]
    for i in range(300):
        v[1:-1] = 0.5 * (u[2:] + u[:-2])
        u, v = v, u
        w[3:6] += 0.001
        if i == 100:
            w = u
        if i == 150:
            v = u
        if i == 200:
            v = u[:]
        if i == 250:
            u = u.copy()
    return u, v, w


print("views", *map(head, views_change()))

log = []


def suspended(x):
    try:
        while True:
            with contextlib.suppress(KeyError):
                x = x * 0.5 + 1
                got = yield x
                if got is not None:
                    x = x + got
                if got == 3:
                    raise KeyError
    except GeneratorExit:
        log.append("exit")
        raise
    finally:
        log.append("finally")


def generators_die():
    total = 0.0
    for i in range(100):
        g = suspended(a)
        total += float(next(g).sum())
        total += float(g.send(2).sum())
        total += float(g.send(3).sum())
        if i % 2:
            g.close()
    return total


print("generators", generators_die(), len(log), log[:3])


# An object that loses its last name dies there and then, and what its finalizer does is seen at once.
class Resource:
    live = 0

    def __init__(self, x):
        self.x = x
        Resource.live += 1

    def __del__(self):
        Resource.live -= 1
        log.append(float(self.x[0]))


class Owner:
    def __init__(self):
        self.kept, self.items, self.table = None, [None, None], {}


def locals_die():
    most, r = 0, None
    for i in range(60):
        r = Resource(a + i)
        y = r.x * 2 + 1
        most = max(most, Resource.live)
    watcher = weakref.ref(r)
    alive = watcher() is not None
    del r
    return most, alive, watcher() is None


shared = None


def others_die(owner):
    global shared
    counts = []
    cell = None

    def read():
        return cell
    for i in range(40):
        owner.kept = Resource(a + i)
        counts.append(Resource.live)
        owner.items[i % 2] = Resource(a + i)
        counts.append(Resource.live)
        owner.table["x"] = Resource(a + i)
        counts.append(Resource.live)
        shared = Resource(a + i)
        counts.append(Resource.live)
        cell = Resource(a + i)
        counts.append(Resource.live)
    owner.kept = owner.items = owner.table = shared = None
    return counts[:12], counts[-12:], read() is cell, Resource.live


def replaced(owner, value, b):
    """The old value dies in the middle."""
    before = len(log)
    owner.kept = value
    c = b * 2.0 + 1.0
    return c, len(log) - before, Resource.live


log.clear()
print("locals die", locals_die(), len(log), log[-3:])
print("others die", others_die(Owner()), len(log), log[-4:])
owner = Owner()
for value in (1, 2, None, "x", "resource", 5, "resource", "resource", 7, 8) * 3:
    c, died, live = replaced(owner, Resource(a) if value == "resource" else value, a)
    print("replaced", value, died, live, head(c))

# Weak references are told.
told = []


def watched_dies(b, keep):
    thing = Model()
    reference = weakref.ref(thing, told.append)
    thing = keep
    count = len(told)
    c = b * 2.0 + count
    return c[0], count, reference() is None


for k in range(6):
    told.clear()
    print("told", watched_dies(a, k), len(told))
