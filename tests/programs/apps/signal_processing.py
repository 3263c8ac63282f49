"""Signals are processed: moving averages, filters, autocorrelation, envelopes, windows."""

import numpy as np


def moving_average(x, n):
    c = np.cumsum(np.insert(x, 0, 0.0))
    return (c[n:] - c[:-n]) / n


def fir(x, h):
    return np.convolve(x, h, mode="same")


def autocorr(x):
    x = x - x.mean()
    r = np.correlate(x, x, mode="full")[len(x) - 1 :]
    return r / r[0]


def envelope(x, n):
    p = np.pad(np.abs(x), (n // 2, n - 1 - n // 2), mode="edge")
    return np.array([p[i : i + n].max() for i in range(len(x))])


def rms(x):
    return np.sqrt(np.mean(x**2))


def window(x):
    return x * np.hanning(len(x))


def snr(s, n):
    return 10 * np.log10(np.sum(s**2) / np.sum(n**2))


def zero_cross(x):
    return np.sum(np.diff(np.sign(x)) != 0)


t = np.linspace(0, 1, 500)
rng = np.random.default_rng(0)
x = np.sin(2 * np.pi * 5 * t) + 0.3 * rng.normal(size=500)
for _ in range(4):
    print(
        moving_average(x, 5)[:3],
        fir(x, np.ones(7) / 7)[:3],
        autocorr(x)[:3],
        envelope(x[:50], 5)[:3],
        rms(x),
        window(x)[:3],
        snr(x, x - np.sin(2 * np.pi * 5 * t)),
        zero_cross(x),
    )
