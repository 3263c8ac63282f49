#!/usr/bin/env python3
"""differential.py must find each kind of difference: run against launchers that are wrong in one way."""
import pathlib
import subprocess
import sys
import tempfile

HARNESS = pathlib.Path(__file__).with_name("differential.py")
PYTHON = "/usr/bin/python3.11"
WRONG = {
    "right": ('exec "$PYTHON" "$@"', True),
    "other output": ('"$PYTHON" "$@"; status=$?; echo more; exit $status', False),
    "other stderr": ('"$PYTHON" "$@"; status=$?; echo more >&2; exit $status', False),
    "other status": ('"$PYTHON" "$@"; exit 9', False),
    "one policy only": ('"$PYTHON" "$@"; status=$?; [ "$DYNACC_POLICY" = always ] && echo; exit $status', False),
}


def passes(folder, body, program):
    launcher = folder / "launcher"
    launcher.write_text(f"#!/bin/sh\nPYTHON={PYTHON}\n{body}\n")
    launcher.chmod(0o755)
    done = subprocess.run([PYTHON, HARNESS, launcher, program], capture_output=True, text=True)
    return done.returncode == 0


def main():
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        steady = folder / "steady.py"
        steady.write_text("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)\n")
        for title, (body, expected) in WRONG.items():
            if passes(folder, body, steady) != expected:
                failures.append(title)
        unsteady = folder / "unsteady.py"
        unsteady.write_text("import time; print(time.time_ns())\n")
        if passes(folder, WRONG["right"][0], unsteady):
            failures.append("a program that differs from run to run")
    print("harness wrong about:", failures or "nothing")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
