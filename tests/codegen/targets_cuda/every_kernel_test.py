#!/usr/bin/env python3
"""Compiles every kernel that the course and the examples give with NVRTC, for sm_80 and sm_90.

usage: every_kernel_test.py DYNACC_PYTHON PROGRAM...
Runs each program with DYNACC_TARGET=cuda, which compiles kernels to cubins and runs them by library loops; a
kernel that does not compile is reported on stderr. Exits with 77 (skipped) if the build has no such target.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def run(dynacc_python, program, stats):
    environment = dict(os.environ, DYNACC_TARGET="cuda", DYNACC_POLICY="always", DYNACC_STATS=str(stats))
    return subprocess.run([dynacc_python, program], env=environment, capture_output=True, text=True, timeout=280)


def main():
    dynacc_python, programs = sys.argv[1], sys.argv[2:]
    info = subprocess.run([dynacc_python, "--dynacc-info"], capture_output=True, text=True).stdout
    if "cuda" not in info:
        print("this build has no cuda target")
        return 77
    compiled, failed = 0, []
    with tempfile.TemporaryDirectory() as folder:
        stats = pathlib.Path(folder) / "stats.json"
        for program in programs:
            result = run(dynacc_python, program, stats)
            if "dynacc: warning" in result.stderr:
                failed.append(program)
                print(program, result.stderr[-4000:], sep="\n")
            compiled += json.loads(stats.read_text())["kernels_compiled"]
    print(f"{compiled} modules compiled for sm_80 and sm_90, {len(failed)} programs failed")
    return 1 if failed or compiled == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
