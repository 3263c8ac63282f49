"""Array code raises exceptions and catches them: in one frame, across calls, in finally, and chained."""
import numpy as np

from show import repeat, show

# Exceptions raised and caught in array code, in one frame and across calls; order of clauses.
a = np.arange(4.0)


class Refused(ValueError):
    def __init__(self, reason, code=7):
        super().__init__(reason, code)
        self.code = code


def child(b, limit):
    if b.shape[0] > limit:
        raise Refused("too long", b.shape[0])
    return b * 2.0


def parent(b, limit):
    try:
        c = child(b, limit)
    except Refused as error:
        c = b + error.code + len(error.args)
    return c + 1.0


for limit in (3, 5, 3, 5, 3, 5):
    show("child", parent(a, limit))


# Which clauses run, in which order.
def order(b, kind):
    log = []
    try:
        log.append("try")
        if kind == "value":
            raise ValueError(kind)
        if kind == "key":
            raise KeyError(kind) from None
        if kind == "type":
            raise TypeError
        b = b * 2.0
    except (KeyError, IndexError) as error:
        log.append(f"key {error.args[0]}")
        b = b + 1.0
    except ValueError:
        log.append("value")
        b = b + 2.0
    except Exception as error:
        log.append(type(error).__name__)
    else:
        log.append("else")
        b = b * 3.0
    finally:
        log.append("finally")
        b = b - 1.0
    return b, log


for kind in ("none", "value", "key", "type") * 4:
    show(kind, order(a, kind))


# A bare raise after an inner exception was handled raises the outer one again.
def reraises(b):
    try:
        try:
            raise IndexError("outer")
        except IndexError:
            try:
                raise KeyError("inner")
            except KeyError:
                b = b * 2.0
            raise
    except IndexError as error:
        return b + len(str(error))


show("reraise", repeat(reraises, a))


def chained(b):
    try:
        try:
            {}["missing"]
        except KeyError as cause:
            raise Refused("wrapped") from cause
    except Refused as error:
        return b * error.code, str(error)


show("chained", repeat(chained, a))


# Errors of the language's own: each is caught where Python would catch it.
def errors_of_python(b, table, items, o):
    caught = []
    for attempt in (lambda: table["x"], lambda: items[9], lambda: o.nothing, lambda: 1 // 0,
                    lambda: int("no"), lambda: items.pop(7), lambda: next(iter(())),
                    lambda: [].pop(), lambda: getattr(o, "gone"), lambda: 2 ** -1 / 0):
        try:
            attempt()
        except (LookupError, ArithmeticError, AttributeError, ValueError, StopIteration) as error:
            caught.append((type(error).__name__, error.args))
    return b * len(caught) + 1.0, caught


for _ in range(4):
    result = errors_of_python(a, {}, [1], Refused("x"))
show("errors", result)


# Nothing before the exception is lost, nothing after it happens.
class Account:
    def __init__(self):
        self.total, self.log = np.zeros(4), []

    def pay(self, b, limit):
        self.log.append("pay")
        self.total = self.total + b
        if len(self.log) > limit:
            raise Refused("limit")
        self.log.append("paid")


def pays(account, b, limit):
    try:
        account.pay(b, limit)
        account.pay(b, limit)
    except Refused:
        account.log.append("refused")
    return account.total * 2.0


for limit in (0, 2, 100, 0, 2):
    account = Account()
    show("account", [pays(account, a, limit), account.total, account.log])


# Out of the frame: the caller sees the exception, the traceback's lines, and every effect.
def escapes(account, b):
    c = b * 2.0 + 1.0
    account.log.append("before")
    account.total = c
    raise Refused("out")


import traceback

for _ in range(6):
    account = Account()
    try:
        escapes(account, a)
    except Refused as error:
        lines = [line.lineno - escapes.__code__.co_firstlineno
                 for line in traceback.extract_tb(error.__traceback__)[1:]]
        print(account.log, account.total, error.__context__, lines)


def with_context(b):
    try:
        raise KeyError("first")
    except KeyError:
        raise Refused("second")


for _ in range(4):
    try:
        with_context(a * 2.0)
    except Refused as error:
        print(repr(error), repr(error.__context__), error.__cause__)


# An exception that is kept is a real one.
def keeps(b):
    c = b * 2.0
    try:
        raise Refused("kept")
    except Refused as error:
        kept = error
    return c + 1.0, kept


for _ in range(4):
    c, kept = keeps(a)
print(type(kept).__name__, kept.args, kept.__traceback__ is not None)


def made_not_raised(b):
    return b * 2.0 + 1.0, Refused("made", 3)


for _ in range(4):
    c, made = made_not_raised(a)
print(repr(made), made.code, made.__traceback__)


def asserts(b, n):
    try:
        assert n > 2, f"n is {n}"
    except AssertionError as error:
        return b + 1.0, str(error)
    return b * 2.0, ""


for n in (1, 3, 1, 3):
    show("assert", asserts(a, n))


def loops(b):
    total = b
    for k in range(5):
        try:
            if k == 1:
                continue
            if k == 3:
                break
            if k == 2:
                raise ValueError
            total = total + k
        except ValueError:
            total = total * 2.0
        finally:
            total = total + 0.5
    return total


show("loops", repeat(loops, a))


def returns_in_finally(b):
    try:
        raise ValueError
    finally:
        return b * 2.0 + 1.0


show("finally", repeat(returns_in_finally, a))


# Exceptions raised by and through array code: caught inside, outside, in finally, chained.
def risky(a, b):
    c = a * 2
    try:
        d = c + b
    except ValueError as error:
        return f"shapes: {error}"
    finally:
        trail.append(c.sum())
    return d - c


def chained_in_turn(a):
    try:
        return a.reshape(7, 7) + 1
    except ValueError as error:
        raise RuntimeError("cannot reshape") from error


def raises_after(a):
    a += 1
    b = a.sum()
    if b > 20:
        raise KeyError(float(b))
    return b


trail = []
for k in range(12):
    show("same", risky(np.arange(3.0), np.arange(3.0)))
    show("other", risky(np.arange(3.0), np.arange(4.0)))
show("trail", np.array(trail))
for _ in range(4):
    try:
        chained_in_turn(np.arange(5))
    except RuntimeError as error:
        print(error, "<-", error.__cause__)
counter = np.zeros(4)
for k in range(9):
    try:
        show("after", raises_after(counter))
    except KeyError as error:
        print("KeyError", error)
show("counter", counter)
for bad in (lambda a: a[10], lambda a: a["x"], lambda a: a @ np.ones(3), lambda a: a.nothing, lambda a: a + None,
            lambda a: np.concatenate([a, a[None]]), lambda a: a.sum(axis=3)):
    for _ in range(3):
        try:
            bad(np.arange(4.0))
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
    print(message)


class Made(Exception):
    made = []

    def __init__(self, *args):
        Made.made.append(type(self).__name__)


class Cause(Made):
    pass


def order_of_making(a):
    Made.made.clear()
    try:
        raise Made from Cause
    except Made:
        return list(Made.made), a.sum()


def caught_by(a, classes):
    try:
        try:
            raise ValueError("inner")
        except classes:
            return "caught", a.sum()
    except Exception as error:
        return type(error).__name__, str(error), a.sum()


for _ in range(4):
    print(order_of_making(np.arange(3.0)))
    for classes in (ValueError, (ValueError, KeyError), (ValueError, (KeyError,)), (ValueError, 5), ((ValueError,),),
                    (KeyError, ArithmeticError), (), [ValueError], 5, (KeyError, Exception)):
        print(caught_by(np.arange(3.0), classes))


def nested_literal(a):
    try:
        try:
            raise ValueError("inner")
        except (ValueError, (KeyError,)):
            return "caught", a.sum()
    except TypeError as error:
        return str(error), a.sum()


def number_literal(a):
    try:
        try:
            raise ValueError("inner")
        except (ValueError, 5):
            return "caught", a.sum()
    except TypeError as error:
        return str(error), a.sum()


def not_classes(a):
    said = []
    for ask in (lambda: issubclass(bool, [int]), lambda: isinstance(True, [int]),
                lambda: issubclass(bool, (int, [str])), lambda: issubclass(bool, (str, (int,)))):
        try:
            said.append(ask())
        except TypeError as error:
            said.append(str(error))
    return said, a.sum()


for _ in range(4):
    print(nested_literal(np.arange(3.0)), number_literal(np.arange(3.0)), not_classes(np.arange(3.0)))
