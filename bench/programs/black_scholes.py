import numpy as np
def cnd(x):
    k = 1.0 / (1.0 + 0.2316419 * np.abs(x))
    w = 0.31938153*k - 0.356563782*k*k + 1.781477937*k**3
    w = 1.0 - 1.0/np.sqrt(2*np.pi) * np.exp(-x*x/2.0) * w
    return np.where(x < 0, 1.0 - w, w)
def bs(s, x, t, r, v):
    d1 = (np.log(s/x) + (r + v*v/2.0)*t) / (v*np.sqrt(t))
    d2 = d1 - v*np.sqrt(t)
    call = s*cnd(d1) - x*np.exp(-r*t)*cnd(d2)
    put = x*np.exp(-r*t)*cnd(-d2) - s*cnd(-d1)
    return call, put
def main():
    n = 1_000_000
    rng = np.random.default_rng(1)
    s = rng.uniform(10, 50, n); x = rng.uniform(10, 50, n); t = rng.uniform(0.5, 2, n)
    for i in range(5):
        c, p = bs(s, x, t, 0.02 + i*0.001, 0.3)
        print(c.sum(), p.sum())
main()
