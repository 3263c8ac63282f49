"""Linear algebra is written from scratch: Gram-Schmidt, conjugate gradients, Jacobi, LU, Householder, PCA."""
# test: numpy2

import numpy as np


def gram_schmidt(A):
    Q = np.zeros_like(A)
    for j in range(A.shape[1]):
        v = A[:, j].copy()
        for i in range(j):
            v -= Q[:, i] @ A[:, j] * Q[:, i]
        Q[:, j] = v / np.linalg.norm(v)
    return Q


def cg(A, b, n):
    x = np.zeros_like(b)
    r = b - A @ x
    p = r.copy()
    rs = r @ r
    for i in range(n):
        Ap = A @ p
        al = rs / (p @ Ap)
        x = x + al * p
        r = r - al * Ap
        rn = r @ r
        if np.sqrt(rn) < 1e-10:
            break
        p = r + rn / rs * p
        rs = rn
    return x


def power(A, n):
    v = np.ones(A.shape[0])
    for _ in range(n):
        w = A @ v
        v = w / np.linalg.norm(w)
    return v @ A @ v


def jacobi(A, b, n):
    D = np.diag(A)
    R = A - np.diagflat(D)
    x = np.zeros_like(b)
    for _ in range(n):
        x = (b - np.dot(R, x)) / D
    return x


def lu(A):
    n = A.shape[0]
    U = A.copy()
    L = np.eye(n)
    for k in range(n - 1):
        f = U[k + 1 :, k] / U[k, k]
        L[k + 1 :, k] = f
        U[k + 1 :] -= np.outer(f, U[k])
    return (L, U)


def householder(A):
    m, n = A.shape
    R = A.copy()
    Q = np.eye(m)
    for k in range(n):
        x = R[k:, k]
        e = np.zeros_like(x)
        e[0] = np.copysign(np.linalg.norm(x), x[0])
        v = x + e
        v = v / np.linalg.norm(v)
        R[k:] -= 2 * np.outer(v, v @ R[k:])
    return R


def pca(X, k):
    C = np.cov((X - X.mean(0)).T)
    w, V = np.linalg.eigh(C)
    return (X @ V[:, ::-1][:, :k], w)


rng = np.random.default_rng(2)
A = rng.normal(size=(20, 20))
S = A @ A.T + 20 * np.eye(20)
b = rng.normal(size=20)
for _ in range(4):
    print(
        gram_schmidt(A)[0, :3],
        cg(S, b, 30)[:3],
        power(S, 20),
        jacobi(S, b, 10)[:2],
        lu(S)[1][-1, -1],
        np.abs(householder(A))[0, :3],
        np.abs(pca(A, 2)[0])[0],
    )
