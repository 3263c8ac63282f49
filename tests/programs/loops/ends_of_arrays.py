"""Loops at the ends of arrays: ranges without rounds, stores that a test keeps inside, and rounds that fail in two ways."""
import ctypes
import math
import mmap

import numpy as np

PAGE = mmap.PAGESIZE
memory = mmap.mmap(-1, 3 * PAGE)
address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
libc = ctypes.CDLL(None, use_errno=True)
for page in (0, 2):  # nobody may touch them
    assert libc.mprotect(ctypes.c_void_p(address + page * PAGE), PAGE, 0) == 0
between = np.frombuffer(memory, dtype=np.float64, count=PAGE // 8, offset=PAGE)


# --- What a range without rounds leaves in its variable.

def store_at_what_is_left(a, ks, m):
    i = 0
    for r in range(len(ks)):
        i = r * m
        if i < 5:
            seen = i
        for i in range(ks[r]):
            seen = i
        a[i] = -1.0
    return i, seen


def read_at_what_is_left(a, ks, i):
    s = 0.0
    for r in range(len(ks)):
        for i in range(ks[r]):
            s += 1.0
        s += a[i]
    return s


base = np.arange(20000.0)
part = base[5000:5200]
rounds = np.full(3000, 3, dtype=np.int8)
for k in range(30):
    store_at_what_is_left(part, rounds, 2)
rounds[2990] = 0
try:
    print(store_at_what_is_left(part, rounds, 2))
except IndexError as error:
    print("IndexError", error)
print(np.flatnonzero(base == -1.0))

base = np.arange(1000.0)
part = base[500:700]
rounds[:] = 3
for k in range(30):
    read_at_what_is_left(part, rounds, 5)
rounds[:10] = 0
print(read_at_what_is_left(part, rounds, -1))


# --- Stores in some of the rounds.

def fill(a, n, m, x):
    for i in range(m):
        if i < n:
            a[i] = x * 2.0 + 1.0


def shift(x, out, k):
    for i in range(len(x)):
        if i >= k:
            out[i - k] = x[i] * 2.0


for k in range(30):
    fill(between, len(between), 20000, float(k))
    print(k, between.sum())
x = np.arange(800.0)
for k in range(400, 430):
    shift(x, between, k)
    print(k, between.sum())


# --- A product overflows in a round that then ends in another way.

def gather(x, y, z, at, out):
    for i in range(len(x)):
        out[i] = x[i] * y[i] + z[at[i]]


def root(x, y, w, out):
    for i in range(len(x)):
        out[i] = x[i] * y[i] * math.sqrt(w[i])


def floor(x, y, w, out):
    for i in range(len(x)):
        out[i] = x[i] * y[i] + w[i] // 1.0


n = 3000
x, y, w, z, out = np.ones(n), np.ones(n), np.ones(n), np.ones(50), np.zeros(n)
at = np.zeros(n, dtype=np.int64)
for k in range(30):
    gather(x, y, z, at, out)
    root(x, y, w, out)
    floor(x, y, w, out)
x[2000] = y[2000] = 1e300
at[2000] = 77
for over in ("warn", "raise"):
    with np.errstate(over=over):
        for function, arguments, bad in ((gather, (z, at), 1.0), (root, (w,), -1.0), (floor, (w,), np.inf)):
            w[2000] = bad
            out[:] = 0.0
            try:
                function(x, y, *arguments, out)
            except Exception as error:
                print(over, function.__name__, type(error).__name__, error)
            print(out.sum())


# --- Functions that report what went into them.

def log_sums(x, y, out):
    for i in range(len(x)):
        out[i] = np.logaddexp(x[i], y[i])


def neighbours(x, y, out):
    for i in range(len(x)):
        out[i] = np.nextafter(x[i], y[i])


def powers(x, y, out):
    for i in range(len(x)):
        out[i] = np.power(x[i], y[i])


for function in (log_sums, neighbours, powers):
    for a, b in ((1.0, np.nan), (np.nan, 1.0), (np.inf, -np.inf), (np.finfo(float).max, np.inf), (0.0, -np.inf),
                 (1e308, np.inf), (-1.0, 0.5), (np.nan, 0.0)):
        x, y = np.ones(400), np.ones(400)
        for k in range(8):
            function(x, y, out)
        x[300], y[300] = a, b
        function(x, y, out)
        print(function.__name__, a, b, out[300])
