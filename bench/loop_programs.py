"""Loops as people write them, of several classes, for bench/peers.py: plain NumPy
and Python, most of which Numba compiles as it stands."""
import math

import numpy as np


# Sparse rows.
def csr_product(data, indices, indptr, x):
    y = np.empty(len(indptr) - 1)
    for i in range(len(indptr) - 1):
        s, e = indptr[i], indptr[i + 1]
        y[i] = (data[s:e] * x[indices[s:e]]).sum()
    return y


def page_rank(indices, indptr, degrees, rank, rounds):
    n = len(indptr) - 1
    for _ in range(rounds):
        share = rank / degrees
        after = np.empty(n)
        for i in range(n):
            after[i] = 0.15 / n + 0.85 * np.sum(share[indices[indptr[i]:indptr[i + 1]]])
        rank = after
    return rank


def sparse_gauss_seidel(data, indices, indptr, diagonal, b, sweeps):
    x = np.zeros(b.shape[0])
    for _ in range(sweeps):
        for i in range(b.shape[0]):
            start = indptr[i]
            stop = indptr[i + 1]
            x[i] += (b[i] - np.dot(data[start:stop], x[indices[start:stop]])) / diagonal[i]
    return x


# Short recurrences on slices.
def forward_substitution(L, b):
    x = np.zeros(len(b))
    for i in range(len(b)):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x


def levinson(r, y):
    n = len(y)
    a = np.zeros(n)
    x = np.zeros(n)
    a[0] = 1.0
    error = r[0]
    x[0] = y[0] / error
    for k in range(1, n):
        reflection = -(r[1:k + 1][::-1] @ a[:k]) / error
        a[1:k + 1] += reflection * a[:k][::-1].copy()
        error *= 1.0 - reflection * reflection
        gap = (y[k] - r[1:k + 1][::-1] @ x[:k]) / error
        x[:k + 1] += gap * a[:k + 1][::-1]
    return x


def gram_schmidt(A):
    m, n = A.shape
    Q = np.zeros((n, m))
    R = np.zeros((n, n))
    for j in range(n):
        v = A[:, j].copy()
        for i in range(j):
            R[i, j] = np.dot(Q[i], v)
            v -= R[i, j] * Q[i]
        R[j, j] = np.sqrt(np.dot(v, v))
        Q[j] = v / R[j, j]
    return R


# Small matrices in nested ranges.
def small_products(A, B):
    n, m, p = A.shape[0], A.shape[1], B.shape[2]
    C = np.zeros((n, m, p))
    for t in range(n):
        for i in range(m):
            for j in range(p):
                total = 0.0
                for k in range(A.shape[2]):
                    total += A[t, i, k] * B[t, k, j]
                C[t, i, j] = total
    return C


def image_filter(image, kernel):
    h, w = image.shape
    r = kernel.shape[0] // 2
    out = np.zeros((h, w))
    for y in range(r, h - r):
        for x in range(r, w - r):
            total = 0.0
            for dy in range(-r, r + 1):
                for dx in range(-r, r + 1):
                    total += image[y + dy, x + dx] * kernel[dy + r, dx + r]
            out[y, x] = total
    return out


def four_index(V, C):
    n = C.shape[0]
    out = np.zeros((n, n, n, n))
    for p in range(n):
        for q in range(n):
            for r in range(n):
                for s in range(n):
                    t = 0.0
                    for i in range(n):
                        t += C[i, p] * V[i, q, r, s]
                    out[p, q, r, s] = t
    return out


def all_distances(D):
    D = D.copy()
    for k in range(D.shape[0]):
        for i in range(D.shape[0]):
            for j in range(D.shape[0]):
                if D[i, k] + D[k, j] < D[i, j]:
                    D[i, j] = D[i, k] + D[k, j]
    return D


def cholesky(A):
    n = A.shape[0]
    L = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = A[i, j]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            L[i, j] = np.sqrt(s) if i == j else s / L[j, j]
    return L


def correlations(X):
    rows, columns = X.shape
    out = np.zeros((columns, columns))
    for a in range(columns):
        for b in range(a, columns):
            xy, xx, yy = 0.0, 0.0, 0.0
            for r in range(rows):
                xy += X[r, a] * X[r, b]
                xx += X[r, a] * X[r, a]
                yy += X[r, b] * X[r, b]
            out[a, b] = out[b, a] = xy / np.sqrt(xx * yy)
    return out


# Histograms and binned sums.
def masked_histogram(values, edges):
    counts = np.zeros(len(edges) - 1)
    for i in range(len(edges) - 1):
        counts[i] = np.sum((values >= edges[i]) & (values < edges[i + 1]))
    return counts


def binned_sums(keys, values, bins):
    sums = np.zeros(bins)
    for k in range(bins):
        mask = keys == k
        sums[k] = values[mask].sum()
    return sums


def counted(values, bins):
    counts = np.zeros(bins, dtype=np.int64)
    low, high = values.min(), values.max()
    for v in values:
        k = int((v - low) / (high - low) * bins)
        if k == bins:
            k -= 1
        counts[k] += 1
    return counts


# Windows over arrays of four axes, channels last.
def convolve(images, weights):
    k = weights.shape[0]
    n, h, w, _ = images.shape
    out = np.empty((n, h - k + 1, w - k + 1, weights.shape[3]))
    for i in range(h - k + 1):
        for j in range(w - k + 1):
            window = images[:, i:i + k, j:j + k, :]
            out[:, i, j, :] = np.sum(window[:, :, :, :, np.newaxis] * weights[np.newaxis, :, :, :], axis=(1, 2, 3))
    return out


def max_pool(x):
    out = np.empty((x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]))
    for i in range(x.shape[1] // 2):
        for j in range(x.shape[2] // 2):
            out[:, i, j, :] = np.max(x[:, 2 * i:2 * i + 2, 2 * j:2 * j + 2, :], axis=(1, 2))
    return out


def mean_pool(x, k):
    n, h, w, c = x.shape
    out = np.zeros((n, h // k, w // k, c))
    for i in range(h // k):
        for j in range(w // k):
            out[:, i, j] = x[:, i * k:i * k + k, j * k:j * k + k].mean(axis=(1, 2))
    return out


def contrast(image, k):
    h, w = image.shape
    out = np.zeros((h - k + 1, w - k + 1))
    for i in range(h - k + 1):
        for j in range(w - k + 1):
            out[i, j] = image[i:i + k, j:j + k].max() - image[i:i + k, j:j + k].min()
    return out


def depthwise(x, kernel):
    k = kernel.shape[0]
    out = np.zeros((x.shape[0] - k + 1, x.shape[1] - k + 1, x.shape[2]))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = (x[i:i + k, j:j + k, :] * kernel).sum(axis=(0, 1))
    return out


# What Numba does not compile of them (sums and extremes along several axes), written for it.
def convolve_rewritten(images, weights):
    k = weights.shape[0]
    n, h, w, _ = images.shape
    out = np.empty((n, h - k + 1, w - k + 1, weights.shape[3]))
    for b in range(n):
        for i in range(h - k + 1):
            for j in range(w - k + 1):
                for f in range(weights.shape[3]):
                    total = 0.0
                    for y in range(k):
                        for x in range(k):
                            for c in range(weights.shape[2]):
                                total += images[b, i + y, j + x, c] * weights[y, x, c, f]
                    out[b, i, j, f] = total
    return out


def max_pool_rewritten(x):
    out = np.empty((x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]))
    for b in range(x.shape[0]):
        for i in range(x.shape[1] // 2):
            for j in range(x.shape[2] // 2):
                for c in range(x.shape[3]):
                    out[b, i, j, c] = max(x[b, 2 * i, 2 * j, c], x[b, 2 * i, 2 * j + 1, c],
                                          x[b, 2 * i + 1, 2 * j, c], x[b, 2 * i + 1, 2 * j + 1, c])
    return out


def mean_pool_rewritten(x, k):
    n, h, w, channels = x.shape
    out = np.zeros((n, h // k, w // k, channels))
    for b in range(n):
        for i in range(h // k):
            for j in range(w // k):
                for c in range(channels):
                    total = 0.0
                    for y in range(k):
                        for z in range(k):
                            total += x[b, i * k + y, j * k + z, c]
                    out[b, i, j, c] = total / (k * k)
    return out


def depthwise_rewritten(x, kernel):
    k = kernel.shape[0]
    out = np.zeros((x.shape[0] - k + 1, x.shape[1] - k + 1, x.shape[2]))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            for y in range(k):
                for z in range(k):
                    for c in range(x.shape[2]):
                        out[i, j, c] += x[i + y, j + z, c] * kernel[y, z, c]
    return out


# Stencils swept by a time loop.
def jacobi(A, B, steps):
    for _ in range(steps):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])
    return A


def heat3d(A, B, steps):
    for _ in range(steps):
        B[1:-1, 1:-1, 1:-1] = (0.125 * (A[2:, 1:-1, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1])
                               + 0.125 * (A[1:-1, 2:, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, :-2, 1:-1])
                               + 0.125 * (A[1:-1, 1:-1, 2:] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, 1:-1, :-2])
                               + A[1:-1, 1:-1, 1:-1])
        A, B = B, A
    return A


def advection(u, c, steps):
    for _ in range(steps):
        after = u.copy()
        after[1:] = u[1:] - c * (u[1:] - u[:-1])
        u = after
    return u


# Bodies, each pair of which acts on the other.
def gravity(position, velocity, mass, steps, dt):
    for _ in range(steps):
        apart = position[None, :, :] - position[:, None, :]
        squared = (apart * apart).sum(axis=2) + 0.01
        pull = mass / (squared * np.sqrt(squared))
        velocity = velocity + dt * (apart * pull[:, :, None]).sum(axis=1)
        position = position + dt * velocity
    return position


def lennard_jones(position, box, steps, dt):
    velocity = np.zeros_like(position)
    energy = 0.0
    for _ in range(steps):
        apart = position[:, None, :] - position[None, :, :]
        apart = apart - box * np.round(apart / box)
        squared = np.sum(apart ** 2, axis=-1)
        near = (squared < 6.25) & (squared > 0)
        inverse = np.where(near, 1.0 / np.where(near, squared, 1.0), 0.0)
        sixth = inverse ** 3
        energy += np.sum(4 * (sixth * sixth - sixth)) / 2
        force = (24 * (2 * sixth * sixth - sixth) * inverse)[:, :, None] * apart
        velocity += dt * force.sum(axis=1)
        position = (position + dt * velocity) % box
    return energy


def planets(x, y, mass, steps, dt):
    speed_x, speed_y = -y * 0.1, x * 0.1
    for _ in range(steps):
        apart_x, apart_y = x[None, :] - x[:, None], y[None, :] - y[:, None]
        pull = mass * (apart_x ** 2 + apart_y ** 2 + 0.01) ** -1.5
        speed_x = speed_x + dt * (apart_x * pull).sum(axis=1)
        speed_y = speed_y + dt * (apart_y * pull).sum(axis=1)
        x, y = x + dt * speed_x, y + dt * speed_y
    return x, y


# Of arrays whose steps Numba does not know.
def gravity_rewritten(position, velocity, mass, steps, dt):
    position, velocity = position.copy(), velocity.copy()
    for _ in range(steps):
        pulls = np.zeros_like(position)
        for i in range(len(mass)):
            for j in range(len(mass)):
                dx = position[j, 0] - position[i, 0]
                dy = position[j, 1] - position[i, 1]
                dz = position[j, 2] - position[i, 2]
                squared = dx * dx + dy * dy + dz * dz + 0.01
                pull = mass[j] / (squared * np.sqrt(squared))
                pulls[i, 0] += dx * pull
                pulls[i, 1] += dy * pull
                pulls[i, 2] += dz * pull
        velocity += dt * pulls
        position += dt * velocity
    return position


def lennard_jones_rewritten(position, box, steps, dt):
    position, velocity, energy = position.copy(), np.zeros_like(position), 0.0
    for _ in range(steps):
        forces = np.zeros_like(position)
        for i in range(len(position)):
            for j in range(len(position)):
                dx = position[i, 0] - position[j, 0]
                dy = position[i, 1] - position[j, 1]
                dz = position[i, 2] - position[j, 2]
                dx -= box * np.round(dx / box)
                dy -= box * np.round(dy / box)
                dz -= box * np.round(dz / box)
                squared = dx * dx + dy * dy + dz * dz
                if 0 < squared < 6.25:
                    sixth = (1.0 / squared) ** 3
                    energy += 2 * (sixth * sixth - sixth)
                    force = 24 * (2 * sixth * sixth - sixth) / squared
                    forces[i, 0] += force * dx
                    forces[i, 1] += force * dy
                    forces[i, 2] += force * dz
        velocity += dt * forces
        position = (position + dt * velocity) % box
    return energy


REWRITTEN = {convolve: convolve_rewritten, max_pool: max_pool_rewritten, mean_pool: mean_pool_rewritten,
             depthwise: depthwise_rewritten, gravity: gravity_rewritten, lennard_jones: lennard_jones_rewritten}


# Scalar recurrences.
def adler32(data):
    a, b = 1, 0
    for byte in data:
        a = (a + byte) % 65521
        b = (b + a) % 65521
    return (b << 16) | a


def crc32(data, table):
    crc = 0xFFFFFFFF
    for i in range(len(data)):
        crc = table[(crc ^ data[i]) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def knapsack(weights, values, capacity):
    best = np.zeros(capacity + 1, dtype=np.int64)
    for i in range(len(weights)):
        w = weights[i]
        for c in range(capacity, w - 1, -1):
            candidate = best[c - w] + values[i]
            if candidate > best[c]:
                best[c] = candidate
    return best[capacity]


def common_subsequence(a, b):
    length = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    for i in range(len(a)):
        for j in range(len(b)):
            if a[i] == b[j]:
                length[i + 1, j + 1] = length[i, j] + 1
            else:
                length[i + 1, j + 1] = max(length[i, j + 1], length[i + 1, j])
    return length[len(a), len(b)]


def coins(values, amount):
    ways = np.zeros(amount + 1, dtype=np.int64)
    ways[0] = 1
    for value in values:
        for a in range(value, amount + 1):
            ways[a] = (ways[a] + ways[a - value]) % 1000000007
    return ways[amount]


# Elements, as Numba's users write them.
def mandelbrot(width, height, rounds):
    out = np.zeros((height, width), dtype=np.int64)
    for i in range(height):
        for j in range(width):
            cx = -2.0 + 3.0 * j / width
            cy = -1.0 + 2.0 * i / height
            x = y = 0.0
            for k in range(rounds):
                x, y = x * x - y * y + cx, 2.0 * x * y + cy
                if x * x + y * y > 4.0:
                    break
            out[i, j] = k
    return out


def julia(c, width, height, rounds):
    total = 0
    for i in range(height):
        for j in range(width):
            z = complex(3.0 * j / width - 1.5, 2.0 * i / height - 1.0)
            k = 0
            while k < rounds and z.real * z.real + z.imag * z.imag < 4.0:
                z = z * z + c
                k += 1
            total += k
    return total


def time_warping(a, b):
    D = np.full((len(a) + 1, len(b) + 1), np.inf)
    D[0, 0] = 0.0
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            D[i, j] = abs(a[i - 1] - b[j - 1]) + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
    return D[len(a), len(b)]


def shortest_paths(distances):
    d = distances.copy()
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = d[i, k] + d[k, j]
                if through < d[i, j]:
                    d[i, j] = through
    return d


def bilinear(image, ys, xs):
    out = np.empty(len(ys))
    for k in range(len(ys)):
        y, x = int(ys[k]), int(xs[k])
        dy, dx = ys[k] - y, xs[k] - x
        out[k] = ((image[y, x] * (1 - dx) + image[y, x + 1] * dx) * (1 - dy)
                  + (image[y + 1, x] * (1 - dx) + image[y + 1, x + 1] * dx) * dy)
    return out


def option_tree(spot, strike, rate, up, steps):
    value = np.zeros(steps + 1)
    for i in range(steps + 1):
        value[i] = max(spot * up ** (steps - 2 * i) - strike, 0.0)
    p = (math.exp(rate / steps) - 1.0 / up) / (up - 1.0 / up)
    for j in range(steps - 1, -1, -1):
        for i in range(j + 1):
            value[i] = (p * value[i] + (1.0 - p) * value[i + 1]) * math.exp(-rate / steps)
    return value[0]


def life(cells):
    n, m = cells.shape
    out = np.zeros_like(cells)
    for i in range(n):
        for j in range(m):
            near = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if di != 0 or dj != 0:
                        near += cells[(i + di) % n, (j + dj) % m]
            out[i, j] = 1 if near == 3 or (near == 2 and cells[i, j] == 1) else 0
    return out


def queens(n):
    columns = np.zeros(n, dtype=np.int64)
    columns[0] = -1
    count = row = 0
    while row >= 0:
        columns[row] += 1
        if columns[row] == n:
            row -= 1
            continue
        ok = True
        for earlier in range(row):
            distance = columns[row] - columns[earlier]
            if distance == 0 or distance == row - earlier or distance == earlier - row:
                ok = False
                break
        if ok:
            if row == n - 1:
                count += 1
            else:
                row += 1
                columns[row] = -1
    return count


def nearest(points, centres):
    out = np.empty(len(points), dtype=np.int64)
    for i in range(len(points)):
        best = 1e300
        for j in range(len(centres)):
            d = 0.0
            for k in range(points.shape[1]):
                t = points[i, k] - centres[j, k]
                d += t * t
            if d < best:
                best = d
                out[i] = j
    return out


def viterbi(A, B, seen):
    score = np.zeros((len(seen), len(A)))
    for t in range(1, len(seen)):
        for j in range(len(A)):
            best = -1e300
            for i in range(len(A)):
                s = score[t - 1, i] + math.log(A[i, j])
                if s > best:
                    best = s
            score[t, j] = best + math.log(B[j, seen[t]])
    return score


def insertion_sort(x):
    a = x.copy()
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return a


def sparse_matrix(n, most):
    rng = np.random.default_rng(1)
    rows = [np.sort(rng.choice(n, rng.integers(0, most), replace=False)) for _ in range(n)]
    indptr = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    indices = np.concatenate(rows)
    return rng.uniform(-1, 1, len(indices)), indices, indptr


def crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ 0xEDB88320 if byte & 1 else byte >> 1
        table.append(byte)
    return np.array(table)


def programs():
    """Pairs of a class's name and its programs, each with a function that makes arguments for a call."""
    rng = np.random.default_rng(0)
    data, indices, indptr = sparse_matrix(2000, 30)
    n = len(indptr) - 1
    x = rng.random(n)
    lower = np.tril(rng.random((400, 400))) / 400 + np.eye(400)
    series = 0.5 ** np.arange(200)
    tall = rng.random((150, 60))
    stack = [rng.random((40, 12, 12)) for _ in range(2)]
    image, kernel = rng.random((80, 80)), rng.random((5, 5))
    four, square = rng.random((9, 9, 9, 9)), rng.random((9, 9))
    square_of_many = rng.random((50, 50))
    values, keys = rng.random(5000), rng.integers(0, 50, 5000)
    batch, weights = rng.random((4, 20, 20, 8)), rng.random((3, 3, 8, 12))
    grid, cube, line = rng.random((100, 100)), rng.random((22, 22, 22)), rng.random(10_000)
    bodies = rng.random((40, 3))
    text = rng.integers(0, 256, 50_000).astype(np.uint8).tobytes()
    sizes, prices = rng.integers(1, 60, 60), rng.integers(1, 99, 60)
    return {
        "sparse rows": [
            (csr_product, lambda: (data, indices, indptr, x)),
            (page_rank, lambda: (indices, indptr, np.full(n, 15.0), x, 5)),
            (sparse_gauss_seidel, lambda: (data, indices, indptr, np.full(n, 30.0), x, 5))],
        "recurrences on slices": [
            (forward_substitution, lambda: (lower, x[:400])),
            (levinson, lambda: (series, x[:200])),
            (gram_schmidt, lambda: (tall,))],
        "small matrices": [
            (small_products, lambda: tuple(stack)),
            (image_filter, lambda: (image, kernel)),
            (four_index, lambda: (four, square)),
            (all_distances, lambda: (square_of_many,)),
            (cholesky, lambda: (square_of_many @ square_of_many.T + np.eye(50),)),
            (correlations, lambda: (tall[:, :25],))],
        "histograms": [
            (masked_histogram, lambda: (values, np.linspace(0.0, 1.0, 51))),
            (binned_sums, lambda: (keys, values, 50)),
            (counted, lambda: (values, 50))],
        "windows": [
            (convolve, lambda: (batch, weights)),
            (max_pool, lambda: (batch,)),
            (mean_pool, lambda: (batch, 2)),
            (contrast, lambda: (image, 5)),
            (depthwise, lambda: (batch[0], weights[:, :, :, 0]))],
        "stencils": [
            (jacobi, lambda: (grid.copy(), grid.copy(), 100)),
            (heat3d, lambda: (cube.copy(), cube.copy(), 100)),
            (advection, lambda: (line, 0.3, 200))],
        "bodies": [
            (gravity, lambda: (bodies, -bodies, values[:40], 50, 0.001)),
            (lennard_jones, lambda: (5.0 * bodies, 5.0, 20, 1e-9)),
            (planets, lambda: (bodies[:, 0], bodies[:, 1], values[:40], 50, 0.001))],
        "scalar recurrences": [
            (adler32, lambda: (text,)),
            (crc32, lambda: (text, crc_table())),
            (knapsack, lambda: (sizes, prices, 2000)),
            (common_subsequence, lambda: (text[:300], text[1000:1400])),
            (coins, lambda: ([1, 2, 5, 10, 25, 50], 5000))],
        "elements": [
            (mandelbrot, lambda: (120, 80, 60)),
            (julia, lambda: (-0.4 + 0.6j, 60, 40, 50)),
            (time_warping, lambda: (values[:200], values[500:700])),
            (shortest_paths, lambda: (square_of_many,)),
            (bilinear, lambda: (image, 78.0 * values[:500], 78.0 * values[500:1000])),
            (option_tree, lambda: (100.0, 100.0, 0.05, 1.02, 200)),
            (life, lambda: ((image < 0.3).astype(np.int64),)),
            (queens, lambda: (7,)),
            (nearest, lambda: (tall[:, :8], square_of_many[:10, :8])),
            (viterbi, lambda: (0.1 + four[0, 0], 0.1 + square_of_many[:9], keys[:200])),
            (insertion_sort, lambda: (keys[:400],))],
    }
