"""Slices of index arrays by other arrays' elements, gathers and scatters by them, in loops."""
import numpy as np


def csr_products(data, indices, indptr, x):
    n = len(indptr) - 1
    y, z, w = np.empty(n), np.zeros(n), np.zeros(n)
    for i in range(n):
        s, e = indptr[i], indptr[i + 1]
        y[i] = (data[s:e] * x[indices[s:e]]).sum()
        z[i] = data[s:e] @ x[indices[s:e]]
        columns = indices[s:e]
        w[i] = len(columns)
        if columns.size > 2:
            w[i] += columns[1] * 2 + columns[-1]
            w[i] += np.max(x[columns]) - x[columns].min()
    return y, z, w


def transposed_product(data, indices, indptr, x):
    y = np.zeros(len(indptr) - 1)
    for i in range(len(indptr) - 1):
        s = indptr[i]
        e = indptr[i + 1]
        y[indices[s:e]] += data[s:e] * x[i]
    return y


def spread(neighbours, x, rounds):
    for _ in range(rounds):
        for i in range(neighbours.shape[0]):
            around = neighbours[i]
            x[i] = 0.5 * x[i] + 0.125 * x[around].sum()
            x[neighbours[i, :2]] = x[i] * 0.99
            x[neighbours[i, ::2]] = x[neighbours[i, ::-1][::2]]
    return x


def tail_sums(a, b):
    out = np.zeros(len(a))
    for i in range(len(a)):
        out[i] = a[i:].sum() + a[:i] @ b[:i] - b[i:i + 40].max()
        b[i:i + 3] = a[-3 - i:len(a) - i] * 0.5
    return out


def backwards(r, a, steps):
    for k in range(1, steps):
        factor = 0.3 / (1.0 + abs(r[1:k + 1][::-1] @ a[:k]))
        a[1:k + 1] += factor * a[:k][::-1].copy()
        a[k] = np.dot(a[k::-1], r[:k + 1]) + np.dot(a[:k][::-1], r[k:0:-1]) + a[-k:-5 * k:-2].sum()
        r[k] = r[k - 1:k - 5:-1].max() if k > 8 else r[::-3].min()
        a[k] *= 0.01
        a[:k] = a[k - 1::-1]
        a[:k] *= 0.5
        if k > 4:
            a[k:2:-1] = r[2:k]
    return a, r


def ints_of_rows(a):
    seen = []
    total = 0
    for i in range(len(a) - 4):
        part = a[i:i + 4]
        total = total + part[0] * part[-1]
        part[1] = part[2] % 7
        seen.append(total)
    return seen[::40], type(total).__name__, a.sum(), part


def walks(data, indices, indptr, x):
    total, weight = np.zeros(len(x)), 0.0
    for i in range(len(indptr) - 1):
        for j in indices[indptr[i]:indptr[i + 1]]:
            total[j] += x[i]
        for k, (j, value) in enumerate(zip(indices[indptr[i]:indptr[i + 1]], data[indptr[i]:indptr[i + 1]])):
            weight += x[j] * value
            if k > 5:
                break
        for value in data[i:0:-1][:3]:
            weight -= value
    return total.sum(), weight, type(j).__name__, k


class Graph:
    def __init__(self, indices, indptr):
        self.indices, self.indptr = indices, indptr

    def shares(self, rank, rounds):
        for _ in range(rounds):
            after = np.empty(len(rank))
            for i in range(len(rank)):
                after[i] = 0.1 + 0.5 * np.sum(rank[self.indices[self.indptr[i]:self.indptr[i + 1]]])
            rank = after
        return rank


def caught(function, *arguments):
    try:
        return function(*arguments)
    except Exception as error:
        return type(error).__name__, str(error)


def main():
    rng = np.random.default_rng(3)
    n = 1500
    counts = rng.integers(0, 12, n)
    counts[700] = 1400
    for kind in (np.int64, np.int32, np.uint16):
        indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int64 if kind is np.uint16 else kind)
        indices = rng.integers(0, n, indptr[-1]).astype(kind)
        data = rng.standard_normal(len(indices))
        x = rng.standard_normal(n)
        for result in csr_products(data, indices, indptr, x):
            print(result.sum(), result[::150])
        print(transposed_product(data, indices, indptr, x)[::100])
        print(walks(data, indices, indptr, x))
        print(Graph(indices, indptr).shares(x, 3)[::100])
        indices[len(indices) // 2] = n
        print(caught(csr_products, data, indices, indptr, x))
        print(caught(transposed_product, data, indices, indptr, x))
        print(caught(walks, data, indices, indptr, x))
        if kind is not np.uint16:
            indices[len(indices) // 2] = -n
            print(csr_products(data, indices, indptr, x)[0].sum())
            indices[len(indices) // 2] = -n - 1
            print(caught(csr_products, data, indices, indptr, x))
    x[3] = np.inf
    x[5] = -np.inf
    indices[len(indices) // 2] = 5
    with np.errstate(all="ignore"):
        print(csr_products(data, indices, indptr, x)[0][::100])
    neighbours = rng.integers(-300, 300, (300, 8))
    for strides in (neighbours, neighbours.astype(np.int32), np.asfortranarray(neighbours), neighbours[:, ::-1]):
        print(spread(strides, rng.standard_normal(300), 4)[::20])
    print(spread(neighbours, rng.standard_normal(900)[::3], 4)[::20])
    print(tail_sums(rng.standard_normal(2500), rng.standard_normal(2500))[::200])
    for n in (300, 1200):
        for result in backwards(rng.standard_normal(n), rng.standard_normal(n), 250):
            print(result[::15])
    for kind in (np.int64, np.int32, np.uint8, np.float32, np.bool_):
        print(ints_of_rows(rng.integers(0, 2, 3000).astype(kind)))


main()
