"""A signal handler's exception at the end of a jump back goes to the handler that CPython finds.

CPython 3.11 has jumped already when it calls the handler, and looks its exception up before the
jump's target: a `try` whose body begins with the loop does not catch it.
"""
import signal
import traceback

import numpy as np

DELAY = 0.02  # of the processor's time, so that the loop has begun by then


class Alarm(Exception):
    pass


def ring(number, frame):
    raise Alarm


class Suppress:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, where):
        return True


def bare(a):
    try:
        while True:
            a = a + 1
    except Alarm:
        return "caught"


def two_statements(a):
    try:
        while True:
            a = a + 1
            a = a * 0.5
    except Alarm:
        return "caught"


def after_a_statement(a):
    try:
        total = a
        while True:
            total = total + 1
    except Alarm:
        return "caught"


def with_a_condition(a):
    i = 0
    try:
        while i < 10**12:
            i += 1
    except Alarm:
        return "caught"


def over_a_range(a):
    try:
        for _ in range(10**12):
            a = a + 1
    except Alarm:
        return "caught"


def nested(a):
    try:
        try:
            while True:
                a = a + 1
        except ValueError:
            return "the wrong one"
    except Alarm:
        return "caught outside"


def with_finally(a):
    try:
        while True:
            a = a * 0.5
    finally:
        print("finally", end=" ")


def in_a_manager(a):
    with Suppress():
        while True:
            a = a + 1
    return "suppressed"


def outcome(function, a):
    signal.setitimer(signal.ITIMER_PROF, DELAY)
    try:
        return function(a)
    except Alarm as alarm:
        return f"escaped through {[entry.name for entry in traceback.extract_tb(alarm.__traceback__)]}"


signal.signal(signal.SIGPROF, ring)
for function in (bare, two_statements, after_a_statement, with_a_condition, over_a_range, nested, with_finally,
                 in_a_manager):
    for a in (np.ones(3), np.ones(10_000), 1.0):
        print(function.__name__, type(a).__name__, np.size(a), [outcome(function, a) for _ in range(3)])
