"""A long loop of array work: gradient descent written by hand, on a network with one hidden layer and on a logistic
regression, started anew every `PERIOD` steps from one of a few seeds.

usage: descent.py RESULT SECONDS

With SECONDS 0 it goes through each seed once. RESULT receives a JSON object: for each seed the losses at every `STRIDE`
steps, as text without rounding, and what differed when a seed came again; the number of steps, and the steps' latencies.
"""
import json
import sys
import time

import numpy as np

import sampling

PERIOD = 400
STRIDE = 20
SEEDS = 6
SAMPLES, FEATURES, HIDDEN = 256, 24, 32


def data(seed):
    """Inputs, targets of the regression and labels of the classification."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(SAMPLES, FEATURES))
    y = np.sin(x[:, :1]) + 0.1 * rng.normal(size=(SAMPLES, 1))
    labels = (x @ rng.normal(size=FEATURES) > 0).astype(np.float64)
    return x, y, labels


def weights(seed):
    rng = np.random.default_rng(seed + 1000)
    return {"w1": rng.normal(size=(FEATURES, HIDDEN)) * 0.2, "b1": np.zeros(HIDDEN),
            "w2": rng.normal(size=(HIDDEN, 1)) * 0.2, "b2": np.zeros(1)}


class Momentum:
    """The network's weights, each with a velocity."""

    def __init__(self, parts, rate):
        self.parts, self.rate = parts, rate
        self.velocity = {name: np.zeros_like(part) for name, part in parts.items()}

    def apply(self, gradients):
        for name, gradient in gradients.items():
            self.velocity[name] *= 0.9
            self.velocity[name] -= self.rate * gradient
            self.parts[name] += self.velocity[name]


def network_step(parts, optimiser, x, y):
    hidden = np.tanh(x @ parts["w1"] + parts["b1"])
    error = hidden @ parts["w2"] + parts["b2"] - y
    loss = (error * error).mean()
    d_out = 2.0 * error / len(x)
    d_hidden = (d_out @ parts["w2"].T) * (1.0 - hidden * hidden)
    optimiser.apply({"w2": hidden.T @ d_out, "b2": d_out.sum(axis=0),
                     "w1": x.T @ d_hidden, "b1": d_hidden.sum(axis=0)})
    return loss


def logistic_step(w, x, labels):
    p = 1.0 / (1.0 + np.exp(-(x @ w)))
    loss = -(labels * np.log(p + 1e-12) + (1.0 - labels) * np.log(1.0 - p + 1e-12)).mean()
    w -= 0.3 * (x.T @ (p - labels) / len(x) + 1e-4 * w)
    return loss


def main():
    path, seconds = sys.argv[1], float(sys.argv[2])
    latencies = sampling.Quarters(max(seconds, 1e-3))
    end = time.monotonic() + seconds
    losses, differing = {}, []
    step = 0
    while True:
        if step % PERIOD == 0:
            seed = step // PERIOD % SEEDS
            if step // PERIOD >= SEEDS and time.monotonic() >= end:
                break
            x, y, labels = data(seed)
            parts, w, trace = weights(seed), np.zeros(FEATURES), []
            optimiser = Momentum(parts, 0.05)
        started = time.perf_counter_ns()
        first = network_step(parts, optimiser, x, y)
        second = logistic_step(w, x, labels)
        latencies.add(time.perf_counter_ns() - started)
        step += 1
        if step % STRIDE == 0:
            trace.append(f"{float(first).hex()} {float(second).hex()}")
        if step % PERIOD == 0 and losses.setdefault(str(seed), trace) != trace:
            differing.append(f"seed {seed} at step {step}: {trace}")
    try:
        import dynacc
        counters = dict(dynacc.stats())
    except ImportError:
        counters = {}
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"steps": step, "losses": losses, "differing": differing[:10], "latency": latencies.counts(),
                   "counters": counters}, file)


if __name__ == "__main__":
    main()
