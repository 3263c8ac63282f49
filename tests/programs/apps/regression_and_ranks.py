"""Statistics are computed: standard scores, correlation, least squares, bootstrap, densities, ranks."""
# test: numpy2

import numpy as np


def zscore(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def corr(X):
    Z = zscore(X)
    return Z.T @ Z / len(X)


def ols(X, y):
    A = np.column_stack([np.ones(len(X)), X])
    b = np.linalg.solve(A.T @ A, A.T @ y)
    r = y - A @ b
    return (b, 1 - r @ r / np.sum((y - y.mean()) ** 2))


def boot(x, idx):
    return np.array([x[i].mean() for i in idx])


def summary(x):
    return np.array([x.min(), np.percentile(x, 25), np.median(x), np.percentile(x, 75), x.max()])


def ewma(x, a):
    out = np.empty_like(x)
    out[0] = x[0]
    for i in range(1, len(x)):
        out[i] = a * x[i] + (1 - a) * out[i - 1]
    return out


def kde(x, g, h):
    u = (g[:, None] - x[None, :]) / h
    return np.exp(-0.5 * u**2).sum(axis=1) / (len(x) * h * np.sqrt(2 * np.pi))


def entropy(p):
    p = p[p > 0]
    return -np.sum(p * np.log2(p))


def mad(x):
    return np.median(np.abs(x - np.median(x)))


def skew(x):
    m = x.mean()
    s = x.std()
    return np.mean(((x - m) / s) ** 3)


def ranks(x):
    o = np.argsort(x)
    r = np.empty(len(x))
    r[o] = np.arange(len(x))
    return r


def hist(x):
    h, e = np.histogram(x, bins=10)
    return (h / h.sum(), e)


rng = np.random.default_rng(1)
X = rng.normal(size=(200, 4))
y = X @ np.array([1.0, 2, 3, 4]) + rng.normal(size=200)
idx = rng.integers(0, 200, size=(20, 200))
for _ in range(4):
    print(
        corr(X)[0],
        ols(X, y),
        boot(y, idx)[:3],
        summary(y),
        ewma(y[:50], 0.1)[-1],
        kde(y, np.linspace(-5, 5, 7), 0.5),
        entropy(np.array([0.5, 0.5, 0])),
        mad(y),
        skew(y),
        ranks(y)[:4],
        hist(y),
    )
