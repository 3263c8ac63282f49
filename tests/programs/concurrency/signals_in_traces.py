"""What a signal's handler raises while a function is traced, or anything is looked up for it, is not lost."""
import signal

import numpy as np


class Late(Exception):
    pass


raised = 0
caught = 0


def handler(number, frame):
    global raised
    raised += 1
    raise Late


TEXT = """
def function(a):
    grid = np.linspace(0.0, 1.0, {size})
    b = np.where(a > np.finfo(a.dtype).eps, a, 0.0) + np.iinfo(np.int32).max
    with np.errstate(all="ignore"):
        c = (b[:, None] * grid).sum(axis=1) + np.interp(0.5, grid, grid)
    return c + np.ones_like(a) * np.result_type(a, grid).itemsize
"""
signal.signal(signal.SIGALRM, handler)
a = np.arange(30.0)
for k in range(300):
    names = {"np": np}
    exec(TEXT.format(size=k % 7 + 2), names)
    before = raised
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-5 * (k % 100 + 1))
        names["function"](a)
        while raised == before:
            pass
    except Late:
        caught += 1
print(raised, caught)
