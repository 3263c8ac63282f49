"""Powers whose exponent is a NumPy bool warn at the line where the power stands."""
import warnings
import numpy as np


def later(x, y):
    z = x + 1
    both = [z,
            x ** y[1]]
    return both


def by_name(x, y):
    exponent = y[-1]
    z = x * 2
    return z ** exponent + x


def of_array(x, y):
    return x ** y


def printed(message, category, filename, line, *rest):
    print("  ", category.__name__, message, "at", line)


warnings.showwarning = printed
warnings.simplefilter("always")
for function in later, by_name, of_array:
    for x in np.full((), 2.0), np.full(3, 2.0), np.full(3, 2, "f4"), np.arange(3):
        for y in np.ones(3, bool), np.zeros(3, bool), np.ones(3, "i4"):
            for call in range(2):
                print(function.__name__, x.dtype, x.shape, y.dtype, function(x, y))
