#!/usr/bin/env python3
"""Programs on the simulated device: the same results as in python3, and kernels that NVRTC compiles.

usage: every_kernel_test.py DYNACC_PYTHON SIMULATOR COMPILE_SOURCES [--all] PROGRAM...
       PROGRAM may be FILE:CALL, where the file's function is called, with sizes for a device that is simulated. The
       programs with the word `cuda` (tests/programs/README.md) run, too.
The simulator keeps each source that it is given once; COMPILE_SOURCES compiles them all with the real NVRTC, a sample
(with --all: all) to machine code. DYNACC_TEST_SEED=N draws another sample than today's. Output is compared with python3's
word by word, numbers with a tolerance: on the device sums and functions differ in last digits.
"""
import concurrent.futures
import datetime
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "programs"))
import differential


def words(text):
    text = re.sub(r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{10,}\b", "digest", text)  # of bits, which may differ
    return re.findall(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf)|[^\s\d]+", text)


def same(a, b):
    if a == b:
        return True
    try:
        return math.isclose(float(a), float(b), rel_tol=1e-3, abs_tol=1e-6)
    except ValueError:
        return False


def arguments_of(program):
    """What an interpreter is called with to run the program."""
    file, _, call = program.partition(":")
    if not call:
        return [file]
    return ["-c", f"import runpy; names = runpy.run_path({file!r}); eval({call!r}, names)"]


def check(program, dynacc_python, environment):
    """What is wrong with the program's run on the device, or None."""
    arguments = arguments_of(program)
    helpers = {"PYTHONPATH": str(differential.HELPERS)}
    plain = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=120,
                           env=dict(os.environ, **helpers))
    device = subprocess.run([dynacc_python, *arguments], capture_output=True, text=True, timeout=600,
                            env=environment | helpers)
    if "dynacc: warning" in device.stderr or "simulated device:" in device.stderr:
        return device.stderr[-3000:]
    if plain.returncode != device.returncode:
        return f"exit status {device.returncode}\n{device.stderr[-2000:]}"
    expected, got = words(plain.stdout), words(device.stdout)
    if len(expected) != len(got) or not all(map(same, expected, got)):
        return f"--- python3\n{plain.stdout[-2000:]}\n--- device\n{device.stdout[-2000:]}"
    return None


def main():
    dynacc_python, simulator, compile_sources, *programs = [word for word in sys.argv[1:] if word != "--all"]
    programs += map(str, differential.programs("cuda"))
    seed = os.environ.get("DYNACC_TEST_SEED", str(datetime.date.today().toordinal()))
    share = "1" if "--all" in sys.argv else "24"
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        sources = pathlib.Path(folder) / "sources"
        sources.mkdir()
        environment = dict(os.environ, DYNACC_TARGET="cuda", DYNACC_POLICY="always", DYNACC_CUDA_DRIVER=simulator,
                           DYNACC_NVRTC=simulator, DYNACC_SIM_SOURCES=str(sources), DYNACC_CACHE_DIR=f"{folder}/cache")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(lambda program: check(program, dynacc_python, environment), programs))
        for program, wrong in zip(programs, results):
            if wrong is not None:
                failed += 1
                print(f"{program}:\n{wrong}")
        compiled = subprocess.run([compile_sources, str(sources), seed, share])
        print(f"{len(programs)} programs run, {failed} failed; {len(list(sources.iterdir()))} sources")
    if failed:
        return 1
    return 0 if compiled.returncode == 77 else compiled.returncode


if __name__ == "__main__":
    sys.exit(main())
