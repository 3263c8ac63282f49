"""Physics, geometry and statistics go from point to point and from row to row."""
import math

import numpy as np


def molecules(pos, vel, dt, steps):
    n, energy = len(pos), 0.0
    for _ in range(steps):
        force = np.zeros_like(pos)
        energy = 0.0
        for i in range(n):
            for j in range(i + 1, n):
                d = pos[i] - pos[j]
                r2 = d @ d + 0.1
                s6 = 1.0 / (r2 * r2 * r2)
                energy += 4.0 * s6 * (s6 - 1.0)
                f = d * (24.0 * s6 * (2.0 * s6 - 1.0) / r2)
                force[i] += f
                force[j] -= f
        for i in range(n):
            vel[i] += force[i] * dt
            pos[i] += vel[i] * dt
    return energy, pos


def gravity(pos, vel, mass, dt):
    for i in range(len(pos)):
        a = np.zeros(3)
        for j in range(len(pos)):
            if i != j:
                r = pos[j] - pos[i]
                a += mass[j] * r / (np.linalg.norm(r) ** 3 + 1e-3)
        vel[i] += a * dt
    return vel


def boids(pos, vel):
    out = np.empty_like(pos)
    for i in range(len(pos)):
        centre, away, count = np.zeros(2), np.zeros(2), 0
        me = pos[i]
        for j in range(len(pos)):
            if j == i:
                continue
            gap = pos[j] - me
            dist = math.sqrt(gap[0] ** 2 + gap[1] ** 2)
            if dist < 0.4:
                centre += pos[j]
                count += 1
                if dist < 0.1:
                    away -= gap
        if count > 0:
            centre /= count
            out[i] = vel[i] + (centre - me) * 0.01 + away * 0.05
        else:
            out[i] = vel[i]
    return out


def clusters(points, centers, rounds):
    labels = np.zeros(len(points), dtype=np.int64)
    for _ in range(rounds):
        sums, counts = np.zeros_like(centers), np.zeros(len(centers))
        for i in range(len(points)):
            p, best, label = points[i], np.inf, 0
            for k in range(len(centers)):
                diff = p - centers[k]
                d = diff.dot(diff)
                if d < best:
                    best, label = d, k
            labels[i] = label
            sums[label] += p
            counts[label] += 1
        for k in range(len(centers)):
            if counts[k] > 0:
                centers[k] = sums[k] / counts[k]
    return labels, centers


def warping(a, b):
    previous = np.full(len(b) + 1, np.inf)
    previous[0] = 0.0
    for i in range(len(a)):
        current = np.full(len(b) + 1, np.inf)
        for j in range(1, len(b) + 1):
            delta = a[i] - b[j - 1]
            cost = np.sqrt(np.sum(delta * delta))
            current[j] = cost + min(previous[j], current[j - 1], previous[j - 1])
        previous = current
    return previous


def forward(start, change, emit, seen):
    alpha, log = start * emit[:, seen[0]], 0.0
    for t in range(1, len(seen)):
        new = np.zeros(len(start))
        for j in range(len(start)):
            new[j] = np.dot(alpha, change[:, j]) * emit[j, seen[t]]
        scale = new.sum()
        alpha = new / scale
        log += math.log(scale)
    return alpha, log


def viterbi(change, emit, seen):
    score = emit[:, seen[0]].copy()
    back = np.zeros((len(seen), len(score)), dtype=np.int64)
    for t in range(1, len(seen)):
        new = np.empty(len(score))
        for j in range(len(score)):
            row = score + change[:, j]
            back[t, j] = np.argmax(row)
            new[j] = row.max() + emit[j, seen[t]]
        score = new
    return score, back


def spheres(rays, centers, radii):
    hits = np.zeros((len(rays), 3))
    origin = np.zeros(3)
    for i in range(len(rays)):
        ray, nearest, found = rays[i] / np.linalg.norm(rays[i]), 1e9, -1
        for k in range(len(centers)):
            to = origin - centers[k]
            b = 2.0 * np.dot(to, ray)
            disc = b * b - 4.0 * (np.dot(to, to) - radii[k] ** 2)
            if disc > 0:
                t = (-b - math.sqrt(disc)) / 2.0
                if 0 < t < nearest:
                    nearest, found = t, k
        if found >= 0:
            point = origin + nearest * ray
            normal = (point - centers[found]) / radii[found]
            hits[i] = normal * max(0.0, normal @ np.array([0.0, 0.6, -0.8]))
    return hits


def orthonormal(a):
    q = np.zeros_like(a)
    for k in range(len(a)):
        v = a[k].copy()
        for j in range(k):
            v -= (q[j] @ v) * q[j]
        q[k] = v / np.linalg.norm(v)
    return q


def gradients(a, b, steps):
    x = np.zeros(len(b))
    r = b.copy()
    p = r
    for _ in range(steps):
        product = np.zeros(len(b))
        for i in range(len(b)):
            product[i] = a[i] @ p
        old = r @ r
        alpha = old / (p @ product)
        x = x + alpha * p
        r = r - alpha * product
        p = r + (r @ r / old) * p
    return x


def power(a, steps):
    v = np.ones(len(a))
    for _ in range(steps):
        w = np.empty_like(v)
        for i in range(len(a)):
            w[i] = np.sum(a[i] * v)
        v = w / np.sqrt(w.dot(w))
    return v


def paths(d):
    for k in range(len(d)):
        via = d[k]
        for i in range(len(d)):
            row = d[i]
            row[:] = np.minimum(row, row[k] + via)
    return d


def rotations(a, sweeps):
    for _ in range(sweeps):
        for p in range(len(a) - 1):
            for q in range(p + 1, len(a)):
                if abs(a[p, q]) < 1e-12:
                    continue
                theta = (a[q, q] - a[p, p]) / (2.0 * a[p, q])
                t = math.copysign(1.0, theta) / (abs(theta) + math.sqrt(theta * theta + 1.0))
                c = 1.0 / math.sqrt(t * t + 1.0)
                s = t * c
                up, uq = a[p].copy(), a[q].copy()
                a[p] = c * up - s * uq
                a[q] = s * up + c * uq
                up, uq = a[:, p].copy(), a[:, q].copy()
                a[:, p] = c * up - s * uq
                a[:, q] = s * up + c * uq
    return a


def map_of(units, data, rate):
    for x in data:
        best, winner = np.inf, 0
        for k in range(len(units)):
            diff = units[k] - x
            d = (diff ** 2).sum()
            if d < best:
                best, winner = d, k
        for k in range(len(units)):
            units[k] += rate * math.exp(-abs(k - winner)) * (x - units[k])
    return units


def distance(u, v):
    d = u - v
    return math.sqrt(d.dot(d))


def closest(points):
    best, pair = np.inf, (0, 0)
    for i in range(len(points)):
        for j in range(i + 1, len(points)):
            d = distance(points[i], points[j])
            if d < best:
                best, pair = d, (i, j)
    return best, pair


def areas(points, faces):
    total = 0.0
    for f in range(len(faces)):
        a, b, c = points[faces[f, 0]], points[faces[f, 1]], points[faces[f, 2]]
        n = np.cross(b - a, c - a)
        total += 0.5 * np.linalg.norm(n)
    return total


def spread(x, width):
    middles, apart, most = np.empty(len(x) - width + 1), 0.0, 0.0
    for i in range(len(middles)):
        middles[i] = np.median(x[i:i + width])
        apart += x[i:i + width].std() + np.var(x[i::2])
        most = max(most, np.std(x[:i + 1]))
    return middles, apart, most


def run(scale):
    rng = np.random.default_rng(11)
    n = 6 * scale
    p3 = lambda count: rng.random((count, 3))
    yield molecules, (p3(n) * 3, p3(n) * 0.1, 1e-3, 3)
    yield gravity, (p3(n), p3(n), rng.random(n), 0.01)
    yield boids, (rng.random((n, 2)), rng.random((n, 2)))
    yield clusters, (p3(8 * n), p3(4), 2)
    yield warping, (rng.random((n, 4)), rng.random((n, 4)))
    yield forward, (np.ones(5) / 5, rng.random((5, 5)) / 3, rng.random((5, 4)), rng.integers(0, 4, 8 * n))
    yield viterbi, (np.log(rng.random((7, 7))), np.log(rng.random((7, 4))), rng.integers(0, 4, 8 * n))
    yield spheres, (p3(4 * n) - 0.5, p3(8) * 4 - 2, rng.random(8))
    yield orthonormal, (rng.random((n, n)),)
    a = rng.random((n, n))
    yield gradients, (a @ a.T + n * np.eye(n), rng.random(n), 5)
    yield power, (rng.random((n, n)), 6)
    yield paths, (rng.random((n, n)) * 9,)
    yield rotations, (a[:8, :8] + a[:8, :8].T, 3)
    yield map_of, (p3(9), p3(8 * n), 0.3)
    yield closest, (p3(2 * n),)
    yield areas, (p3(3 * n), rng.integers(0, 3 * n, (8 * n, 3)))
    signal = rng.standard_normal(20 * n)
    yield spread, (signal, 5)
    yield spread, (np.where(signal > 0, -0.0, signal), 4)
    for special in ((np.nan,), (np.inf, -np.inf), (1e308, 1.7e308)):
        signal[[n, n + 1][:len(special)]] = special
        yield spread, (signal, 4)


if __name__ == "__main__":
    for turn in range(2):
        for function, args in run(2 + turn):
            answer = function(*args)
            for part in answer if isinstance(answer, tuple) else (answer,):
                print(function.__name__, np.asarray(part).shape, np.asarray(part, dtype=float).ravel()[-1].hex(), float(np.sum(part)).hex())
