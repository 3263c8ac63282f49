#!/usr/bin/env python3
"""The type stubs say what the package has (mypy.stubtest), and what they say of a user's program is right.

usage: stubs_test.py SOURCE BUILD

Needs mypy: in python3, or in the virtual environment that DYNACC_TEST_PACKAGES names. Skipped (77) without.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PYTHON = sys.executable
# The package's own modules are not written for a type checker; their errors are none of a user's.
SETTINGS = "[mypy]\nignore_missing_imports = True\ndisable_error_code = var-annotated,attr-defined,import-untyped\n"
PROGRAM = """
import dynacc
@dynacc.compile
def f(a: list[float], k: int = 1) -> float:
    return sum(a) * k
@dynacc.compile(fullgraph=True, dynamic=None)
def g(a: str) -> str:
    return a
@dynacc.disable
def h(a: int) -> int:
    return a
reveal_type(f([1.0]))
reveal_type(g("x"))
reveal_type(h(1))
reveal_type(dynacc.explain(f)([1.0]).as_dict())
reveal_type(dynacc.__version__)
f("x", "y")
dynacc.compile(f, fullgraph="yes")
"""
EXPECTED = ["float", "str", "int", "dict[str, Any]", "str"]


def find_python():
    for python in (PYTHON, os.path.join(os.environ.get("DYNACC_TEST_PACKAGES", "/nowhere"), "bin", "python")):
        if os.path.exists(python) and subprocess.run([python, "-c", "import mypy.stubtest"], capture_output=True).returncode == 0:
            return python
    return None


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=600, **options)


def main():
    source, build = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
    python = find_python()
    if python is None:
        print("mypy is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        settings, program = pathlib.Path(folder, "mypy.ini"), pathlib.Path(folder, "program.py")
        settings.write_text(SETTINGS)
        program.write_text(PROGRAM)
        environment = os.environ | {"MYPYPATH": str(source / "embed" / "python"), "PYTHONPATH": str(build / "python")}
        seen = run(python, "-m", "mypy.stubtest", "dynacc", "--concise", "--ignore-missing-stub",
                   "--mypy-config-file", settings, cwd=folder, env=environment)
        # Of the array API's names, which are made when they are asked for.
        wrong = [line for line in seen.stdout.splitlines() if line and not line.startswith("dynacc._array_api.")]
        assert not wrong, seen.stdout + seen.stderr
        seen = run(python, "-m", "mypy", "--strict", "--config-file", settings, program, cwd=folder, env=environment)
        types = [re.sub(r"\bbuiltins\.|\btyping\.", "", text) for text in re.findall(r'Revealed type is "(.*?)"', seen.stdout)]
        assert types == EXPECTED, seen.stdout + seen.stderr
        errors = re.findall(r"program\.py:(\d+): error", seen.stdout)
        assert errors == ["17", "17", "18"], seen.stdout
    print("the stubs are right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
