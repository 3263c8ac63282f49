"""Finance is computed: simulated paths, returns, draw-down, present value, bands, a binomial tree."""
# test: numpy2

import numpy as np


def bs_paths(S0, mu, sig, Z, dt):
    return S0 * np.exp(np.cumsum((mu - 0.5 * sig**2) * dt + sig * np.sqrt(dt) * Z, axis=1))


def payoff(P, K):
    return np.maximum(P[:, -1] - K, 0).mean()


def returns(p):
    return np.diff(p) / p[:-1]


def logret(p):
    return np.diff(np.log(p))


def sharpe(r):
    return np.sqrt(252) * r.mean() / r.std(ddof=1)


def drawdown(p):
    m = np.maximum.accumulate(p)
    return ((p - m) / m).min()


def npv(c, r):
    return np.sum(c / (1 + r) ** np.arange(len(c)))


def var95(r):
    return -np.percentile(r, 5)


def bollinger(p, n):
    w = np.lib.stride_tricks.sliding_window_view(p, n)
    m = w.mean(axis=1)
    s = w.std(axis=1)
    return (m + 2 * s, m - 2 * s)


def portfolio(w, mu, C):
    return (w @ mu, np.sqrt(w @ C @ w))


def rsi(p, n):
    d = np.diff(p)
    u = np.where(d > 0, d, 0)
    l = np.where(d < 0, -d, 0)
    k = np.ones(n) / n
    ru = np.convolve(u, k, "valid")
    rl = np.convolve(l, k, "valid")
    return 100 - 100 / (1 + ru / rl)


def binom(S, K, T, r, s, n):
    dt = T / n
    u = np.exp(s * np.sqrt(dt))
    d = 1 / u
    q = (np.exp(r * dt) - d) / (u - d)
    v = np.maximum(S * u ** np.arange(n, -1, -1) * d ** np.arange(0, n + 1) - K, 0)
    for i in range(n):
        v = np.exp(-r * dt) * (q * v[:-1] + (1 - q) * v[1:])
    return v[0]


rng = np.random.default_rng(4)
Z = rng.normal(size=(100, 50))
P = bs_paths(100, 0.05, 0.2, Z, 1 / 50)
p = P[0]
C = np.cov(P[:, :4].T)
for _ in range(4):
    P = bs_paths(100, 0.05, 0.2, Z, 1 / 50)
    print(
        payoff(P, 100),
        returns(p)[:2],
        logret(p)[:2],
        sharpe(returns(p)),
        drawdown(p),
        npv(np.array([-100, 30, 40, 50.0]), 0.1),
        var95(returns(p)),
        bollinger(p, 5)[0][:2],
        portfolio(np.ones(4) / 4, P[:, :4].mean(0), C),
        rsi(p, 5)[:2],
        binom(100, 100, 1, 0.05, 0.2, 30),
    )
