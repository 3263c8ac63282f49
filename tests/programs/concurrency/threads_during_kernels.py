"""Other threads go on while a long kernel runs, as they do while NumPy computes."""
import threading
import time

import numpy as np


def long_work(x):
    y = np.exp(x) + np.sin(x) * 0.5
    y = np.tanh(y) + np.cos(x)
    return np.log(y * y + 1.0)


class Ticker(threading.Thread):
    """Counts how often it could run."""

    def __init__(self):
        super().__init__()
        self.stopped = False
        self.ticks = 0

    def run(self):
        while not self.stopped:
            time.sleep(0.0005)
            self.ticks += 1


def ticks_beside_kernel(x):
    """How often another thread could run: without the GIL not once."""
    ticker = Ticker()
    ticker.start()
    time.sleep(0.01)
    before = ticker.ticks
    r = long_work(x)
    time.perf_counter()  # no segment goes on here, so what follows is read anew
    ticks = ticker.ticks - before
    ticker.stopped = True
    ticker.join()
    return ticks, r


x = np.linspace(-3.0, 3.0, 3_000_000)
expected = long_work(x)
for _ in range(3):
    long_work(x)
# A busy machine may keep the other thread waiting for most of a run, but not each time.
most, result = max((ticks_beside_kernel(x) for _ in range(12)), key=lambda pair: pair[0])
print("others run:", most >= 3, np.array_equal(result, expected))

# Several threads compute at once on arrays of their own and on one that they share.
results = {}


def worker(k):
    mine = np.full(200_000, float(k))
    for _ in range(5):
        results[k] = (long_work(mine).sum(), long_work(x)[:3].tolist())


threads = [threading.Thread(target=worker, args=(k,)) for k in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for k in sorted(results):
    print(k, results[k])


def forever():
    while True:
        long_work(x)


# What a thread that is not waited for computes at the end harms nothing.
threading.Thread(target=forever, daemon=True).start()
time.sleep(0.05)
print("end")
