"""The forward pass of a small GPT with random weights, and greedy generation."""
import hashlib
from dataclasses import dataclass

import numpy as np


@dataclass
class Config:
    vocabulary: int = 96
    context: int = 48
    layers: int = 3
    heads: int = 4
    width: int = 64


def gelu(x):
    return 0.5 * x * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (x + 0.044715 * x**3)))


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layer_norm(x, gain, bias, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return gain * (x - mean) / np.sqrt(variance + eps) + bias


class Block:
    def __init__(self, config, rng):
        d = config.width
        self.heads = config.heads
        self.gain1, self.bias1 = np.ones(d, np.float32), np.zeros(d, np.float32)
        self.gain2, self.bias2 = np.ones(d, np.float32), np.zeros(d, np.float32)
        self.qkv = rng.normal(0, 0.08, (d, 3 * d)).astype(np.float32)
        self.out = rng.normal(0, 0.08, (d, d)).astype(np.float32)
        self.up = rng.normal(0, 0.08, (d, 4 * d)).astype(np.float32)
        self.down = rng.normal(0, 0.08, (4 * d, d)).astype(np.float32)

    def attention(self, x, mask):
        length, d = x.shape
        q, k, v = np.split(x @ self.qkv, 3, axis=-1)
        split = lambda t: t.reshape(length, self.heads, d // self.heads).transpose(1, 0, 2)
        q, k, v = split(q), split(k), split(v)
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(d // self.heads).astype(np.float32) + mask
        return (softmax(scores) @ v).transpose(1, 0, 2).reshape(length, d) @ self.out

    def __call__(self, x, mask):
        x = x + self.attention(layer_norm(x, self.gain1, self.bias1), mask)
        return x + gelu(layer_norm(x, self.gain2, self.bias2) @ self.up) @ self.down


class GPT:
    def __init__(self, config, seed=0):
        rng = np.random.default_rng(seed)
        self.config = config
        self.tokens = rng.normal(0, 0.5, (config.vocabulary, config.width)).astype(np.float32)
        self.positions = rng.normal(0, 0.1, (config.context, config.width)).astype(np.float32)
        self.blocks = [Block(config, rng) for _ in range(config.layers)]
        self.gain, self.bias = np.ones(config.width, np.float32), np.zeros(config.width, np.float32)

    def logits(self, ids):
        x = self.tokens[ids] + self.positions[: len(ids)]
        mask = np.triu(np.full((len(ids), len(ids)), -1e9, np.float32), 1)
        for block in self.blocks:
            x = block(x, mask)
        return layer_norm(x, self.gain, self.bias) @ self.tokens.T

    def generate(self, ids, count):
        for _ in range(count):
            ids = ids + [int(self.logits(np.array(ids[-self.config.context:]))[-1].argmax())]
        return ids


def main():
    model = GPT(Config())
    ids = [5, 17, 42, 8]
    logits = model.logits(np.array(ids))
    print("logits", logits.dtype, logits.shape, logits[-1, :5])
    print(hashlib.sha256(logits.tobytes()).hexdigest())
    print("generated", model.generate(ids, 40))
    full = np.arange(48) * 7 % 96
    for _ in range(10):
        probabilities = softmax(model.logits(full))
    loss = -np.log(probabilities[np.arange(47), full[1:]]).mean()
    print("loss", repr(loss), hashlib.sha256(probabilities.tobytes()).hexdigest()[:16])


if __name__ == "__main__":
    main()
