"""Functions that the tests of programs freeze, with arguments: (name, function, arguments, options of export)."""
import numpy as np


def mlp(x, params):
    hidden = np.maximum(x @ params["w1"] + params["b1"], 0.0)
    return hidden @ params["w2"] + params["b2"]


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layer_norm(x, gain, bias):
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(variance + 1e-5) * gain + bias


def black_scholes(spot, strike, years, rate=0.02, volatility=0.3):
    root = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / root
    d2 = d1 - root

    def normal(d):  # by tanh, good to some 1e-3
        return 0.5 * (1.0 + np.tanh(0.7978845608 * (d + 0.044715 * d * d * d)))

    discounted = strike * np.exp(-rate * years)
    call = spot * normal(d1) - discounted * normal(d2)
    return {"call": call, "put": call - spot + discounted}


def attention_block(x, wq, wk, wv, wo, w1, w2):
    q, k, v = x @ wq, x @ wk, x @ wv
    scores = (q @ k.transpose(0, 2, 1)) * np.float32(0.25)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    x = x + (e / e.sum(axis=-1, keepdims=True)) @ v @ wo
    return x + np.maximum(x @ w1, np.float32(0.0)) @ w2


def smooth(a):
    return (a[2:] + a[1:-1] + a[:-2]) / 3.0


WEIGHTS = np.random.default_rng(5).normal(size=(16, 4))


def with_weights(x):
    return x @ WEIGHTS, (x * x).sum()


def sorted_rows(x, y):
    order = np.argsort(y, kind="stable")
    return order, np.sort(x, axis=0, kind="stable") * np.float32(2.0), np.searchsorted(y[order], y), np.median(x, axis=1)


def places(table, rows, x):
    picked = table[rows]
    best = x.argmax(axis=-1)
    counts = np.zeros(5)
    counts[rows % 5] = 2.0
    return {"picked": picked, "sums": np.cumsum(x, axis=1), "best": best, "at": x[np.arange(len(x)), best],
            "products": np.cumprod(x, axis=0), "counts": counts}


def control_flow(x, steps):
    """Newton's method until it stands, a scan over rows, and a branch."""
    import dynacc
    def better(state):
        guess, count = state
        return (0.5 * (guess + x / guess), count + 1)

    def goes_on(state):
        guess, count = state
        return (np.abs(guess * guess - x).max() > 1e-12) & (count < 50)

    root, rounds = dynacc.while_loop(goes_on, better, (x, np.zeros((), np.int64)))
    last, partial = dynacc.scan(lambda carry, row: (carry * 0.5 + row, carry), np.zeros(steps.shape[1]), steps)
    chosen = dynacc.cond(last.sum() > 0.0, lambda v: v * 2.0, lambda v: v - 1.0, last)
    return root, rounds, partial, chosen


def several(x, y):
    return [x + y, (x - y).T], x.sum(axis=0), x.max()


def cases():
    rng = np.random.default_rng(0)

    def floats(*shape, dtype=np.float32):
        return rng.normal(size=shape).astype(dtype)

    params = {"w1": floats(20, 32, dtype=float), "b1": floats(32, dtype=float), "w2": floats(32, 3, dtype=float),
              "b2": floats(3, dtype=float)}
    block = [floats(16, 16) for _ in range(4)] + [floats(16, 64), floats(64, 16)]
    prices = [np.abs(floats(1000, dtype=float)) + 0.5 for _ in range(3)]
    return [
        ("mlp", mlp, (floats(8, 20, dtype=float), params), {}),
        ("mlp_dynamic", mlp, (floats(8, 20, dtype=float), params), {"dynamic": {"x": [0]}}),
        ("softmax", softmax, (floats(7, 33),), {}),
        ("softmax_dynamic", softmax, (floats(7, 33),), {"dynamic": True}),
        ("layer_norm", layer_norm, (floats(5, 64, dtype=float), floats(64, dtype=float), floats(64, dtype=float)), {}),
        ("layer_norm_dynamic", layer_norm, (floats(5, 64), floats(64), floats(64)), {"dynamic": {"x": {0: (1, 4096)}}}),
        ("black_scholes", black_scholes, tuple(prices), {"fast_math": True}),
        ("black_scholes_dynamic", black_scholes, tuple(prices), {"fast_math": True, "dynamic": True}),
        ("attention_block", attention_block, (floats(2, 10, 16), *block), {}),
        ("attention_block_dynamic", attention_block, (floats(2, 10, 16), *block), {"dynamic": {"x": [0, 1]}}),
        ("smooth", smooth, (floats(100, dtype=float),), {"dynamic": True}),
        ("with_weights", with_weights, (floats(9, 16, dtype=float),), {}),
        ("weights_outside", with_weights, (floats(9, 16, dtype=float),), {"weights": "pinned"}),
        ("sorted", sorted_rows, (floats(9, 33), floats(40, dtype=float)), {"dynamic": True}),
        ("places", places, (floats(20, 6, dtype=float), rng.integers(0, 20, 7), floats(4, 9, dtype=float)), {}),
        ("control_flow", control_flow, (np.abs(floats(6, dtype=float)) + 0.1, floats(11, 4, dtype=float)), {}),
        ("several", several, (floats(6, 5, dtype=float), floats(6, 5, dtype=float)), {"dynamic": True}),
    ]
