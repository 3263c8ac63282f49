"""LAPACK refuses NaNs with an error of its own, and NumPy calls its Python error handler with that error set."""
import numpy as np

FINE = np.array([[2.0, 1.0], [1.0, 3.0]])
FACTORS = np.nan, np.inf, 1.0


def least_squares(a):
    return np.linalg.lstsq(a, np.ones(2), rcond=None)[0]


def singular_values(a):
    return np.linalg.svd(a, compute_uv=False)


def handler(kind, flag):
    print("handler", kind, flag)


for function in (least_squares, singular_values):
    for k in range(9):
        try:
            print(k, function(FINE * FACTORS[k % 3]))
        except Exception as error:
            print(k, type(error).__name__, error, repr(error.__context__))

np.seterrcall(handler)
with np.errstate(all="call"):
    for k in range(3):
        try:
            print(k, least_squares(FINE * np.nan))
        except Exception as error:
            print(k, type(error).__name__, error, repr(error.__context__))
