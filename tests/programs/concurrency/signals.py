"""A signal ends a captured loop soon after it comes, at a point where the program's state is in order."""
import os
import signal
import threading
import time

import numpy as np


def interrupt_after(seconds):
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def endless_for(a, log):
    for k in range(10**9):
        b = a * 0.5 + 1
        a = b - a * 0.25
        log[0] = k


def endless_while(a, log):
    while True:
        b = a * 0.5 + 1
        a = np.sqrt(b * b)
        log[0] += 1


def endless_calls(a, log):
    while True:
        a = step(a)
        log[0] += 1


def step(a):
    return a * 0.5 + 1


def endless_without_arrays(a, log):
    k = 0
    while True:
        k = (k * 3 + 1) % 1000003
        log[0] = k


def endless_inner(a, log):
    while True:
        for k in range(8):
            a = a + k
            a = a * 0.5
        log[0] += 1


for function in (endless_for, endless_while, endless_calls, endless_without_arrays, endless_inner):
    for size in (10, 10000):
        log = [0]
        timer = interrupt_after(0.3)
        begin = time.monotonic()
        try:
            function(np.ones(size), log)
        except KeyboardInterrupt:
            # 0.3 s and what a busy machine takes to run the timer's thread.
            late = time.monotonic() - begin - 0.3
            print(function.__name__, size, "interrupted", late < 0.5 or late)
            print(log[0] > 0)
        timer.join()

# A handler runs between two iterations, sees a frame with a line in the loop, and may raise.
class Stop(Exception):
    pass


seen = []


def on_alarm(number, frame):
    if len(seen) == 5:  # one more before the timer is off, on a busy machine
        return
    names = []
    while frame is not None:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    seen.append("counted" in names)
    if len(seen) == 5:
        raise Stop


def counted(a):
    k = 0
    try:
        while True:
            a = a * 0.5 + 1
            b = a + a
            k += 1
    finally:
        print("finally", k > 0, bool((a + a == b).all()) or "between")


signal.signal(signal.SIGALRM, on_alarm)
signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
try:
    counted(np.ones(100))
except Stop:
    print("stopped", seen)
finally:
    signal.setitimer(signal.ITIMER_REAL, 0)

# Other threads run meanwhile.
ticks = []
done = threading.Event()


def ticker():
    while not done.is_set():
        ticks.append(1)
        time.sleep(0.001)


def busy(a, until):
    while time.monotonic() < until:
        a = a * 0.5 + 1
        a = a - 0.25
    return a


thread = threading.Thread(target=ticker)
thread.start()
busy(np.ones(10), time.monotonic() + 0.5)
done.set()
thread.join()
print("ticks", len(ticks) > 10)
