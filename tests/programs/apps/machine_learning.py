"""Models learn from scratch: soft-max regression, k-means, naive Bayes, attention, ridge regression."""

import numpy as np


def softmax(z):
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def xent(p, y):
    return -np.mean(np.log(p[np.arange(len(y)), y]))


def onehot(y, k):
    return np.eye(k)[y]


def train(X, y, k, n):
    W = np.zeros((X.shape[1], k))
    Y = onehot(y, k)
    for i in range(n):
        p = softmax(X @ W)
        W -= 0.1 * X.T @ (p - Y) / len(X)
    return (W, xent(p, y))


def accuracy(X, W, y):
    return np.mean(np.argmax(X @ W, axis=1) == y)


def knn(X, q, y, k):
    d = np.sqrt(((X - q) ** 2).sum(axis=1))
    i = np.argsort(d, kind="stable")[:k]
    return np.bincount(y[i]).argmax()


def pairwise(A, B):
    return np.sum(A**2, 1)[:, None] + np.sum(B**2, 1)[None] - 2 * A @ B.T


def kmeans_step(X, C):
    l = np.argmin(pairwise(X, C), axis=1)
    return (np.array([X[l == j].mean(axis=0) for j in range(len(C))]), l)


def batchnorm(x, g, b):
    return g * (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-05) + b


def nb_fit(X, y, k):
    return (np.array([X[y == c].mean(0) for c in range(k)]), np.array([X[y == c].var(0) for c in range(k)]))


def nb_pred(X, m, v):
    return np.argmax(
        -0.5 * np.sum(np.log(2 * np.pi * v)[None] + (X[:, None] - m[None]) ** 2 / v[None], axis=2), axis=1
    )


def attention(Q, K, V):
    return softmax(Q @ K.T / np.sqrt(K.shape[1])) @ V


def gini(x):
    x = np.sort(x)
    n = len(x)
    return (2 * np.sum(np.arange(1, n + 1) * x) - (n + 1) * x.sum()) / (n * x.sum())


def polyfeat(x, d):
    return np.vander(x, d + 1, increasing=True)


def ridge(X, y, l):
    return np.linalg.solve(X.T @ X + l * np.eye(X.shape[1]), X.T @ y)


def dropout(x, m):
    return x * m / 0.8


def im2col(x, k):
    n = x.shape[0] - k + 1
    i = np.arange(n)[:, None] + np.arange(k)[None]
    return x[i]


rng = np.random.default_rng(5)
X = rng.normal(size=(90, 5))
y = rng.integers(0, 3, 90)
X[y == 1] += 2
X[y == 2] -= 2
for _ in range(4):
    W, l = train(X, y, 3, 20)
    m, v = nb_fit(X, y, 3)
    print(
        l,
        accuracy(X, W, y),
        knn(X, X[3], y, 5),
        kmeans_step(X, X[:3])[0][0, :2],
        batchnorm(X, 1.0, 0.0)[0, :2],
        nb_pred(X, m, v)[:5],
        attention(X, X, X)[0, :2],
        gini(np.abs(X[:, 0])),
        polyfeat(X[:3, 0], 2),
        ridge(X, X[:, 0], 0.1)[:2],
        dropout(X, X > 0)[0, :2],
        im2col(X[:, 0], 3)[0],
    )
