"""Forks, threads and pools while the hook goes on and off; a daemon thread at the end."""
import multiprocessing
import os
import threading
import time


def increment(x):
    return x + 1


def spin(seconds):
    end = time.time() + seconds
    n = 0
    while time.time() < end:
        n = increment(n)
    return n


spin(0.1)
pid = os.fork()
if pid == 0:
    spin(0.1)
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
threads = [threading.Thread(target=spin, args=(0.1,)) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map(increment, range(5)))
threading.Thread(target=spin, args=(100,), daemon=True).start()
time.sleep(0.05)
print("end")
