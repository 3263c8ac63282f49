#!/usr/bin/env python3
"""Runs a NumPy program under python3 and under dynacc-python and shows what DynaCC made of it.

usage: demo.py LAUNCHER [--quick] [PROGRAM [ARGUMENT...]]

The times are medians of runs that alternate between the two, whole processes less the time in which
the same interpreter starts and imports numpy. --quick runs each once, and captures at
once what the default would leave alone in so short a program.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYTHON = sys.executable
DEFAULT_PROGRAM = [str(ROOT / "examples" / "heat_stencil.py"), "400", "1200"]
START_UP = ["-c", "import numpy"]
COUNTERS = ["frames_captured", "segments_compiled", "entries_hit", "deopts", "kernels_compiled",
            "kernel_launches", "compile_seconds"]
MAX_LINES = 40


def run(command, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DYNACC_")}
    start = time.monotonic()
    done = subprocess.run(command, env=environment | variables, capture_output=True, text=True)
    return done, time.monotonic() - start


def median_seconds(launcher, program, rounds, **variables):
    """Of both interpreters, start-up taken off; and the last outcome of each."""
    seconds = {PYTHON: [], launcher: []}
    start_up = {PYTHON: [], launcher: []}
    outcome = {}
    for _ in range(rounds):
        for executable in (PYTHON, launcher):
            start_up[executable].append(run([executable, *START_UP], **variables)[1])
            outcome[executable], duration = run([executable, *program], **variables)
            seconds[executable].append(duration)
    net = {e: max(statistics.median(seconds[e]) - statistics.median(start_up[e]), 1e-3) for e in seconds}
    return net, outcome


def show(title, lines, limit=MAX_LINES):
    print(f"\n-- {title}")
    for line in lines[:limit]:
        print("   " + line)
    if len(lines) > limit:
        print(f"   ... {len(lines) - limit} lines more")


def blocks(log, topic):
    """The messages of a log topic; each begins with a line that is not indented."""
    prefix = f"dynacc[{topic}] "
    found = []
    for line in log.splitlines():
        if line.startswith(prefix):
            text = line.removeprefix(prefix)
            if found and text.startswith((" ", "}", "graph {")):
                found[-1].append(text)
            else:
                found.append([text])
    return found


def largest(texts):
    return max(texts, key=len, default=["none"])


def kernel_source(log):
    """The longest kernel that fits the screen, else the shortest."""
    lines = [line for block in blocks(log, "kernels") for line in block]
    starts = [i for i, line in enumerate(lines) if line.startswith('extern "C" void')]
    ends = [next((j for j in range(i, len(lines)) if lines[j] == "}"), i) for i in starts]
    sources = sorted((lines[i:j + 1] for i, j in zip(starts, ends)), key=len)
    return largest([s for s in sources if len(s) <= MAX_LINES] or sources[:1])


def show_capture(launcher, program, **settings):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "stats.json")
        # An empty cache and no slower tier first: the kernels are compiled, and printed, in this run.
        done, _ = run([launcher, *program], **settings, DYNACC_STATS=path, DYNACC_TIER_UP="0", DYNACC_LOGS="graph,breaks,+kernels",
                      DYNACC_CACHE_DIR=os.path.join(folder, "cache"))
        stats = json.loads(pathlib.Path(path).read_text())
    log = done.stderr.replace(f"{ROOT}/", "")
    show("what was captured (DYNACC_STATS)", [f"{name:18} {stats[name]}" for name in COUNTERS])
    graphs = blocks(log, "graph")
    show("captured segments (DYNACC_LOGS=graph)", sorted({graph[0] for graph in graphs}) or ["none"])
    show("the largest graph", largest(graphs))
    show("graph breaks (DYNACC_LOGS=breaks)",
         [line for block in blocks(log, "breaks") for line in block] or ["none"])
    show("one of its kernels (DYNACC_LOGS=+kernels)", kernel_source(log))


def main():
    launcher, *program = sys.argv[1:]
    launcher = os.path.abspath(launcher)
    quick = "--quick" in program[:1]
    program = program[quick:] or DEFAULT_PROGRAM
    print("program:", " ".join(program))
    with tempfile.TemporaryDirectory() as cache:
        settings = {"DYNACC_CAPTURE_AFTER": "0"} if quick else {}
        cached = settings | {"DYNACC_CACHE_DIR": cache}
        run([launcher, *program], **cached)  # compiles the kernels, as a first run does
        net, outcome = median_seconds(launcher, program, 1 if quick else 5, **cached)
    plain, captured = outcome[PYTHON], outcome[launcher]
    show("its output", (captured.stdout + captured.stderr).splitlines(), 8)
    same = (plain.stdout, plain.stderr, plain.returncode) == (
        captured.stdout, captured.stderr, captured.returncode)
    print("\nsame output, byte for byte, as python3:", "yes" if same else "NO")
    show_capture(launcher, program, **settings)
    print(f"\npython3 {net[PYTHON]:.2f} s, dynacc-python {net[launcher]:.2f} s: "
          f"{net[PYTHON] / net[launcher]:.2f} times as fast "
          f"(medians without start-up; the kernels were in the cache)")
    return 0 if same and plain.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
