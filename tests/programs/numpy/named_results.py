"""NumPy's functions give several results, from NumPy 2 on as named tuples, of which some are kept."""
# test: numpy2
import numpy as np


def factors(a):
    q, r = np.linalg.qr(a)
    return np.abs(np.round(q @ r - a, 9)) + 0.0, np.sign(np.linalg.slogdet(a @ a.T)[0])


def symmetric(a):
    values = np.linalg.eigh(a @ a.T)[0]
    result = np.linalg.svd(a, full_matrices=False)
    return np.round(values - result[1][::-1] ** 2, 9) + 0.0, len(result), isinstance(result, tuple)


def kept(a, store):
    result = np.linalg.slogdet(a @ a.T + np.eye(3))
    store.append(result)
    return result[0] * 2


def named(a):
    result = np.linalg.eigh(a @ a.T)
    if not hasattr(result, "_fields"):
        return "eigenvalues,eigenvectors", np.round(result[0], 6) + 0.0
    return ",".join(result._fields), np.round(result.eigenvalues, 6) + 0.0


def distinct(v):
    if not hasattr(np, "unique_counts"):
        values, counts = np.unique(v, return_counts=True)
    else:
        values, counts = np.unique_counts(v)
    return values * 2, counts + 1, counts.sum()


a = np.array([[4.0, 1, 2, 0], [0, 3, 1, 1], [2, 0, 5, 1]])
store = []
for k in range(3):
    print(factors(a + k), symmetric(a + k), kept(a, store), named(a), distinct((a * (k + 1) % 3).ravel()))
print([(type(item).__name__ in ("tuple", "SlogdetResult"), float(item[0])) for item in store])
print(all(item == store[0] for item in store))
