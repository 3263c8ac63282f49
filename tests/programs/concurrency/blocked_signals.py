"""Signals that are blocked, waited for, sent to a thread, written to a file, ignored: none goes to a thread of DynaCC's."""
# test: signals-at-once
import os
import signal
import threading
import time
import warnings

import numpy as np
from show import repeat

received = []


def kernel(x):
    return np.sin(x) * 2 + np.sqrt(x + 1) * x


def send(number=signal.SIGUSR1):
    os.kill(os.getpid(), number)


x = np.arange(300000.0)
repeat(kernel, x, times=30)
time.sleep(0.2)  # for what is compiled in the background
repeat(kernel, x, times=10)

signal.signal(signal.SIGUSR1, lambda number, frame: received.append(number))
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGALRM})
for _ in range(5):
    send()
    kernel(x)
    print(signal.sigtimedwait({signal.SIGUSR1}, 5).si_signo, received)
send()
kernel(x)
print("pending", sorted(signal.sigpending()), received)
print("waited for", signal.sigwait({signal.SIGUSR1}))
signal.setitimer(signal.ITIMER_REAL, 0.02)
print("timer", signal.sigwait({signal.SIGALRM}))
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR1, signal.SIGALRM})
send()
print("unblocked", received)

read, write = os.pipe()
os.set_blocking(write, False)
signal.set_wakeup_fd(write)
send()
print("written", os.read(read, 9), len(received))
signal.set_wakeup_fd(-1)

main = threading.get_ident()
thread = threading.Thread(target=signal.pthread_kill, args=(main, signal.SIGUSR1))
thread.start()
thread.join()
kernel(x)
print("from a thread", len(received))

frames = []
signal.signal(signal.SIGVTALRM, lambda number, frame: frames.append(frame.f_code.co_name))
signal.setitimer(signal.ITIMER_VIRTUAL, 0.01)
while not frames:
    kernel(x)
print("of the processor's time", frames[0] in ("<module>", "kernel"))

signal.signal(signal.SIGUSR1, signal.SIG_IGN)
send()
print("ignored", len(received))
# From CPython 3.12 on, as DynaCC has threads.
warnings.filterwarnings("ignore", "This process .* is multi-threaded")
child = os.fork()
if child == 0:
    signal.signal(signal.SIGTERM, lambda number, frame: os._exit(7))
    kernel(x)
    send(signal.SIGTERM)
    time.sleep(5)
    os._exit(1)
print("child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
