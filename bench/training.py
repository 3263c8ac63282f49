"""Training steps by DynaCC, JAX, PyTorch and HIPS autograd, in one process and in turn.

    /usr/bin/python3 -m venv build/peers
    build/peers/bin/pip install numpy jax autograd torch
    PYTHONPATH=build/peers/lib/python3.11/site-packages taskset -c 0 build/release/dynacc-python \\
        bench/training.py build/peers [name ...]

The folder is a virtual environment; a peer that it has not is left out. A step is the value, all gradients and a step
of gradient descent: JAX's is jit of it, DynaCC's is compile of it, autograd's runs by NumPy. PyTorch runs the same
NumPy code by its torch._numpy, eagerly, and by torch.compile, of the loss and its backward; its tensors are updated in
a step of its own. Each line: DynaCC's time of a step in milliseconds, then each peer's time over it (above 1: DynaCC is
quicker), medians of interleaved rounds; then the first step, with what tracing and compiling take. DynaCC computes with
NumPy's bits first and under fast_math second. Losses are compared before anything is timed. What fails, or takes more
than LIMIT seconds for its first step, is said and left out. Times are processor time, as the machine may be busy.
"""
import glob
import pathlib
import signal
import statistics
import sys
import time

import numpy as np

import dynacc

ROUNDS = 7
WARM_UP = 1.0  # seconds
STEP = 1e-3
LIMIT = 150  # seconds
SOURCE = pathlib.Path(__file__).with_name("training_programs.py")


def programs_by(library):
    """The programs of training_programs.py, with this library for their `np`."""
    namespace = {"np": library, "plain": np}
    exec(compile(SOURCE.read_text(), str(SOURCE), "exec"), namespace)
    return namespace["PROGRAMS"]


def mapped(function, *trees):
    first = trees[0]
    if isinstance(first, dict):
        return {key: mapped(function, *(tree[key] for tree in trees)) for key in first}
    if isinstance(first, (list, tuple)):
        return type(first)(mapped(function, *parts) for parts in zip(*trees))
    return function(*trees)


def descent(value_and_grad, loss):
    gradient_of = value_and_grad(loss)

    def step(params, *data):
        value, gradient = gradient_of(params, *data)
        return value, mapped(lambda p, g: p - STEP * g, params, gradient)
    return step


def by_dynacc(name, fast_math):
    loss, params, data = programs_by(np)[name](np.random.default_rng(0))
    return dynacc.compile(descent(dynacc.value_and_grad, loss), fast_math=fast_math), params, data


def by_jax(name):
    import jax
    jax.config.update("jax_enable_x64", True)
    loss, params, data = programs_by(jax.numpy)[name](np.random.default_rng(0))
    compiled = jax.jit(descent(jax.value_and_grad, loss))
    return (lambda *args: jax.block_until_ready(compiled(*args))), mapped(jax.numpy.asarray, params), data


def by_autograd(name):
    import autograd
    import autograd.numpy
    loss, params, data = programs_by(autograd.numpy)[name](np.random.default_rng(0))
    return dynacc.disable(descent(autograd.value_and_grad, loss)), params, data


def by_torch(name, compiles):
    import torch
    import torch._numpy

    torch.set_num_threads(1)
    loss, params, data = programs_by(np if compiles else torch._numpy)[name](np.random.default_rng(0))
    if compiles:
        of_tensors = torch.compile(torch.compiler.wrap_numpy(loss))
    else:
        of_tensors = lambda *trees: loss(*(mapped(torch._numpy.ndarray, tree) for tree in trees)).tensor
    params = mapped(lambda array: torch.from_numpy(array.copy()).requires_grad_(), params)
    data = tuple(torch.as_tensor(part) if isinstance(part, np.ndarray) or not compiles else part for part in data)

    def step(params, *data):
        leaves = []
        mapped(leaves.append, params)
        value = of_tensors(params, *data)
        gradients = iter(torch.autograd.grad(value, leaves))
        with torch.no_grad():
            params = mapped(lambda p: (p - STEP * next(gradients)).requires_grad_(), params)
        return value.detach(), params
    return dynacc.disable(step), params, data


def seconds(step, params, data):
    start = time.process_time()
    value, _ = step(params, *data)
    return time.process_time() - start, float(value)


def first_steps(name, versions):
    """By label, of what works in time: the version, the seconds of its first step, and the loss."""
    found = {}
    for label, make in versions.items():
        signal.alarm(LIMIT)
        try:
            version = make(name)
            found[label] = (version, *seconds(*version))
        except Exception as error:
            print(f"{name}: {label}: {type(error).__name__} {str(error).splitlines()[0] if str(error) else ''}")
        finally:
            signal.alarm(0)
    return found


def too_long(number, frame):
    raise TimeoutError(f"no first step in {LIMIT} seconds")


def measure(name, versions):
    found = first_steps(name, versions)
    made = {label: version for label, (version, _, _) in found.items()}
    first = {label: seconds for label, (_, seconds, _) in found.items()}
    losses = {label: loss for label, (_, _, loss) in found.items()}
    expected = losses["dynacc"]
    for label, value in losses.items():
        if abs(value - expected) > 1e-3 * abs(expected) + 1e-6:
            raise AssertionError(f"{name}: {label} has the loss {value}, not {expected}")
    for version in made.values():
        end = time.process_time() + WARM_UP
        while time.process_time() < end:
            seconds(*version)
    times = {label: [] for label in made}
    for _ in range(ROUNDS):
        for label, version in made.items():
            count = max(1, int(0.1 / max(1e-5, statistics.median(times[label] or [0.05]))))
            times[label].append(statistics.median(seconds(*version)[0] for _ in range(min(count, 30))))
    return {label: statistics.median(values) for label, values in times.items()}, first


def main():
    folder, names = sys.argv[1], sys.argv[2:]
    sys.path[:0] = glob.glob(f"{folder}/lib/python3*/site-packages")
    versions = {"dynacc": lambda name: by_dynacc(name, False), "fast_math": lambda name: by_dynacc(name, True)}
    peers = (("jax", by_jax), ("autograd", by_autograd), ("torch", lambda name: by_torch(name, False)),
             ("torch.compile", lambda name: by_torch(name, True)))
    signal.signal(signal.SIGALRM, too_long)
    for label, make in peers:
        try:
            __import__(label.partition(".")[0])
        except ImportError:
            print(f"{label} is not there")
        else:
            versions[label] = make
    ratios = {label: [] for label in versions}
    for name in names or programs_by(np):
        step, first = measure(name, versions)
        own = step["dynacc"]
        for label in step:
            ratios[label].append(step[label] / own)
        print(f"{name:22} {own * 1e3:9.3f} ms", *(f"{label} {step[label] / own:6.2f}" for label in step if label != "dynacc"),
              "  first", *(f"{label} {first[label] * 1e3:.0f}" for label in step), flush=True)
    print("geometric mean", *(f"{label} {statistics.geometric_mean(values):.2f}" for label, values in ratios.items()))


if __name__ == "__main__":
    main()
