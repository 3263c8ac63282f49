"""Eigenvalues and roots are real or complex as the values say, and what follows goes with that."""
# test: numpy2
import numpy as np

rng = np.random.default_rng(421)


def described(*arrays):
    for array in arrays:
        print(type(array).__name__, array.dtype, array.shape, array.strides, array.ravel()[:4].round(9) + 0)


def spectrum(matrix):
    values = np.linalg.eigvals(matrix * 2.0)
    return np.sort(values) + 1.0, np.abs(values).max()


def rebuilt(matrix):
    values, vectors = np.linalg.eig(matrix + 0.5)
    return (vectors * values[..., None, :]) @ np.linalg.inv(vectors), values * values, vectors[..., 0]


def principal(data):
    centred = data - data.mean(axis=0)
    values, vectors = np.linalg.eig(centred.T @ centred / (len(data) - 1))
    order = np.argsort(values)[::-1]
    return values[order] / values.sum(), np.abs(centred @ vectors[:, order[:2]])


def stationary(transitions):
    values, vectors = np.linalg.eig(transitions.T)
    chosen = np.real(vectors[:, np.argmin(np.abs(values - 1.0))])
    return chosen / chosen.sum()


def poles(coefficients):
    found = np.roots(coefficients)
    return np.abs(found) + 0.25, np.angle(found), found * 2


def named(matrix):
    result = np.linalg.eig(matrix)
    return type(result).__name__, len(result), result[0] * 3, result[1].T


rotation = np.array([[0.0, -1.0], [1.0, 0.0]])
symmetric = rng.random((5, 5))
symmetric = symmetric + symmetric.T
stack = np.stack([np.diag([1.0, 2.0, 3.0]), np.eye(3) + 1.0])
matrices = [symmetric, np.diag([3, 1, 2]), rotation, symmetric.astype("f4"), rotation * 1j, stack, symmetric.T[::-1, ::-1], np.array([[4.0]])]
for function in (spectrum, rebuilt, named):
    for matrix in matrices:
        for _ in range(3):
            result = function(matrix)
            print(function.__name__, *result[:2] if function is named else "")
            described(*result[2:] if function is named else result)
for _ in range(4):  # complex and real by turns, more often complex
    for matrix in (rotation, rotation + 3.0, symmetric[:2, :2]):
        described(*spectrum(matrix), *rebuilt(matrix))
for size in (4, 4, 6):
    described(*principal(rng.random((30, size))))
for _ in range(3):
    chances = rng.random((4, 4))
    described(stationary(chances / chances.sum(axis=1, keepdims=True)))
for coefficients in ([1.0, -6.0, 11.0, -6.0], [1, 0, -2], [1.0, 0.0, 1.0], [0.0, 2.0, -8.0, 6.0, 0.0, 0.0], [3.0], [0.0, 0.0],
                     [1.0, -3.0], [1j, 2.0, 3.0]):
    for _ in range(2):
        described(*poles(np.array(coefficients)))
for wrong in (np.ones(3), np.ones((2, 3)), np.full((2, 2), np.nan), np.ones((2, 2), "f2")):
    for function in (spectrum, rebuilt, poles):
        try:
            described(*function(wrong))
        except Exception as error:
            print(function.__name__, type(error).__name__, error)
