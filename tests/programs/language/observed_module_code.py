"""Others look at, run again, trace and interrupt module-level code while its loops run."""
import dis
import marshal
import runpy
import signal
import sys
import threading
import types

import numpy as np

import show

SOURCE = """
import numpy as np
a = np.linspace(0.0, 1.0, 64)
b = a
for turn in range(12):
    b = np.sqrt(b * a + turn) - a
    c = b * 2.0
    if turn == 6:
        look()
done = float(c.sum())
"""


def run(look, times=1, code=None):
    code = code or compile(SOURCE, "<loop>", "exec")
    results = []
    for _ in range(times):
        names = {"look": look}
        exec(code, names)
        results.append((names["done"], names["turn"]))
    return results


print(run(lambda: None, 3, compile(SOURCE, "<loop>", "exec")))


# What the code object looks like from inside.
def inspect_caller():
    frame = sys._getframe(1)
    code = frame.f_code
    fresh = compile(SOURCE, "<loop>", "exec")
    print(frame.f_lineno, code.co_code == fresh.co_code, marshal.loads(marshal.dumps(code)) == fresh)
    print([i.opname for i in dis.get_instructions(code)] == [i.opname for i in dis.get_instructions(fresh)])
    print(code.replace(co_name="other").co_name, frame.f_locals is frame.f_globals)


print(run(inspect_caller))


# The same code run again from inside: recursion.
depth = 0


def again():
    global depth
    depth += 1
    if depth < 4:
        exec(sys._getframe(1).f_code, {"look": again})


print(run(again), depth)


# The same code as a function's.
def as_function():
    code = sys._getframe(1).f_code
    made = types.FunctionType(code, {"look": lambda: None})
    print(made(), made(), made.__globals__["done"])

    def other():
        return 1

    other.__code__ = code
    globals()["look"] = lambda: None
    print(other(), globals()["done"])


print(run(as_function))


# The same code in several threads at once.
code = compile(SOURCE, "<loop>", "exec")
answers = []
threads = [threading.Thread(target=lambda: answers.extend(run(lambda: None, 20, code))) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(answers), set(answers) == set(run(lambda: None)))


# Tracing that starts in the middle of a loop: frame by frame, and of the loop's own frame.
events = []


def trace(frame, event, arg):
    if frame.f_code.co_filename == "<loop>":
        events.append((event, frame.f_lineno))
    return trace


def start_tracing():
    sys._getframe(1).f_trace = trace
    sys.settrace(trace)


print(run(start_tracing))
sys.settrace(None)
print(len(events), events[:8], events[-3:])

events.clear()


def profile(frame, event, arg):
    if frame.f_code.co_filename == "<loop>":
        events.append((event, frame.f_lineno))


print(run(lambda: sys.setprofile(profile)))
sys.setprofile(None)
print(events)

# An exception out of the loop, and the traceback's view of it.
try:
    run(lambda: 1 / 0)
except ZeroDivisionError as error:
    tb = error.__traceback__
    while tb is not None:
        print(tb.tb_frame.f_code.co_name, tb.tb_frame.f_code.co_filename == "<loop>", tb.tb_lineno - tb.tb_frame.f_code.co_firstlineno)
        tb = tb.tb_next


# A signal in the middle: the handler raises.
class Stop(Exception):
    pass


def on_alarm(number, frame):
    raise Stop


signal.signal(signal.SIGALRM, on_alarm)
signal.setitimer(signal.ITIMER_REAL, 0.05)
v = np.ones(50)
rounds = 0
try:
    while True:
        v = v * 0.5 + 1.0
        rounds += 1
except Stop:
    print("stopped", rounds > 0, v[:2])

names = runpy.run_path(show.__file__, run_name="looked_at")
print(sorted(n for n in names if not n.startswith("_"))[:3])


# Names of the loop that are written by what it calls.
def double():
    global v
    v = v * 2.0
    return v[0]


for i in range(10):
    v = v + 1.0
    first = double()
    w = v - first
print(v[:3], first, w[:3])

for i in range(10):
    globals()["v"] = v * 0.5
    u = v + i
print(u[:3], v[:3])
