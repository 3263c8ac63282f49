"""Logistic regression by gradient descent with momentum and L2, on standardised features."""
import hashlib

import numpy as np


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def loss(weights, bias, X, y, penalty):
    p = np.clip(sigmoid(X @ weights + bias), 1e-12, 1 - 1e-12)
    cross_entropy = -(y * np.log(p) + (1 - y) * np.log(1 - p)).mean()
    return cross_entropy + 0.5 * penalty * (weights**2).sum()


def gradients(weights, bias, X, y, penalty):
    residual = sigmoid(X @ weights + bias) - y
    return X.T @ residual / len(y) + penalty * weights, residual.mean()


def train(X, y, rounds=150, rate=0.8, momentum=0.9, penalty=1e-3):
    weights = np.zeros(X.shape[1])
    velocity = np.zeros_like(weights)
    bias = 0.0
    for i in range(rounds):
        slope, bias_slope = gradients(weights, bias, X, y, penalty)
        velocity = momentum * velocity - rate * slope
        weights += velocity
        bias -= rate * bias_slope
        if i % 30 == 0:
            print(f"round {i:3d} loss {loss(weights, bias, X, y, penalty):.15f}")
    return weights, bias


def main():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(4000, 20)) * rng.uniform(0.5, 4.0, 20) + rng.uniform(-3, 3, 20)
    hidden = rng.normal(size=20)
    y = (X @ hidden + rng.normal(0, 3.0, 4000) > 0).astype(float)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    weights, bias = train(X, y)
    accuracy = ((sigmoid(X @ weights + bias) > 0.5) == (y > 0.5)).mean()
    print("accuracy", accuracy, "bias", repr(bias))
    print("weights", weights[:5])
    print(hashlib.sha256(weights.tobytes()).hexdigest())


if __name__ == "__main__":
    main()
