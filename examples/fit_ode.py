"""The stiffness and the damping of a pendulum, found from noisy positions through a Python loop of 1,000 steps."""
import numpy as np

import dynacc
from dynacc import optim

MEASURED, STEPS, STEP = 20, 50, 0.004  # times that are measured; steps from one to the next; how long one is
ANGLES = np.linspace(0.3, 1.5, 8)  # in which the pendulums begin, at rest


def positions(params):
    """The angles at each time that is measured, as rows, by the semi-implicit method of Euler."""
    angle, speed = ANGLES, np.zeros(len(ANGLES))
    seen = []
    for step in range(1, MEASURED * STEPS + 1):
        speed = speed - STEP * (params["stiffness"] * np.sin(angle) + params["damping"] * speed)
        angle = angle + STEP * speed
        if step % STEPS == 0:
            seen.append(angle)
    return np.stack(seen)


def loss(params, measured):
    return ((positions(params) - measured) ** 2).mean()


def main():
    true = {"stiffness": np.array(4.0), "damping": np.array(0.3)}
    rng = np.random.default_rng(0)
    measured = positions(true) + rng.normal(0, 0.01, (MEASURED, len(ANGLES)))
    params = {"stiffness": np.array(3.0), "damping": np.array(0.8)}
    optimizer = optim.adam(optim.cosine_decay_schedule(0.1, 120))
    state = optimizer.init(params)
    gradient_of = dynacc.value_and_grad(loss)
    for step in range(120):
        value, gradient = gradient_of(params, measured)
        updates, state = optimizer.update(gradient, state, params)
        params = optim.apply_updates(params, updates)
        if step % 20 == 0:
            print(f"step {step:3d} loss {value:.6e}")
    print("loss", f"{loss(params, measured):.6e}", *(f"{name} {value:.6f}" for name, value in params.items()))
    assert all(abs(params[name] - true[name]) < 0.01 for name in true)


if __name__ == "__main__":
    main()
