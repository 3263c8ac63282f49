import numpy as np
def assign(x, c):
    d = ((x[:,None,:]-c[None,:,:])**2).sum(axis=2)
    return d.argmin(axis=1)
def update(x, l, k):
    return np.array([x[l==i].mean(axis=0) for i in range(k)])
def main():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((20000, 4)); c = x[:8].copy()
    for i in range(30):
        l = assign(x, c); c = update(x, l, 8)
    print(c)
main()
