"""Lloyd's k-means on a mixture of Gaussians."""
import hashlib

import numpy as np


class KMeans:
    def __init__(self, clusters, tolerance=1e-6, max_rounds=30):
        self.clusters = clusters
        self.tolerance = tolerance
        self.max_rounds = max_rounds
        self.centers = None
        self.rounds = 0

    def distances(self, points):
        difference = points[:, None, :] - self.centers[None, :, :]
        return (difference**2).sum(axis=2)

    def assign(self, points):
        return self.distances(points).argmin(axis=1)

    def update(self, points, labels):
        centers = self.centers.copy()
        for k in range(self.clusters):
            members = points[labels == k]
            if len(members):
                centers[k] = members.mean(axis=0)
        return centers

    def fit(self, points):
        self.centers = points[:: len(points) // self.clusters][: self.clusters].copy()
        for self.rounds in range(1, self.max_rounds + 1):
            labels = self.assign(points)
            centers = self.update(points, labels)
            shift = np.abs(centers - self.centers).max()
            self.centers = centers
            print(f"round {self.rounds}: shift {shift:.9f}")
            if shift < self.tolerance:
                break
        return self

    def inertia(self, points):
        return self.distances(points).min(axis=1).sum()


def main():
    rng = np.random.default_rng(3)
    means = rng.uniform(-10, 10, (6, 3))
    points = np.concatenate([mean + rng.normal(0, 1.0, (3000, 3)) for mean in means])
    model = KMeans(6).fit(points)
    labels = model.assign(points)
    print("rounds", model.rounds, "inertia", repr(model.inertia(points)))
    print("sizes", np.bincount(labels, minlength=6))
    print("centers\n", model.centers)
    print(hashlib.sha1(model.centers.tobytes() + labels.tobytes()).hexdigest())


if __name__ == "__main__":
    main()
