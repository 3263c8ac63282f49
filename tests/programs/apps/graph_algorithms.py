"""Graphs and dynamic programs are solved: page rank, shortest paths, search, Viterbi, edit distance, sieve."""

import numpy as np


def pagerank(A, d, n):
    M = A / np.maximum(A.sum(0), 1)
    r = np.full(len(A), 1 / len(A))
    for _ in range(n):
        r = (1 - d) / len(A) + d * (M @ r)
    return r


def floyd(D):
    D = D.copy()
    for k in range(len(D)):
        D = np.minimum(D, D[:, k : k + 1] + D[k : k + 1, :])
    return D


def floyd2(D):
    D = D.copy()
    for k in range(len(D)):
        D = np.minimum(D, np.add.outer(D[:, k], D[k]))
    return D


def bfs(A, s):
    seen = np.zeros(len(A), bool)
    seen[s] = True
    f = seen.copy()
    n = 0
    while f.any():
        f = A[f].any(axis=0) & ~seen
        seen = seen | f
        n += 1
    return (n, seen.sum())


def lapl(A):
    return np.diag(A.sum(1)) - A


def fiedler(A):
    return np.linalg.eigvalsh(lapl(A))[1]


def triangles(A):
    return np.trace(np.linalg.matrix_power(A, 3)) / 6


def degree(A):
    return (A.sum(axis=0), np.bincount(A.sum(axis=0).astype(int)))


def editdist(a, b):
    D = np.zeros((len(a) + 1, len(b) + 1))
    D[:, 0] = np.arange(len(a) + 1)
    D[0] = np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            D[i, j] = min(D[i - 1, j] + 1, D[i, j - 1] + 1, D[i - 1, j - 1] + (a[i - 1] != b[j - 1]))
    return D[-1, -1]


def viterbi(pi, A, B, o):
    d = np.log(pi) + np.log(B[:, o[0]])
    lA = np.log(A)
    for k in o[1:]:
        d = np.max(d[:, None] + lA, axis=0) + np.log(B[:, k])
    return d


def sieve(n):
    s = np.ones(n, bool)
    s[:2] = False
    for i in range(2, int(n**0.5) + 1):
        if s[i]:
            s[i * i :: i] = False
    return np.nonzero(s)[0]


rng = np.random.default_rng(7)
A = (rng.random((12, 12)) < 0.3).astype(float)
A = np.maximum(A, A.T)
np.fill_diagonal(A, 0)
W = np.where(A > 0, rng.random((12, 12)), np.inf)
for _ in range(4):
    print(
        pagerank(A, 0.85, 20)[:3],
        floyd(W)[0, :3],
        floyd2(W)[0, :3],
        bfs(A > 0, 0),
        fiedler(A),
        triangles(A),
        degree(A)[1],
        editdist("kitten", "sitting"),
        viterbi(
            np.array([0.6, 0.4]),
            np.array([[0.7, 0.3], [0.4, 0.6]]),
            np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]),
            [0, 1, 2, 1],
        ),
        sieve(50)[-3:],
    )
