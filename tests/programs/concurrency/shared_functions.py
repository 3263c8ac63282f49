"""Several threads call the same functions at once, with different shapes and dtypes."""
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from show import show


def work(a, k):
    b = np.sin(a) * k + a
    for _ in range(5):
        b = b * 0.5 + a / (1 + b * b)
    return b.sum(axis=-1)


def job(k):
    rng = np.random.default_rng(k)
    a = rng.normal(size=(k % 5 + 1, 100 + k)).astype("f4" if k % 3 else "f8")
    for _ in range(20):
        result = work(a, k)
    return result


with ThreadPoolExecutor(4) as pool:
    for k, result in enumerate(pool.map(job, range(24))):
        show(f"job {k}", result)
shared = np.zeros(1000)
lock = threading.Lock()


def add(k):
    for _ in range(50):
        with lock:
            shared[:] += np.arange(1000.0) * k


threads = [threading.Thread(target=add, args=(k,)) for k in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
show("shared", shared)
