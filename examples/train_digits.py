"""A convolutional network of NumPy functions, trained on scikit-learn's pictures of digits: over 97 % of those that it
has not seen are read right."""
import hashlib
import importlib.util

import numpy as np

import dynacc
from dynacc import initializers, losses, optim, tree


def convolution(images, filters, bias):
    """Images (n, height, width, channels) with filters (3, 3, channels, features), as one product of matrices."""
    height, width = images.shape[1] - 2, images.shape[2] - 2
    windows = [images[:, i:i + height, j:j + width] for i in range(3) for j in range(3)]
    return np.concatenate(windows, axis=-1) @ filters.reshape(-1, filters.shape[-1]) + bias


def network(params, images):
    """The logits (n, 10) of images (n, 8, 8, 1)."""
    x = np.maximum(convolution(images, *params["first"]), 0)
    x = np.maximum(convolution(x, *params["second"]), 0)
    x = x.reshape(len(x), 2, 2, 2, 2, -1).max(axis=(2, 4))
    weight, bias = params["last"]
    return x.reshape(len(x), -1) @ weight + bias


def loss(params, images, labels):
    return losses.softmax_cross_entropy_with_integer_labels(network(params, images), labels).mean()


def first_params(rng):
    he, lecun = initializers.he_normal(), initializers.lecun_normal()
    return {"first": [he(rng, (3, 3, 1, 16), np.float32), np.zeros(16, np.float32)],
            "second": [he(rng, (3, 3, 16, 32), np.float32), np.zeros(32, np.float32)],
            "last": [lecun(rng, (128, 10), np.float32), np.zeros(10, np.float32)]}


def train(images, labels, epochs=12, batch=96):
    rng = np.random.default_rng(0)
    params = first_params(rng)
    steps = epochs * (len(images) // batch)
    optimizer = optim.adamw(optim.warmup_cosine_decay_schedule(0.0, 5e-3, steps // 10, steps))
    state = optimizer.init(params)
    gradient_of = dynacc.value_and_grad(loss)
    for epoch in range(epochs):
        order = rng.permutation(len(images))
        total = 0.0
        for first in range(0, len(images) - batch + 1, batch):
            chosen = order[first:first + batch]
            value, gradient = gradient_of(params, images[chosen], labels[chosen])
            updates, state = optimizer.update(gradient, state, params)
            params = optim.apply_updates(params, updates)
            total += float(value)
        print(f"epoch {epoch:2d} loss {total / (len(images) // batch):.6f}")
    return params


def main():
    if importlib.util.find_spec("sklearn") is None:
        print("skipped: the digits come with scikit-learn, which is not installed")
        return
    from sklearn.datasets import load_digits
    digits = load_digits()
    images = (digits.images / 16).astype(np.float32)[..., None]
    order = np.random.default_rng(1).permutation(len(images))
    seen, held_out = order[:1437], order[1437:]
    params = train(images[seen], digits.target[seen])
    right = (network(params, images[held_out]).argmax(axis=1) == digits.target[held_out]).mean()
    print(f"right {right:.4f} of {len(held_out)} pictures")
    print(hashlib.sha256(tree.ravel(params)[0].tobytes()).hexdigest())
    assert right > 0.97


if __name__ == "__main__":
    main()
