"""A signal handler's exception comes where CPython polls: at a jump back, after a call, at RESUME.

A `try` within a loop catches nothing at the jump back, which lies behind it, whatever the loop was
doing when the signal came. And what a program finds done by then is a whole round, or none of it.
"""
# test: signals-at-once
import os
import random
import signal
import traceback

import numpy as np

ATTEMPTS = 5


class Alarm(Exception):
    pass


def ring(number, frame):
    raise Alarm


def inside(a):
    while True:
        try:
            a = a + 1
        except Alarm:
            return "caught"


def inside_two_statements(a):
    while True:
        try:
            b = a + 1
            a = b * 0.5
        except Alarm:
            return "caught"


def inside_a_for_loop(a):
    for _ in range(10**12):
        try:
            a = a * 0.5
        except Alarm:
            return "caught"


def before_the_try(a):
    while True:
        b = a + 1
        try:
            a = b * 0.5
        except Alarm:
            return "caught"


def around_a_length(a):
    while True:
        try:
            size = len(a)
        except Alarm:
            return "caught", size


def whole_rounds(a):
    i = j = 0
    try:
        while True:
            i += 1
            a = a * 0.5
            j += 1
    except Alarm:
        return i - j


def not_before_the_first_round(a):
    try:
        while True:
            b = a + 1
            a = b * 0.5
    except Alarm:
        return np.shape(b)


def whole_calls(a):
    calls = 0

    def halved(a):
        nonlocal calls
        calls += 1
        return a * 0.5

    rounds = 0
    try:
        while rounds >= 0:
            a = halved(a)
            rounds += 1
    except Alarm:
        return calls - rounds


def two_jumps_back(a):
    i = 0
    while True:
        i += 1
        a = a * 0.5
        if i % 64:
            continue
        a = a + 1


def outcome(function, a):
    # Of the processor's time, so that the loop is somewhere in the middle by then.
    signal.setitimer(signal.ITIMER_PROF, random.uniform(0.02, 0.03))
    try:
        return function(a)
    except Alarm as alarm:
        return f"escaped through {[entry.name for entry in traceback.extract_tb(alarm.__traceback__)]}"


def shown(function, outcomes):
    """The outcomes, or all of those that may be if which of them comes is CPython's business.

    CPython polls after the call of a Python function, too, while an evaluator is installed and it runs the caller
    itself (docs/limits.md). It never does so under DYNACC_POLICY=always.
    """
    is_left_to_cpython = os.environ.get("DYNACC_POLICY") != "always"
    if function is whole_calls and is_left_to_cpython and outcomes <= {0, 1}:
        return {0}
    return outcomes


random.seed(621)
signal.signal(signal.SIGPROF, ring)
for function in (inside, inside_two_statements, inside_a_for_loop, before_the_try, around_a_length, whole_rounds,
                 not_before_the_first_round, whole_calls, two_jumps_back):
    for a in (np.ones(3), np.ones(30_000), [1.5] if function is around_a_length else 1.5):
        outcomes = {outcome(function, a) for _ in range(ATTEMPTS)}
        print(function.__name__, type(a).__name__, np.size(a), shown(function, outcomes))
