"""A reshape to the shape that is there leaves the strides alone: of empty arrays, and of axes of one element."""
import numpy as np


def show(name, *results):
    print(name, *((r.shape, r.strides, r.flags.c_contiguous, r.flags.owndata) for r in results))


def rolled(x):
    doubled = x * 2
    show("rolled", np.roll(x, 0), doubled)
    return doubled


def reshaped(x):
    y = x + 1
    show("reshaped", y.reshape(y.shape), x.reshape(x.shape), y.reshape(-1), x.T.reshape(x.T.shape))
    return y.reshape(y.shape[0], y.shape[1])


for size in (5, 5, 6, 7, 0, 0, 5, 1, 0):
    rolled(np.ones(size))
    show("result", reshaped(np.ones((size, 2))))
    show("result", reshaped(np.ones((9, 4))[:size, ::2]))
    show("result", reshaped(np.ones((9, 4))[:1, :size]))
