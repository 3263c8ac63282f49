#!/usr/bin/env python3
"""Runs a NumPy program under python3 and under dynacc-python and shows what DynaCC made of it.

usage: demo.py LAUNCHER [PROGRAM [ARGUMENT...]]
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYTHON = "/usr/bin/python3.11"
DEFAULT_PROGRAM = [str(ROOT / "examples" / "black_scholes.py"), "1000000", "20"]
SHOWN = ["frames_captured", "segments_compiled", "entries_hit", "deopts", "kernels_compiled",
         "kernel_cache_hits", "kernel_launches", "extern_calls", "compile_seconds"]


def run(command, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DYNACC_LOGS")}
    start = time.monotonic()
    done = subprocess.run(command, env=environment | variables, capture_output=True, text=True)
    return done, time.monotonic() - start


def best_of(times, command, **variables):
    runs = [run(command, **variables) for _ in range(times)]
    return runs[0][0], min(seconds for _, seconds in runs)


def show(title, lines):
    print(f"\n-- {title}")
    for line in lines:
        print("   " + line)


def first_kernel(log):
    """The first kernel's source in the log: consecutive lines of the topic `kernels`."""
    prefix = "dynacc[kernels] "
    lines = [line.removeprefix(prefix) for line in log.splitlines() if line.startswith(prefix)]
    return lines[:60]


def show_capture(launcher, program):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "stats.json")
        # An empty cache, so that the kernels are compiled, and printed, in this run.
        done, _ = run([launcher, *program], DYNACC_STATS=path, DYNACC_LOGS="+kernels",
                      DYNACC_CACHE_DIR=os.path.join(folder, "cache"))
        stats = json.loads(pathlib.Path(path).read_text())
    show("what was captured (DYNACC_STATS)", [f"{name:18} {stats[name]}" for name in SHOWN])
    breaks = stats["graph_breaks"]
    show("graph breaks, by reason", [f"{n:6} {why}" for why, n in breaks.items()][:8] or ["none"])
    show("its kernels (DYNACC_LOGS=+kernels, the first 60 lines)",
         first_kernel(done.stderr) or ["no kernel was compiled"])


def main():
    launcher = os.path.abspath(sys.argv[1])
    program = sys.argv[2:] or DEFAULT_PROGRAM
    print("program:", " ".join(program))
    plain, plain_seconds = best_of(3, [PYTHON, *program])
    captured, captured_seconds = best_of(3, [launcher, *program])
    show("its output", captured.stdout.splitlines())
    same = (plain.stdout, plain.stderr, plain.returncode) == (
        captured.stdout, captured.stderr, captured.returncode)
    print("\nsame output, byte for byte, as python3:", "yes" if same else "NO")
    show_capture(launcher, program)
    print(f"\npython3 {plain_seconds:.2f} s, dynacc-python {captured_seconds:.2f} s "
          f"(whole process, best of 3): {plain_seconds / captured_seconds:.2f} times as fast")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
