"""np.mgrid, np.ogrid, np.r_, np.c_, np.s_ and NumPy's own Python functions stand inside array code."""
import numpy as np


def grids(n):
    y, x = np.mgrid[0:n, 0 : n + 1]
    r, c = np.ogrid[-1:1:3j, 0:4]
    return np.hypot(y, x), r * c, np.mgrid[0:1:5j] * 2


def joined(v, w):
    return np.r_[v, w] * 2, np.c_[v, w] + 1, np.r_[0.0, v, 9.0], np.r_[1:4], np.c_[np.ones(3), v, w] @ np.ones(3)


def parts(a):
    inner = np.s_[1:-1, 1:-1]
    return a[inner] * 2, a[np.s_[0]], a[np.index_exp[:, 1]]


def matrices(s):
    upper = np.triu_indices_from(s, 1)
    t = s.copy()
    t[np.diag_indices(len(s))] = 0
    return s[upper].sum(), t, np.atleast_3d(s).shape, np.apply_over_axes(np.sum, s, [0])


def built(n):
    y = np.linspace(-1, 1, n)
    return np.fromfunction(lambda i, j: i * 10 + j, (3, n)) + 1, np.piecewise(y, [y < 0, y >= 0.5], [1.0, 2.0])


def polynomials(x, c):
    from numpy.polynomial import chebyshev, polynomial

    return polynomial.polyval(x, c), chebyshev.chebval(x, c) * 2, np.polyadd(c, [1.0, 2.0])


def unique_rows(a):
    rows, counts = np.unique(a, axis=0, return_counts=True)
    return rows * 2, counts + 1, np.unique(a, axis=1, return_inverse=True)[1]


def many(a, b, x):
    q, r = np.divmod(a, b)
    frac, whole = np.modf(a)
    gy, gx = np.gradient(a)
    chosen = np.select([a < 0, a > 1], [a * 2, a - 1], default=0.5)
    sides = np.histogram_bin_edges(x, 5)
    h, edges = np.histogram(x, bins=8, range=(0, 1))
    return (q + r, frac * whole, gy + gx, chosen, sides * 2, h, np.percentile(x, [5, 50, 95]), np.cov(a), np.corrcoef(x, x[::-1]),
            np.tensordot(a, a.T, 1), np.trace(a @ a.T), np.take_along_axis(a, np.argsort(a, axis=1), axis=1))


def crossed(p, q):
    return np.cross(p, q) * 2


def fitted(x, y):
    m, res, rank, s = np.linalg.lstsq(np.c_[x, np.ones(len(x))], y, rcond=None)
    return m * 2, res, rank, s


for turn in range(3):
    n = 3 + turn % 2
    print(*grids(n), sep="\n")
    print(*joined(np.arange(3.0), np.ones(3)), sep="\n")
    print(*parts(np.arange(16.0).reshape(4, 4)), sep="\n")
    print(*matrices(np.arange(9.0).reshape(3, 3)), sep="\n")
    print(*built(n), sep="\n")
    print(*polynomials(np.linspace(-1, 1, 4), np.array([1.0, 0.5, -2.0])), sep="\n")
    print(*unique_rows(np.array([[1, 2], [3, 4], [1, 2]])), sep="\n")
    a = np.linspace(-1, 2, 12).reshape(3, 4)
    print(*many(a, np.full((3, 4), 0.3), np.linspace(0, 1, 50) ** 2), sep="\n")
    big = np.sin(np.arange(90000.0).reshape(300, 300))
    print([float(np.abs(r).sum().round(6)) for r in many(big, big + 2, np.abs(big).ravel())])
    print(crossed(np.arange(6.0).reshape(2, 3), np.array([1.0, 0.5, 2.0])))
    print(*fitted(np.arange(5.0), np.arange(5.0) * 2 + 1), sep="\n")
    print(*fitted(np.ones(4), np.arange(4.0)), sep="\n")
