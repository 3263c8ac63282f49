"""Tracers, profilers, a debugger and line coverage see captured functions run as CPython would run them."""
import cProfile
import io
import pdb
import pstats
import sys
import threading
import trace

import numpy as np
from show import show


def inner(a, k):
    b = a * k
    c = b + 1
    return c.sum()


def outer(a):
    total = 0.0
    for k in range(4):
        total = total + inner(a, k)
    if total > 1e9:
        raise ValueError(total)
    return total


def warm():
    for _ in range(5):
        outer(np.arange(100.0))


def events_of(install, remove, call):
    events = []

    def tool(frame, event, arg):
        if frame.f_code.co_filename == __file__:
            name = getattr(arg, "__name__", "") if event.startswith("c_") else ""
            local = sorted(set(frame.f_locals) & {"a", "b", "c", "k", "total"})
            events.append((frame.f_code.co_name, event, frame.f_lineno, name, local))
        return tool

    install(tool)
    try:
        call()
    finally:
        remove(None)
    return events


def report(title, events):
    print(title, len(events))
    for event in events:
        print("  ", *event)


a = np.arange(100.0)
warm()
report("settrace", events_of(sys.settrace, sys.settrace, lambda: outer(a)))
warm()
report("setprofile", events_of(sys.setprofile, sys.setprofile, lambda: outer(a)))


# Switched on and off in the middle of functions that are captured already.
def switches(a, tool):
    b = a * 2
    sys.settrace(tool)
    c = b + 1
    d = inner(c, 2)
    sys.settrace(None)
    e = d + c
    return e.sum()


def starts_in_a_callee(a, tool):
    b = a + 1
    enable(tool)
    c = b * 3
    d = inner(c, 2)
    sys.settrace(None)
    return d


def enable(tool):
    sys.settrace(tool)
    sys._getframe(1).f_trace = tool


for function in (switches, starts_in_a_callee):
    for tool in (None, "count", None, "count"):
        lines = []

        def count(frame, event, arg):
            lines.append((frame.f_code.co_name, event, frame.f_lineno))
            return count

        show(function.__name__, function(a, count if tool else None))
        print(lines)

# A profile counts each call.
profile = cProfile.Profile()
profile.enable()
warm()
profile.disable()
text = io.StringIO()
stats = pstats.Stats(profile, stream=text)
print(sorted((name, calls[0], calls[1]) for (file, line, name), calls in stats.stats.items()
             if file == __file__))

# Line coverage.
tracer = trace.Trace(count=1, trace=0)
tracer.runfunc(warm)
print(sorted((line, count) for (file, line), count in tracer.results().counts.items()
             if file == __file__))

# A debugger: a break point, steps, locals, a changed local, up and on.
commands = "b inner\nc\np k, sorted(f for f in dir())\nn\nn\np b[:3], c[:3]\n!b = b * 0\nu\np total, k\nd\ncl 1\nc\n"
out = io.StringIO()
debugger = pdb.Pdb(stdin=io.StringIO(commands), stdout=out, nosigint=True, readrc=False)
debugger.use_rawinput = False
show("debugged", debugger.runcall(outer, a))
print(out.getvalue())
show("after", outer(a))

# Threads that start under a tracer.
seen = []
threading.settrace(lambda frame, event, arg: seen.append(frame.f_code.co_name))
thread = threading.Thread(target=outer, args=(a,))
thread.start()
thread.join()
threading.settrace(None)
print("outer" in seen, seen.count("inner"))
