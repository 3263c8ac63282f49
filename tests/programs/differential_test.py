#!/usr/bin/env python3
"""differential.py must find each kind of difference: run against launchers that are wrong in one way."""
import pathlib
import subprocess
import sys
import tempfile

HARNESS = pathlib.Path(__file__).with_name("differential.py")
PYTHON = sys.executable
WRONG = {
    "right": ('exec "$PYTHON" "$@"', True),
    "other output": ('"$PYTHON" "$@"; status=$?; echo more; exit $status', False),
    "other stderr": ('"$PYTHON" "$@"; status=$?; echo more >&2; exit $status', False),
    "other status": ('"$PYTHON" "$@"; exit 9', False),
    "one policy only": ('"$PYTHON" "$@"; status=$?; [ "$DYNACC_POLICY" = always ] && echo; exit $status', False),
}


def run(folder, body, program, *options):
    launcher = folder / "launcher"
    launcher.write_text(f"#!/bin/sh\nPYTHON={PYTHON}\n{body}\n")
    launcher.chmod(0o755)
    return subprocess.run([PYTHON, HARNESS, *options, launcher, program], capture_output=True, text=True)


def passes(folder, body, program):
    return run(folder, body, program).returncode == 0


def wrong_about_words(folder):
    """What the harness does not do that the line `# test:` asks for."""
    right = WRONG["right"][0]
    marked = folder / "marked.py"
    marked.write_text("print('out')\n")
    plain = run(folder, right, marked).stdout.count(": same")
    marked.write_text("# test: compiled numpy2\nprint('out')\n")
    if run(folder, right, marked).stdout.count(": same") != plain + 3:
        yield "the runs that a word adds"
    if run(folder, right, marked, "--skip", "cuda,numpy2").returncode != 77:
        yield "a word that is skipped"
    if run(folder, right, marked, "--skip", "cuda").returncode != 0:
        yield "a word that is skipped in other programs"
    marked.write_text("# test: compiled numpy3\nprint('out')\n")
    if run(folder, right, marked).returncode != 1:
        yield "a word that nothing knows"


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
        failures += wrong_about_words(folder)
    print("harness wrong about:", failures or "nothing")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
