"""Complex NumPy scalars compare part by part, whatever is NaN; complex arrays do not."""
import numpy as np

VALUES = [complex(np.inf, np.nan), complex(1, np.nan), complex(np.nan, 1), complex(1, 2),
          complex(1, 1), complex(np.nan, np.nan), complex(2, 0)]


def compared(v, w):
    s, t = v.sum(), w.sum()
    return (s < t, s <= t, s > t, s >= t, s == t, s != t, s > 0, s >= 1.0, v[0] < w[0], v < w,
            v >= w, np.less(s, t))


for dtype in (np.complex64, np.complex128):
    for x in VALUES:
        for y in VALUES:
            print(x, y, *compared(np.array([x], dtype), np.array([y], dtype)))
