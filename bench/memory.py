#!/usr/bin/env python3
"""The most memory that transformer forwards take beyond what the process had before the first, in kB.

    /usr/bin/python3 bench/memory.py
    DYNACC_POLICY=always build/release/dynacc-python bench/memory.py

Three layers of 256 features and 8 heads on 1,024 tokens, float32: the scores of one layer are 33.5 MB.
"""
import numpy as np

FEATURES, HEADS, TOKENS, LAYERS, PASSES = 256, 8, 1024, 3, 5
random = np.random.default_rng(0)


def weights():
    shapes = {"q": (FEATURES, FEATURES), "k": (FEATURES, FEATURES), "v": (FEATURES, FEATURES), "o": (FEATURES, FEATURES),
              "up": (FEATURES, 4 * FEATURES), "down": (4 * FEATURES, FEATURES)}
    return {name: random.normal(0, 0.02, shape).astype(np.float32) for name, shape in shapes.items()}


def norm(x):
    c = x - x.mean(axis=-1, keepdims=True)
    return c / np.sqrt((c * c).mean(axis=-1, keepdims=True) + np.float32(1e-5))


def gelu(x):
    inner = np.float32(0.79788456) * (x + np.float32(0.044715) * x * x * x)
    return np.float32(0.5) * x * (np.float32(1) + np.tanh(inner))


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def heads(x):
    return x.reshape(TOKENS, HEADS, FEATURES // HEADS).transpose(1, 0, 2)


def forward(x, layers):
    for w in layers:
        h = norm(x)
        q, k, v = heads(h @ w["q"]), heads(h @ w["k"]), heads(h @ w["v"])
        scores = q @ k.transpose(0, 2, 1) * np.float32(0.17677669)
        a = softmax(scores) @ v
        x = x + a.transpose(1, 0, 2).reshape(TOKENS, FEATURES) @ w["o"]
        x = x + gelu(norm(x) @ w["up"]) @ w["down"]
    return x


def status(field):
    """A line of /proc/self/status, in kB."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field))


layers = [weights() for _ in range(LAYERS)]
x = random.normal(size=(TOKENS, FEATURES)).astype(np.float32)
before = status("VmRSS")
for _ in range(PASSES):
    forward(x, layers)
print(status("VmHWM") - before)
