"""The model that the soak's host serves. The host writes it anew with another VERSION and loads it.

Every result is a function of VERSION modulo `VERSIONS` and of the input alone, so that expected_results.py can compute all
of them under stock Python.
"""
import numpy as np

VERSION = 0
VERSIONS = 8

WEIGHTS = (np.arange(64.0).reshape(8, 8) % (5 + VERSION % VERSIONS) - 2.0) / 4.0
seen = 0


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def forward(x):
    """The served function, of (n, 8)."""
    hidden = np.maximum(x @ WEIGHTS + (VERSION % VERSIONS) * 0.25, 0.0)
    return softmax(hidden * 0.5 - np.sqrt(np.abs(x)))


def endless(x):
    """Never returns: to be cancelled."""
    global seen
    try:
        while True:
            x = np.sqrt(x * x + 1.0) - 0.5
    finally:
        seen += 1


def fails(x):
    """Raises a ValueError, in the middle of array work."""
    y = x * 2.0 + 1.0
    return y + np.ones(len(x) + 1)
