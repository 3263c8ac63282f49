"""A generator's finally, and an object's __del__, run where the last name goes, before the next line does."""
import contextlib

import numpy as np

log = []


class Loud:
    def __init__(self, values):
        self.values = values

    def __iter__(self):
        return self

    def __next__(self):
        return self.values

    def scaled(self, by):
        return self.values * by

    def __del__(self):
        log.append("del")


def stepper(values):
    try:
        for i in range(len(values)):
            yield values[i]
    finally:
        log.append("closed")


def left(x):
    for s in stepper(x):
        x = x + 1
        if s > -1:
            break
    log.append("after")
    return x


def left_in_a_loop(x):
    for _ in x[:2]:
        for _ in stepper(x):
            log.append(len(x))
            x = x + 1
            if len(log) % 2:
                break
        log.append("after")
        match x:
            case [a]:
                log.append("one")
            case _:
                log.append("no")
    return x


def left_through_zip(x):
    for a, b in zip(stepper(x), x):
        log.append("in")
        x = x + a * b
        if len(log) > 1:
            break
    log.append("after")
    for i, a in enumerate(map(abs, stepper(x))):
        log.append(i)
        x = x + a
        if i:
            break
    log.append("after")
    return x


def left_by_an_exception(x):
    try:
        for _ in stepper(x):
            log.append("in")
            x = x + 1
            if len(log) > 1:
                raise ValueError("left")
    except ValueError:
        log.append("handled")
    log.append("after")
    return x


def left_by_return(x):
    def inner(values):
        for s in stepper(values):
            log.append("in")
            if len(log) > 1:
                return s
    found = inner(x)
    log.append("after")
    return found + x


def temporary(x):
    y = Loud(x).scaled(2)
    log.append("after")
    z = Loud(y).values + 1
    log.append("again")
    return y + z


def infinite(x):
    for s in Loud(x):
        x = x + s
        log.append("in")
        if len(log) > 2:
            break
    log.append("after")
    return x


def renamed(x):
    it = stepper(x)
    log.append(float(next(it)))
    pairs = zip(it, x)
    log.append(float(next(pairs)[0]))
    it = None
    log.append("still")
    pairs = 1
    log.append("gone")
    return x * 2


def managed(x):
    with contextlib.closing(stepper(x)) as it:
        for s in it:
            x = x + s
            log.append("in")
            break
        log.append("not yet")
    log.append("after")
    return x


def failing(x):
    it = stepper(x)
    next(it)
    return x[99]


def handled_with_a_name(x):
    try:
        failing(x)
    except IndexError as error:
        log.append(str(error)[:5])
    log.append("after")
    return x + 1


def handled_later(x):
    for k in range(3):
        try:
            if k != 1:
                failing(x)
        except IndexError as error:
            kept = error
        log.append("next")
        x = x + 1
    kept = None
    log.append("after")
    return x


def in_a_list(x):
    inner = [Loud(x)]
    outer = [inner, 1]
    inner = None
    log.append("still")
    outer = None
    log.append("after")
    return x + 1


def in_a_dict(x):
    table = {"a": Loud(x)}
    y = x + 1
    table = {}
    log.append("after")
    return y


def in_a_tuple(x):
    loud = Loud(x)
    pair = (loud, x)
    del loud
    log.append("still")
    pair = 1
    log.append("after")
    return x * 2


def in_a_closure(x):
    function = (lambda loud: (lambda: loud))(Loud(x))
    y = x + 1
    function = None
    log.append("after")
    return y


for function in (left, left_in_a_loop, left_through_zip, left_by_an_exception, left_by_return, temporary, infinite, renamed,
                 managed, handled_with_a_name, handled_later, in_a_list, in_a_dict, in_a_tuple, in_a_closure):
    for _ in range(6):
        log.clear()
        result = function(np.arange(1.0, 4.0))
        print(function.__name__, result, log)
