"""The memory order of what NumPy makes of casts, where the array that is cast repeats its elements."""
import numpy as np


def mean(x): return np.mean(x.astype(np.int32), axis=2)
def total(x): return np.sum(x.astype(np.int32), axis=2)
def reduced(x): return np.add.reduce(x.astype(np.int32), axis=2, dtype="f8")
def running(x): return np.cumsum(x.astype(np.int64), axis=0)
def ordered(x): return np.sort(x.astype(np.float64), axis=1)
def twice(x): return x.astype(np.int32).astype(np.float64)
def of_sum(x): return np.mean((x + 1).astype(np.int32), axis=2)


numbers = np.arange(60, dtype="u2")
arrays = [np.broadcast_to(part, (5, 4, 3))
          for part in (numbers[:3], numbers[:4, None], numbers[:5, None, None], numbers[:12].reshape(4, 3),
                       numbers[:15].reshape(5, 1, 3), numbers[:20].reshape(4, 5).T[:, :, None],
                       numbers.reshape(3, 4, 5).T)]
for function in mean, total, reduced, running, ordered, twice, of_sum:
    for array in arrays + arrays[:1]:
        made = function(array)
        print(function.__name__, array.strides, made.strides, made.flags.c_contiguous, made.ravel()[:5])
