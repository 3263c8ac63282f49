"""A simulation keeps its state in objects with properties, static methods, parameters in dicts, and lists."""
import numpy as np
class Config:
    dt = 0.01
    g = np.float64(9.81)
class Sim:
    def __init__(self, n):
        rng = np.random.default_rng(0)
        self.p = rng.normal(size=(n, 3)); self.v = rng.normal(size=(n, 3)); self.m = rng.uniform(1, 2, n)
        self.t = 0.0
        self.hist = []
    @property
    def energy(self):
        return 0.5 * (self.m * (self.v ** 2).sum(axis=1)).sum()
    @staticmethod
    def clampv(v, lim=3.0):
        n = np.sqrt((v * v).sum(axis=-1, keepdims=True))
        return np.where(n > lim, v / n * lim, v)
    def force(self, p, *, k=2.0, **kw):
        f = -k * p
        for name, w in kw.items():
            f = f + w * np.sin(p)
        return f
    def step(self):
        a = self.force(self.p, k=1.5, wave=0.3) / self.m[:, None]
        a[:, 2] -= Config.g
        self.v = self.clampv(self.v + Config.dt * a)
        self.p += self.v * Config.dt
        self.t += Config.dt
        hit = self.p[:, 2] < -1
        if hit.any():
            self.v[hit, 2] *= -0.5
            self.p[hit, 2] = -1
        self.hist.append((self.t, float(self.energy)))
        return self.energy
def main():
    s = Sim(500)
    for i in range(60):
        e = s.step()
        if i % 10 == 0:
            print(f"{s.t:.3f} {e:.12f}", s.p.sum(), s.v.std(axis=0))
    P = {"w": np.linspace(0, 1, 64).reshape(8, 8), "b": np.arange(8.0)}
    def layer(x, params=P, act=np.tanh):
        return act(x @ params["w"] + params["b"])
    x = np.ones((5, 8))
    for i in range(10):
        x = layer(x)
    print(x)
    P["w"] = P["w"] * 2
    for i in range(4): x = layer(x, act=lambda z: np.maximum(z, 0) - .1)
    print(x)
    try:
        for i in range(5): layer(np.ones((5, 7)))
    except ValueError as ex: print("E", ex)
    total = 0
    A = [np.full((3,), float(i)) for i in range(20)]
    for i, a in enumerate(A):
        total = total + a * i if i % 2 else total - a
    print(total, type(total))
    acc = np.zeros(4)
    k = 0
    while np.abs(acc).max() < 5:
        acc = acc + np.array([1, .5, .25, .1]) * (k + 1); k += 1
    print(k, acc)
main()
