"""The forward pass of a model of GPT-2's size (124 million parameters) in plain NumPy, float32.

Layers, sizes and formulas are those of A. Radford et al., "Language Models are Unsupervised Multitask
Learners" (2019); the weights are drawn at random.
"""
import numpy as np

WIDTH, HEADS, LAYERS, VOCABULARY, TOKENS = 768, 12, 12, 5000, 128


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def normalize(x, scale, shift):
    centred = x - x.mean(axis=-1, keepdims=True)
    return scale * centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 1e-5) + shift


def attention(x, p, mask):
    tokens, width = x.shape
    parts = (x @ p["qkv"] + p["qkv_bias"]).reshape(tokens, 3, HEADS, width // HEADS)
    q, k, v = parts.transpose(1, 2, 0, 3)
    weights = softmax(q @ k.transpose(0, 2, 1) / np.sqrt(np.float32(width // HEADS)) + mask)
    joined = (weights @ v).transpose(1, 0, 2).reshape(tokens, width)
    return joined @ p["out"] + p["out_bias"]


def layer(x, p, mask):
    x = x + attention(normalize(x, p["scale1"], p["shift1"]), p, mask)
    hidden = gelu(normalize(x, p["scale2"], p["shift2"]) @ p["up"] + p["up_bias"])
    return x + hidden @ p["down"] + p["down_bias"]


def forward(tokens, embedding, positions, layers):
    x = embedding[tokens] + positions[:len(tokens)]
    mask = np.triu(np.full((len(tokens), len(tokens)), np.float32(-1e10)), 1)
    for p in layers:
        x = layer(x, p, mask)
    return x @ embedding.T


def weights(rng, *shape):
    return (rng.standard_normal(shape) * 0.02).astype(np.float32)


def make_layer(rng):
    w = WIDTH
    return {"qkv": weights(rng, w, 3 * w), "qkv_bias": weights(rng, 3 * w),
            "out": weights(rng, w, w), "out_bias": weights(rng, w),
            "up": weights(rng, w, 4 * w), "up_bias": weights(rng, 4 * w),
            "down": weights(rng, 4 * w, w), "down_bias": weights(rng, w),
            "scale1": np.ones(w, np.float32), "shift1": weights(rng, w),
            "scale2": np.ones(w, np.float32), "shift2": weights(rng, w)}


rng = np.random.default_rng(0)
layers = [make_layer(rng) for _ in range(LAYERS)]
embedding, positions = weights(rng, VOCABULARY, WIDTH), weights(rng, 1024, WIDTH)
prompt = rng.integers(0, VOCABULARY, TOKENS)
for _ in range(3):
    logits = forward(prompt, embedding, positions, layers)
print(logits.sum(), logits[-1].argmax(), logits[0, :4])
