#!/usr/bin/env python3
"""The most memory and the time that a training step of a transformer takes, each way in a process of its own.

    build/release/dynacc-python bench/training_memory.py build/peers [layers]

The folder is training.py's. The step is value and gradients of a GPT of 12 layers, 256 features and 512 tokens,
float32. "autograd" is HIPS autograd, which keeps everything; it runs by NumPy. Of DynaCC: what value_and_grad does, the
same with budget=0, and vjp, whose pullback keeps copies of its own. Each line: MB beyond the process with its
parameters, the share of autograd's, and milliseconds of processor time. Kernels come from the disk cache if a first
run has filled it.
"""
import glob
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np

WAYS = ("autograd", "value_and_grad", "budget=0", "vjp", "vjp, budget=0")
STEPS = 5
SOURCE = pathlib.Path(__file__).with_name("training_programs.py")


def status(field):
    """A line of /proc/self/status, in kB."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field))


def program_by(library, layers):
    namespace = {"np": library, "plain": np}
    exec(compile(SOURCE.read_text(), str(SOURCE), "exec"), namespace)
    return namespace["PROGRAMS"]["gpt"](np.random.default_rng(0), layers=layers, width=256, length=128, batch=4)


def step_of(way, layers):
    """The step without arguments."""
    if way == "autograd":
        import autograd
        import autograd.numpy
        loss, params, data = program_by(autograd.numpy, layers)
        gradient_of = autograd.value_and_grad(loss)
        return lambda: gradient_of(params, *data)
    import dynacc
    loss, params, data = program_by(np, layers)
    budget = 0 if way.endswith("budget=0") else 1.0
    if way.startswith("vjp"):
        of_params = lambda params: loss(params, *data)

        def step():
            value, pull = dynacc.vjp(of_params, params, budget=budget)
            return value, pull(np.ones((), value.dtype))
        return step
    gradient_of = dynacc.value_and_grad(loss, budget=budget if way == "budget=0" else None)
    return lambda: gradient_of(params, *data)


def measure(way, layers):
    step = step_of(way, layers)
    before = status("VmRSS")
    times = []
    for _ in range(2 if way == "autograd" else STEPS):
        start = time.process_time()
        step()
        times.append(time.process_time() - start)
    print((status("VmHWM") - before) / 1024, 1e3 * statistics.median(times[1:]))


def main():
    folder, layers = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "12"
    sys.path[:0] = glob.glob(f"{folder}/lib/python3*/site-packages")
    if len(sys.argv) > 3:
        measure(sys.argv[3], int(layers))
        return
    most = None
    for way in WAYS:
        done = subprocess.run([sys.executable, __file__, folder, layers, way], capture_output=True, text=True)
        if done.returncode != 0:
            print(f"{way:16} {done.stderr.strip().splitlines()[-1]}")
            continue
        peak, milliseconds = map(float, done.stdout.split())
        most = most or peak
        print(f"{way:16} {peak:8.0f} MB  {peak / most:5.2f}  {milliseconds:8.0f} ms", flush=True)


if __name__ == "__main__":
    main()
