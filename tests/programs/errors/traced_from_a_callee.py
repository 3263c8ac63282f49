"""A function that another one sets a tracing tool for, and an exception that comes with it: what the tool is told."""
import sys

import numpy as np


def told(frame, event, _):
    events.append((frame.f_code.co_name, event, frame.f_lineno))
    return told


def trace_and_raise(x):
    sys.settrace(told)
    sys._getframe().f_back.f_trace = told
    raise RuntimeError(float(x.sum()))


def handles(x):
    x = x * 2.0 + 1.0
    try:
        trace_and_raise(x)
    except RuntimeError as error:
        x = x + error.args[0]
    return x * 3.0


def lets_out(x):
    x = x * 2.0 + 1.0
    trace_and_raise(x)
    return x


for _ in range(5):
    events = []
    x = handles(np.arange(4.0))
    sys.settrace(None)
    print(x, *events, sep="\n")
    events = []
    try:
        lets_out(np.arange(4.0))
    except RuntimeError as error:
        sys.settrace(None)
        print(error.__traceback__.tb_next.tb_lineno, *events, sep="\n")
