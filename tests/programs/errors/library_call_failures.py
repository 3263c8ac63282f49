"""Library calls that fail, or print what they are given, are made once."""
# test: numpy2
import warnings
import numpy as np


def least_squares(a, b):
    x = a * 2
    return np.linalg.lstsq(x, b, rcond=None)


def singular_values(a, b):
    y = a + 1
    return np.linalg.svd(y)


def eigenvalues(a, b):
    return np.linalg.eigvals(a * 0.5) + 1


def symmetric(a, b):
    return np.linalg.eigvalsh(a + a.T)


def inverse(a, b):
    return np.linalg.inv(a * 1) * 2


def solution(a, b):
    return np.linalg.solve(a * 1, b + 1)


def pseudo_inverse(a, b):
    return np.linalg.pinv(a * 1) * 2


def condition(a, b):
    return np.linalg.cond(a * 1)


def rank(a, b):
    return np.linalg.matrix_rank(a * 1)


def determinant(a, b):
    return np.linalg.det(a * 1) * 2


def norm(a, b):
    return np.linalg.norm(a * 1, 2) + 1


def fit(a, b):
    return np.polyfit(b * 1, a[0], 1)


def factor(a, b):
    return np.linalg.cholesky(a * 1) * 2


FUNCTIONS = (least_squares, singular_values, eigenvalues, symmetric, inverse, solution, pseudo_inverse, condition,
             rank, determinant, norm, fit, factor)
MATRICES = {
    "nan": np.full((3, 3), np.nan),
    "inf": np.full((3, 3), np.inf),
    "one nan": np.array([[1.0, 2, 3], [4, np.nan, 6], [7, 8, 10]]),
    "singular": np.ones((3, 3)),
    "fine": np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]]),
}

for function in FUNCTIONS:
    for name, matrix in MATRICES.items():
        for _ in range(2):
            try:
                with np.errstate(all="ignore"):
                    result = function(matrix, np.array([0.0, 1, 2]))
            except (np.linalg.LinAlgError, ValueError, SystemError) as error:
                result = f"{type(error).__name__}: {error}"
            print(function.__name__, name, result, flush=True)


# Errors of the function's own arithmetic, before it gives LAPACK what they made.
def line(x, factor):
    return np.polyfit(x * factor, x, 1)


warnings.simplefilter("ignore")
for factor in 7.0, 8.0, 9.0, 7.0, 0.0, 0.0, 2.0:
    try:
        print("line", factor, line(np.array([1.0, 2, 3, 4]), factor), flush=True)
    except (np.linalg.LinAlgError, ValueError) as error:
        print("line", factor, type(error).__name__, error, flush=True)
