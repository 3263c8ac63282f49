"""Leading eigenvectors of a graph's matrix by power iteration with deflation, and PageRank."""
import hashlib

import numpy as np


def power_iteration(A, rounds=200, tolerance=1e-10):
    v = np.ones(len(A)) / np.sqrt(len(A))
    value = 0.0
    for i in range(rounds):
        w = A @ v
        value = v @ w
        w /= np.linalg.norm(w)
        if np.abs(w - v).max() < tolerance:
            break
        v = w
    return value, v, i + 1


def page_rank(links, damping=0.85, rounds=60):
    out = links.sum(axis=0)
    transition = np.where(out > 0, links / np.where(out > 0, out, 1), 1.0 / len(links))
    rank = np.full(len(links), 1.0 / len(links))
    for _ in range(rounds):
        rank = damping * (transition @ rank) + (1 - damping) / len(links)
        rank /= rank.sum()
    return rank


def main(nodes=200):
    rng = np.random.default_rng(8)
    links = (rng.random((nodes, nodes)) < 0.05).astype(float)
    np.fill_diagonal(links, 0)
    A = (links + links.T) / 2
    for k in range(3):
        value, vector, rounds = power_iteration(A)
        print(f"eigenvalue {k}: {value:.12f} after {rounds} rounds, {np.abs(vector).max():.12f}")
        A = A - value * np.outer(vector, vector)
    rank = page_rank(links)
    print("top pages", np.argsort(-rank)[:8], rank.max(), rank.sum())
    print(hashlib.sha256(rank.tobytes() + A.tobytes()).hexdigest())


if __name__ == "__main__":
    main()
