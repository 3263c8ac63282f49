"""One step of a small GPT in plain NumPy, as dynacc-serve generates sequences with it.

`step` takes some new tokens of each sequence, and the keys and values of the tokens before them, which the server
keeps. The weights are drawn at random: put trained ones in their place.
"""
import numpy as np

VOCABULARY, WIDTH, HEADS, LAYERS, LENGTH = 96, 32, 4, 2, 128
SLOTS, PREFILL = 4, 16  # sequences side by side; tokens of a prompt that are read at once
HEAD = WIDTH // HEADS

_rng = np.random.default_rng(0)


def weights(*shape):
    return (_rng.standard_normal(shape) * 0.3).astype(np.float32)


EMBEDDING, POSITIONS = weights(VOCABULARY, WIDTH), weights(LENGTH, WIDTH)
BLOCKS = [{"qkv": weights(WIDTH, 3 * WIDTH), "out": weights(WIDTH, WIDTH), "up": weights(WIDTH, 4 * WIDTH),
           "down": weights(4 * WIDTH, WIDTH)} for _ in range(LAYERS)]
PLACES = np.arange(2 * LENGTH)


def normalize(x):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(1e-5))


def attend(q, k, v, kept_k, kept_v, lengths):
    """Each new token sees those of its sequence that are kept, and the new ones up to itself."""
    t, c = q.shape[1], kept_k.shape[1]
    k, v = np.concatenate([kept_k, k], axis=1), np.concatenate([kept_v, v], axis=1)
    places = PLACES[:c + t]
    is_kept = places[None, None, :] < lengths[:, None, None]
    is_new = (places[None, :] >= c) & (places[None, :] - c <= PLACES[:t][:, None])
    scores = q.transpose(0, 2, 1, 3) @ k.transpose(0, 2, 3, 1) * np.float32(HEAD ** -0.5)
    scores = np.where((is_kept | is_new[None])[:, None], scores, np.float32(-1e9))
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    rows = (e / e.sum(axis=-1, keepdims=True)) @ v.transpose(0, 2, 1, 3)
    return np.concatenate([rows[:, head] for head in range(HEADS)], axis=-1)


def step(tokens, lengths, keys, values):
    """The logits behind the last token of each sequence, and what is to be kept of the new tokens."""
    b, t = tokens.shape
    kept = (b, keys.shape[1], LAYERS, HEADS, HEAD)  # all arrays are of the same sequences
    lengths, keys, values = lengths.reshape(b), keys.reshape(kept), values.reshape(kept)
    x = EMBEDDING[tokens] + POSITIONS[lengths[:, None] + PLACES[:t]]
    new_keys, new_values = [], []
    for i, p in enumerate(BLOCKS):
        qkv = (normalize(x) @ p["qkv"]).reshape(b, t, 3, HEADS, HEAD)
        q, k, v = qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2]
        new_keys.append(k)
        new_values.append(v)
        x = x + attend(q, k, v, keys[:, :, i], values[:, :, i], lengths) @ p["out"]
        x = x + np.maximum(normalize(x) @ p["up"], np.float32(0)) @ p["down"]
    return {"logits": normalize(x[:, -1]) @ EMBEDDING.T, "keys": np.stack(new_keys, axis=2),
            "values": np.stack(new_values, axis=2)}


def arguments(b, t, c):
    """Arrays of the sizes that b sequences, t new tokens and c kept ones have."""
    kept = np.zeros((b, c, LAYERS, HEADS, HEAD), np.float32)
    return np.zeros((b, t), np.int64), np.zeros(b, np.int64), kept, kept.copy()


def export():
    import dynacc
    rows, kept = (1, SLOTS), (1, LENGTH)
    return dynacc.export(step, *arguments(2, 3, 5), dynamic={
        "tokens": {0: rows, 1: (1, PREFILL)}, "lengths": {0: rows}, "keys": {0: rows, 1: kept},
        "values": {0: rows, 1: kept}})
