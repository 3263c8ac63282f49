#!/usr/bin/env python3
"""Runs programs for a long time and looks whether memory, results and latencies stay as they are.

usage: soak.py [--minutes N] [--at-once N] [--only NAME] [--report FILE] [--launcher FILE] [--host FILE]
               [--serve FILE]

Each part takes N minutes (20), one after another or several at once:

    host      64 threads of a C++ program that call a model while it is loaded anew, with deadlines, cancellation
              and calls that fail (soak_host.cc)
    notebook  cells that define functions, closures and classes anew, each compiled at once (notebook.py)
    descent   one long loop of gradient descent (descent.py)
    spawned   processes with one cache, some of which are killed (spawned.py)
    serve     clients of a dynacc-serve, good ones and bad ones, while models are loaded anew (served_load.py)

A part passes if every result is stock Python's, the memory after the warm-up is flat (sampling.Flatness), medians of
latencies do not grow, and the program ends by itself. The report is a JSON object; without --report it is printed.
Exit status: 0 if all parts pass, 1 if one fails.
"""
import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import sampling
import served_load

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
PYTHON = sys.executable
INHERITED = {k: v for k, v in os.environ.items() if not k.startswith(("DYNACC_", "PYTHON"))}
LONG = 300  # seconds from which on bounds are narrow, and medians of latencies are compared
SLOWER = 3.0  # times the second quarter's median that the last one's may be
DEFINITIONS = 100_000  # that a full run of `notebook` makes at least
FULL = 1200


@dataclasses.dataclass
class Soak:
    """How a part is run."""
    launcher: str
    host: str
    serve: str
    seconds: float
    folder: pathlib.Path


def output_of(command, **variables):
    """Runs a helper to its end."""
    done = subprocess.run(command, env=INHERITED | variables, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


def watched(soak, command, result, **variables):
    """Runs `command`; its result, its memory, and what was wrong with how it ended."""
    log = soak.folder / "log"
    environment = INHERITED | {"DYNACC_CACHE_DIR": str(soak.folder / "cache")} | variables
    limit = time.monotonic() + 1.5 * soak.seconds + 300
    with open(log, "w", encoding="utf-8") as output:
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        memory = sampling.Memory(process.pid)
        while process.poll() is None and time.monotonic() < limit:
            memory.sample()
            time.sleep(max(0.05, min(1.0, soak.seconds / 1000)))
    wrong = []
    if process.returncode is None:
        process.kill()
        process.wait()
        wrong.append("it did not end")
    elif process.returncode != 0:
        wrong.append(f"it ended with {process.returncode}")
    said = log.read_text(encoding="utf-8", errors="replace")
    if wrong:
        wrong.append(said[-2000:])
    elif "dynacc: " in said:
        wrong.append(f"a warning: {said[-2000:]}")
    found = json.loads(result.read_text(encoding="utf-8")) if result.exists() else {}
    if not found:
        wrong.append("it left no result")
    return found, memory, wrong + memory.verdict(sampling.Flatness.over(soak.seconds))


def grown(soak, name, parts):
    """What is wrong with how a latency developed."""
    medians = sampling.latency_figures(parts)["p50_us_by_quarter"]
    if soak.seconds >= LONG and medians[1] and medians[3] and medians[3] > SLOWER * medians[1]:
        return [f"{name}: a median of {medians[3]} us in the last quarter, {medians[1]} us in the second"]
    return []


def report_of(soak, found, memory, wrong, latencies, counts):
    for name in latencies:
        wrong = wrong + (grown(soak, name, found[name]) if name in found else [f"no latencies of {name}"])
    cache = [path.stat().st_size for path in (soak.folder / "cache").glob("*") if path.is_file()]
    return {"seconds": soak.seconds, "memory": memory.figures(),
            "latency": {name: sampling.latency_figures(found[name]) for name in latencies if name in found},
            "counts": {name: found.get(name) for name in counts},
            "cache": {"files": len(cache), "bytes": sum(cache)},
            "wrong": wrong, "verdict": "fail" if wrong else "pass"}


def captured(found, least):
    """What is wrong if a program ran without what is to be tested."""
    hits = found.get("counters", {}).get("entries_hit", 0)
    return [] if hits >= least else [f"only {hits} runs of captured code"]


def host(soak):
    model, expected, result = (soak.folder / name for name in ("model.py", "expected", "result"))
    shutil.copy(HERE / "served_model.py", model)
    output_of([PYTHON, str(HERE / "expected_results.py"), str(expected), "8"])
    found, memory, wrong = watched(soak, [soak.host, str(model), str(expected), str(result), str(soak.seconds)], result)
    wrong += found.get("wrong", []) + captured(found, 100)
    return report_of(soak, found, memory, wrong, ("forward", "deadline", "cancelled", "failing", "load"),
                     ("loads", "released", "counters"))


def notebook(soak):
    result, plain = soak.folder / "result", soak.folder / "plain"
    program, stride = str(HERE / "notebook.py"), str(50 if soak.seconds < LONG else 1000)
    command = [soak.launcher, program, str(result), str(soak.seconds), "0", stride]
    found, memory, wrong = watched(soak, command, result, DYNACC_POLICY="always", DYNACC_TIER_UP="0")
    wrong += captured(found, 100)
    if found:
        output_of([PYTHON, program, str(plain), "0", str(found["cells"]), stride])
        expected = json.loads(plain.read_text(encoding="utf-8"))["digests"]
        differing = [k for k, pair in enumerate(zip(found["digests"], expected)) if pair[0] != pair[1]]
        if differing:
            wrong.append(f"other results than python3's in the {stride} cells before cell "
                         f"{(differing[0] + 1) * int(stride)} (notebook.py RESULT 0 CELLS 1 finds it)")
        if not expected:
            wrong.append(f"only {found['cells']} cells")
        if soak.seconds >= FULL and found["definitions"] < DEFINITIONS:
            wrong.append(f"only {found['definitions']} definitions")
    return report_of(soak, found, memory, wrong, ("latency",), ("cells", "definitions", "counters"))


def descent(soak):
    result, plain = soak.folder / "result", soak.folder / "plain"
    program = str(HERE / "descent.py")
    output_of([PYTHON, program, str(plain), "0"])
    expected = json.loads(plain.read_text(encoding="utf-8"))["losses"]
    command = [soak.launcher, program, str(result), str(soak.seconds)]
    found, memory, wrong = watched(soak, command, result, DYNACC_POLICY="always")
    wrong += found.get("differing", []) + captured(found, 100)
    wrong += [f"losses of seed {seed} are not python3's: {found.get('losses', {}).get(seed)} not {expected[seed]}"
              for seed in expected if found and found["losses"].get(seed) != expected[seed]]
    return report_of(soak, found, memory, wrong, ("latency",), ("steps", "counters"))


def spawned(soak):
    result, expected, cache = soak.folder / "result", soak.folder / "expected", soak.folder / "cache"
    cache.mkdir(mode=0o700)
    program = str(HERE / "spawned.py")
    output_of([PYTHON, program, "--jobs", str(expected)])
    command = [soak.launcher, program, str(result), str(soak.seconds), str(expected), str(cache)]
    found, memory, wrong = watched(soak, command, result, DYNACC_POLICY="always")
    return report_of(soak, found, memory, wrong + found.get("wrong", []), ("latency",), ("counts", "seed"))


def serve(soak):
    found, memory = served_load.run(soak.serve, soak.launcher, soak.folder, soak.seconds)
    wrong = found["wrong"] + memory.verdict(sampling.Flatness.over(soak.seconds))
    return report_of(soak, found, memory, wrong, ("latency",), ("counts",))


PARTS = {"host": host, "notebook": notebook, "descent": descent, "spawned": spawned, "serve": serve}


def commit():
    """The commit of the sources; None without git or its folder."""
    if shutil.which("git") is None:
        return None
    done = subprocess.run(["git", "-C", str(SOURCE), "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or None


def run_part(name, options):
    """Runs one part in a folder of its own; its report."""
    with tempfile.TemporaryDirectory(prefix="dynacc_soak_") as folder:
        soak = Soak(os.path.abspath(options.launcher), os.path.abspath(options.host), os.path.abspath(options.serve), 60 * options.minutes,
                    pathlib.Path(folder))
        print(f"{name}: {soak.seconds:g} s", file=sys.stderr, flush=True)
        part = PARTS[name](soak)
    print(f"{name}: {part['verdict']} {'; '.join(part['wrong'])[:3000]}", file=sys.stderr, flush=True)
    return part


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--minutes", type=float, default=20.0, help="of each part")
    parser.add_argument("--at-once", type=int, default=1, help="parts that run side by side")
    parser.add_argument("--only", action="append", choices=list(PARTS), help="a part; may be given several times")
    parser.add_argument("--report", help="a file that receives the report")
    parser.add_argument("--launcher", default=str(SOURCE / "build/release/dynacc-python"))
    parser.add_argument("--host", default=str(SOURCE / "build/release/tests/soak_host"))
    parser.add_argument("--serve", default=str(SOURCE / "build/release/dynacc-serve"))
    options = parser.parse_args()
    report = {"commit": commit(), "launcher": options.launcher, "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
              "cores": len(os.sched_getaffinity(0)), "parts": {}}
    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        running = {pool.submit(run_part, name, options): name for name in options.only or PARTS}
        for part in concurrent.futures.as_completed(running):
            report["parts"][running[part]] = part.result()
            text = json.dumps(report, indent=1)
            if options.report:
                pathlib.Path(options.report).write_text(text + "\n", encoding="utf-8")
    if not options.report:
        print(text)
    failed = [name for name, part in report["parts"].items() if part["wrong"]]
    if failed:
        print(f"again: {sys.argv[0]} --minutes {options.minutes:g} " + " ".join(f"--only {name}" for name in failed),
              file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
