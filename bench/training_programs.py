"""Functions to differentiate, as people write them. training.py runs this file once for each library, with that one's
`np`: NumPy, jax.numpy or autograd.numpy. So nothing here may write into an array.

PROGRAMS: name -> (loss, first parameters, data), all by numpy.random's generator `rng`. Parameters are trees.
"""
PROGRAMS = {}


def program(make):
    PROGRAMS[make.__name__] = make
    return make


def cross_entropy(logits, labels):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_sum = np.log(np.exp(shifted).sum(axis=-1))
    return (log_sum - (shifted * labels).sum(axis=-1)).mean()


def one_hot(rng, *shape):
    return plain.eye(shape[-1], dtype=plain.float32)[rng.integers(0, shape[-1], shape[:-1])]


@program
def logistic_regression(rng):
    def loss(p, x, y):
        z = x @ p["w"] + p["b"]
        return (np.log(1.0 + np.exp(-np.abs(z))) + np.maximum(z, 0.0) - z * y).mean() + 1e-3 * (p["w"] * p["w"]).sum()

    x = rng.normal(size=(4000, 60))
    return loss, {"w": plain.zeros(60), "b": plain.zeros(1)}, (x, (x[:, 0] > 0).astype(float))


@program
def black_scholes_greeks(rng):
    def normal_cdf(x):
        t = 1.0 / (1.0 + 0.2316419 * np.abs(x))
        tail = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
        tail = tail * np.exp(-0.5 * x * x) * 0.3989422804014327
        return np.where(x > 0, 1.0 - tail, tail)

    def loss(p, strike, rate):
        deviation = p["volatility"] * np.sqrt(p["years"])
        d1 = (np.log(p["spot"] / strike) + rate * p["years"]) / deviation + 0.5 * deviation
        return (p["spot"] * normal_cdf(d1)
                - strike * np.exp(-rate * p["years"]) * normal_cdf(d1 - deviation)).sum()

    n = 100_000
    return loss, {"spot": rng.uniform(50, 150, n), "volatility": rng.uniform(0.1, 0.6, n),
                  "years": rng.uniform(0.1, 3, n)}, (rng.uniform(50, 150, n), 0.03)


@program
def mlp(rng):
    def loss(p, x, labels):
        for w, b in p[:-1]:
            x = np.tanh(x @ w + b)
        w, b = p[-1]
        return cross_entropy(x @ w + b, labels)

    sizes = [256, 256, 128, 10]
    params = [((rng.normal(size=(m, n)) / m ** 0.5).astype(plain.float32), plain.zeros(n, plain.float32))
              for m, n in zip(sizes, sizes[1:])]
    return loss, params, (rng.normal(size=(128, 256)).astype(plain.float32), one_hot(rng, 128, 10))


@program
def convolutional_net(rng):
    def convolution(images, filters, bias):
        height, width = images.shape[1] - 2, images.shape[2] - 2
        windows = [images[:, i:i + height, j:j + width] for i in range(3) for j in range(3)]
        return np.concatenate(windows, axis=-1) @ np.reshape(filters, (-1, filters.shape[-1])) + bias

    def loss(p, images, labels):
        x = np.maximum(convolution(images, *p["first"]), 0.0)
        x = np.maximum(convolution(x, *p["second"]), 0.0)
        x = np.reshape(x, (x.shape[0], -1))
        return cross_entropy(x @ p["last"][0] + p["last"][1], labels)

    def layer(*shape):
        scale = plain.prod(shape[:-1]) ** -0.5
        return (rng.normal(size=shape) * scale).astype(plain.float32), plain.zeros(shape[-1], plain.float32)

    params = {"first": layer(3, 3, 1, 16), "second": layer(3, 3, 16, 32), "last": layer(4 * 4 * 32, 10)}
    return loss, params, (rng.normal(size=(96, 8, 8, 1)).astype(plain.float32), one_hot(rng, 96, 10))


@program
def lstm(rng):
    width, length, batch = 64, 40, 32

    def sigmoid(x):
        return 1.0 / (1.0 + np.exp(-x))

    def loss(p, xs, target):
        h = c = np.zeros((batch, width), plain.float32)
        for i in range(length):
            gates = xs[i] @ p["input"] + h @ p["hidden"] + p["bias"]
            keep, enter, leave = (sigmoid(gates[:, k * width:(k + 1) * width]) for k in range(3))
            c = keep * c + enter * np.tanh(gates[:, 3 * width:])
            h = leave * np.tanh(c)
        return ((h - target) ** 2).mean()

    def normal(*shape):
        return (rng.normal(size=shape) * 0.2).astype(plain.float32)

    params = {"input": normal(16, 4 * width), "hidden": normal(width, 4 * width), "bias": normal(4 * width)}
    return loss, params, (normal(length, batch, 16), normal(batch, width))


@program
def ode_fit(rng):
    def slope(p, y):
        return np.stack([p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]])

    def loss(p, start, seen):
        y, error = start, 0.0
        for i in range(40):
            k1 = slope(p, y)
            k2 = slope(p, y + 0.05 * k1)
            y = y + 0.1 * k2
            error = error + ((y - seen[i]) ** 2).sum()
        return error

    return loss, plain.array([0.6, 0.4, 0.3, 0.7]), (plain.array([1.0, 0.8]), rng.normal(size=(40, 2)) * 0.1 + 1.0)


@program
def gpt(rng, layers=4, width=128, heads=4, length=64, batch=4, letters=64):
    def layer_norm(x, gain, bias):
        centred = x - x.mean(axis=-1, keepdims=True)
        return gain * centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 1e-5) + bias

    def attention(x, p):
        parts = np.reshape(x @ p["qkv"], (batch, length, 3, heads, width // heads))
        q, k, v = (np.transpose(parts[:, :, i], (0, 2, 1, 3)) for i in range(3))
        scores = q @ np.swapaxes(k, -1, -2) * (width // heads) ** -0.5 + mask
        e = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = (e / e.sum(axis=-1, keepdims=True)) @ v
        return np.reshape(np.transpose(mixed, (0, 2, 1, 3)), (batch, length, width)) @ p["out"]

    def gelu(x):
        return 0.5 * x * (1.0 + np.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))

    def loss(p, ids, labels):
        x = p["tokens"][ids] + p["places"]
        for block in p["blocks"]:
            x = x + attention(layer_norm(x, *block["norm1"]), block)
            x = x + gelu(layer_norm(x, *block["norm2"]) @ block["up"]) @ block["down"]
        return cross_entropy(layer_norm(x, *p["norm"]) @ p["tokens"].T, labels)

    def normal(*shape):
        return (rng.normal(size=shape) * 0.05).astype(plain.float32)

    def norm():
        return [plain.ones(width, plain.float32), plain.zeros(width, plain.float32)]

    mask = plain.triu(plain.full((length, length), -1e9, plain.float32), 1)
    blocks = [{"norm1": norm(), "norm2": norm(), "qkv": normal(width, 3 * width), "out": normal(width, width),
               "up": normal(width, 4 * width), "down": normal(4 * width, width)} for _ in range(layers)]
    params = {"tokens": normal(letters, width), "places": normal(length, width), "blocks": blocks, "norm": norm()}
    return loss, params, (rng.integers(0, letters, (batch, length)), one_hot(rng, batch, length, letters))
