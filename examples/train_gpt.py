"""A small GPT of NumPy functions, trained on the characters of Python's own help texts. Half-way it is written to a
file, from which a second run goes on to the same bytes."""
import hashlib
import importlib.util
import os
import tempfile
from pydoc_data.topics import topics

import numpy as np

import dynacc
from dynacc import initializers, losses, optim, tree

CONTEXT, WIDTH, HEADS, LAYERS, BATCH, STEPS = 32, 32, 2, 2, 16, 240
MASK = np.triu(np.full((CONTEXT, CONTEXT), -1e9, np.float32), 1)
SCALE = np.float32((WIDTH // HEADS) ** -0.5)


def layer_norm(x, gain, bias):
    centred = x - x.mean(axis=-1, keepdims=True)
    return gain * centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(1e-5)) + bias


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def gelu(x):
    return 0.5 * x * (1.0 + np.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def attention(x, p):
    n, length, width = x.shape
    parts = (x @ p["qkv"]).reshape(n, length, 3, HEADS, width // HEADS).transpose(2, 0, 3, 1, 4)
    q, k, v = parts[0], parts[1], parts[2]
    weights = softmax(q @ k.swapaxes(-1, -2) * SCALE + MASK)
    return (weights @ v).transpose(0, 2, 1, 3).reshape(n, length, width) @ p["out"]


def logits(params, ids):
    x = params["tokens"][ids] + params["positions"]
    for p in params["blocks"]:
        x = x + attention(layer_norm(x, *p["norm1"]), p)
        x = x + gelu(layer_norm(x, *p["norm2"]) @ p["up"]) @ p["down"]
    return layer_norm(x, *params["norm"]) @ params["tokens"].T


def loss(params, ids, following):
    return losses.softmax_cross_entropy_with_integer_labels(logits(params, ids), following).mean()


def first_params(vocabulary):
    rng = np.random.default_rng(0)
    draw, dtype = initializers.normal(0.08), np.float32

    def norm():
        return [np.ones(WIDTH, dtype), np.zeros(WIDTH, dtype)]

    blocks = [{"norm1": norm(), "norm2": norm(), "qkv": draw(rng, (WIDTH, 3 * WIDTH), dtype),
               "out": draw(rng, (WIDTH, WIDTH), dtype), "up": draw(rng, (WIDTH, 4 * WIDTH), dtype),
               "down": draw(rng, (4 * WIDTH, WIDTH), dtype)} for _ in range(LAYERS)]
    return {"tokens": draw(rng, (vocabulary, WIDTH), dtype), "positions": draw(rng, (CONTEXT, WIDTH), dtype),
            "blocks": blocks, "norm": norm()}


OPTIMIZER = optim.chain(optim.clip_by_global_norm(1.0),
                        optim.adamw(optim.warmup_cosine_decay_schedule(0.0, 1e-2, 20, STEPS), weight_decay=0.01))
GRADIENT = dynacc.value_and_grad(loss)


def train(data, params, state, steps):
    """The parameters and the optimizer's state after some steps; each draws its batch by its own number."""
    recent = []
    for step in steps:
        starts = np.random.default_rng([7, step]).integers(0, len(data) - CONTEXT, BATCH)
        places = starts[:, None] + np.arange(CONTEXT)
        value, gradient = GRADIENT(params, data[places], data[places + 1])
        updates, state = OPTIMIZER.update(gradient, state, params)
        params = optim.apply_updates(params, updates)
        recent.append(float(value))
        if step % 40 == 39:
            print(f"step {step + 1:3d} loss {np.mean(recent[-40:]):.6f}")
    return params, state, recent


def digest(params):
    return hashlib.sha256(tree.ravel(params)[0].tobytes()).hexdigest()


def main():
    text = "".join(topics[name] for name in sorted(topics))[:100_000]
    letters = sorted(set(text))
    place = {letter: number for number, letter in enumerate(letters)}
    data = np.array([place[letter] for letter in text])
    params = first_params(len(letters))
    state = OPTIMIZER.init(params)
    params, state, _ = train(data, params, state, range(STEPS // 2))
    half = {"params": params, "optimizer": state}
    params, state, recent = train(data, params, state, range(STEPS // 2, STEPS))
    final = np.mean(recent[-40:])
    print("parameters", digest(params))
    assert final < 2.5, final

    if importlib.util.find_spec("safetensors") is None:
        print("not resumed: files of parameters need the package safetensors, which is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "half.safetensors")
        tree.save(path, half)
        empty = first_params(len(letters))
        kept = tree.load(path, like={"params": empty, "optimizer": OPTIMIZER.init(empty)})
    again, _, _ = train(data, kept["params"], kept["optimizer"], range(STEPS // 2, STEPS))
    print("resumed   ", digest(again))
    assert digest(again) == digest(params)


if __name__ == "__main__":
    main()
