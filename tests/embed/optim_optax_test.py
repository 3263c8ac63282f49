#!/usr/bin/env python3
"""dynacc.optim and dynacc.losses against optax, which has the last word on formulas and defaults; and what training uses
of other packages: files by safetensors, the digits of scikit-learn.

usage: optim_optax_test.py FOLDER EXAMPLES LAUNCHER

FOLDER is the build tree, in which the environment of gradients_jax_test.py lies, or is made; the packages are added to
it with pip, and kept. Exits with 77 (skipped) where pip cannot install them.
"""
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ["optax", "safetensors", "scikit-learn", "numpy>=2,<2.3"]  # NumPy: as gradients_jax_test.py

# name: a function of the module optax or dynacc.optim that makes an optimizer
OPTIMIZERS = {
    "sgd": lambda m: m.sgd(0.1),
    "sgd_momentum": lambda m: m.sgd(0.1, 0.9),
    "sgd_nesterov": lambda m: m.sgd(m.linear_schedule(0.1, 0.01, 6, 2), momentum=0.9, nesterov=True),
    "adam": lambda m: m.adam(0.1),
    "adam_arguments": lambda m: m.adam(0.1, 0.8, 0.95, 1e-3, 1e-4),
    "nadam": lambda m: m.adam(0.1, nesterov=True),
    "adamw": lambda m: m.adamw(m.warmup_cosine_decay_schedule(0.0, 0.1, 3, 9, 0.01)),
    "adamw_mask": lambda m: m.adamw(0.1, weight_decay=0.5, mask={"a": True, "b": [True, False]}),
    "nadam_by_name": lambda m: m.nadam(0.1, 0.8),
    "nadamw": lambda m: m.nadamw(0.1, weight_decay=0.2),
    "amsgrad": lambda m: m.amsgrad(0.1, 0.7, 0.8),
    "adamax": lambda m: m.adamax(0.1, 0.8),
    "adamaxw": lambda m: m.adamaxw(0.1, weight_decay=0.3),
    "lamb": lambda m: m.lamb(0.1, weight_decay=0.3),
    "trust_ratio": lambda m: m.chain(m.scale_by_trust_ratio(0.2, 0.5, 1e-3), m.scale(-0.1)),
    "adagrad": lambda m: m.adagrad(0.1),
    "adagrad_arguments": lambda m: m.adagrad(0.1, 0.0, 1e-3),
    "rmsprop": lambda m: m.rmsprop(0.1),
    "rmsprop_arguments": lambda m: m.rmsprop(0.1, 0.8, 1e-3, 0.5, False, momentum=0.9, nesterov=True),
    "rmsprop_centered": lambda m: m.rmsprop(0.1, centered=True, eps=1e-3),
    "rmsprop_unbiased": lambda m: m.rmsprop(0.1, bias_correction=True),
    "rmsprop_centered_unbiased": lambda m: m.rmsprop(0.1, centered=True, eps=0.5, bias_correction=True,
                                                     momentum=0.5),
    "lion": lambda m: m.lion(0.1),
    "lion_arguments": lambda m: m.lion(m.exponential_decay(0.1, 3, 0.5), 0.7, 0.8, weight_decay=0.1),
    "clip_by_global_norm": lambda m: m.chain(m.clip_by_global_norm(1.0), m.scale(-0.5)),
    "clip_nothing": lambda m: m.chain(m.clip_by_global_norm(1e3), m.clip(0.7), m.identity()),
    "ema": lambda m: m.ema(0.9),
    "ema_biased": lambda m: m.ema(0.9, debias=False),
    "parts": lambda m: m.chain(m.scale_by_adam(), m.add_decayed_weights(0.01), m.trace(0.5), m.scale_by_lion(),
                               m.scale_by_schedule(m.cosine_decay_schedule(0.1, 6, 0.1, 2.0)),
                               m.scale_by_learning_rate(0.3, flip_sign=False)),
}

# optax divides the count, an int32, in float32.
WITH_SCHEDULES = {"sgd_nesterov", "adamw", "lion_arguments", "parts"}

SCHEDULES = {
    "constant": lambda m: m.constant_schedule(0.3),
    "linear": lambda m: m.linear_schedule(1.0, 0.1, 7, 2),
    "linear_of_no_steps": lambda m: m.linear_schedule(1.0, 0.1, 0),
    "polynomial": lambda m: m.polynomial_schedule(init_value=1.0, end_value=0.1, power=3, transition_steps=8),
    "exponential": lambda m: m.exponential_decay(1.0, 4, 0.7),
    "exponential_staircase": lambda m: m.exponential_decay(1.0, 4, 0.7, 3, True, 0.4),
    "exponential_growth": lambda m: m.exponential_decay(1.0, 4, 1.7, end_value=3.0),
    "cosine": lambda m: m.cosine_decay_schedule(1.0, 9, 0.2, 1.5),
    "warmup_cosine": lambda m: m.warmup_cosine_decay_schedule(0.1, 1.0, 4, 12, 0.2),
    "warmup_constant": lambda m: m.warmup_constant_schedule(0.1, 1.0, 4),
    "warmup_exponential": lambda m: m.warmup_exponential_decay_schedule(0.1, 1.0, 4, 3, 0.5, 1, True, 0.1),
    "piecewise_constant": lambda m: m.piecewise_constant_schedule(0.5, {6: 0.5, 3: 0.1}),
    "piecewise_of_one": lambda m: m.piecewise_constant_schedule(0.5),
    "restarts": lambda m: m.sgdr_schedule([
        dict(init_value=0.1, peak_value=1.0, warmup_steps=2, decay_steps=6, end_value=0.2),
        dict(init_value=0.0, peak_value=0.5, warmup_steps=1, decay_steps=4)]),
    "joined": lambda m: m.join_schedules([m.constant_schedule(1.0), m.linear_schedule(0.5, 0.1, 4)], [5]),
}


def differences_of_optimizers(np, jax, optax, dynacc):
    """Lines for what ten rounds leave in another dtype or value, with float64 and with float32."""
    lines = []
    as_given = lambda leaf: leaf
    for dtype, exact in ((np.float64, 1e-11), (np.float32, 2e-4)):
        for name, make in OPTIMIZERS.items():
            rng = np.random.default_rng(len(name))
            draw = lambda: {"a": rng.normal(size=(3, 4)).astype(dtype),
                            "b": [rng.normal(size=2).astype(dtype), rng.normal(size=()).astype(dtype)]}
            first, rounds = draw(), [draw() for _ in range(10)]
            tolerance = max(exact, 1e-6) if name in WITH_SCHEDULES else exact
            kept = []
            # JAX takes a NumPy scalar with a Python number for one of float64.
            for module, taken in ((dynacc.optim, as_given), (optax, jax.numpy.asarray)):
                optimizer, params = make(module), jax.tree.map(taken, first)
                state = optimizer.init(params)
                for gradient in rounds:
                    updates, state = optimizer.update(jax.tree.map(taken, gradient), state, params)
                    params = module.apply_updates(params, updates)
                kept.append((params, updates, state))
            mine, theirs = dynacc.tree.leaves(kept[0]), jax.tree.leaves(kept[1])
            assert "mask" in name or len(mine) == len(theirs), name
            for a, b in zip(mine, theirs):
                a, b = np.asarray(a), np.asarray(b)
                if a.dtype != b.dtype or not np.allclose(a, b, rtol=tolerance, atol=tolerance / 100):
                    lines.append(f"{name}: {a.dtype} {a}, and optax's is {b.dtype} {b}")
    return lines


def differences_of_values(np, jax, optax, dynacc):
    """The same for schedules, losses, and gradients of losses."""
    lines = []

    def compare(name, a, b, tolerance=1e-11):
        if not np.allclose(a, np.asarray(b), rtol=tolerance, atol=1e-12):
            lines.append(f"{name}: {a}, and optax's is {b}")

    for name, make in SCHEDULES.items():
        mine, theirs = make(dynacc.optim), make(optax)
        compare(name, [mine(i) for i in range(20)], [theirs(i) for i in range(20)])
        compare(name, [mine(np.asarray(np.int32(i))) for i in range(20)], [theirs(i) for i in range(20)])
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(4, 6)) * 3, rng.normal(size=(4, 6))
    one_hot, ints = np.eye(6)[[1, 5, 0, 3]], np.array([1, 5, 0, 3])
    cases = {"squared_error": y, "l2_loss": y, "huber_loss": y, "log_cosh": y, "sigmoid_binary_cross_entropy": one_hot,
             "softmax_cross_entropy": one_hot, "softmax_cross_entropy_with_integer_labels": ints}
    for name, labels in cases.items():
        mine, theirs = getattr(dynacc.losses, name), getattr(optax, name)
        compare(name, mine(x, labels), theirs(x, labels))
        compare(f"{name}, its gradient", dynacc.grad(lambda x: mine(x, labels).sum())(x),
                jax.grad(lambda x: theirs(x, labels).sum())(x), 1e-9)
    compare("smooth_labels", dynacc.losses.smooth_labels(one_hot, 0.2), optax.smooth_labels(one_hot, 0.2))
    compare("global_norm", dynacc.optim.global_norm([x, {"y": y}]), optax.global_norm([x, {"y": y}]))
    compare("incremental_update", dynacc.optim.incremental_update(x, y, 0.3), optax.incremental_update(x, y, 0.3))
    return lines


def compare():
    import jax
    import numpy as np
    import optax

    import dynacc
    jax.config.update("jax_enable_x64", True)
    lines = [*differences_of_optimizers(np, jax, optax, dynacc), *differences_of_values(np, jax, optax, dynacc)]
    print("\n".join(lines) or f"{len(OPTIMIZERS)} optimizers and {len(SCHEDULES)} schedules agree")
    return 1 if lines else 0


def main():
    if sys.argv[1] == "--compare":
        return compare()
    sys.path.insert(0, str(HERE))
    from gradients_jax_test import environment_with_jax, skip
    folder, examples, launcher = sys.argv[1:]
    python, reason = environment_with_jax(folder)
    if reason:
        return skip(reason)
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    extension = str(pathlib.Path(folder) / "python")
    environment = inherited | {"PYTHONPATH": extension, "JAX_PLATFORMS": "cpu",
                               "OPENBLAS_NUM_THREADS": "1"}  # training_test.py says why
    if subprocess.run([python, "-c", "import optax, safetensors, sklearn"], capture_output=True).returncode != 0:
        command = [python, "-m", "pip", "install", "-q", "--retries", "1", "--timeout", "20", *PACKAGES]
        done = subprocess.run(command, capture_output=True, text=True, timeout=400)
        if done.returncode != 0:
            return skip(f"no optax here: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
    failed = [command for command in ([__file__, "--compare"], [HERE / "optim_test.py"])
              if subprocess.run([python, *command], env=environment).returncode != 0]
    for example in ("train_digits.py", "train_gpt.py"):
        command = [HERE.parent / "examples" / "training_test.py", launcher, extension, f"{examples}/{example}", python]
        if subprocess.run([sys.executable, *command], env=inherited).returncode != 0:
            failed.append(command)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
