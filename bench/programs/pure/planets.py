"""Gravitation among five bodies, with floats in lists."""

BODIES = [
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 39.47],
    [4.84, -1.16, -0.10, 0.6, 2.81, -0.02, 0.037],
    [8.34, 4.12, -0.4, -1.01, 1.82, 0.008, 0.011],
    [12.89, -15.11, -0.22, 1.08, 0.86, -0.01, 0.0017],
    [15.37, -25.91, 0.17, 0.97, 0.59, -0.03, 0.002],
]


def advance(bodies, pairs, dt, steps):
    for _ in range(steps):
        for a, b in pairs:
            dx, dy, dz = a[0] - b[0], a[1] - b[1], a[2] - b[2]
            pull = dt * (dx * dx + dy * dy + dz * dz) ** -1.5
            from_b, from_a = b[6] * pull, a[6] * pull
            a[3] -= dx * from_b
            a[4] -= dy * from_b
            a[5] -= dz * from_b
            b[3] += dx * from_a
            b[4] += dy * from_a
            b[5] += dz * from_a
        for body in bodies:
            body[0] += dt * body[3]
            body[1] += dt * body[4]
            body[2] += dt * body[5]


def energy(bodies, pairs):
    total = sum(b[6] * (b[3] ** 2 + b[4] ** 2 + b[5] ** 2) / 2 for b in bodies)
    return total - sum(a[6] * b[6] / sum((a[i] - b[i]) ** 2 for i in range(3)) ** 0.5
                       for a, b in pairs)


pairs = [(a, b) for i, a in enumerate(BODIES) for b in BODIES[i + 1:]]
print("%.9f" % energy(BODIES, pairs))
advance(BODIES, pairs, 0.001, 90000)
print("%.9f" % energy(BODIES, pairs))
