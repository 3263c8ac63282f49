import numpy as np
def main():
    x = np.linspace(0, 1, 1000)
    a = x*2 + 1
    b = np.sin(a) * np.cos(x)
    print(b.sum())
    m = np.arange(12.0).reshape(3,4)
    print(m.T @ m)
    c = np.where(x > 0.5, a, b)
    print(c.mean(), c.std(), np.median(c))
    h, e = np.histogram(b, bins=10)
    print(h, e)
    s = np.sort(b); print(s[:5])
    q = np.linalg.solve(np.eye(3)*2, np.ones(3)); print(q)
    for i in range(10):
        y = x*i + i; z = y**2 - y; print(z.sum())
    d = a - b; f = d*d; print(f.max(), f.min())
    u = np.unique(np.round(b, 1)); print(u)
    v = np.cumsum(x)/np.arange(1, 1001); print(v[-1])
main()
