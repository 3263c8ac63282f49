"""Builtin exceptions keep parts in C, also when one function raises and catches them."""
import numpy as np

log = []


def yields_once(values):
    got = yield values.sum()
    return got


def returns(values):
    return values + 1
    yield


def drive(coroutine):
    try:
        coroutine.send(None)
        coroutine.send(2)
    except StopIteration as stop:
        return stop.value


def driven(x, generator):
    try:
        result = drive(generator(x))
    except Exception:
        log.append("caught")
        return x
    return result


def stopped(x, *args):
    try:
        raise StopIteration(*args)
    except StopIteration as stop:
        return stop.value, stop.args, x + 1


def stopped_and_changed(x):
    try:
        raise StopIteration(x)
    except StopIteration as stop:
        stop.value = 3
        return stop.value, stop.args


def args_changed(x):
    try:
        raise StopIteration(x)
    except StopIteration as stop:
        stop.args = (7,)
        return stop.value, stop.args


def attribute(x):
    try:
        return x.sum().nothing
    except AttributeError as error:
        return error.name, type(error.obj).__name__


def name(x):
    try:
        return x + nothing
    except NameError as error:
        return error.name


def exits(x):
    try:
        raise SystemExit(x.sum())
    except SystemExit as error:
        return error.code


def system(x):
    try:
        raise OSError(2, "no", "file")
    except OSError as error:
        return type(error).__name__, error.errno, error.strerror, error.filename, x.sum()


class Slotted(Exception):
    __slots__ = ("part",)


def slotted(x):
    try:
        raise Slotted(x)
    except Slotted as error:
        try:
            return error.part
        except AttributeError as missing:
            return str(missing)


x = np.arange(3.0)
for function, arguments in ((driven, (yields_once,)), (driven, (returns,)), (stopped, ()), (stopped, (5,)),
                            (stopped, (5, 6)), (stopped_and_changed, ()), (args_changed, ()), (attribute, ()), (name, ()),
                            (exits, ()), (system, ()), (slotted, ())):
    for _ in range(3):
        print(function.__name__, len(arguments), function(x, *arguments), log)
