"""Asian and barrier options priced by Monte Carlo with antithetic paths."""
import hashlib

import numpy as np


def simulate_paths(spot, rate, volatility, years, steps, normals):
    dt = years / steps
    drift = (rate - 0.5 * volatility**2) * dt
    growth = drift + volatility * np.sqrt(dt) * normals
    return spot * np.exp(np.cumsum(growth, axis=1))


def asian_call(paths, strike):
    return np.maximum(paths.mean(axis=1) - strike, 0.0)


def up_and_out_call(paths, strike, barrier):
    alive = (paths < barrier).all(axis=1)
    return np.where(alive, np.maximum(paths[:, -1] - strike, 0.0), 0.0)


def lookback_put(paths):
    return paths.max(axis=1) - paths[:, -1]


def summarise(name, payoff, discount):
    values = discount * payoff
    error = values.std(ddof=1) / np.sqrt(len(values))
    print(f"{name:12s} {values.mean():.12f} +- {error:.12f}")


def main(batches=5, paths_per_batch=4000, steps=50):
    spot, rate, volatility, years = 100.0, 0.03, 0.25, 1.0
    rng = np.random.default_rng(2024)
    discount = np.exp(-rate * years)
    payoffs = {"asian": [], "barrier": [], "lookback": []}
    for _ in range(batches):
        normals = rng.standard_normal((paths_per_batch // 2, steps))
        normals = np.concatenate([normals, -normals])
        paths = simulate_paths(spot, rate, volatility, years, steps, normals)
        payoffs["asian"].append(asian_call(paths, 100.0))
        payoffs["barrier"].append(up_and_out_call(paths, 95.0, 140.0))
        payoffs["lookback"].append(lookback_put(paths))
    everything = hashlib.sha256()
    for name, parts in payoffs.items():
        payoff = np.concatenate(parts)
        summarise(name, payoff, discount)
        everything.update(payoff.tobytes())
    print("quantiles", np.quantile(np.concatenate(payoffs["asian"]), [0.5, 0.9, 0.99]))
    print(everything.hexdigest())


if __name__ == "__main__":
    main()
