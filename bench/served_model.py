"""A small NumPy model that bench/serving.py serves by several servers: two layers and a softmax."""
import numpy as np

FEATURES, HIDDEN, CLASSES = 64, 128, 10
_rng = np.random.default_rng(0)
FIRST = (_rng.standard_normal((FEATURES, HIDDEN)) * 0.1).astype(np.float32)
SECOND = (_rng.standard_normal((HIDDEN, CLASSES)) * 0.1).astype(np.float32)


def classify(x):
    hidden = np.maximum(x @ FIRST, np.float32(0))
    logits = hidden @ SECOND
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return {"y": e / e.sum(axis=-1, keepdims=True)}
