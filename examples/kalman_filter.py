"""Many targets tracked at once by constant-velocity Kalman filters (batched 4x4 matrices)."""
import hashlib

import numpy as np


def predict(x, P, F, Q):
    x = x @ F.T
    P = F @ P @ F.T + Q
    return x, P


def invert2(S):
    determinant = S[:, 0, 0] * S[:, 1, 1] - S[:, 0, 1] * S[:, 1, 0]
    inverse = np.empty_like(S)
    inverse[:, 0, 0] = S[:, 1, 1]
    inverse[:, 1, 1] = S[:, 0, 0]
    inverse[:, 0, 1] = -S[:, 0, 1]
    inverse[:, 1, 0] = -S[:, 1, 0]
    return inverse / determinant[:, None, None]


def update(x, P, z, H, R):
    innovation = z - x @ H.T
    S = H @ P @ H.T + R
    K = P @ H.T @ invert2(S)
    x = x + (K @ innovation[:, :, None])[:, :, 0]
    P = (np.eye(4) - K @ H) @ P
    return x, P, innovation


def main(targets=300, steps=60, dt=0.1):
    rng = np.random.default_rng(11)
    F = np.array([[1, 0, dt, 0], [0, 1, 0, dt], [0, 0, 1, 0], [0, 0, 0, 1]], float)
    H = np.array([[1, 0, 0, 0], [0, 1, 0, 0]], float)
    Q = 0.01 * np.diag([dt**3 / 3, dt**3 / 3, dt, dt])
    R = 0.25 * np.eye(2)
    truth = np.hstack([rng.uniform(-50, 50, (targets, 2)), rng.normal(0, 2, (targets, 2))])
    x = np.zeros((targets, 4))
    P = np.broadcast_to(100.0 * np.eye(4), (targets, 4, 4)).copy()
    for step in range(steps):
        truth = truth @ F.T
        z = truth[:, :2] + rng.normal(0, 0.5, (targets, 2))
        x, P = predict(x, P, F, Q)
        x, P, innovation = update(x, P, z, H, R)
        if step % 12 == 11:
            error = np.sqrt(((x[:, :2] - truth[:, :2]) ** 2).sum(axis=1).mean())
            print(f"step {step + 1}: rms error {error:.12f}, innovation {np.abs(innovation).mean():.12f}, "
                  f"trace {np.trace(P[0]):.12f}")
    print("first track", x[0])
    print(hashlib.sha256(x.tobytes() + P.tobytes()).hexdigest())


if __name__ == "__main__":
    main()
