"""Gravitating bodies with softening, advanced by the leapfrog scheme."""
import hashlib

import numpy as np

GRAVITY = 1.0
SOFTENING = 0.05


def accelerations(position, mass):
    offset = position[None, :, :] - position[:, None, :]
    distance2 = (offset**2).sum(axis=-1) + SOFTENING**2
    inverse3 = distance2**-1.5
    return GRAVITY * (offset * inverse3[:, :, None] * mass[None, :, None]).sum(axis=1)


def energy(position, velocity, mass):
    kinetic = 0.5 * (mass * (velocity**2).sum(axis=1)).sum()
    offset = position[None, :, :] - position[:, None, :]
    distance = np.sqrt((offset**2).sum(axis=-1) + SOFTENING**2)
    i, j = np.triu_indices(len(mass), 1)
    potential = -(GRAVITY * mass[i] * mass[j] / distance[i, j]).sum()
    return kinetic, potential


def main(bodies=150, steps=60, dt=0.005):
    rng = np.random.default_rng(42)
    position = rng.normal(0.0, 1.0, (bodies, 3))
    velocity = rng.normal(0.0, 0.3, (bodies, 3))
    mass = rng.uniform(0.5, 1.5, bodies) / bodies
    velocity -= (mass[:, None] * velocity).sum(axis=0) / mass.sum()
    force = accelerations(position, mass)
    for step in range(steps + 1):
        if step % 15 == 0:
            kinetic, potential = energy(position, velocity, mass)
            print(f"step {step:3d}: kinetic {kinetic:.12f} potential {potential:.12f} "
                  f"total {kinetic + potential:.12f}")
        velocity += 0.5 * dt * force
        position += dt * velocity
        force = accelerations(position, mass)
        velocity += 0.5 * dt * force
    print("centre", (mass[:, None] * position).sum(axis=0) / mass.sum())
    print(hashlib.sha256(position.tobytes() + velocity.tobytes()).hexdigest())


if __name__ == "__main__":
    main()
