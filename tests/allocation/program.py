"""What runs while allocations fail: traces, compiles, loops, writes and library calls, twice each."""
import numpy as np


class Model:
    def __init__(self, n):
        self.weight = np.linspace(-1.0, 1.0, n * n).reshape(n, n)
        self.bias = np.arange(n) * 0.1
        self.steps = 0

    def __call__(self, x):
        self.steps += 1
        hidden = np.maximum(x @ self.weight + self.bias, 0)
        exps = np.exp(hidden - hidden.max(axis=-1, keepdims=True))
        return exps / exps.sum(axis=-1, keepdims=True)


def update(a, b):
    a[1:] += b[:-1] * 2
    a[a > 3] = 0.5
    return a.sum()


def recurrence(a):
    for i in range(1, len(a)):
        a[i] = (a[i - 1] + a[i]) / 2
    return a


def strange(x):
    try:
        return {"shape": x.shape, "parts": [x.mean(), np.sort(x)[::-1]], "text": f"{x.max():.3f}"}
    finally:
        log.append(x.size)


def failing(x):
    try:
        return x + np.ones(7)
    except ValueError as error:
        return str(error)


log = []
model = Model(8)
for _ in range(4):
    x = np.arange(24.0).reshape(3, 8)
    print(model(x).round(6).tolist(), model.steps)
    print(update(np.arange(12.0), np.ones(12)), recurrence(np.arange(9.0)).tolist())
    print(strange(np.arange(5.0)), failing(np.ones(3)), log)
