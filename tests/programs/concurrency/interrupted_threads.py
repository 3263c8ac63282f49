"""An exception that one thread raises in another comes in that one, also in a function of NumPy that runs Python."""
import ctypes
import threading
import time

import numpy as np

STOPS = 100
SECONDS = 30.0  # at most, on a busy machine


class Stop(BaseException):
    pass


def descending(x):
    return np.sort(x + 1)[::-1] * 2


class Worker(threading.Thread):
    def __init__(self):
        super().__init__()
        self.stops = 0
        self.must_end = False

    def run(self):
        x = np.arange(2000.0)
        wanted = descending(x).tobytes()
        while not self.must_end:
            try:
                while not self.must_end:
                    try:
                        while not self.must_end:
                            assert descending(x).tobytes() == wanted
                    except Stop:
                        self.stops += 1
            except Stop:  # which came in the handler before
                self.stops += 1

    def interrupt(self, exception):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.ident), exception)


worker = Worker()
worker.start()
time.sleep(0.2)
elsewhere = 0
end = time.monotonic() + SECONDS
while worker.stops < STOPS and time.monotonic() < end:
    before = worker.stops
    try:
        worker.interrupt(ctypes.py_object(Stop))
        # The next comes when this one has come: of three at once one would come past the handlers. One that comes in
        # the middle of a trace is lost.
        again = time.monotonic() + 5
        while worker.stops == before and time.monotonic() < again:
            time.sleep(0.001)
    except Stop:
        elsewhere += 1
worker.interrupt(None)  # none may come when the worker is past its handlers
worker.must_end = True
worker.join()
print("stopped:", worker.stops > 2, "elsewhere:", elsewhere)
