"""A signal during a loop is handled at the jump back: its line shows, and its handlers catch."""
# test: signals-at-once
import signal

import numpy as np


class Alarm(Exception):
    pass


def ring(_, frame):
    raise Alarm(frame.f_lineno)


signal.signal(signal.SIGVTALRM, ring)


def counting():
    i = 0
    while True:
        i += 1
        i ^= 1


def tested_below():
    i = 0
    while i >= 0:
        i += 1
        i -= 1


def over_range():
    for i in range(10**15):
        last = i
    return last


def nested():
    for i in range(10**9):
        for j in range(10**9):
            last = i + j
    return last


def of_arrays(a):
    while True:
        a = a + 1.0
        a = a - 1.0


def outside_of_try(a):
    """The jump back is not in the body's `try`."""
    while True:
        try:
            a[0] += 1
        except Alarm:
            print("never")


def around(values):
    """The jump back is in a `try` around the loop."""
    total = 0
    try:
        for i in range(10**15):
            total += values[i & 1]
    except Alarm:
        return type(total).__name__
    return None


def counting_in_an_array(a):
    """Each element has been counted as often as those before it, or once less."""
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.1)
    rounds = 0
    try:
        while True:
            for i in range(len(a)):
                a[i] += 1
            rounds += 1
    except Alarm:
        return rounds > 0, a.max() - a.min() <= 1


def interrupted(function, *args):
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.1)
    try:
        print(function.__name__, function(*args))
    except Alarm as alarm:
        first = function.__code__.co_firstlineno
        frame = alarm.__traceback__.tb_next
        print(function.__name__, alarm.args[0] - first, frame.tb_lineno - first)


for function in (counting, tested_below, over_range, nested):
    interrupted(function)
interrupted(of_arrays, np.ones(3))
interrupted(outside_of_try, np.ones(2, np.float32))
interrupted(outside_of_try, [1.5])
interrupted(around, [1.0, 2.0])
interrupted(around, np.arange(2))
print(counting_in_an_array(np.zeros(100)))
