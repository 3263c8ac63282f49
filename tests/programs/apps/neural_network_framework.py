"""A small neural-network framework registers parameters by __setattr__ and has optimizers with state."""
import collections
import enum
import math

import numpy as np


class Mode(enum.Enum):
    TRAIN = "train"
    EVAL = "eval"


class Init(enum.IntEnum):
    ZEROS = 0
    UNIFORM = 1
    NORMAL = 2


class Parameter:
    created = 0

    def __init__(self, value, requires_grad=True):
        Parameter.created += 1
        self.value = value
        self.grad = np.zeros_like(value)
        self.requires_grad = requires_grad
        self.name = f"param{Parameter.created}"

    @property
    def shape(self):
        return self.value.shape

    def zero_grad(self):
        self.grad[...] = 0.0


class Module:
    instances = 0

    def __init__(self):
        type(self).instances += 1
        object.__setattr__(self, "_parameters", collections.OrderedDict())
        object.__setattr__(self, "_modules", collections.OrderedDict())
        object.__setattr__(self, "mode", Mode.TRAIN)

    def __setattr__(self, name, value):
        if isinstance(value, Parameter):
            self._parameters[name] = value
        elif isinstance(value, Module):
            self._modules[name] = value
        object.__setattr__(self, name, value)

    def parameters(self):
        for p in self._parameters.values():
            yield p
        for m in self._modules.values():
            yield from m.parameters()

    def train(self, mode=Mode.TRAIN):
        object.__setattr__(self, "mode", mode)
        for m in self._modules.values():
            m.train(mode)
        return self

    def __call__(self, x):
        return self.forward(x)


class Linear(Module):
    instances = 0

    def __init__(self, rng, fan_in, fan_out, init=Init.NORMAL):
        super().__init__()
        if init == Init.NORMAL:
            w = rng.standard_normal((fan_in, fan_out)) * math.sqrt(2.0 / fan_in)
        elif init is Init.UNIFORM:
            w = rng.uniform(-0.1, 0.1, (fan_in, fan_out))
        else:
            w = np.zeros((fan_in, fan_out))
        self.weight = Parameter(w)
        self.bias = Parameter(np.zeros(fan_out))

    def forward(self, x):
        self.x = x
        return x @ self.weight.value + self.bias.value

    def backward(self, g):
        self.weight.grad += self.x.T @ g
        self.bias.grad += g.sum(axis=0)
        return g @ self.weight.value.T


class Tanh(Module):
    instances = 0

    def forward(self, x):
        self.y = np.tanh(x)
        return self.y

    def backward(self, g):
        return g * (1.0 - self.y ** 2)


class Dropout(Module):
    instances = 0

    def __init__(self, rng, p):
        super().__init__()
        self.rng = rng
        self.p = p

    def forward(self, x):
        if self.mode is Mode.EVAL:
            self.mask = None
            return x
        self.mask = (self.rng.random(x.shape) >= self.p) / (1.0 - self.p)
        return x * self.mask

    def backward(self, g):
        return g if self.mask is None else g * self.mask


class Sequential(Module):
    instances = 0

    def __init__(self, *layers):
        super().__init__()
        for i, layer in enumerate(layers):
            setattr(self, str(i), layer)

    def forward(self, x):
        for layer in self._modules.values():
            x = layer(x)
        return x

    def backward(self, g):
        for layer in reversed(self._modules.values()):
            g = layer.backward(g)
        return g


class Optimizer:
    steps = 0

    def __init__(self, parameters, lr):
        self.parameters = list(parameters)
        self.lr = lr
        self.state = collections.defaultdict(dict)

    def zero_grad(self):
        for p in self.parameters:
            p.zero_grad()

    def step(self):
        Optimizer.steps += 1
        for i, p in enumerate(self.parameters):
            if p.requires_grad:
                self.update(i, p)


class Adam(Optimizer):
    def __init__(self, parameters, lr=1e-2, betas=(0.9, 0.999), eps=1e-8):
        super().__init__(parameters, lr)
        self.betas = betas
        self.eps = eps
        self.t = 0

    def step(self):
        self.t += 1
        super().step()

    def update(self, i, p):
        s = self.state[i]
        if "m" not in s:
            s["m"] = np.zeros_like(p.value)
            s["v"] = np.zeros_like(p.value)
        b1, b2 = self.betas
        s["m"] = b1 * s["m"] + (1 - b1) * p.grad
        s["v"] = b2 * s["v"] + (1 - b2) * p.grad * p.grad
        mhat = s["m"] / (1 - b1 ** self.t)
        vhat = s["v"] / (1 - b2 ** self.t)
        p.value -= self.lr * mhat / (np.sqrt(vhat) + self.eps)


class Schedule:
    def __init__(self, base, warmup):
        self.base, self.warmup = base, warmup

    def __getitem__(self, step):
        return self.base * min(1.0, (step + 1) / self.warmup)


def loss_of(y, target):
    d = y - target
    return float((d * d).mean()), 2.0 * d / d.size


def train(model, opt, schedule, x, y, epochs, history):
    for epoch in range(epochs):
        opt.lr = schedule[epoch]
        opt.zero_grad()
        out = model(x)
        loss, g = loss_of(out, y)
        model.backward(g)
        opt.step()
        history["loss"].append(loss)
        if epoch % 20 == 0:
            norm = math.sqrt(sum(float((p.grad ** 2).sum()) for p in model.parameters()))
            print(f"epoch {epoch:3d} loss {loss:.6f} grad {norm:.6f} lr {opt.lr:.4f}")


def decayed(a, base, t):
    """A schedule's numbers alone: powers of floats, the least and greatest of them."""
    return a * base ** t, base ** t, min(base, t, 0.75), max(base, t), 1.0 / (1.0 - base ** t) if base != 1.0 else None


def schedules():
    a = np.arange(3.0)
    nan = float("nan")
    pairs = [(0.9, 1), (0.9, 2), (0.8, 3), (0.7, 40), (-0.5, 3), (-0.5, 0.5), (0.0, 2), (0.0, -1), (2.0, 5000), (nan, 2),
             (0.5, nan), (0.5, -0.0), (-0.0, 1.0), (1.0, nan), (3, 0.5), (2, 10), (0.9, 7), (0.75, 0.75), (1e300, 2)]
    for base, t in pairs:
        try:
            print(decayed(a, base, t))
        except (ZeroDivisionError, OverflowError) as error:
            print(type(error).__name__, error)


def main():
    rng = np.random.default_rng(7)
    x = rng.uniform(-2, 2, (64, 2))
    y = np.sin(x[:, :1]) * np.cos(x[:, 1:])
    model = Sequential(Linear(rng, 2, 16), Tanh(), Dropout(rng, 0.05), Linear(rng, 16, 16, Init.UNIFORM), Tanh(),
                       Linear(rng, 16, 1, Init(2)))
    opt = Adam(model.parameters())
    history = collections.defaultdict(list)
    train(model, opt, Schedule(0.02, 10), x, y, 100, history)
    model.train(Mode.EVAL)
    out = model(x)
    print("final", round(loss_of(out, y)[0], 6), "best", round(min(history["loss"]), 6))
    print(Parameter.created, Linear.instances, Tanh.instances, Sequential.instances, Optimizer.steps)
    print([p.name for p in model.parameters()], [p.shape for p in model.parameters()])


main()
schedules()
