"""Ctrl-C ends compiled loops and long straight stretches about as soon as it ends NumPy's."""
import signal
import time

import numpy as np

DELAY = 0.3
LATE = 0.3  # a stretch that nothing interrupts takes a second and more
ATTEMPTS = 5  # the quickest counts: compiling in the background is processor time, too


def many_small(a):
    while True:
        b = a * 0.5 + 1.0
        a = b - a * 0.25


def rows(a):
    total = 0.0
    for k in range(10**9):
        b = a * (k % 3) + 1.0
        total = total + (b * b).sum()


def few_large(a):
    while True:
        b = np.sqrt(a * 0.5 + 1.0) * a
        a = b - a * b * 0.25


def wave(a):
    return np.sqrt(np.exp(np.sin(a)))


def straight(a):
    # One long stretch, most of a second; NumPy can be interrupted at each of its calls.
    while True:
        a = wave(wave(wave(wave(wave(wave(wave(wave(a))))))))
        a = wave(wave(wave(wave(wave(wave(wave(wave(a))))))))
        a = wave(wave(wave(wave(wave(wave(wave(wave(a))))))))


def seconds_late(function, size):
    """Processor time from the signal to the exception: what else the machine does hardly counts."""
    a = np.linspace(0.0, 1.0, size)
    due = time.process_time() + DELAY
    signal.setitimer(signal.ITIMER_PROF, DELAY)
    try:
        function(a)
    except KeyboardInterrupt:
        return time.process_time() - due


signal.signal(signal.SIGPROF, signal.default_int_handler)
for function, size in ((many_small, 16), (many_small, 5000), (rows, 1000), (few_large, 500_000),
                       (straight, 4_000_000)):
    late = []
    while len(late) < ATTEMPTS and not (late and min(late) < LATE):
        late.append(seconds_late(function, size))
    print(function.__name__, size, "within 300 ms" if min(late) < LATE else f"late by {min(late):.3f} s")

# Signals that come faster than a stretch can run do not keep it from ending, and their handlers see
# a program in order.
seen = []
signal.signal(signal.SIGALRM, lambda number, frame: seen.append(frame.f_code.co_name))


def under_fire(a, log):
    for k in range(3):
        b = np.sqrt(np.exp(np.sin(a)))
        c = np.sqrt(np.exp(np.cos(b)))
        a = b + c
        log.append(k)
    return a


a = np.linspace(0.0, 1.0, 3_000_000)
quiet = under_fire(a, [])
signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
log = []
noisy = under_fire(a, log)
signal.setitimer(signal.ITIMER_REAL, 0)
print(log, (quiet == noisy).all(), "under_fire" in seen)
