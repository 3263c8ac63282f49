"""np.errstate, np.seterr and np.geterr say which errors are reported where, and what is set afterwards."""
# test: numpy2
import warnings

import numpy as np

warnings.simplefilter("always")


def w(a, b):
    with np.errstate(divide="ignore", invalid="ignore"):
        r = a / b
    return np.sqrt(r)          # reports invalid


def raising(a, b):
    try:
        with np.errstate(divide="raise"):
            r = a / b
    except FloatingPointError as e:
        return "FPE " + str(e)
    return r


@np.errstate(all="ignore")
def deco(a):
    return np.log(a) * 2


def nested(a, b):
    with np.errstate(all="ignore"):
        x = a / b
        with np.errstate(invalid="warn"):
            y = np.sqrt(a)
        z = np.log(b)
    return x, y, z, a / b


def setter(a, b):
    old = np.seterr(divide="ignore")
    x = a / b
    np.seterr(**old)
    return x, old, np.geterr()


def brk(a, b):
    with np.errstate(divide="ignore", invalid="ignore"):
        r = a / b
        print("inside", np.geterr()["divide"])
        s = np.log(a * 0)
    print("outside", np.geterr())
    return r + s


def gen(a):
    with np.errstate(divide="ignore"):
        for i in range(3):
            yield a / i


def usegen(a):
    out = []
    for v in gen(a):
        out.append(v / 0)
    return out


def called(a):
    log = []
    with np.errstate(divide="call", call=lambda e, f: log.append((e, f))):
        r = a / 0
    return r, log


def under(a):
    with np.errstate(under="warn"):
        return a * 1e-300 * 1e-300


def printing(a):
    with np.errstate(divide="print"):
        return a / 0


def ret_inside(a, b):
    with np.errstate(all="ignore"):
        return a / b


def exc(a, b):
    with np.errstate(all="ignore"):
        r = a / b
        raise ValueError("x %s" % r.shape)


def ints(a):
    with np.errstate(divide="ignore"):
        q = a // 0
    return q, a % 0


def same(a, b):
    with np.errstate(all="ignore"):
        x = a / b
    y = a / b
    return x, y


def linear(a):
    with np.errstate(all="ignore"):
        return np.cumsum(np.log(a)), np.diff(1/a)


class Obj:
    quiet = np.errstate(all="ignore")
    def run(self, a):
        with self.quiet:
            return a / 0


def bad(a):
    with np.errstate(divide="nonsense"):
        return a


a = np.array([1., 0., -1., 4.]); b = np.array([0., 0., 2., 2.])
for rep in range(5):
    if rep == 3:
        np.seterr(all="ignore")
    if rep == 4:
        np.seterr(all="warn", invalid="raise")
    print("rep", rep, np.geterr(), flush=True)
    for f in (w, raising, nested, setter, brk, ret_inside, exc, same):
        try:
            print(f.__name__, f(a, b))
        except Exception as e:
            print(f.__name__, type(e), e)
        print(np.geterr() )
    for f in (deco, usegen, called, under, printing, ints, linear, Obj().run, bad):
        try:
            print(f.__name__, f(np.array([3, 0]) if f is ints else a))
        except Exception as e:
            print(f.__name__, type(e), e)
        print(np.geterr())
